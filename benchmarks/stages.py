"""What a recipe's stages cost beside the retrieval they work on: everything but ranking, models and fetching texts.

The collection is this Python's own standard library, which every machine has; the questions are the first lines of its
docstrings. The store and the model are wrapped in clocks, so that what is left is the stages' own work and the small
questions they ask on their way: names, filters, spelling.
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
QUESTIONS = 40
ROUNDS = 5
RETRIEVAL = frozenset({"lexical", "nearest", "neighbours", "edges"})
"""Questions whose answers are what is ranked: lists, and links."""
ENTERING = frozenset({"reading"})
PACKAGES = ("", "asyncio", "email", "http", "json", "logging", "unittest", "xml/etree", "concurrent/futures")


class Clocked:
    """Does what another does, noting how long each of its methods takes."""

    def __init__(self, inner: object, spent: dict[str, float]) -> None:
        self._inner = inner
        self._spent = spent

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the other has
        found = getattr(self._inner, name)
        if not callable(found) or name in ENTERING:
            return found
        return self._timed(name, found)

    def _timed(self, name: str, method: Callable[..., object]) -> Callable[..., object]:
        def timed(*given: object, **named: object) -> object:
            started = perf_counter()
            try:
                return method(*given, **named)
            finally:
                self._spent[name] += perf_counter() - started

        return timed


def measure() -> dict[str, object]:
    """Give medians in milliseconds for each recipe, and the part that stages are of retrieval."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "library")
        questions = _copied(root)
        flags = ("embedding.provider=hashing", "chunking.max_chars=800")
        with Project.open(root, index=Path(folder, "index.sqlite"), flags=flags) as project:
            project.index()
            store, _ = project.refreshed_store()
            chunks = project.counts().chunks
            rows = {
                name: _recipe(recipe, store, project.tools(store), project.layers, questions)
                for name, recipe in RECIPES.items()
                if name != "skills_recall"  # there are no skills in it
            }
    return {"stages": {"chunks": chunks, "questions": len(questions), "candidates": CANDIDATES, "recipes": rows}}


def table(figures: dict[str, Any]) -> str:
    """Write the figures as a table."""
    found = figures["stages"]
    about = (
        f"{found['questions']} questions to {found['chunks']:,} sections of Python's standard library, lists of "
        f"{found['candidates']}, medians in milliseconds. *Stages* is everything but retrieval (ranked lists, and "
        "links), the model and what is shown: the stages' own work and their small questions to the store."
    )
    lines = [
        about,
        "",
        "| recipe | retrieval | stages | of which own work | shown | stages / retrieval |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    columns = ("retrieval_ms", "stages_ms", "own_ms", "shown_ms", "ratio")
    for name, row in found["recipes"].items():
        lines.append(f"| {name} | {' | '.join(str(row[column]) for column in columns)} |")
    return "\n".join(lines) + "\n"


def _copied(root: Path) -> list[str]:
    """Copy the library and collect questions: the first lines of its docstrings."""
    library = Path(sysconfig.get_paths()["stdlib"])
    questions = []
    for package in PACKAGES:
        for path in sorted((library / package).glob("*.py")):
            place = root / path.relative_to(library)
            place.parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, place)
            told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8", errors="replace"))) or ""
            line = told.partition("\n")[0].replace('"', "").replace(":", " ")
            if len(line.split()) in range(4, 12):
                questions.append(line)
    return questions[:: max(len(questions) // QUESTIONS, 1)][:QUESTIONS]


def _recipe(
    recipe: Recipe, store: Store, tools: Tools, layers: tuple[Layer, ...], questions: list[str]
) -> dict[str, float]:
    pool = Layer("benchmark", {"pool": {"least": CANDIDATES, "factor": CANDIDATES // 10}})
    settings = resolve((Layer(recipe.name, recipe.overrides), *layers, pool))
    mode = "hybrid" if "hybrid" in recipe.modes else ""
    times: dict[str, list[float]] = defaultdict(list)
    for text in questions:
        rounds = [_asked(recipe, Query(text, mode=mode), store, tools, settings) for _ in range(ROUNDS)]
        for name, spent in min(rounds, key=lambda each: sum(each.values())).items():
            times[name].append(spent)
    middle = {name: median(each) * 1000 for name, each in times.items()}
    return {
        "retrieval_ms": round(middle["retrieval"], 2),
        "stages_ms": round(middle["stages"], 2),
        "own_ms": round(middle["own"], 2),
        "shown_ms": round(middle["shown"], 2),
        "ratio": round(middle["stages"] / middle["retrieval"], 2),
    }


def _asked(recipe: Recipe, query: Query, store: Store, tools: Tools, settings: Settings) -> dict[str, float]:
    asked: dict[str, float] = defaultdict(float)
    thought: dict[str, float] = defaultdict(float)
    clocked = tools._replace(
        store=cast("Store", Clocked(store, asked)),
        embedders=tuple(cast("Embedder", Clocked(each, thought)) for each in tools.embedders),
    )
    with store.snapshot():
        started = perf_counter()
        search, _ = run_stages(recipe, query, clocked, settings)
        whole = perf_counter() - started
        retrieval = sum(spent for name, spent in asked.items() if name in RETRIEVAL)
        own = whole - sum(asked.values()) - sum(thought.values())
        shaping = perf_counter()
        shape(search, tools, settings)
        shown = perf_counter() - shaping
    return {
        "retrieval": retrieval,
        "stages": whole - retrieval - sum(thought.values()),
        "own": own,
        "shown": shown,
    }
