"""One evaluation: everything is asked that there is to ask, and what comes of it is gathered."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waymeet.evaluate.ablation import list_weights
from waymeet.evaluate.baseline import compare_with_baseline, load_baseline
from waymeet.evaluate.collection import Collection
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, compare_runs, measure_run
from waymeet.evaluate.run import Run
from waymeet.evaluate.trec import read_run
from waymeet.evaluate.tuning import Fold, leave_one_out
from waymeet.interfaces.quality.bench import PLAIN, Bench, ablated, asker
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.text_report import head, row
from waymeet.interfaces.render.text import Line
from waymeet.ports import Progress
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.search.state import Recipe


class Wanted(NamedTuple):
    """What is to be asked, and how."""

    recipes: Sequence[tuple[Recipe, str]]
    beside: tuple[Path, ...]
    limit: int
    ablate: bool
    plain: bool = False
    """Whether plain BM25 comes first, to be compared with."""


class Evaluation:
    """Asks everything there is to ask, and gathers what comes of it."""

    def __init__(
        self,
        wanted: Wanted,
        names: Sequence[str],
        asking: Progress | None,
        leaving: Progress | None,
        show: Callable[[Sequence[Line]], None] | None,
    ) -> None:
        self._wanted = wanted
        self._asking = asking
        self._leaving = leaving
        self._show = show
        self._asked = [*([(PLAIN, "")] if wanted.plain else []), *wanted.recipes]
        titles = [f"{recipe.name}:{mode}" if mode else recipe.name for recipe, mode in self._asked]
        self._widths = max(map(len, names)), max(map(len, [*titles, *(path.stem for path in wanted.beside)]))
        self.found: list[MeasuredRun] = []
        self._comparisons: list[Comparison] = []
        self._rivals: list[Comparison] = []
        self._folds: list[Fold] = []
        self._ablations: list[Comparison] = []
        self._needed: dict[str, None] = {}
        self._remarks: list[str] = []

    def carried_out(self, bench: Bench) -> Iterator[tuple[Collection, Run]]:
        """Ask an index all its questions by all recipes, giving each run as it is done."""
        wanted = self._wanted
        self._remarks += bench.remarks
        for collection in bench.collections:
            here = []
            for recipe, mode in self._asked:
                run = bench.run(recipe, collection, mode, limit=wanted.limit, progress=self._asking)
                yield collection, run
                here.append(self._measured(collection, run))
            here += [self._measured(collection, read_run(path, collection)) for path in wanted.beside]
            self._comparisons += [compare_runs(each, here[0]) for each in here[1:]]
            first, *others = here[1:] if wanted.plain else here
            self._rivals += [compare_runs(first, each) for each in others if wanted.plain]
            for (recipe, mode), base in zip(wanted.recipes if wanted.ablate else (), (first, *others), strict=False):
                for each in ablated(bench, recipe, mode, base, collection, limit=wanted.limit, told=self._leaving):
                    if isinstance(each, str):
                        self._needed[each] = None
                    else:
                        self._ablations.append(each)

    def leave_out(self, benches: Sequence[Bench], told: Progress | None) -> None:
        """Search for weights of `auto` without each collection in turn, and judge them on it."""
        collections = [each for bench in benches for each in bench.collections]
        before = list_weights(AUTO, benches[0].settings(AUTO), SIGNALS)
        self._folds = leave_one_out(collections, asker(benches), before, told)

    def _measured(self, collection: Collection, run: Run) -> MeasuredRun:
        found = measure_run(collection, run)
        if self._show:
            self._show([*(() if self.found else (head(*self._widths),)), row(found.summary, *self._widths)])
        self.found.append(found)
        return found

    def report(self, limits: float | Path | None) -> Report:
        """Put together what was found, and whether it is good enough."""
        remarks, failures = [*self._remarks], []
        baseline: list[Comparison] = []
        if isinstance(limits, Path):
            baseline, missing = compare_with_baseline(self.found, load_baseline(limits))
            remarks += missing
            failures = [
                f"{each.collection}, {each.recipe}: {MAIN_METRIC} is {-each.difference:.4f} below the baseline, beyond noise"
                for each in baseline
                if each.verdict == "worse"
            ]
        elif limits is not None:
            failures = [
                f"{each.collection}, {each.recipe}: {MAIN_METRIC} {each.metrics[MAIN_METRIC]:.4f} is below {limits:g}"
                for each, _ in self.found
                if each.metrics[MAIN_METRIC] < limits
            ]
        return Report(
            tuple(each.summary for each in self.found),
            tuple(self._comparisons),
            tuple(self._rivals),
            tuple(self._ablations),
            tuple(self._needed),
            tuple(self._folds),
            tuple(baseline),
            tuple(failures),
            tuple(remarks),
        )
