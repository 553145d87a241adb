"""The composition root: the only place where backends, models and recipes meet."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from threading import RLock
from time import monotonic, time_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from waymeet.analysis import well_formed
from waymeet.errors import EmbeddingError, NoIndexError, UsageError
from waymeet.paths import bytes_of, current_folder, existing_folder, index_file, known_folder, project_root
from waymeet.ports import Counts, Progress, Store
from waymeet.project import freshness
from waymeet.project.embedding import Models
from waymeet.recipes import recipe_named
from waymeet.search.understand.inline_filters import legible
from waymeet.settings import Layer, Settings, layers, resolve
from waymeet.types import Answer, Degraded, Filters, Query

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.ingest.embed.batches import Embedded
    from waymeet.ingest.index import Report
    from waymeet.ingest.status import Status
    from waymeet.ingest.watch import Hints, Round
    from waymeet.models.remote.cost import Consent
    from waymeet.notebook import Notebook
    from waymeet.project.embedding import Answering
    from waymeet.search.context import Pack
    from waymeet.search.explore.graph import Graph
    from waymeet.search.lookup.citation import Excerpt
    from waymeet.search.state import Recipe, Tools
    from waymeet.staleness.dates import Moments
    from waymeet.stores.sqlite.check.check import Verdict


class Project:
    """A folder of knowledge and the index that answers for it.

    Threads may share one and ask at the same time; `close` it when none of them uses it any more.
    """

    def __init__(self, root: Path, index: Path, settings: tuple[Layer, ...]) -> None:
        self.root = root
        self.index_path = index
        self.layers = settings
        self.settings = resolve(settings)
        self.flags: tuple[str, ...] = ()
        self._store: Store | None = None
        self.models = Models(index)
        self._opening = RLock()
        self._looking = freshness.OneLook()

    @classmethod
    def open(
        cls, root: Path | str | None = None, *, index: Path | str | None = None, flags: Iterable[str] = ()
    ) -> Self:
        """Open a project by its folder; without one, the project that the current folder belongs to.

        `index` names another index file; `flags` are settings as `section.key=value`.
        """
        chosen = Path(index) if index else None
        folder = project_root(current_folder()) if root is None else known_folder(Path(root), chosen)
        flags = tuple(flags)
        project = cls(folder, index_file(folder, chosen), layers(folder, flags))
        project.flags = flags  # for those who stay and read the settings again
        return project

    def settings_for(self, recipe: str) -> Settings:
        """Give the numbers a recipe runs with: defaults < recipe < files, environment and flags."""
        return resolve(self.layers_for(recipe))

    def layers_for(self, recipe: str) -> tuple[Layer, ...]:
        """Give the layers of settings over the defaults for a recipe, lowest first."""
        return (Layer(f"recipe {recipe}", self.recipe(recipe).overrides), *self.layers)

    def recipe(self, name: str) -> "Recipe":
        """Find a recipe by its name, the user's own among them."""
        return recipe_named(name, self.settings.recipes)

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
        *,
        accept_removals: bool = False,
        embed: bool = True,
        consent: "Consent | None" = None,
    ) -> "Report":
        """Bring the index up to date with the files, then embed what has no vector yet (see `embed`).

        If another process is at it, this one waits for its turn; `waiting` is called every moment that it takes.
        If most files are gone, nothing is done unless `accept_removals` says that they are meant to be.
        """
        from waymeet.ingest.lock import turn

        with turn(self.index_path, wait=True, waiting=waiting):
            report = self._take_in(None, progress, accept_removals=accept_removals)
        return replace(report, embedding=self.embed(embedding, consent=consent)) if embed else report

    def embed(
        self,
        progress: Progress | None = None,
        stopped: Callable[[], bool] | None = None,
        *,
        consent: "Consent | None" = None,
        waiting: Callable[[], None] | None = None,
    ) -> "Embedded":
        """Embed what has no vector yet; if a model fails, the result says so, and the rest is left for later.

        Before much is sent to somebody who wants money for it, `consent` is asked; `stopped` ends it early.
        """
        store = self._opened()
        return self.models.embed(store, self.settings, progress, stopped, consent=consent, waiting=waiting)

    def go_on(self) -> bool:
        """Have the rest embedded by a process of its own, if the user lets that happen by itself."""
        return self.models.go_on(self.root, self.flags, self._opened(), self.settings)

    def watch(
        self,
        told: "Callable[[Round], None]",
        hints: "Hints | None" = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Keep the index up to date until stopped, and tell what is done; other processes get their turns between."""
        from waymeet.ingest.discover.roots import roots_of
        from waymeet.ingest.watch import Pace, SystemHints, checking_out, watch_and_embed

        folders = [each.folder for each in roots_of(self.root, self._opened(create=True), self.settings)]
        hints = hints or SystemHints(folders)
        pace = Pace(self.settings.watch, stopped, lambda: checking_out(str(self.root)))
        watch_and_embed(self._catch_up, lambda ended: self.embed(stopped=ended), told, hints, pace)

    def _catch_up(self) -> "Report | None":
        """Bring the index up to date if anything differs."""
        from waymeet.ingest.discover.changes import changed
        from waymeet.ingest.lock import turn

        store = self._opened(create=True)
        self.layers = layers(self.root, self.flags)  # the project's own file may have changed as any other
        self.settings = resolve(self.layers)
        changes = changed(self.root, store, self.settings, lambda: False)
        if changes is None or not changes.number:
            return None
        with turn(self.index_path, wait=True):  # another process may have taken in some of it meanwhile
            report = self._take_in(changed(self.root, store, self.settings, lambda: False))
            store.tidy()
            self.moments(store)
        return report

    def add_root(self, name: str, folder: Path) -> None:
        """Index another folder together with the project from now on; its files are known as `name:/path`."""
        from waymeet.ingest.discover.roots import add

        add(self._opened(create=True), self.root, name, existing_folder(folder))

    def remove_root(self, name: str) -> None:
        """Leave out from now on a folder that was added."""
        from waymeet.ingest.discover.roots import remove

        remove(self._opened(create=True), name)

    def check(self, *, repair: bool = False) -> "Verdict":
        """Look for damage in the index; with `repair`, mend it. Afterwards `index` may have files to read again."""
        from waymeet.ingest.lock import turn
        from waymeet.stores.sqlite.check.repair import check

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
        into: Store | None = None,
        *,
        accept_removals: bool = False,
    ) -> "Report":
        from waymeet.ingest.index import index

        store = self._opened(create=True) if into is None else into
        owner = store.note("root")
        if owner and owner != str(self.root):
            raise UsageError(
                f"The index {self.index_path} belongs to {owner}, not to {self.root}.",
                "Choose another index file, or go to the project it belongs to.",
            )
        report = index(self.root, store, self.settings, progress, changes, accept_removals=accept_removals)
        if into is not None:
            until = monotonic() + self.settings.ingest.refresh_seconds
            self.models.embed_few(store, self.settings, lambda: monotonic() > until)
        if changes is None:
            self.moments(store)
        return report

    def search(self, question: str | Query, *, refresh: bool = True, over: Iterable[Layer] = ()) -> Answer:
        """Answer a question; files that changed since they were indexed are read first if that is quick.

        `over` are settings of this call only, laid over all others.
        """
        from waymeet.search.shape.hits import answer

        query = Query(question, limit=self.settings.shape.limit) if isinstance(question, str) else question
        query = replace(query, text=well_formed(query.text), filters=legible(query.filters))
        store = self._opened()
        behind = self._refreshed(store) if refresh else (*freshness.gone(self.root, store), freshness.NOT_CHECKED)
        recipe, settings = self.recipe(query.recipe), resolve((*self.layers_for(query.recipe), *over))
        found = self.models.asked(
            store, self.settings.embedding, lambda models: answer(recipe, query, self.tools(store, models), settings)
        )
        degraded = (*behind, *freshness.mended(store), *found.degraded)
        return replace(found, degraded=degraded) if degraded else found

    def explain(self, question: str | Query) -> Answer:
        """Answer a question and say of every hit how its score came about: a tree whose parts add up to it."""
        query = Query(question, limit=self.settings.shape.limit) if isinstance(question, str) else question
        return self.search(replace(query, explain=True))

    def context(self, task: str | Query, *, budget: int = 0, refresh: bool = True) -> "Pack":
        """Put together what to read for a task: the best sections whole and what lies around them, within a budget.

        The budget counts tokens by a rough estimate; 0 for that of the settings.
        """
        from waymeet.search.context import pack

        query = Query(task) if isinstance(task, str) else task
        found = self.search(replace(query, limit=self.settings.pack.results), refresh=refresh)
        store = self._opened()
        with store.reading():
            return pack(found, store, budget or self.settings.pack.budget, self.settings)

    def filled(self, fill: Callable[[Store], None], embedding: Progress | None = None) -> "Tools":
        """Make an index of something else than the project's files, and give what asking it takes."""
        tools = self.tools(self._opened(create=True))
        fill(tools.store)
        came = self.embed(embedding)
        if came.trouble:
            raise EmbeddingError(came.trouble, came.hint)
        return tools

    def current(self) -> tuple[Store, tuple[Degraded, ...]]:
        """Give the store to be asked, brought up to date as for a search, and say what it may lack all the same."""
        store = self._opened()
        return store, self._refreshed(store)

    def graph(self, reference: str = "", *, depth: int = 1, kinds: Collection[str] = (), limit: int = 200) -> "Graph":
        """Give the graph of links around a document, section or symbol; without one, the whole, up to `limit` nodes."""
        from waymeet.search.explore.graph import pictured

        return pictured(self.current()[0], reference, depth, kinds, limit)

    def moments(self, store: Store) -> "Moments":
        """Find out when documents and their sources last changed, as far as that is not known yet."""
        return freshness.moments(self.root, store, self.settings)

    @property
    def authored(self) -> "Notebook":
        """Give the project's notes, tasks and skills to read and write; they need no index, but use it."""
        from waymeet.notebook import Index, Notebook

        index = Index(
            store=lambda: self._opened() if self.indexed else None,
            refresh=lambda: [each.detail for each in self.current()[1]],
            embedders=lambda: self.models.answering(self._opened(), self.settings.embedding).embedders,
        )
        return Notebook(self.root, self.settings, self.index_path, index)

    def counts(self) -> Counts:
        """Count what is indexed."""
        return self._opened().counts()

    def read(self, reference: str, *, start: int = 0, lines: int = 0) -> "Excerpt":
        """Read a section by its id, or lines of an indexed file (`path`, `path:from`, `path:from:count`).

        `start` and `lines` say which lines of that file instead, counted from 1; 0 for those that the reference means.
        """
        from waymeet.ingest.reload import loaded_again
        from waymeet.search.feedback.storage import touch
        from waymeet.search.lookup.citation import Place, excerpt, locate

        store = self._opened()
        place = locate(store, well_formed(reference))
        if start or lines:
            first = start or place.start
            place = Place(place.document, first, first + lines - 1 if lines else None)
        document = place.document
        loaded = loaded_again(self.root, store, self.settings, document)
        changed = "the file changed since it was indexed: its lines may have moved"
        found = excerpt(
            place, reference, loaded.text, (changed if loaded.digest != document.digest else "", loaded.note)
        )
        touch(self.index_path, document, time_ns())
        return found

    def texts(self, sections: Collection[str]) -> dict[str, str]:
        """Give the whole texts of sections by their ids, as they are indexed; unknown ids are left out."""
        return {id_: chunk.text for id_, chunk in self._opened().chunks(sections).items()}

    def matching(self, filters: Filters) -> int:
        """Count the indexed files that pass filters."""
        store = self._opened()
        return len(store.passing(list(store.fingerprints()), legible(filters)))

    def status(self) -> "Status":
        """Say what is indexed, how fresh it is, and what was left out."""
        from waymeet.ingest.status import status

        store = self._opened()
        return replace(
            status(
                self.root,
                store,
                self.settings,
                None if freshness.gone(self.root, store) else freshness.looked(self.root, store, self.settings),
            ),
            index=str(self.index_path),
            index_bytes=bytes_of(self.index_path),
            meaning=self.models.status(store, self.settings.embedding),
        )

    def close(self) -> None:
        """Let go of the index file."""
        with self._opening:
            if self._store is not None:
                self._store.close()
                self._store = None
            self.models.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, *, create: bool = False) -> Store:
        with self._opening:
            if self._store is None:
                if not create and not self.index_path.exists():
                    raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
                from waymeet.stores.sqlite import SqliteStore

                self._store = SqliteStore.open(self.index_path, create=create)
            return self._store

    def tools(self, store: Store, models: "Answering | None" = None) -> "Tools":
        """Put together what the stages of a search may use."""
        from waymeet.search.feedback import storage
        from waymeet.search.state import Tools

        used, said = storage.used(self.index_path), storage.heeded(self.index_path)
        models = models or self.models.answering(store, self.settings.embedding)
        asked = Tools(store, models.embedders, used=used, corrections=said, **self._asked())
        return asked._replace(refused=models.refused, keep=models.keep)

    def _asked(self) -> dict[str, Any]:
        """Give whom else a search may ask: the user's reranker and expander, if any was chosen."""
        if self.settings.rerank.provider == self.settings.expand.provider == "none":
            return {}
        from waymeet.models.choose_rerankers import chosen

        return chosen(self.settings.rerank, self.settings.expand)._asdict()

    def _refreshed(self, store: Store) -> tuple[Degraded, ...]:
        """Take in a few changed files, or say that the answer may be behind the files."""
        return self._looking.shared(
            lambda: freshness.refreshed(
                *(self.root, self.index_path, store, self.settings),
                lambda changes, hasty: self._take_in(changes, into=hasty),
            )
        )
