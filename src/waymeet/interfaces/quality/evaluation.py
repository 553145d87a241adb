"""One evaluation: run all recipes on all collections and collect the results."""

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
            measured = []
            for recipe, mode in plan.all_recipes:
                run = bench.run(recipe, collection, mode, limit=plan.limit, progress=self._querying)
                yield collection, run
                measured.append(self._measure(collection, run))
            measured += [self._measure(collection, read_run(path, collection)) for path in plan.trec_runs]
            self._comparisons += [compare_runs(each, measured[0]) for each in measured[1:]]
            first, *others = measured[1:] if plan.plain else measured
            if plan.plain:
                self._against_others += [compare_runs(first, other) for other in others]
            if plan.ablate:
                # The runs of recipes come first in `measured`; those of TREC files behind them have no recipe.
                for (recipe, mode), base in zip(plan.recipes, (first, *others), strict=False):
                    self._ablate(bench, recipe, mode, base, collection)

    def _ablate(self, bench: Bench, recipe: Recipe, mode: str, base: MeasuredRun, collection: Collection) -> None:
        ablations = ablate_recipe(
            bench, recipe, mode, base, collection, limit=self._plan.limit, progress=self._ablating
        )
        for ablation in ablations:
            if isinstance(ablation, str):
                self._required_stages[ablation] = None
            else:
                self._ablations.append(ablation)

    def leave_one_out(self, benches: Sequence[Bench], progress: Progress | None) -> None:
        """Tune the weights of `auto` without each collection in turn, and measure them on it."""
        collections = [collection for bench in benches for collection in bench.collections]
        before = list_weights(AUTO, benches[0].settings(AUTO), SIGNALS)
        self._folds = leave_one_out(collections, make_weight_measurer(benches), before, progress)

    def _measure(self, collection: Collection, run: Run) -> MeasuredRun:
        measured = measure_run(collection, run)
        if self._show:
            header = () if self.measured_runs else (header_line(*self._widths),)
            self._show([*header, result_line(measured.summary, *self._widths)])
        self.measured_runs.append(measured)
        return measured

    def report(self, fail_below: float | Path | None) -> Report:
        """Make the report, with a failure for each result below a number or below a saved baseline."""
        remarks, failures = [*self._remarks], []
        baseline: list[Comparison] = []
        if isinstance(fail_below, Path):
            baseline, missing = compare_with_baseline(self.measured_runs, load_baseline(fail_below))
            remarks += missing
            failures = [
                f"{each.collection}, {each.recipe}: {MAIN_METRIC} is {-each.difference:.4f} below the baseline, "
                "beyond noise"
                for each in baseline
                if each.verdict == "worse"
            ]
        elif fail_below is not None:
            failures = [
                f"{each.collection}, {each.recipe}: {MAIN_METRIC} {value:.4f} is below {fail_below:g}"
                for each, _ in self.measured_runs
                if (value := each.metrics[MAIN_METRIC]) < fail_below
            ]
        return Report(
            results=tuple(measured.summary for measured in self.measured_runs),
            comparisons=tuple(self._comparisons),
            against_others=tuple(self._against_others),
            ablations=tuple(self._ablations),
            required_stages=tuple(self._required_stages),
            folds=tuple(self._folds),
            baseline=tuple(baseline),
            failures=tuple(failures),
            remarks=tuple(remarks),
        )
