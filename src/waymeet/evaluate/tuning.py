"""Tuning of weights: searched on some queries, measured on others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, sqrt
from statistics import fmean, pstdev

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import SettingsError
from waymeet.evaluate.collection import Collection, shuffle_queries
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, compare_runs
from waymeet.evaluate.mining.labels import HEADINGS, LINKS
from waymeet.settings.layers import parse_assignment

VECTOR_KEYS = ("auto.vector_weight", "auto.vector_weight_prose")
"""Weights of the vector score, which have no effect without an embedding model."""
WEIGHT_KEYS = (
    *VECTOR_KEYS,
    "auto.name_bonus",
    "auto.definition_bonus",
    "auto.outlink_weight",
    "auto.inlink_weight",
    "bm25.fields.title",
    "bm25.fields.headings",
    "bm25.fields.path",
    "bm25.fields.inbound",
)
"""The weights to tune; an optional one that is not set is left out."""
_NOT_MEASURED_BY: Mapping[str, frozenset[str]] = {
    "bm25.fields.headings": frozenset({HEADINGS}),
    "bm25.fields.inbound": frozenset({LINKS}),
    "auto.outlink_weight": frozenset({LINKS}),
    "auto.inlink_weight": frozenset({LINKS}),
}
"""Kinds of labels that must not measure a weight, because the weighted text was withheld for them."""
_ROUNDS = ((0.0, 0.5, 2.0), (0.75, 1.4))
"""Factors to try for a weight, first large steps, then small ones."""
_SINGLE_STEPS = (0.5, 2.0, 0.75, 1.4)
"""Factors to try where each weight is changed alone; 0 is left out, because ablations show it."""
_START_VALUES = {"auto": 0.2, "bm25": 1.0}
"""The value to multiply for a weight that is 0, by its section."""
_MAX_LOSS, _MIN_QUERIES = 0.01, 8
"""The loss that a step may cost one kind of labels, checked from this number of queries."""
_MIN_STANDARD_ERRORS = 2.0
"""Standard errors by which a step must gain: of fifty steps tried, many gain one by chance."""
_MIN_GAIN = 0.001
"""The least gain of a step, below which a changed number is not worth it."""

Weights = Mapping[str, float]
MeasureWeights = Callable[[Collection, Weights], MeasuredRun]
"""Measures a collection with changed weights."""
ReportProgress = Callable[[int, int, str], None]
CombineGains = Callable[[Sequence[Sequence[float]]], float]
"""Combines the gains of all queries of each collection into one number."""


class TuningResult(Struct, frozen=True):
    """The result of tuning."""

    before: Weights
    """The current values of the weights that were tuned."""
    after: Weights
    """The changed weights with their new values; empty if none was better on the tuning half."""
    training: Comparison | None = None
    """The gain on the half used for tuning, which is too optimistic."""
    held_out: tuple[Comparison, ...] = ()
    """The gain on the other half: of all kinds of labels together, then of each kind."""

    @property
    def refusal(self) -> str:
        """The reason not to use the new weights, or an empty string."""
        if not self.after:
            return "no other weights were better on the half of the queries used for tuning"
        overall, *kinds = self.held_out
        if overall.low <= 0.0:
            verdict = "within noise" if overall.high >= 0 else "a loss"
            return f"on the half of the queries that was held out, the gain is {verdict}"
        worse = [comparison.collection for comparison in kinds if comparison.high < 0.0]
        return f"results get worse for {', '.join(worse)}" if worse else ""


class Fold(Struct, frozen=True):
    """Weights tuned on all other collections, measured on the collection that was left out."""

    comparison: Comparison
    """The tuned weights against the current ones."""
    before: float
    """The mean metric with the current weights."""
    after: float
    changed_weights: Mapping[str, tuple[float, float]]
    """The weights that tuning changes: current and tuned value."""


def split_queries(collections: Iterable[Collection]) -> tuple[list[Collection], list[Collection]]:
    """Split the queries of collections into two reproducible random halves."""
    halves: tuple[list[Collection], list[Collection]] = ([], [])
    for collection in collections:
        ordered = shuffle_queries(collection)
        for half, start in zip(halves, (0, 1), strict=True):
            half.append(replace(collection, queries=tuple(ordered[start::2])))
    return halves


def tune_weights(
    collections: Sequence[Collection],
    measure: MeasureWeights,
    before: Weights,
    progress: ReportProgress | None = None,
) -> TuningResult:
    """Tune weights one by one on half of the queries, and measure them on the other half."""
    training, held_out = split_queries(collections)
    total = (1 + len(before) * sum(map(len, _ROUNDS))) * len(training)
    search = _WeightSearch(measure, total, progress)
    weights = dict(before)
    for steps in _ROUNDS:
        for key in weights:
            weights[key] = search.find_best(training, weights, key, steps, _careful_mean)[1]
    after = {key: value for key, value in weights.items() if value != before[key]}
    if not after:
        return TuningResult(before, {})
    overall, *_ = _compare_weights(training, measure, before, after)
    return TuningResult(before, after, overall, tuple(_compare_weights(held_out, measure, before, after)))


def leave_one_out(
    collections: Sequence[Collection],
    measure: MeasureWeights,
    before: Weights,
    progress: ReportProgress | None = None,
) -> list[Fold]:
    """Leave each collection out in turn, tune weights on the others, and measure them on it.

    Each weight is changed alone, starting at its current value: the gain of a step on a collection is then the same
    for all folds, and is measured once. Steps that gain alone are combined, or only the best is used if the combination
    gains less. Collections have equal weight, not queries.
    """
    total = (1 + len(before) * len(_SINGLE_STEPS)) * len(collections)
    search = _WeightSearch(measure, total, progress)
    folds = []
    for left_out in collections:
        others = [collection for collection in collections if collection is not left_out]
        after = _combine_steps(search, others, before)
        new, old = search.measure(left_out, after, "held out"), search.measure(left_out, before, "held out")
        folds.append(
            Fold(
                replace(compare_runs(new, old, "current weights"), recipe="tuned without it"),
                round(fmean(old.scores[MAIN_METRIC].values()), 4),
                round(fmean(new.scores[MAIN_METRIC].values()), 4),
                {key: (value, after[key]) for key, value in before.items() if after[key] != value},
            )
        )
    return folds


def _combine_steps(search: "_WeightSearch", collections: Sequence[Collection], before: Weights) -> Weights:
    """Change every weight that gains alone, if the combination gains more than the best of them."""
    steps = {key: search.find_best(collections, before, key, _SINGLE_STEPS, _mean_of_collections) for key in before}
    gains = {key: step for key, step in steps.items() if step[1] != before[key]}
    if not gains:
        return before
    combined = {**before, **{key: value for key, (_, value) in gains.items()}}
    best = max(gains, key=lambda key: gains[key][0])
    if search.gain(collections, before, combined, "combined", _mean_of_collections) >= gains[best][0]:
        return combined
    return {**before, best: gains[best][1]}


def _careful_mean(gains: Sequence[Sequence[float]]) -> float:
    """Average over all queries, or give -inf if one kind loses or if the gain may be chance."""
    if any(fmean(kind) < -_MAX_LOSS for kind in gains if len(kind) >= _MIN_QUERIES):
        return -inf
    every = [gain for kind in gains for gain in kind]
    gain = fmean(every) if every else 0.0
    return gain if gain > _MIN_STANDARD_ERRORS * pstdev(every or [0.0]) / sqrt(len(every) or 1) else -inf


def _mean_of_collections(gains: Sequence[Sequence[float]]) -> float:
    """Average over collections, which have equal weight."""
    means = [fmean(collection) if collection else 0.0 for collection in gains]
    return fmean(means) if means else 0.0


class _WeightSearch:
    """Changes one weight at a time, and caches what was measured."""

    def __init__(self, measure: MeasureWeights, total: int, progress: ReportProgress | None) -> None:
        """`total` is the expected number of measurements, for progress."""
        self._measure = measure
        self._total = total
        self._progress = progress
        self._measured: dict[tuple[str, tuple[float, ...]], MeasuredRun] = {}

    def find_best(
        self,
        collections: Sequence[Collection],
        weights: Weights,
        key: str,
        steps: Sequence[float],
        combine: CombineGains,
    ) -> tuple[float, float]:
        """Try other values of a weight, and return the best gain with its value.

        If no value gains enough, the value is the current one.
        """
        best_gain, best_value = _MIN_GAIN, weights[key]
        measuring = [each for each in collections if each.name not in _NOT_MEASURED_BY.get(key, frozenset())]
        unchanged = {collection.name for collection in measuring}
        for number, value in enumerate(_values_to_try(key, weights[key], steps)):
            # A collection that two steps did not change at all does not depend on this weight: skip the others.
            skipped = frozenset(unchanged) if number > 1 else frozenset[str]()
            tried = {**weights, key: value}
            gain = self.gain(measuring, weights, tried, f"{key} = {value:g}", combine, skipped=skipped)
            unchanged -= {
                collection.name
                for collection in measuring
                if collection.name not in skipped and self._differs(collection, weights, tried)
            }
            if gain > best_gain:
                best_gain, best_value = gain, value
        return best_gain, best_value

    def gain(
        self,
        collections: Sequence[Collection],
        before: Weights,
        after: Weights,
        name: str,
        combine: CombineGains,
        *,
        skipped: frozenset[str] = frozenset(),
    ) -> float:
        """Compute the gain of other weights, with `skipped` collections counted as unchanged."""
        gains = []
        for collection in collections:
            old = self.measure(collection, before, name).scores[MAIN_METRIC]
            new = old if collection.name in skipped else self.measure(collection, after, name).scores[MAIN_METRIC]
            gains.append([new[query] - value for query, value in old.items()])
        return combine(gains)

    def _differs(self, collection: Collection, before: Weights, after: Weights) -> bool:
        old, new = (self.measure(collection, weights, "").scores[MAIN_METRIC] for weights in (before, after))
        return old != new

    def measure(self, collection: Collection, weights: Weights, name: str) -> MeasuredRun:
        """Measure a collection with some weights, once."""
        key = (collection.name, tuple(weights.values()))
        if key not in self._measured:
            self._measured[key] = self._measure(collection, weights)
            if self._progress:
                self._progress(min(len(self._measured), self._total), self._total, name)
        return self._measured[key]


def _values_to_try(key: str, current: float, steps: Sequence[float]) -> list[float]:
    """List the values to try in place of the current one.

    >>> _values_to_try("auto.vector_weight", 0.6, (0.0, 0.5, 2.0))
    [0.0, 0.3]
    """
    values = [round((current or _START_VALUES[key.partition(".")[0]]) * step, 3) for step in steps]
    return [value for value in dict.fromkeys(values) if value != current and _is_allowed(key, value)]


def _is_allowed(key: str, value: float) -> bool:
    """Check whether a setting can have a value, as shares, for example, end at 1."""
    try:
        parse_assignment(key, repr(value), "tuning")
    except SettingsError:
        return False
    return True


def _compare_weights(
    collections: Sequence[Collection], measure: MeasureWeights, before: Weights, after: Weights
) -> list[Comparison]:
    """Compare new with old weights over all collections together, then over each."""
    pairs = [(measure(collection, {**before, **after}), measure(collection, before)) for collection in collections]
    new, old = (_join_runs(runs) for runs in zip(*pairs, strict=True))
    return [
        compare_runs(new, old, "before"),
        *(compare_runs(new_run, old_run, "before") for new_run, old_run in pairs),
    ]


def _join_runs(runs: Sequence[MeasuredRun]) -> MeasuredRun:
    """Join the queries of several runs into one run over a collection named `all`."""
    scores = {query: value for run in runs for query, value in run.scores[MAIN_METRIC].items()}
    return MeasuredRun(replace(runs[0].summary, collection="all"), {MAIN_METRIC: scores})
