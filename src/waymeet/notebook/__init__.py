"""Notes, tasks and skills: plain Markdown files that people, git and programs write alike."""

from waymeet.notebook.history import Past
from waymeet.notebook.index_view import Index
from waymeet.notebook.item import Item, steps
from waymeet.notebook.notebook import Notebook, Removed, Saved

__all__ = ["Index", "Item", "Notebook", "Past", "Removed", "Saved", "steps"]
