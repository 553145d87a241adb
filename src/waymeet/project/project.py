"""The project: the composition root, where a store, models and recipes meet."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from msgspec.structs import replace

from waymeet.analysis import replace_surrogates
from waymeet.errors import NoIndexError
from waymeet.paths import current_folder, existing_folder, index_file, known_folder, project_root
from waymeet.ports import Counts, Progress, Store
from waymeet.project import freshness, indexing
from waymeet.project.backend import check_store, open_store, refuse_other_owner
from waymeet.project.embedding import job as embedding_job
from waymeet.project.index_settings import index_settings, record_settings, report_unapplied
from waymeet.project.models import ActiveModels, Models, NewVectors
from waymeet.project.query_options import QueryOptions, check_query, make_query
from waymeet.project.refresh import Refresh
from waymeet.project.registered.registry import register_indexed
from waymeet.project.search_tools import collect_tools
from waymeet.project.store_address import find_address, record_address
from waymeet.recipes import find_recipe
from waymeet.search.understand.inline_filters import clean_filters
from waymeet.settings import Layer, Settings, read_layers, resolve
from waymeet.types import Answer, Degraded, Filters, Hit, Query

if TYPE_CHECKING:
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.ingest.index import IndexReport
    from waymeet.ingest.status import Status
    from waymeet.ingest.watch import ChangeHints, WatchEvent
    from waymeet.models.remote.cost import Consent
    from waymeet.notebook import Notebook
    from waymeet.project.embedding.background import BackgroundStart
    from waymeet.project.registered.projects import Projects
    from waymeet.search.context import Context
    from waymeet.search.explore.graph import Graph
    from waymeet.search.lookup.citation import Excerpt
    from waymeet.search.state import Recipe, Tools
    from waymeet.staleness.dates import ChangeDates
    from waymeet.stores.sqlite.check.check import CheckResult


class Project:
    """A folder and its index.

    Threads may share one and search at the same time. Close it when no thread uses it any more.
    """

    def __init__(self, root: Path, index: Path, settings: tuple[Layer, ...]) -> None:
        self.root, self.index_path, self.layers = root, index, settings
        self.settings = resolve(settings)
        self.flags: tuple[str, ...] = ()
        self.address = find_address(index, root, self.settings.store)
        self.others: Projects | None = None  # the user's projects, where requests may search these, too
        self._store: Store | None = None
        files = resolve([layer for layer in settings if layer.source == "file"])
        self.models = Models(self.address, files.embedding.cache_megabytes)
        self._lock = RLock()
        self._refresh = Refresh(root, self.models)

    @classmethod
    def open(
        cls, root: Path | str | None = None, *, index: Path | str | None = None, flags: Iterable[str] = ()
    ) -> Self:
        """Open a project by its folder, by default that of the current folder.

        `index` names another index file; `flags` are settings as `section.key=value`.
        """
        chosen, flags = Path(index) if index else None, tuple(flags)
        folder = project_root(current_folder()) if root is None else known_folder(Path(root), chosen)
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
    def index_settings(self) -> Settings:
        """Give the settings that decide what is stored, which those of one call do not change."""
        return index_settings(self.index_path, self.layers)

    @property
    def is_indexed(self) -> bool:
        """Tell whether there is a complete index."""
        try:
            return self.address.may_exist and bool(self._open_store().metadata("indexed_at"))
        except NoIndexError:  # an empty file, for example left behind by a full disk
            return False

    @property
    def is_outdated(self) -> bool:
        """Tell whether an earlier version made the index, so that the next run rebuilds it."""
        try:
            if self.is_indexed or not self.address.may_exist:
                return False
            return bool(self._open_store().metadata("outdated_version"))
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
        predict: bool = True,
        consent: "Consent | None" = None,
        by_index_settings: bool = False,
        wait: bool = True,
    ) -> "IndexReport":
        """Bring the index up to date with the files, then embed sections without a vector.

        One process indexes at a time; while another does, `waiting` is called every moment; with `wait` off, that is an
        error. If most files are gone, nothing is changed unless `accept_removals` is set. With `predict`, sections
        without a vector get an approximate one at once. The index keeps the settings of this call for later runs,
        except with `by_index_settings`, for calls that are not meant to change it.
        """
        from waymeet.ingest.lock import index_lock

        with index_lock(self.index_path, wait=wait, waiting=waiting):
            is_new = not self.is_indexed
            store = self._open_store(create=True)
            record_address(self.address, only_first=by_index_settings)
            layers = [layer for layer in self.layers if not by_index_settings or layer.source != "call"]
            changed = record_settings(self.index_path, layers) if is_new or not by_index_settings else ()
            settings = self.index_settings if by_index_settings else self.settings
            run = partial(indexing.index_and_predict, models=self.models) if predict else indexing.index_all
            report = run(self.root, store, settings, progress, accept_removals=accept_removals)
            indexing.follow_renames(self.index_path, store)
        register_indexed(self.root, self.index_path)
        embedded = self.embed(embedding, consent=consent) if embed else report.embedding
        return replace(report, settings=changed, embedding=embedded)

    def embed(
        self,
        progress: Progress | None = None,
        stopped: Callable[[], bool] | None = None,
        *,
        consent: "Consent | None" = None,
        waiting: Callable[[], None] | None = None,
        by_index_settings: bool = False,
    ) -> "EmbeddingReport":
        """Embed the sections that have no vector.

        If a model fails, the report names the error. Before a large run at a paid provider, `consent` is called.
        `stopped` ends the run early. The index keeps the model of this call, except with `by_index_settings`.
        """
        settings = self.index_settings if by_index_settings else self.settings
        if not by_index_settings:
            record_settings(self.index_path, self.layers, section="embedding")
        return embedding_job.embed_missing(
            self.models, self._open_store(), settings, progress, stopped, consent=consent, waiting=waiting
        )

    def start_background(self) -> "BackgroundStart | None":
        """Start a process that indexes and embeds the rest, if needed and allowed."""
        from waymeet.project.embedding.background import start_in_background

        own, call, is_behind = self.index_settings.embedding, self.settings.embedding, self._refresh.is_behind
        return start_in_background(self.models, self.root, self._open_store(), own, call, is_behind=is_behind)

    def drop_unused_vectors(self) -> list[str]:
        """Remove vectors of models that are no longer used, and name their spaces."""
        return embedding_job.drop_unused_vectors(self.models, self._open_store(), self.settings.embedding)

    def watch(
        self,
        on_event: "Callable[[WatchEvent], None]",
        hints: "ChangeHints | None" = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Keep the index up to date until stopped, and report each run."""
        from waymeet.ingest.discover.roots import list_roots
        from waymeet.ingest.watch import SystemHints, WatchPace, is_git_checkout_running, watch_and_embed

        folders = [root.folder for root in list_roots(self.root, self._open_store(create=True), self.settings)]
        pace = WatchPace(self.settings.watch, stopped, lambda: is_git_checkout_running(str(self.root)))
        record_settings(self.index_path, self.layers)  # once: a later `waymeet index --set` counts from then on
        embed, hints = partial(self.embed, None, by_index_settings=True), hints or SystemHints(folders)
        watch_and_embed(self._index_if_changed, embed, on_event, hints, pace)

    def _index_if_changed(self) -> "IndexReport | None":
        """Read the settings again, then index what changed."""
        self.layers = read_layers(self.root, self.flags)  # the project's settings file may have changed, too
        self.settings, store = resolve(self.layers), self._open_store(create=True)
        return indexing.index_if_changed(self.root, self.index_path, store, self.index_settings)

    def add_root(self, name: str, folder: Path) -> None:
        """Add a folder that is indexed with the project, with paths like `name:/path`."""
        from waymeet.ingest.discover.roots import add_root

        add_root(self._open_store(create=True), self.root, name, existing_folder(folder))

    def remove_root(self, name: str) -> None:
        """Leave out from now on a folder that was added."""
        from waymeet.ingest.discover.roots import remove_root

        remove_root(self._open_store(create=True), name)

    def check(self, *, repair: bool = False) -> "CheckResult":
        """Check the index for corruption, and repair it on request.

        Run `index` afterwards if the result says so.
        """
        self.close()
        return check_store(self.address, repair=repair)

    def search(
        self,
        query: str | Query,
        *,
        refresh: bool | float = True,
        over: Iterable[Layer] = (),
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """Answer a query, after indexing the files that changed if that is quick.

        `options` are fields of the query and its filters: `limit=5, recipe="threeway", kinds=["docs"]`. `over` are
        settings of this call only, with priority over all others. A number as `refresh` is a limit in seconds.
        """
        query = make_query(self.root, self.settings.shape.limit, query, options)
        store = self._open_store()
        check_query(query, self.settings.recipes, store)
        own = self.index_settings
        if refresh is not False:
            freshness_notes = self._index_changes(store, freshness.limit_time(own, refresh), query.text)
        else:
            freshness_notes = freshness.report_unchecked(self.root, store)
        settings = resolve((*self.layers_for(query.recipe), *over))
        answer = self._answer(store, query, settings, own)
        index_notes = (*report_unapplied(own, self.settings), *freshness.report_repairs(store))
        degraded = (*freshness_notes, *index_notes, *answer.degraded)
        return replace(answer, degraded=degraded) if degraded else answer

    def _index_changes(self, store: Store, own: Settings, query: str = "") -> tuple[Degraded, ...]:
        """Index changed files by the settings of the index, and report what it lacks."""
        is_own_model = own.embedding == self.settings.embedding  # another one embeds nothing for the index
        return self._refresh.run(store, own, query, embed=is_own_model)

    def _answer(self, store: Store, query: Query, settings: Settings, own: Settings) -> Answer:
        """Run the recipe with the active models, again if a previous model just failed."""
        from waymeet.search.pipeline import answer_query

        recipe = self.recipe(query.recipe)
        embedding = self.settings.embedding
        while True:
            new_vectors = NewVectors()
            with store.snapshot():  # models and vectors of the same generation
                active = self.models.active(store, embedding, own.embedding)
                tools = self.tools(store, active)
                if active.is_local and self.models.may_embed_on_demand():  # a remote model could delay the answer
                    tools = tools._replace(save_vectors=new_vectors.add)
                answer = answer_query(recipe, query, tools, settings)
            self.models.save_vectors(new_vectors, own.embedding)
            if not self.models.note_failure(store, embedding, active, answer):
                return replace(answer, degraded=(*active.degraded, *answer.degraded)) if active.degraded else answer

    def rerank(self, query: str, hits: Sequence[Hit], *, limit: int = 0, over: Iterable[Layer] = ()) -> Answer:
        """Order given hits by the reranker of the settings (`rerank.*`), each with its explanation.

        Without a reranker, or if it fails, the order stays and `degraded` says why.
        """
        from waymeet.project.reranking import rerank_hits

        settings = resolve((*self.layers, *over))
        tools = collect_tools(self._open_store(), self.index_path, settings, ActiveModels(()))
        return rerank_hits(replace_surrogates(query), hits, limit, tools, settings)

    def explain(self, query: str | Query, **options: Unpack[QueryOptions]) -> Answer:
        """Answer a query and explain each score: a tree whose parts add up to it."""
        options["explain"] = True
        return self.search(query, **options)

    def context(
        self, task: str | Query, *, budget: int = 0, refresh: bool = True, **options: Unpack[QueryOptions]
    ) -> "Context":
        """Collect what to read for a task: the best sections and linked pages, within a budget.

        The budget is in estimated tokens; 0 for that of the settings. `options` are those of `search`.
        """
        from waymeet.search.context import build_context

        query = make_query(self.root, limit := options.get("limit", self.settings.context.results), task, options)
        answer, store = self.search(replace(query, limit=limit), refresh=refresh), self._open_store()
        with store.snapshot():
            return build_context(answer, store, budget or self.settings.context.budget, self.settings)

    def create_empty_index(self) -> "Tools":
        """Create an empty index for documents that are not files, and the tools to search it."""
        return self.tools(self._open_store(create=True))

    def refreshed_store(self, *, refresh: bool | float = True, query: str = "") -> tuple[Store, tuple[Degraded, ...]]:
        """Give the store, brought up to date as for a search, and what it lacks all the same."""
        store = self._open_store()
        if refresh is False:
            return store, ()
        return store, self._index_changes(store, freshness.limit_time(self.index_settings, refresh), query)

    def graph(self, reference: str = "", *, depth: int = 1, kinds: Collection[str] = (), limit: int = 200) -> "Graph":
        """Give the link graph around a document, section or symbol, or the whole graph."""
        from waymeet.search.explore.graph import build_graph

        return build_graph(self.refreshed_store()[0], reference, depth, kinds, limit)

    def change_dates(self, store: Store) -> "ChangeDates":
        """Give the dates at which documents and their sources last changed, updated first."""
        return freshness.update_dates(self.root, store, self.index_settings, search_history=True)

    @property
    def notebook(self) -> "Notebook":
        """Give the project's notes, tasks and skills to read and write."""
        from waymeet.notebook import IndexView, Notebook

        index = IndexView(
            store=lambda: self._open_store() if self.is_indexed else None,
            refresh=lambda: [item.detail for item in self.refreshed_store()[1]],
            embedders=lambda: self.models.active(self._open_store(), self.settings.embedding).embedders,
            refuse_write=lambda: refuse_other_owner(self._open_store()) if self.address.is_server else None,
        )
        history = self.index_settings.notebook.history  # a call must not delete past versions
        settings = replace(self.settings, notebook=replace(self.settings.notebook, history=history))
        return Notebook(self.root, settings, self.index_path, index)

    def counts(self) -> Counts:
        """Count what is indexed."""
        return self._open_store().counts()

    def read(self, reference: str, *, start: int = 0, lines: int = 0) -> "Excerpt":
        """Read a section by its id, or lines of an indexed file.

        References: an id, `path`, `path:from`, `path:from:count`.

        `start` and `lines` choose other lines of that file, counted from 1; 0 for those of the reference.
        """
        from waymeet.project.read import read_excerpt

        store = self._open_store()
        return read_excerpt(self.root, self.index_path, store, self.settings, reference, start=start, lines=lines)

    def texts(self, sections: Collection[str]) -> dict[str, str]:
        """Give the indexed texts of sections by id, without unknown ids."""
        return {id_: chunk.text for id_, chunk in self._open_store().chunks(sections).items()}

    def count_matching(self, filters: Filters) -> int:
        """Count the indexed files that pass filters."""
        store = self._open_store()
        return len(store.first_passing_chunks(list(store.fingerprints()), clean_filters(filters)))

    def status(self) -> "Status":
        """Describe what is indexed, what changed since, and what was skipped."""
        from waymeet.project.status import project_status

        return project_status(self.root, self.models, self._open_store(), self.index_settings, self.settings.embedding)

    def close(self) -> None:
        """Close the index file."""
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = None
            self.models.close()
        self._refresh.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_store(self, *, create: bool = False) -> Store:
        with self._lock:
            if self._store is None:
                if not create and not self.address.may_exist:
                    raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
                self._store = open_store(self.address, create=create)
            return self._store

    def tools(self, store: Store, active: ActiveModels | None = None) -> "Tools":
        """Collect what the stages of a search use: store, models, feedback."""
        active = active or self.models.active(store, self.settings.embedding)
        return collect_tools(store, self.index_path, self.settings, active)
