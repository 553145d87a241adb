"""Access of the notebook to the index, without which items can be used, too."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key
from waymeet.errors import IndexUnavailableError, NotFoundError
from waymeet.ingest.discover.entry_kind import SKILL_PAGE
from waymeet.notebook.item import Item
from waymeet.notebook.similar import (
    ItemComparison,
    Text,
    compare_texts,
    find_candidates,
    find_linked_contradictions,
)
from waymeet.ports import Embedder, Store
from waymeet.settings import Settings

_NOT_INDEXED = "a search will not find it: an ignore rule excludes it, or it could not be parsed"


class IndexView(Struct, frozen=True):
    """Access to the index of a project."""

    store: Callable[[], Store | None] = lambda: None
    """Opens the index, if there is one."""
    refresh: Callable[[], Iterable[str]] = tuple
    """Brings the index up to date, and returns warnings about what it may lack."""
    embedders: Callable[[], Sequence[Embedder]] = tuple
    refuse_write: Callable[[], None] = lambda: None
    """Raises an error if the files of the project are on another machine."""

    def open_store(self) -> Store | None:
        """Open the index, or return None if there is none that can be used."""
        try:
            return self.store()
        except IndexUnavailableError:
            return None

    def skills(self) -> list[str]:
        """List the files called SKILL.md."""
        key, store = file_name_key(SKILL_PAGE), self.open_store()
        paths = store.documents_by_key([key]).get(key, ()) if store else ()
        return [path for path in paths if path.rpartition("/")[2] == SKILL_PAGE]

    def backlinks(self, path: str) -> tuple[tuple[str, str], ...]:
        """List the documents that link to an item, with the kind of link."""
        store = self.open_store()
        edges = store.edges([path]) if store else ()
        links = ((edge.source.document, edge.kind) for edge in edges if edge.target and edge.target.document == path)
        return tuple(dict.fromkeys((source, kind) for source, kind in links if source != path and kind != "contains"))

    def compare(self, item: Item, others: Iterable[Item], settings: Settings) -> tuple[ItemComparison, list[str]]:
        """Compare a saved item with similar ones of its kind, and return warnings about the index.

        Similar items are found by the index. Without one, or if it is out of date, the item is compared with all
        `others`.
        """
        text = Text(item.id, item.title, item.body)
        try:
            store = self.store()
            warnings = list(self.refresh()) if store else []
        except (IndexUnavailableError, NotFoundError) as error:  # the item is saved all the same
            store, warnings = None, [f"the index does not have it yet: {error.message}"]
        files = (
            [Text(other.id, other.title, other.body) for other in others if other.id != item.id]
            if store is None or warnings
            else []
        )
        if store is None:
            return compare_texts(text, files, settings.notebook), warnings
        if not warnings and item.id not in store.documents([item.id]):
            warnings.append(_NOT_INDEXED)
        texts, cosines = find_candidates(text, item.kind, store, self.embedders(), settings)
        texts = files or texts  # an item saved a moment ago may not be in the index
        comparison = compare_texts(text, texts, settings.notebook, cosines)
        linked = find_linked_contradictions(item.id, comparison.similar, store)
        contradictions = {each.id: each for each in (*linked, *comparison.contradictions)}
        return ItemComparison(comparison.similar, tuple(contradictions.values())), warnings
