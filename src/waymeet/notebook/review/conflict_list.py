"""The conflicts of a project: finding, listing and resolving them."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import time_ns

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.item import Item
from waymeet.notebook.review import conflicts
from waymeet.notebook.review.conflicts import Conflict, change_conflicts, read_conflicts
from waymeet.notebook.similar import ItemComparison
from waymeet.ports import Store
from waymeet.settings import NotebookSettings


def conflicts_file(index: Path) -> Path:
    """Return the path of the file of conflicts, which is beside the index."""
    return index.with_name(f"{index.name}.conflicts.json")


class ConflictList:
    """The conflicts between the items of a project."""

    def __init__(self, index: Path, catalog: Catalog, settings: NotebookSettings) -> None:
        self._file = conflicts_file(index)
        self._catalog = catalog
        self._settings = settings

    def record(self, item: Item, comparison: ItemComparison) -> tuple[str, ...]:
        """Add the conflicts that comparing a saved item found, and return warnings."""
        now = time_ns()
        ids = [*(each.id for each in comparison.similar), *(each.id for each in comparison.contradictions)]
        found = conflicts.from_comparison(item, comparison, self._load(ids), now)

        def change(stored: tuple[Conflict, ...]) -> list[Conflict]:
            merged = conflicts.merge_found(stored, found)
            return list(conflicts.close_vanished(merged, item, found, now).values())

        if not found and not self._file.exists():
            return ()
        try:
            change_conflicts(self._file, change)
        except (OSError, UsageError) as error:  # the item is saved all the same
            return (f"its conflicts could not be recorded: {error}",)
        return ()

    def open(self, kind: str = "") -> tuple[Conflict, ...]:
        """List the open conflicts of a kind of items, the oldest first.

        Texts that an editor changed are compared again.
        """
        items, now = self._catalog.all_items(), time_ns()
        linked = list(conflicts.from_relations(items, now))

        def refresh(stored: tuple[Conflict, ...]) -> list[Conflict]:
            by_id = {conflict.id: conflict for conflict in stored}
            current = conflicts.drop_removed_links(by_id, {conflict.id for conflict in linked}, now)
            merged = conflicts.merge_found(current.values(), linked)
            return list(conflicts.recheck(merged, items, self._settings, now).values())

        stored = read_conflicts(self._file)
        refreshed = tuple(refresh(stored))
        if refreshed != stored:
            with suppress(OSError):  # listing works in a read-only folder, too; a later command stores it
                refreshed = change_conflicts(self._file, refresh)
        return tuple(
            conflict
            for conflict in conflicts.list_open(refreshed, items)
            if not kind or kind in {items[id_].kind for id_ in conflict.pair}
        )

    def resolve(self, conflict: Conflict, resolution: str) -> Conflict:
        """Store an open conflict as resolved for the present texts.

        Raises:
            UsageError: the file cannot be written.
        """
        items, now = self._load(list(conflict.pair)), time_ns()

        def change(stored: tuple[Conflict, ...]) -> list[Conflict]:
            return [
                conflicts.mark_resolved(each, resolution, items, now) if each.id == conflict.id else each
                for each in stored
            ]

        try:
            after = change_conflicts(self._file, change)
        except OSError as error:
            raise UsageError(f"{self._file} cannot be written: {error}.", "Nothing was resolved.") from error
        return next((each for each in after if each.id == conflict.id), conflict)

    def _load(self, ids: list[str]) -> Mapping[str, Item]:
        """Load items by id, without those that do not exist."""
        items = {}
        for id_ in dict.fromkeys(ids):
            try:
                items[id_] = self._catalog.load(id_)[0]
            except (ItemNotFoundError, UsageError):
                continue
        return items


def count_open(index: Path, store: Store) -> int:
    """Count the stored conflicts that are open, by the index and without reading items."""
    try:
        stored = [conflict for conflict in read_conflicts(conflicts_file(index)) if not conflict.resolution]
    except UsageError:  # `waymeet note conflicts` reports it
        return 0
    ids = list({id_ for conflict in stored for id_ in conflict.pair})
    indexed = store.documents(ids).keys()
    superseding = {
        frozenset((edge.source.document, edge.target.document))
        for edge in store.edges(ids, kinds=("supersedes",))
        if edge.target
    }
    return sum(conflict.pair <= indexed and conflict.pair not in superseding for conflict in stored)
