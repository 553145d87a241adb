"""One evaluation: run all recipes on all collections and collect the results."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from waymeet.evaluate.ablation import list_weights
from waymeet.evaluate.baseline import compare_with_baseline, load_baseline
from waymeet.evaluate.collection import Collection
from waymeet.evaluate.levels import AS_JUDGED, SECTION, at_level
from waymeet.evaluate.metrics import (
    MAIN_METRIC,
    Comparison,
    MeasuredRun,
    average_results,
    compare_runs,
    measure_run,
)
from waymeet.evaluate.run import Run
from waymeet.evaluate.trec import read_run
from waymeet.evaluate.tuning import Fold, leave_one_out
from waymeet.interfaces.quality.bench import PLAIN, Bench, ablate_recipe, make_weight_measurer
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.text_report import header_line, result_line
from waymeet.interfaces.render.text import Line
from waymeet.ports import Progress
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.search.state import Recipe


class EvaluationPlan(NamedTuple):
    """The recipes and runs to measure."""

    recipes: Sequence[tuple[Recipe, str]]
    """Each with its mode, or an empty string."""
    trec_runs: tuple[Path, ...]
    """Files with runs of other programs."""
    limit: int
    ablate: bool
    plain: bool = False
    """Whether all recipes are compared with plain BM25."""
    levels: Sequence[str] = (AS_JUDGED,)
    """The levels at which each run is measured."""

    @property
    def all_recipes(self) -> Sequence[tuple[Recipe, str]]:
        """The recipes in the order in which they are run."""
        return [(PLAIN, ""), *self.recipes] if self.plain else self.recipes


class Evaluation:
    """Runs the recipes of a plan and collects the results."""

    def __init__(
        self,
        plan: EvaluationPlan,
        collections: Sequence[str],
        querying: Progress | None = None,
        ablating: Progress | None = None,
        show: Callable[[Sequence[Line]], None] | None = None,
    ) -> None:
        """Start without results, for `collections` given by name, and print each result with `show`."""
        self._plan = plan
        self._querying = querying
        self._ablating = ablating
        self._show = show
        names = [f"{recipe.name}:{mode}" if mode else recipe.name for recipe, mode in plan.all_recipes]
        names += [path.stem for path in plan.trec_runs]
        self._widths = max(map(len, collections)), max(map(len, names))
        self.measured_runs: list[MeasuredRun] = []
        self._comparisons: list[Comparison] = []
        self._against_others: list[Comparison] = []
        self._folds: list[Fold] = []
        self._ablations: list[Comparison] = []
        self._required_stages: dict[str, None] = {}
        self._remarks: list[str] = []

    def run_bench(self, bench: Bench) -> Iterator[tuple[Collection, Run]]:
        """Run all recipes on all collections of a bench, yielding each run when it is done."""
        plan = self._plan
        self._remarks += bench.remarks
        for collection in bench.collections:
            levels = [at_level(collection, level) for level in plan.levels]
            rows = []
            for recipe, mode in plan.all_recipes:
                runs = bench.run_levels(recipe, levels, mode, limit=plan.limit, progress=self._querying)
                yield from zip(levels, runs, strict=True)
                rows.append([self._measure(each, run) for each, run in zip(levels, runs, strict=True)])
            rows += [[self._measure(each, read_run(path, each)) for each in levels] for path in plan.trec_runs]
            for measured in zip(*rows, strict=True):
                self._compare(measured)
            if plan.ablate:
                # The runs of recipes come first in `rows`; those of TREC files behind them have no recipe.
                for (recipe, mode), bases in zip(plan.recipes, rows[plan.plain :], strict=False):
                    self._ablate(bench, recipe, mode, bases, levels)

    def _compare(self, measured: Sequence[MeasuredRun]) -> None:
        """Compare the runs on a collection at one level with the first one."""
        self._comparisons += [compare_runs(each, measured[0]) for each in measured[1:]]
        if self._plan.plain:
            _, first, *others = measured
            self._against_others += [compare_runs(first, other) for other in others]

    def _ablate(
        self, bench: Bench, recipe: Recipe, mode: str, bases: Sequence[MeasuredRun], levels: Sequence[Collection]
    ) -> None:
        ablations = ablate_recipe(bench, recipe, mode, bases, levels, limit=self._plan.limit, progress=self._ablating)
        for ablation in ablations:
            if isinstance(ablation, str):
                self._required_stages[ablation] = None
            else:
                self._ablations.append(ablation)

    def leave_one_out(self, benches: Sequence[Bench], progress: Progress | None) -> None:
        """Tune the weights of `auto` without each collection in turn, and measure them on it."""
        (level,) = self._plan.levels
        collections = [at_level(collection, level) for bench in benches for collection in bench.collections]
        before = list_weights(AUTO, benches[0].settings(AUTO), SIGNALS)
        self._folds = leave_one_out(collections, make_weight_measurer(benches), before, progress)

    def _measure(self, collection: Collection, run: Run) -> MeasuredRun:
        measured = measure_run(collection, run)
        if self._show:
            header = () if self.measured_runs else (header_line(*self._widths, measured.summary.level),)
            self._show([*header, result_line(measured.summary, *self._widths)])
        self.measured_runs.append(measured)
        return measured

    def report(self, fail_below: float | Path | None) -> Report:
        """Make the report, with a failure for each result below a number or below a saved baseline."""
        remarks, failures = [*self._remarks], []
        if self._plan.plain and SECTION in self._plan.levels:
            remarks.append("plain ranks whole documents: by section, each counts for every relevant place in it")
        baseline: list[Comparison] = []
        if isinstance(fail_below, Path):
            baseline, missing = compare_with_baseline(self.measured_runs, load_baseline(fail_below))
            remarks += missing
            failures = [
                f"{each.collection}, {each.label}: {MAIN_METRIC} is {-each.difference:.4f} below the baseline, "
                "beyond noise"
                for each in baseline
                if each.verdict == "worse"
            ]
        elif fail_below is not None:
            failures = [
                f"{each.collection}, {each.label}: {MAIN_METRIC} {value:.4f} is below {fail_below:g}"
                for each, _ in self.measured_runs
                if (value := each.metrics[MAIN_METRIC]) < fail_below
            ]
        results = tuple(measured.summary for measured in self.measured_runs)
        return Report(
            results=results,
            comparisons=tuple(self._comparisons),
            against_others=tuple(self._against_others),
            ablations=tuple(self._ablations),
            required_stages=tuple(self._required_stages),
            folds=tuple(self._folds),
            baseline=tuple(baseline),
            failures=tuple(failures),
            remarks=tuple(remarks),
            means=average_results(results),
        )
