"""What the index knows around an entry. Entries are written and read without one, or with one that is damaged, too."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key
from waymeet.errors import IndexUnavailableError, NotFoundError
from waymeet.ingest.discover.entry_kind import SKILL_PAGE
from waymeet.notebook.item import Item
from waymeet.notebook.similar import Compared, Text, candidates, compared, linked
from waymeet.ports import Embedder, Store
from waymeet.settings import Settings

_LEFT_OUT = "a search will not find it: an ignore rule leaves it out, or it could not be parsed"


class IndexView(Struct, frozen=True):
    """How the index is reached."""

    store: Callable[[], Store | None] = lambda: None
    """Gives it, if there is one."""
    refresh: Callable[[], Iterable[str]] = tuple
    """Brings it up to date, and says what it may lack all the same."""
    embedders: Callable[[], Sequence[Embedder]] = tuple

    def usable(self) -> Store | None:
        """Give the index, if there is one that can be used."""
        try:
            return self.store()
        except IndexUnavailableError:
            return None

    def skills(self) -> list[str]:
        """List the files called SKILL.md."""
        key, store = file_name_key(SKILL_PAGE), self.usable()
        found = store.documents_by_key([key]).get(key, ()) if store else ()
        return [path for path in found if path.rpartition("/")[2] == SKILL_PAGE]

    def inward(self, path: str) -> tuple[tuple[str, str], ...]:
        """List the documents that link to an entry, with the kind of link."""
        store = self.usable()
        edges = store.edges([path]) if store else ()
        found = ((edge.source.document, edge.kind) for edge in edges if edge.target and edge.target.document == path)
        return tuple(dict.fromkeys(each for each in found if each[0] != path and each[1] != "contains"))

    def compare(self, item: Item, others: Iterable[Item], settings: Settings) -> tuple[Compared, list[str]]:
        """Compare a saved entry with those of its kind, found by the index or else `others`; and say what was amiss."""
        mine = Text(item.id, item.title, item.body)
        try:
            store = self.store()
            notes = list(self.refresh()) if store else []
        except (IndexUnavailableError, NotFoundError) as error:  # the entry is written all the same
            store, notes = None, [f"the index does not have it yet: {error.message}"]
        if store is None:
            texts = [Text(each.id, each.title, each.body) for each in others if each.id != item.id]
            return compared(mine, texts, settings.notebook), notes
        if not notes and item.id not in store.documents([item.id]):
            notes.append(_LEFT_OUT)
        texts, meaning = candidates(mine, item.kind, store, self.embedders(), settings)
        found = compared(mine, texts, settings.notebook, meaning)
        suspected = (*linked(item.id, found.near, store), *found.contradictions)
        return Compared(found.near, tuple({each.id: each for each in suspected}.values())), notes
