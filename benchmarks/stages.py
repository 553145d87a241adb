"""Measure the time of stages without retrieval and models, compared with retrieval.

The corpus is Python's standard library, which every machine has; the queries are the first lines of its docstrings. The
methods of the store and the models are timed and subtracted. What remains is the work of the stages and their small
lookups in the store: names, filters, spelling.
"""

import ast
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from statistics import median
from time import perf_counter
from typing import Any, cast

from waymeet.ports import Embedder, Store
from waymeet.project import Project
from waymeet.recipes import RECIPES
from waymeet.search.pipeline import run_stages
from waymeet.search.shape.hits import shape
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.types import Query

CANDIDATES = 100
QUERIES = 40
ROUNDS = 5
RETRIEVAL = frozenset({"rank_lexical", "rank_vectors", "neighbours", "edges"})
"""Methods of the store that retrieve ranked lists and links."""
UNTIMED = frozenset({"snapshot"})
"""Methods that return a context manager."""
PACKAGES = ("", "asyncio", "email", "http", "json", "logging", "unittest", "xml/etree", "concurrent/futures")


class Timed:
    """Wraps an object and records the time of each of its methods."""

    def __init__(self, inner: object, spent: dict[str, float]) -> None:
        self._inner = inner
        self._spent = spent

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute of the wrapped object
        attribute = getattr(self._inner, name)
        if not callable(attribute) or name in UNTIMED:
            return attribute
        return self._time_method(name, attribute)

    def _time_method(self, name: str, method: Callable[..., object]) -> Callable[..., object]:
        def timed(*arguments: object, **named: object) -> object:
            started = perf_counter()
            try:
                return method(*arguments, **named)
            finally:
                self._spent[name] += perf_counter() - started

        return timed


def measure() -> dict[str, object]:
    """Return medians in milliseconds for each recipe, and the ratio of stages to retrieval."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "library")
        queries = _copy_library(root)
        flags = ("embedding.provider=hashing", "chunking.max_chars=800")
        with Project.open(root, index=Path(folder, "index.sqlite"), flags=flags) as project:
            project.index()
            store, _ = project.refreshed_store()
            chunks = project.counts().chunks
            rows = {
                name: _measure_recipe(recipe, store, project.tools(store), project.layers, queries)
                for name, recipe in RECIPES.items()
                if name != "skills_recall"  # the corpus has no skills
            }
    return {"stages": {"chunks": chunks, "questions": len(queries), "candidates": CANDIDATES, "recipes": rows}}


def table(figures: dict[str, Any]) -> str:
    """Format the figures as a table."""
    stages = figures["stages"]
    about = (
        f"{stages['questions']} queries on {stages['chunks']:,} sections of Python's standard library, lists of "
        f"{stages['candidates']}, medians in milliseconds. *Stages* is the time without retrieval (ranked lists and "
        "links), the model and shaping of hits: the stages' own work and their small lookups in the store."
    )
    lines = [
        about,
        "",
        "| recipe | retrieval | stages | of which own work | shaping | stages / retrieval |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    columns = ("retrieval_ms", "stages_ms", "own_ms", "shown_ms", "ratio")
    for name, row in stages["recipes"].items():
        lines.append(f"| {name} | {' | '.join(str(row[column]) for column in columns)} |")
    return "\n".join(lines) + "\n"


def _copy_library(root: Path) -> list[str]:
    """Copy the library and collect queries: the first lines of its docstrings."""
    library = Path(sysconfig.get_paths()["stdlib"])
    queries = []
    for package in PACKAGES:
        for path in sorted((library / package).glob("*.py")):
            copy = root / path.relative_to(library)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, copy)
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8", errors="replace"))) or ""
            line = docstring.partition("\n")[0].replace('"', "").replace(":", " ")
            if len(line.split()) in range(4, 12):
                queries.append(line)
    return queries[:: max(len(queries) // QUERIES, 1)][:QUERIES]


def _measure_recipe(
    recipe: Recipe, store: Store, tools: Tools, layers: tuple[Layer, ...], queries: list[str]
) -> dict[str, float]:
    pool = Layer("benchmark", {"pool": {"min": CANDIDATES, "factor": CANDIDATES // 10}})
    settings = resolve((Layer(recipe.name, recipe.overrides), *layers, pool))
    mode = "hybrid" if "hybrid" in recipe.modes else ""
    times: dict[str, list[float]] = defaultdict(list)
    for text in queries:
        rounds = [_measure_query(recipe, Query(text, mode=mode), store, tools, settings) for _ in range(ROUNDS)]
        for name, spent in min(rounds, key=lambda times_of_round: sum(times_of_round.values())).items():
            times[name].append(spent)
    middle = {name: median(values) * 1000 for name, values in times.items()}
    return {
        "retrieval_ms": round(middle["retrieval"], 2),
        "stages_ms": round(middle["stages"], 2),
        "own_ms": round(middle["own"], 2),
        "shown_ms": round(middle["shown"], 2),
        "ratio": round(middle["stages"] / middle["retrieval"], 2),
    }


def _measure_query(recipe: Recipe, query: Query, store: Store, tools: Tools, settings: Settings) -> dict[str, float]:
    store_times: dict[str, float] = defaultdict(float)
    model_times: dict[str, float] = defaultdict(float)
    timed_tools = tools._replace(
        store=cast("Store", Timed(store, store_times)),
        embedders=tuple(cast("Embedder", Timed(embedder, model_times)) for embedder in tools.embedders),
    )
    with store.snapshot():
        started = perf_counter()
        search, _ = run_stages(recipe, query, timed_tools, settings)
        whole = perf_counter() - started
        retrieval = sum(spent for name, spent in store_times.items() if name in RETRIEVAL)
        own = whole - sum(store_times.values()) - sum(model_times.values())
        shaping = perf_counter()
        shape(search, tools, settings)
        shown = perf_counter() - shaping
    return {
        "retrieval": retrieval,
        "stages": whole - retrieval - sum(model_times.values()),
        "own": own,
        "shown": shown,
    }
