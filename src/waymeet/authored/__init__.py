"""Notes, tasks and skills: plain Markdown files that people, git and programs write alike."""

from waymeet.authored.around import Index
from waymeet.authored.history import Past
from waymeet.authored.item import Item, steps
from waymeet.authored.notebook import Notebook, Removed, Saved

__all__ = ["Index", "Item", "Notebook", "Past", "Removed", "Saved", "steps"]
