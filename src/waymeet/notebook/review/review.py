"""Review of items: readings, confirmations, suggested tiers, and conflicts."""

from collections.abc import Iterable
from pathlib import Path
from time import time_ns
from typing import Protocol

from waymeet.errors import ConflictError, UsageError
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.index_view import IndexView
from waymeet.notebook.item import Item
from waymeet.notebook.review import conflicts
from waymeet.notebook.review.conflict_list import ConflictList
from waymeet.notebook.review.conflicts import Conflict
from waymeet.notebook.review.state import ReviewState, describe_reviews, documents_of
from waymeet.notebook.similar import ItemComparison
from waymeet.search.feedback import storage
from waymeet.settings import NotebookSettings
from waymeet.types import Document


class Items(Protocol):
    """What a review needs of the notebook."""

    def load(self, reference: str, kind: str = "") -> Item:
        """Load an item by its path, name or title."""
        ...

    def link(self, reference: str, relation: str, target: str) -> object:
        """Relate an item to another one."""
        ...


class ItemReview:
    """The reviews of items, and the conflicts between them."""

    def __init__(
        self, items: Items, catalog: Catalog, index_path: Path, settings: NotebookSettings, index: IndexView
    ) -> None:
        """Reviews and conflicts are stored next to `index_path`."""
        self._items = items
        self._root = catalog.root
        self._index = index
        self._index_path = index_path
        self._conflicts = ConflictList(index_path, catalog, settings)

    def confirm(self, reference: str, *, version: str = "", kind: str = "") -> tuple[Item, ReviewState]:
        """Record that an item is still right, so that its recency decays more slowly.

        Raises:
            ConflictError: the item has another version than the given one.
        """
        item = self._items.load(reference, kind)
        if version and version != item.version:
            message = f"{item.id} was changed since: it was not confirmed. Its version is {item.version} now."
            raise ConflictError(message, "Read it again.", current=item.text, version=item.version)
        storage.record_confirmation(self._index_path, self._document(item), time_ns())
        return item, self.states([item])[item.id]

    def record_read(self, item: Item) -> bool:
        """Record that an item was read, and return whether it was recorded."""
        return storage.record_read(self._index_path, self._document(item), time_ns())

    def states(self, items: Iterable[Item]) -> dict[str, ReviewState]:
        """Describe how often items were read and confirmed, their recency and suggested tier, by id."""
        documents = documents_of(items, self._root, self._index.open_store())
        return describe_reviews(documents, storage.read_reviews(self._index_path), time_ns())

    def record_comparison(self, item: Item, comparison: ItemComparison) -> tuple[str, ...]:
        """Add the conflicts that comparing a saved item found, and return warnings."""
        return self._conflicts.record(item, comparison)

    def conflicts(self, kind: str = "") -> tuple[Conflict, ...]:
        """List contradicting and nearly equal items that are not resolved, the oldest first."""
        return self._conflicts.open(kind)

    def resolve(self, conflict_id: str, resolution: str, *, keep: str = "") -> Conflict:
        """Resolve a conflict as `keep_both`, `merged` or `superseded`, until a text changes.

        For `superseded`, `keep` names the item that supersedes the other; the relation is written to its file.
        """
        resolution = conflicts.parse_resolution(resolution)
        conflict = conflicts.find_conflict(self._conflicts.open(), conflict_id)
        if keep and resolution != "superseded":
            raise UsageError(f"{resolution} keeps no item over the other.", "Use it with the resolution superseded.")
        if resolution == "superseded":
            kept = self._items.load(keep).id if keep else ""
            if kept not in conflict.pair:
                hint = f"Name the item to keep: {conflict.one.id} or {conflict.other.id}."
                raise UsageError("It is not said which of the two items supersedes the other.", hint)
            (superseded,) = conflict.pair - {kept}
            self._items.link(kept, "supersedes", superseded)
        return self._conflicts.resolve(conflict, resolution)

    def parse_resolutions(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Check pairs of an open conflict's id and its resolution, and return them in full.

        Raises:
            UsageError: there is no such conflict or resolution.
        """
        pairs = list(pairs)
        found = self._conflicts.open() if pairs else ()
        return [(conflicts.find_conflict(found, id_).id, conflicts.parse_resolution(name)) for id_, name in pairs]

    def resolve_all(self, resolutions: Iterable[tuple[str, str]], kept: str) -> None:
        """Resolve conflicts by pairs of id and resolution, where `kept` supersedes the other item.

        A conflict that a changed text settled meanwhile is left alone.
        """
        still_open = {conflict.id for conflict in self._conflicts.open()}
        for id_, resolution in resolutions:
            if id_ in still_open:
                self.resolve(id_, resolution, keep=kept if resolution == "superseded" else "")

    def record_relation(self) -> tuple[str, ...]:
        """Add the conflicts that relations name, and return warnings."""
        try:
            self._conflicts.open()
        except UsageError as error:  # the relation is saved all the same
            return (f"its conflict could not be recorded: {error.message}",)
        return ()

    def _document(self, item: Item) -> Document:
        return documents_of([item], self._root, self._index.open_store())[item.id]
