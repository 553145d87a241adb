"""Carrying out an evaluation: a temporary index, the recipes asked, each of their parts left out in turn."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from signal import SIGTERM, signal
from threading import current_thread, main_thread
from typing import NamedTuple

from msgspec.structs import replace

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
from waymeet.evaluate.run import LIMIT, Run, Runner, run_collection, run_query
from waymeet.evaluate.tuning import MeasureWeights
from waymeet.ports import Progress, Store
from waymeet.project import Project
from waymeet.recipes.ablate import without_each_stage
from waymeet.recipes.auto import AUTO
from waymeet.recipes.classic import CLASSIC
from waymeet.recipes.stage_table import READS, SIGNALS
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.settings.layers import parse_assignment

PLAIN = replace(CLASSIC, name="plain", description="BM25 over whole documents.", modes=("bm25_only",))
"""What every search must be better than."""
_NO_MODEL = "embedding.provider=none"


class Bench(NamedTuple):
    """An index to be asked, and the questions."""

    collections: tuple[Collection, ...]
    tools: Tools
    layers: tuple[Layer, ...]
    remarks: tuple[str, ...] = ()
    whole: Tools | None = None
    """An index of the same documents, each in one piece and without vectors, for plain BM25."""
    answering: Runner = run_query

    def again(self) -> "Bench":
        """Give the same to be asked many times; what an answer costs can no longer be measured."""
        return self._replace(tools=cache_query_vectors(self.tools), answering=ReplayRunner(READS))

    def sharing(self, other: "Bench") -> "Bench":
        """Give the same, asked with the models of another that was made with the same settings."""
        return self._replace(tools=self.tools._replace(embedders=other.tools.embedders))

    def settings(self, recipe: Recipe, over: Iterable[Layer] = ()) -> Settings:
        """Give the numbers that a recipe runs with here."""
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
        """Ask every question of a collection."""
        return run_collection(
            recipe,
            collection,
            self.whole if recipe is PLAIN and self.whole else self.tools,
            self.settings(recipe, over),
            mode=mode,
            limit=limit,
            progress=progress,
            answering=self.answering,
            naming=self.tools.store,
        )


class Taken(NamedTuple):
    """What is taken of a test collection, and how."""

    split: str = ""
    """Which of several files of judgements."""
    whole: bool = False
    """Whether documents stay in one piece."""
    sample: int = 0
    """Most queries that are asked; 0 for all."""
    plain: bool = False
    """Whether plain BM25 is asked, too."""
    name: str = ""
    """What it is called; if nothing is said, as its folder is."""
    slips: bool = False
    """Whether queries are misspelt."""


@contextmanager
def collection_bench(
    folder: Path,
    flags: tuple[str, ...],
    reading: Progress | None,
    embedding: Progress | None,
    taken: Taken,
) -> Iterator[Bench]:
    """Index a test collection in a temporary place, with the user's settings; for plain BM25, a second time, whole."""
    collection = sample_queries(load_collection(folder, taken.split), taken.sample)
    collection = replace(collection, name=taken.name or collection.name)
    collection = misspell_queries(collection) if taken.slips else collection

    def filled(project: Project, *, whole: bool) -> Tools:
        settings = project.settings

        def take_in(store: Store) -> None:
            if collection.files and not whole:
                index_files(store, collection, settings, reading)
            else:
                documents = read_whole_documents(cut) if cut else collection.documents
                index_documents(
                    store, replace(collection, documents=documents), settings.chunking, reading, whole=whole
                )

        return project.index_collection(take_in, embedding)

    with _temporary() as place, ExitStack() as opened:
        (place / "project").mkdir()

        def project(name: str, *more: str) -> Project:
            return opened.enter_context(Project.open(place / "project", index=place / name, flags=(*flags, *more)))

        first = project("index.db")
        cut = _cut(collection, first.settings) if collection.files and (taken.whole or taken.plain) else None
        tools = filled(first, whole=taken.whole)
        if collection.files:
            collection = resolve_judgements(collection, cut or tools.store)
        tools = tools._replace(feedback=collect_feedback(collection, tools.store))
        second = filled(project("whole.db", _NO_MODEL), whole=True) if taken.plain else None
        yield Bench((collection,), tools, first.layers, whole=second)


def _cut(collection: Collection, settings: Settings) -> Store:
    """Read the files of a collection into a store of their own, where whole documents and sections can be looked up."""
    from waymeet.stores.memory.store import MemoryStore

    store = MemoryStore()
    index_files(store, collection, settings)
    return store


@contextmanager
def project_bench(
    root: Path | None, flags: tuple[str, ...], most: int, reading: Progress | None, embedding: Progress | None
) -> Iterator[Bench]:
    """Index a project in a temporary place without the texts that are asked; its own index is not touched."""
    with _temporary() as place, Project.open(root, index=place / "index.db", flags=flags) as project:
        found = []

        def take_in(store: Store) -> None:
            found.append(mine_collection(project.root, store, project.settings, most, reading))

        tools = project.index_collection(take_in, embedding)
        yield Bench(found[0].collections, tools, project.layers, found[0].remarks)


@contextmanager
def _temporary() -> Iterator[Path]:
    """Give a folder that goes in the end, also if somebody ends the program: an index may be large."""
    here = current_thread() is main_thread()
    before = signal(SIGTERM, _end) if here else None
    try:
        with tempfile.TemporaryDirectory(prefix="waymeet-eval-") as place:
            yield Path(place)
    finally:
        if here:
            signal(SIGTERM, before)


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def ablated(
    bench: Bench,
    recipe: Recipe,
    mode: str,
    base: MeasuredRun,
    collection: Collection,
    *,
    limit: int = LIMIT,
    told: Callable[[int, int, str], None] | None = None,
) -> Iterator[Comparison | str]:
    """Leave out each stage and signal of a recipe in turn; of a stage that nothing works without, give the name."""
    bench = bench.again()
    parts: list[tuple[str, Recipe | None, Sequence[Layer]]] = [
        (f"without {name}", rest, ()) for name, rest in without_each_stage(recipe)
    ]
    parts += [
        (name, recipe, (Layer(name, tree),)) for name, tree in list_signals(recipe, bench.settings(recipe), SIGNALS)
    ]
    for done, (name, rest, over) in enumerate(parts, start=1):
        if rest is None:
            yield name.removeprefix("without ")
        else:
            run = bench.run(rest, collection, mode, over=over, limit=limit)
            found = compare_runs(measure_without_intervals(collection, run), base)
            yield replace(found, recipe=name)
        if told:
            told(done, len(parts), name)


def asker(benches: Sequence[Bench]) -> MeasureWeights:
    """Give what asks a collection by `auto` with other weights, many times."""
    places = {collection.name: bench for bench in map(Bench.again, benches) for collection in bench.collections}

    def ask(collection: Collection, weights: Mapping[str, float]) -> MeasuredRun:
        over = [parse_assignment(key, repr(value), "tune") for key, value in weights.items()]
        return measure_without_intervals(collection, places[collection.name].run(AUTO, collection, over=over))

    return ask
