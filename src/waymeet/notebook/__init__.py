"""The notebook: notes, tasks and skills, stored as Markdown files for editors and git."""

from waymeet.notebook.history import PastVersion
from waymeet.notebook.index_view import IndexView
from waymeet.notebook.item import Item, skill_steps
from waymeet.notebook.notebook import Notebook, RemovedItem, SavedItem

__all__ = ["IndexView", "Item", "Notebook", "PastVersion", "RemovedItem", "SavedItem", "skill_steps"]
