"""The composition root: the only place where backends, models and recipes meet."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from threading import RLock
from time import monotonic, time_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from waymeet.analysis import replace_surrogates
from waymeet.errors import EmbeddingError, NoIndexError, UsageError
from waymeet.paths import current_folder, existing_folder, index_bytes, index_file, known_folder, project_root
from waymeet.ports import Counts, Progress, Store
from waymeet.project import freshness
from waymeet.project.embedding import Models
from waymeet.recipes import find_recipe
from waymeet.search.understand.inline_filters import clean_filters
from waymeet.settings import Layer, Settings, read_layers, resolve
from waymeet.types import Answer, Degraded, Filters, Query

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.ingest.index import IndexReport
    from waymeet.ingest.status import Status
    from waymeet.ingest.watch import ChangeHints, WatchEvent
    from waymeet.models.remote.cost import Consent
    from waymeet.notebook import Notebook
    from waymeet.project.embedding import Answering
    from waymeet.search.context import Context
    from waymeet.search.explore.graph import Graph
    from waymeet.search.lookup.citation import Excerpt
    from waymeet.search.state import Recipe, Tools
    from waymeet.staleness.dates import ChangeDates
    from waymeet.stores.sqlite.check.check import CheckResult


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
        self._looking = freshness.SharedCheck()

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
        project = cls(folder, index_file(folder, chosen), read_layers(folder, flags))
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
        return find_recipe(name, self.settings.recipes)

    @property
    def indexed(self) -> bool:
        """Tell whether there is an index to search, made to the end."""
        try:
            return self.index_path.exists() and bool(self._opened().metadata("indexed_at"))
        except NoIndexError:  # an empty file, left behind when the disk was full, say
            return False

    @property
    def outdated(self) -> bool:
        """Return whether an earlier version made the index, so that the next run rebuilds it."""
        try:
            return self.index_path.exists() and not self.indexed and bool(self._opened().metadata("outdated_version"))
        except NoIndexError:
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
    ) -> "IndexReport":
        """Bring the index up to date with the files, then embed what has no vector yet (see `embed`).

        If another process is at it, this one waits for its turn; `waiting` is called every moment that it takes.
        If most files are gone, nothing is done unless `accept_removals` says that they are meant to be.
        """
        from waymeet.ingest.lock import index_lock

        with index_lock(self.index_path, wait=True, waiting=waiting):
            report = self._take_in(None, progress, accept_removals=accept_removals)
        return replace(report, embedding=self.embed(embedding, consent=consent)) if embed else report

    def embed(
        self,
        progress: Progress | None = None,
        stopped: Callable[[], bool] | None = None,
        *,
        consent: "Consent | None" = None,
        waiting: Callable[[], None] | None = None,
    ) -> "EmbeddingReport":
        """Embed what has no vector yet; if a model fails, the result says so, and the rest is left for later.

        Before much is sent to somebody who wants money for it, `consent` is asked; `stopped` ends it early.
        """
        store = self._opened()
        return self.models.embed(store, self.settings, progress, stopped, consent=consent, waiting=waiting)

    def embed_in_background(self) -> bool:
        """Have the rest embedded by a process of its own, if the user lets that happen by itself."""
        return self.models.go_on(self.root, self.flags, self._opened(), self.settings)

    def watch(
        self,
        on_event: "Callable[[WatchEvent], None]",
        hints: "ChangeHints | None" = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Keep the index up to date until stopped, and tell what is done; other processes get their turns between."""
        from waymeet.ingest.discover.roots import list_roots
        from waymeet.ingest.watch import SystemHints, WatchPace, is_git_checkout_running, watch_and_embed

        folders = [each.folder for each in list_roots(self.root, self._opened(create=True), self.settings)]
        hints = hints or SystemHints(folders)
        pace = WatchPace(self.settings.watch, stopped, lambda: is_git_checkout_running(str(self.root)))
        watch_and_embed(self._catch_up, lambda ended: self.embed(stopped=ended), on_event, hints, pace)

    def _catch_up(self) -> "IndexReport | None":
        """Bring the index up to date if anything differs."""
        from waymeet.ingest.discover.changes import find_changes
        from waymeet.ingest.lock import index_lock

        store = self._opened(create=True)
        self.layers = read_layers(self.root, self.flags)  # the project's own file may have changed as any other
        self.settings = resolve(self.layers)
        changes = find_changes(self.root, store, self.settings, lambda: False)
        if changes is None or not changes.number:
            return None
        with index_lock(self.index_path, wait=True):  # another process may have taken in some of it meanwhile
            report = self._take_in(find_changes(self.root, store, self.settings, lambda: False))
            store.optimize()
            self.change_dates(store)
        return report

    def add_root(self, name: str, folder: Path) -> None:
        """Index another folder together with the project from now on; its files are known as `name:/path`."""
        from waymeet.ingest.discover.roots import add_root

        add_root(self._opened(create=True), self.root, name, existing_folder(folder))

    def remove_root(self, name: str) -> None:
        """Leave out from now on a folder that was added."""
        from waymeet.ingest.discover.roots import remove_root

        remove_root(self._opened(create=True), name)

    def check(self, *, repair: bool = False) -> "CheckResult":
        """Look for damage in the index; with `repair`, mend it. Afterwards `index` may have files to read again."""
        from waymeet.ingest.lock import index_lock
        from waymeet.stores.sqlite.check.repair import check_index

        if not self.index_path.exists():
            raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
        self.close()
        if not repair:
            return check_index(self.index_path, repair=False)
        with index_lock(self.index_path, wait=True):
            return check_index(self.index_path, repair=True)

    def _take_in(
        self,
        changes: "Changes | None",
        progress: Progress | None = None,
        into: Store | None = None,
        *,
        accept_removals: bool = False,
    ) -> "IndexReport":
        from waymeet.ingest.index import index

        store = self._opened(create=True) if into is None else into
        owner = store.metadata("root")
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
            self.change_dates(store)
        return report

    def search(self, query: str | Query, *, refresh: bool = True, over: Iterable[Layer] = ()) -> Answer:
        """Answer a question; files that changed since they were indexed are read first if that is quick.

        `over` are settings of this call only, laid over all others.
        """
        from waymeet.search.shape.hits import answer_query

        query = Query(query, limit=self.settings.shape.limit) if isinstance(query, str) else query
        query = replace(query, text=replace_surrogates(query.text), filters=clean_filters(query.filters))
        store = self._opened()
        behind = self._refreshed(store) if refresh else (*freshness.gone(self.root, store), freshness.NOT_CHECKED)
        recipe, settings = self.recipe(query.recipe), resolve((*self.layers_for(query.recipe), *over))
        found = self.models.asked(
            store,
            self.settings.embedding,
            lambda models: answer_query(recipe, query, self.tools(store, models), settings),
        )
        degraded = (*behind, *freshness.mended(store), *found.degraded)
        return replace(found, degraded=degraded) if degraded else found

    def explain(self, query: str | Query) -> Answer:
        """Answer a question and say of every hit how its score came about: a tree whose parts add up to it."""
        query = Query(query, limit=self.settings.shape.limit) if isinstance(query, str) else query
        return self.search(replace(query, explain=True))

    def context(self, task: str | Query, *, budget: int = 0, refresh: bool = True) -> "Context":
        """Put together what to read for a task: the best sections whole and what lies around them, within a budget.

        The budget counts tokens by a rough estimate; 0 for that of the settings.
        """
        from waymeet.search.context import build_context

        query = Query(task) if isinstance(task, str) else task
        found = self.search(replace(query, limit=self.settings.context.results), refresh=refresh)
        store = self._opened()
        with store.snapshot():
            return build_context(found, store, budget or self.settings.context.budget, self.settings)

    def index_collection(self, fill: Callable[[Store], None], embedding: Progress | None = None) -> "Tools":
        """Make an index of something else than the project's files, and give what asking it takes."""
        tools = self.tools(self._opened(create=True))
        fill(tools.store)
        came = self.embed(embedding)
        if came.error:
            raise EmbeddingError(came.error, came.hint)
        return tools

    def refreshed_store(self) -> tuple[Store, tuple[Degraded, ...]]:
        """Give the store to be asked, brought up to date as for a search, and say what it may lack all the same."""
        store = self._opened()
        return store, self._refreshed(store)

    def graph(self, reference: str = "", *, depth: int = 1, kinds: Collection[str] = (), limit: int = 200) -> "Graph":
        """Give the graph of links around a document, section or symbol; without one, the whole, up to `limit` nodes."""
        from waymeet.search.explore.graph import build_graph

        return build_graph(self.refreshed_store()[0], reference, depth, kinds, limit)

    def change_dates(self, store: Store) -> "ChangeDates":
        """Find out when documents and their sources last changed, as far as that is not known yet."""
        return freshness.moments(self.root, store, self.settings)

    @property
    def notebook(self) -> "Notebook":
        """Give the project's notes, tasks and skills to read and write; they need no index, but use it."""
        from waymeet.notebook import IndexView, Notebook

        index = IndexView(
            store=lambda: self._opened() if self.indexed else None,
            refresh=lambda: [each.detail for each in self.refreshed_store()[1]],
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
        from waymeet.ingest.reload import reload_document
        from waymeet.search.feedback.storage import record_read
        from waymeet.search.lookup.citation import LineRange, cut_excerpt, locate_reference

        store = self._opened()
        place = locate_reference(store, replace_surrogates(reference))
        if start or lines:
            first = start or place.start
            place = LineRange(place.document, first, first + lines - 1 if lines else None)
        document = place.document
        loaded = reload_document(self.root, store, self.settings, document)
        changed = "the file changed since it was indexed: its lines may have moved"
        found = cut_excerpt(
            place, reference, loaded.text, (changed if loaded.digest != document.digest else "", loaded.note)
        )
        record_read(self.index_path, document, time_ns())
        return found

    def texts(self, sections: Collection[str]) -> dict[str, str]:
        """Give the whole texts of sections by their ids, as they are indexed; unknown ids are left out."""
        return {id_: chunk.text for id_, chunk in self._opened().chunks(sections).items()}

    def count_matching(self, filters: Filters) -> int:
        """Count the indexed files that pass filters."""
        store = self._opened()
        return len(store.first_passing_chunks(list(store.fingerprints()), clean_filters(filters)))

    def status(self) -> "Status":
        """Say what is indexed, how fresh it is, and what was left out."""
        from waymeet.ingest.status import build_status

        store = self._opened()
        return replace(
            build_status(
                self.root,
                store,
                self.settings,
                None if freshness.gone(self.root, store) else freshness.looked(self.root, store, self.settings),
            ),
            index=str(self.index_path),
            index_bytes=index_bytes(self.index_path),
            vectors=self.models.status(store, self.settings.embedding),
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

        used, said = storage.last_read_times(self.index_path), storage.read_feedback_or_warn(self.index_path)
        models = models or self.models.answering(store, self.settings.embedding)
        asked = Tools(store, models.embedders, last_read=used, feedback=said, **self._asked())
        return asked._replace(failed_chunks=models.refused, save_vectors=models.keep)

    def _asked(self) -> dict[str, Any]:
        """Give whom else a search may ask: the user's reranker and expander, if any was chosen."""
        if self.settings.rerank.provider == self.settings.expand.provider == "none":
            return {}
        from waymeet.models.choose_rerankers import choose_models

        return choose_models(self.settings.rerank, self.settings.expand)._asdict()

    def _refreshed(self, store: Store) -> tuple[Degraded, ...]:
        """Take in a few changed files, or say that the answer may be behind the files."""
        return self._looking.shared(
            lambda: freshness.refreshed(
                *(self.root, self.index_path, store, self.settings),
                lambda changes, hasty: self._take_in(changes, into=hasty),
            )
        )
