"""Carrying out an evaluation: a temporary index, the recipes asked, each of their parts left out in turn."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.evaluate.ablating import signals
from waymeet.evaluate.asking import remembering
from waymeet.evaluate.collection import Collection, load
from waymeet.evaluate.filling import fill
from waymeet.evaluate.measures import Comparison, Measured, compared, measured
from waymeet.evaluate.mining import mined
from waymeet.evaluate.running import LIMIT, Run, answered
from waymeet.ports import Progress, Store
from waymeet.project import Project
from waymeet.recipes.without import without_each
from waymeet.search.state import Recipe, Tools
from waymeet.settings import Layer, Settings, resolve


class Bench(NamedTuple):
    """An index to be asked, and the questions."""

    collections: tuple[Collection, ...]
    tools: Tools
    layers: tuple[Layer, ...]
    remarks: tuple[str, ...] = ()

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
        settings = self.settings(recipe, over)
        return answered(recipe, collection, self.tools, settings, mode=mode, limit=limit, progress=progress)


@contextmanager
def collection_bench(
    folder: Path,
    flags: tuple[str, ...],
    reading: Progress | None,
    embedding: Progress | None,
    *,
    split: str = "",
    whole: bool = False,
) -> Iterator[Bench]:
    """Index a test collection in a temporary place, with the user's settings."""
    collection = load(folder, split)
    with _temporary() as place:
        (place / "project").mkdir()
        with Project.open(place / "project", index=place / "index.db", flags=flags) as project:
            chunking = project.settings.chunking
            tools = project.filled(lambda store: fill(store, collection, chunking, reading, whole=whole), embedding)
            yield Bench((collection,), tools, project.layers)


@contextmanager
def project_bench(
    root: Path | None, flags: tuple[str, ...], most: int, reading: Progress | None, embedding: Progress | None
) -> Iterator[Bench]:
    """Index a project in a temporary place without the texts that are asked; its own index is not touched."""
    with _temporary() as place, Project.open(root, index=place / "index.db", flags=flags) as project:
        found = []

        def take_in(store: Store) -> None:
            found.append(mined(project.root, store, project.settings, most, reading))

        tools = project.filled(take_in, embedding)
        yield Bench(found[0].collections, tools, project.layers, found[0].remarks)


@contextmanager
def _temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="waymeet-eval-") as place:
        yield Path(place)


def ablated(
    bench: Bench,
    recipe: Recipe,
    mode: str,
    base: Measured,
    collection: Collection,
    *,
    limit: int = LIMIT,
    told: Callable[[int, int, str], None] | None = None,
) -> Iterator[Comparison | str]:
    """Leave out each stage and signal of a recipe in turn; of a stage that nothing works without, give the name."""
    bench = bench._replace(tools=remembering(bench.tools))
    parts: list[tuple[str, Recipe | None, Sequence[Layer]]] = [
        (f"without {name}", rest, ()) for name, rest in without_each(recipe)
    ]
    parts += [(name, recipe, (Layer(name, tree),)) for name, tree in signals(recipe, bench.settings(recipe))]
    for done, (name, rest, over) in enumerate(parts, start=1):
        if rest is None:
            yield name.removeprefix("without ")
        else:
            run = bench.run(rest, collection, mode, over=over, limit=limit)
            found = compared(measured(collection, run), base)
            yield replace(found, recipe=name)
        if told:
            told(done, len(parts), name)
