"""The composition root: the only place where backends, models and recipes meet."""

from collections.abc import Callable, Iterable
from contextlib import closing
from glob import escape
from pathlib import Path
from time import monotonic, time_ns
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec
from msgspec.structs import replace

from waymeet.analysis import well_formed
from waymeet.errors import EmbeddingError, IndexUnavailableError, NoIndexError, NotIndexedError, UsageError
from waymeet.places import current_folder, existing_folder, index_file, project_root
from waymeet.ports import Counts, Embedder, Progress, Store
from waymeet.recipes import recipe_named
from waymeet.settings import Layer, Settings, layers, resolve
from waymeet.types import Answer, Degraded, Filters, Query

if TYPE_CHECKING:
    from waymeet.ingest.changes import Changes
    from waymeet.ingest.index import Report
    from waymeet.search.read import Excerpt
    from waymeet.stores.sqlite.check import Verdict


_NOT_CHECKED = Degraded("freshness", "not_checked", "changed files were not looked for: the answer may be behind them")


class Status(msgspec.Struct, frozen=True):
    """What a project's index holds and how it stands."""

    root: str
    index: str
    index_bytes: int
    generation: int
    counts: Counts
    indexed_seconds_ago: float | None
    changes: tuple[str, ...] | None
    """Files that differ from the index; None if there were too many to look at in time."""
    skipped: tuple[tuple[str, str], ...]
    """Files that are left out, with the reason; the first thousand of them if there was no time to look."""
    skipped_count: int
    noted: tuple[tuple[str, str], ...]
    """Files that are indexed although something was wrong with them, with what it was."""
    lane: str
    """The embedding space that questions are asked in; empty without a model."""


class Project:
    """A folder of knowledge and the index that answers for it."""

    def __init__(self, root: Path, index: Path, settings: tuple[Layer, ...]) -> None:
        self.root = root
        self.index_path = index
        self.layers = settings
        self.settings = resolve(settings)
        self._store: Store | None = None

    @classmethod
    def open(
        cls, root: Path | str | None = None, *, index: Path | str | None = None, flags: Iterable[str] = ()
    ) -> Self:
        """Open a project by its folder; without one, the project that the current folder belongs to.

        `index` names another index file; `flags` are settings as `section.key=value`.
        """
        folder = project_root(current_folder()) if root is None else existing_folder(Path(root))
        return cls(folder, index_file(folder, Path(index) if index else None), layers(folder, flags))

    def settings_for(self, recipe: str) -> Settings:
        """Give the numbers a recipe runs with: defaults < recipe < files, environment and flags."""
        return resolve(self.layers_for(recipe))

    def layers_for(self, recipe: str) -> tuple[Layer, ...]:
        """Give the layers of settings over the defaults for a recipe, lowest first."""
        return (Layer(f"recipe {recipe}", recipe_named(recipe).overrides), *self.layers)

    @property
    def indexed(self) -> bool:
        """Tell whether there is an index to search, made to the end."""
        try:
            return self.index_path.exists() and bool(self._opened().note("indexed_at"))
        except NoIndexError:  # an empty file, left behind when the disk was full, say
            return False

    def index(
        self,
        progress: Progress | None = None,
        embedding: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> "Report":
        """Bring the index up to date with the files, then embed what has no vector yet.

        If another process is at it, this one waits for its turn; `waiting` is called if that takes more than a moment.
        """
        from waymeet.ingest.turns import turn

        with turn(self.index_path, wait=True, waiting=waiting):
            return self._take_in(None, progress, embedding)

    def check(self, *, repair: bool = False) -> "Verdict":
        """Look for damage in the index; with `repair`, mend it. Afterwards `index` may have files to read again."""
        from waymeet.ingest.turns import turn
        from waymeet.stores.sqlite.mending import check

        if not self.index_path.exists():
            raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
        self.close()
        if not repair:
            return check(self.index_path, repair=False)
        with turn(self.index_path, wait=True):
            return check(self.index_path, repair=True)

    def _take_in(
        self,
        changes: "Changes | None",
        progress: Progress | None = None,
        embedding: Progress | None = None,
        into: Store | None = None,
    ) -> "Report":
        from waymeet.ingest.embed import embed
        from waymeet.ingest.index import index

        store = self._opened(create=True) if into is None else into
        owner = store.note("root")
        if owner and owner != str(self.root):
            raise UsageError(
                f"The index {self.index_path} belongs to {owner}, not to {self.root}.",
                "Choose another index file, or go to the project it belongs to.",
            )
        report = index(self.root, store, self.settings, progress, changes)
        embedder = self._embedder()
        if embedder is not None and embed(store, embedder, self.settings, embedding) and changes is None:
            store.tidy()
        return report

    def search(self, question: str | Query, *, refresh: bool = True) -> Answer:
        """Answer a question; files that changed since they were indexed are read first if that is quick."""
        from waymeet.search.shape import answer
        from waymeet.search.state import Tools

        query = Query(question, limit=self.settings.shape.limit) if isinstance(question, str) else question
        query = replace(query, text=well_formed(query.text), filters=_well_formed(query.filters))
        store = self._opened()
        behind = self._refreshed(store) if refresh else (_NOT_CHECKED,)
        found = answer(
            recipe_named(query.recipe), query, Tools(store, self._embedder()), self.settings_for(query.recipe)
        )
        return replace(found, degraded=(*behind, *found.degraded)) if behind else found

    def counts(self) -> Counts:
        """Count what is indexed."""
        return self._opened().counts()

    def read(self, reference: str) -> "Excerpt":
        """Read a section by its id, or lines of an indexed file (`path`, `path:from`, `path:from:count`)."""
        from waymeet.ingest.decode import load
        from waymeet.search.read import Excerpt, locate

        place = locate(self._opened(), well_formed(reference))
        document = place.document
        loaded = load(self.root, document.id)
        rows = loaded.text.removesuffix("\n").split("\n")
        end = min(place.end or len(rows), len(rows))
        if place.start > len(rows):
            raise NotIndexedError(f"{document.id} has {len(rows)} lines; line {place.start} is behind its end.")
        changed = "the file changed since it was indexed: its lines may have moved"
        return Excerpt(
            id=reference if place.piece is not None else f"{document.id}#L{place.start}-L{end}",
            document=document.id,
            title=document.title,
            start=place.start,
            end=end,
            lines=len(rows),
            text="\n".join(rows[place.start - 1 : end]) if place.piece is None else place.piece,
            notes=(changed,) if loaded.digest != document.digest else (),
        )

    def matching(self, filters: Filters) -> int:
        """Count the indexed files that pass filters."""
        store = self._opened()
        return len(store.passing(list(store.fingerprints()), _well_formed(filters)))

    def status(self) -> Status:
        """Say what is indexed, how fresh it is, and what was left out."""
        store = self._opened()
        embedder = self._embedder()
        at = store.note("indexed_at")
        changes = self._changes(store)
        skipped = tuple(msgspec.json.decode(store.note("skipped") or "[]", type=list[tuple[str, str]]))
        return Status(
            root=str(self.root),
            index=str(self.index_path),
            index_bytes=self._size(),
            generation=store.generation,
            counts=store.counts(),
            indexed_seconds_ago=(time_ns() - int(at)) / 1e9 if at else None,
            changes=None if changes is None else (*changes.added, *changes.modified, *changes.removed),
            skipped=skipped if changes is None else tuple((each.path, each.reason) for each in changes.skipped),
            skipped_count=int(store.note("skipped_count") or 0) if changes is None else len(changes.skipped),
            noted=tuple(sorted(msgspec.json.decode(store.note("noted") or "{}", type=dict[str, str]).items())),
            lane=embedder.lane if embedder else "",
        )

    def _size(self) -> int:
        """Add up the index file and what lies beside it."""
        beside = self.index_path.parent.glob(f"{escape(self.index_path.name)}*")
        files = (file for path in beside for file in (path.rglob("*") if path.is_dir() else (path,)))
        return sum(file.stat().st_size for file in files if file.is_file())

    def close(self) -> None:
        """Let go of the index file."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, *, create: bool = False) -> Store:
        if self._store is None:
            if not create and not self.index_path.exists():
                raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
            from waymeet.stores.sqlite import SqliteStore

            self._store = SqliteStore.open(self.index_path, create=create)
        return self._store

    def _embedder(self) -> Embedder | None:
        if self.settings.embedding.provider == "none":
            return None
        from waymeet.models.hashing import HashingEmbedder

        return HashingEmbedder(self.settings.embedding.dimension)

    def _changes(self, store: Store) -> "Changes | None":
        """Compare files and index by size and time; None if the budget for that ran out."""
        from waymeet.ingest.changes import changed

        deadline = monotonic() + self.settings.ingest.refresh_seconds
        return changed(self.root, store, self.settings, lambda: monotonic() > deadline)

    def _refreshed(self, store: Store) -> tuple[Degraded, ...]:
        """Take in a few changed files, or say that the answer may be behind the files."""
        if self.settings.ingest.refresh_seconds <= 0:
            return (_NOT_CHECKED,)
        changes = self._changes(store)
        if changes is None:
            detail = "too many files to look at before answering: run `waymeet index` to be sure nothing is missing"
            return (Degraded("freshness", "not_checked", detail),)
        left = self._left_undone(store, changes)
        return (Degraded("freshness", "behind", left),) if left else ()

    def _left_undone(self, store: Store, changes: "Changes") -> str:
        """Take changes in, or say why they were not."""
        number = len(changes.added) + len(changes.modified) + len(changes.removed)
        if number > self.settings.ingest.refresh_files:
            return f"{number} files changed since they were indexed, too many to take in now: run `waymeet index`"
        if len(changes.removed) * 2 > len(store.fingerprints()):
            return "more than half of the files are gone: if that is meant, run `waymeet index`"
        if not number:
            return ""
        from waymeet.ingest.turns import turn
        from waymeet.stores.sqlite import SqliteStore

        try:  # through a connection of its own, which does not wait long for other writers
            with (
                turn(self.index_path, wait=False),
                closing(SqliteStore.open(self.index_path, timeout=self.settings.ingest.refresh_seconds)) as hasty,
            ):
                self._take_in(changes, into=hasty)
        except (IndexUnavailableError, EmbeddingError) as error:
            return f"changed files could not be taken in: {error.message}"
        return ""


def _well_formed(filters: Filters) -> Filters:
    """Replace halves of characters in what a caller filters by."""
    values = {name: tuple(map(well_formed, getattr(filters, name))) for name in ("paths", "kinds", "doc_types", "tags")}
    return replace(filters, **values)
