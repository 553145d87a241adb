"""Indexes to evaluate on: of a test collection, or of the user's own project."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from signal import SIGTERM, signal
from threading import current_thread, main_thread
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.evaluate.ablation import list_signals
from waymeet.evaluate.collection import Collection, load_collection, misspell_queries, sample_queries
from waymeet.evaluate.indexing import (
    collect_feedback,
    index_documents,
    index_files,
    read_whole_documents,
    resolve_judgements,
)
from waymeet.evaluate.metrics import Comparison, MeasuredRun, compare_runs, measure_without_intervals
from waymeet.evaluate.mining import mine_collection
from waymeet.evaluate.replay import ReplayRunner, cache_query_vectors
from waymeet.evaluate.run import LIMIT, STUDENT, Run, RunConfig, Runner, run_levels
from waymeet.evaluate.tuning import MeasureWeights
from waymeet.interfaces.quality.kept_index import index_digest, open_or_build
from waymeet.ports import Progress, Store
from waymeet.project import Project
from waymeet.project.embedding.job import embed_missing
from waymeet.project.embedding.student import correct_student
from waymeet.recipes.ablate import without_each_stage
from waymeet.recipes.auto import AUTO
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.stage_table import READS, SIGNALS
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, Settings, read_layers, resolve
from waymeet.settings.layers import parse_assignment

PLAIN = replace(CLASSIC, name="plain", description="BM25 over whole documents.", modes=("bm25_only",))
"""The reference to compare recipes with."""
_NO_MODEL = "embedding.provider=none"
_LOCAL = "store.dsn="
"""The index of a collection is a file, whatever server the user's settings name."""


class Bench(NamedTuple):
    """An index and the collections whose queries are run on it."""

    collections: tuple[Collection, ...]
    tools: Tools
    layers: tuple[Layer, ...]
    remarks: tuple[str, ...] = ()
    whole_documents: Tools | None = None
    """An index of the same documents, each as one section and without vectors, for plain BM25."""
    runner: Runner | None = None
    student: Tools | None = None
    """An index of the same documents with approximate vectors, for the mode `student`."""

    def with_caches(self) -> "Bench":
        """Give a bench that reuses query vectors and stages of earlier runs.

        Times measured with it are too short.
        """
        return self._replace(tools=cache_query_vectors(self.tools), runner=ReplayRunner(READS))

    def with_models_of(self, other: "Bench") -> "Bench":
        """Give a bench that uses the loaded models of another one with the same settings."""
        return self._replace(tools=self.tools._replace(embedders=other.tools.embedders))

    def settings(self, recipe: Recipe, over: Iterable[Layer] = ()) -> Settings:
        """Resolve the settings that a recipe runs with."""
        return resolve((Layer(f"recipe {recipe.name}", recipe.overrides), *self.layers, *over))

    def run(
        self,
        recipe: Recipe,
        collection: Collection,
        mode: str = "",
        *,
        over: Iterable[Layer] = (),
        limit: int = LIMIT,
        progress: Progress | None = None,
    ) -> Run:
        """Run every query of a collection."""
        (run,) = self.run_levels(recipe, (collection,), mode, over=over, limit=limit, progress=progress)
        return run

    def run_levels(
        self,
        recipe: Recipe,
        levels: Sequence[Collection],
        mode: str = "",
        *,
        over: Iterable[Layer] = (),
        limit: int = LIMIT,
        progress: Progress | None = None,
    ) -> tuple[Run, ...]:
        """Run every query of a collection once, and rank the results at each level of it."""
        tools = self.tools
        if recipe is PLAIN and self.whole_documents:
            tools = self.whole_documents
        elif mode == STUDENT and self.student:
            tools = self.student
        settings = self.settings(recipe, over)
        config = RunConfig(recipe, tools, settings, mode, limit, self.runner, translations=self.tools.store)
        return run_levels(config, levels, progress)


class CollectionOptions(NamedTuple):
    """Options for reading and indexing a test collection."""

    split: str = ""
    """The file of judgements to use, of several."""
    whole: bool = False
    """Whether each document is indexed as one section."""
    sample: int = 0
    """The maximum number of queries, 0 for all."""
    plain: bool = False
    """Whether to index whole documents for plain BM25, too."""
    name: str = ""
    """The name to show; by default that of the folder."""
    misspell: bool = False
    """Whether to add a typo to each query."""
    student: bool = False
    """Whether to make an index with approximate vectors, too."""
    keep: Path | None = None
    """The folder in which indexes are kept for later evaluations; None for temporary ones."""


@contextmanager
def collection_bench(
    folder: Path,
    flags: tuple[str, ...],
    indexing: Progress | None,
    embedding: Progress | None,
    options: CollectionOptions,
) -> Iterator[Bench]:
    """Index a test collection with the user's settings.

    The index is in a temporary folder, or in the one where indexes are kept. For plain BM25, whole documents are
    indexed a second time without vectors.
    """
    collection = _load_queries(folder, options)
    with ExitStack() as stack:
        place = stack.enter_context(_temporary_folder())
        if options.keep:
            digest = index_digest(collection, read_layers(place, flags), whole=options.whole)
            place = options.keep / f"{folder.resolve().name}-{digest}"
        indexes = _CollectionIndexes(collection, options, place, flags, progress=(indexing, embedding), stack=stack)
        project, tools = indexes.index_sections()
        if collection.files:
            collection = resolve_judgements(collection, indexes.whole_files or tools.store)
        tools = tools._replace(feedback=collect_feedback(collection, tools.store))
        student = indexes.index_with_student() if options.student else None
        whole_documents = indexes.index_whole_documents() if options.plain else None
        yield Bench((collection,), tools, project.layers, whole_documents=whole_documents, student=student)


class _CollectionIndexes:
    """The indexes of a collection, each in a folder of its own."""

    def __init__(
        self,
        collection: Collection,
        options: CollectionOptions,
        place: Path,
        flags: tuple[str, ...],
        *,
        progress: tuple[Progress | None, Progress | None],
        stack: ExitStack,
    ) -> None:
        """Prepare to index a collection in a folder, with indexes that are closed by `stack`."""
        self._options, self._place, self._flags, self._stack = options, place, flags, stack
        self._indexing, self._embedding = progress
        (place / "project").mkdir(parents=True, exist_ok=True)
        self._project = self._open("sections")
        needs_whole_files = collection.files and (options.whole or options.plain)
        self.whole_files = _read_sections(collection, self._project.settings) if needs_whole_files else None
        documents = read_whole_documents(self.whole_files) if self.whole_files else collection.documents
        self._collection = replace(collection, documents=documents)

    def index_sections(self) -> tuple[Project, Tools]:
        """Index and embed the sections."""

        def build(store: Store) -> None:
            self._put_sections(store)
            embed_or_raise(self._project, store, self._embedding)

        return self._project, open_or_build(self._project, build)

    def index_with_student(self) -> Tools:
        """Index the sections with approximate vectors."""
        project = self._open("student")

        def build(store: Store) -> None:
            self._put_sections(store)
            predict_or_raise(project, store)

        return open_or_build(project, build)

    def index_whole_documents(self) -> Tools:
        """Index each document as one section, without vectors."""
        return open_or_build(self._open("whole", _NO_MODEL), partial(self._put_documents, whole=True))

    def _open(self, index: str, *more_flags: str) -> Project:
        file = self._place / index / "index.db"
        flags = (*self._flags, *more_flags, _LOCAL)
        project = Project.open(self._place / "project", index=file, flags=flags)
        return self._stack.enter_context(project)

    def _put_sections(self, store: Store) -> None:
        if self._collection.files and not self._options.whole:
            index_files(store, self._collection, self._project.settings, self._indexing)
        else:
            self._put_documents(store, whole=self._options.whole)

    def _put_documents(self, store: Store, *, whole: bool) -> None:
        index_documents(store, self._collection, self._project.settings.chunking, self._indexing, whole=whole)


def _load_queries(folder: Path, options: CollectionOptions) -> Collection:
    """Load a collection with the queries that the options choose."""
    collection = sample_queries(load_collection(folder, options.split), options.sample)
    collection = replace(collection, name=options.name or collection.name)
    return misspell_queries(collection) if options.misspell else collection


def _read_sections(collection: Collection, settings: Settings) -> Store:
    """Index the files of a collection in memory, to look up whole documents and judged sections."""
    from waymeet.stores.memory.store import MemoryStore

    store = MemoryStore()
    index_files(store, collection, settings)
    return store


@contextmanager
def project_bench(
    root: Path | None, flags: tuple[str, ...], most: int, indexing: Progress | None, embedding: Progress | None
) -> Iterator[Bench]:
    """Index a project in a temporary folder, without the texts that serve as queries."""
    with _temporary_folder() as place, Project.open(root, index=place / "index.db", flags=flags) as project:
        tools = project.create_empty_index()
        mined = mine_collection(project.root, tools.store, project.settings, most, indexing)
        embed_or_raise(project, tools.store, embedding)
        yield Bench(mined.collections, tools, project.layers, mined.remarks)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Give a folder that is removed at the end, also after SIGTERM: indexes are large."""
    in_main_thread = current_thread() is main_thread()  # only there can signal handlers be set
    previous = signal(SIGTERM, _exit_on_signal) if in_main_thread else None
    try:
        with tempfile.TemporaryDirectory(prefix="waymeet-eval-") as place:
            yield Path(place)
    finally:
        if in_main_thread:
            signal(SIGTERM, previous)


def _exit_on_signal(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def ablate_recipe(
    bench: Bench,
    recipe: Recipe,
    mode: str,
    bases: Sequence[MeasuredRun],
    levels: Sequence[Collection],
    *,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Iterator[Comparison | str]:
    """Leave out each stage and signal in turn, and yield the comparison with each of `bases`.

    `bases` are the runs of the complete recipe at the levels of the collection. For a stage that later stages need, its
    name is yielded instead.
    """
    bench = bench.with_caches()
    changes: list[tuple[str, Recipe | None, Sequence[Layer]]] = [
        (f"without {name}", shorter, ()) for name, shorter in without_each_stage(recipe)
    ]
    changes += [
        (name, recipe, (Layer(name, tree),)) for name, tree in list_signals(recipe, bench.settings(recipe), SIGNALS)
    ]
    for done, (name, changed, over) in enumerate(changes, start=1):
        if changed is None:
            yield name.removeprefix("without ")
        else:
            runs = bench.run_levels(changed, levels, mode, over=over, limit=limit)
            for collection, run, base in zip(levels, runs, bases, strict=True):
                yield replace(compare_runs(measure_without_intervals(collection, run), base), recipe=name)
        if progress:
            progress(done, len(changes), name)


def make_weight_measurer(benches: Sequence[Bench]) -> MeasureWeights:
    """Make the function that measures `auto` with other weights on a collection of the benches."""
    by_collection = {
        collection.name: bench for bench in map(Bench.with_caches, benches) for collection in bench.collections
    }

    def measure(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        over = [parse_assignment(key, repr(value), "tune") for key, value in weights.items()]
        return measure_without_intervals(collection, by_collection[collection.name].run(AUTO, collection, over=over))

    return measure


def predict_or_raise(project: Project, store: Store) -> None:
    """Give all sections of a temporary index approximate vectors, corrected by a few true ones.

    Raises:
        EmbeddingError: the student cannot be used.
    """
    problem = correct_student(project.models, store, project.settings.embedding)
    if problem:
        raise EmbeddingError(problem)


def embed_or_raise(project: Project, store: Store, progress: Progress | None = None) -> None:
    """Embed all sections of a temporary index, whose settings are not recorded.

    Raises:
        EmbeddingError: a model failed.
    """
    report = embed_missing(project.models, store, project.settings, progress)
    if report.error:
        raise EmbeddingError(report.error, report.hint)
