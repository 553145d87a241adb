"""Weights fitted to questions: searched for on some of them, judged on others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, sqrt
from statistics import fmean, pstdev

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import SettingsError
from waymeet.evaluate.collection import Collection, shuffled
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, compare_runs
from waymeet.evaluate.mining.labels import HEADINGS, LINKS
from waymeet.settings.layers import parse_assignment

VECTOR_KEYS = ("auto.vector_weight", "auto.vector_weight_prose")
"""Weights of meaning, which say nothing where there is no model of it."""
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
"""What is tuned, as far as it is set: some numbers only stand in for others."""
_BLIND: Mapping[str, frozenset[str]] = {
    "bm25.fields.headings": frozenset({HEADINGS}),
    "bm25.fields.inbound": frozenset({LINKS}),
    "auto.outlink_weight": frozenset({LINKS}),
    "auto.inlink_weight": frozenset({LINKS}),
}
"""Kinds of labels that must not judge a weight: what it weighs is just what was withheld from them."""
_ROUNDS = ((0.0, 0.5, 2.0), (0.75, 1.4))
"""What a weight is multiplied with, first in large steps, then in small ones."""
_STEPS = (0.5, 2.0, 0.75, 1.4)
"""The same where each weight is looked at by itself; that leaving it out costs is shown elsewhere."""
_FIRST = {"auto": 0.2, "bm25": 1.0}
"""What stands for a weight that is 0, by its section."""
_MOST_LOST, _ENOUGH = 0.01, 8
"""What a step may cost one kind of labels, if there are enough of it to tell."""
_SURE = 2.0
"""Standard errors by which a step must gain: of fifty that are tried, many gain one by chance."""
_LEAST = 0.001
"""What a step must gain: less is not worth another number in a file."""

Weights = Mapping[str, float]
MeasureWeights = Callable[[Collection, Weights], MeasuredRun]
"""Measures a collection with some weights in place of those that are set."""
ReportProgress = Callable[[int, int, str], None]
Judge = Callable[[Sequence[Sequence[float]]], float]
"""Makes one gain of what every question of each collection gains."""


class TuningResult(Struct, frozen=True):
    """What a search for better weights came to."""

    before: Weights
    """The weights that were looked at, as they are."""
    after: Weights
    """Those that should change, with their new values; empty if none was found on the half that was searched."""
    training: Comparison | None = None
    """What that gains on the half that was searched, where it must look good."""
    held_out: tuple[Comparison, ...] = ()
    """What it gains on the other half: all kinds of labels together, then each kind."""

    @property
    def refusal(self) -> str:
        """Say why the new weights should not be used; empty if they should."""
        if not self.after:
            return "no other weights were better on the half of the questions that was searched"
        whole, *parts = self.held_out
        if whole.low <= 0.0:
            word = "within noise" if whole.high >= 0 else "a loss"
            return f"on the half of the questions that was held out, the gain is {word}"
        worse = [each.collection for each in parts if each.high < 0.0]
        return f"it makes answers worse for {', '.join(worse)}" if worse else ""


class Fold(Struct, frozen=True):
    """What weights are worth on a collection that had no part in finding them."""

    comparison: Comparison
    """Weights found on the other collections, against those that are set."""
    before: float
    """What the collection is worth with those that are set."""
    after: float
    changed_weights: Mapping[str, tuple[float, float]]
    """The weights that the others would have otherwise: as they are, and as they would be."""


def halves(collections: Iterable[Collection]) -> tuple[list[Collection], list[Collection]]:
    """Part the queries of collections into two halves, always the same."""
    parts: tuple[list[Collection], list[Collection]] = ([], [])
    for collection in collections:
        ordered = shuffled(collection)
        for part, start in zip(parts, (0, 1), strict=True):
            part.append(replace(collection, queries=tuple(ordered[start::2])))
    return parts


def tune_weights(
    collections: Sequence[Collection], ask: MeasureWeights, before: Weights, told: ReportProgress | None = None
) -> TuningResult:
    """Search for better weights, one after the other, and judge them on questions that the search has not seen."""
    learning, judging = halves(collections)
    most = (1 + len(before) * sum(map(len, _ROUNDS))) * len(learning)
    climb = _Climb(ask, most, told)
    weights = dict(before)
    for steps in _ROUNDS:
        for key in weights:
            weights[key] = climb.best(learning, weights, key, steps, _cautious)[1]
    after = {key: value for key, value in weights.items() if value != before[key]}
    if not after:
        return TuningResult(before, {})
    learnt = _joined(learning, ask, before, after)
    return TuningResult(before, after, learnt[0], tuple(_joined(judging, ask, before, after)))


def leave_one_out(
    collections: Sequence[Collection], ask: MeasureWeights, before: Weights, told: ReportProgress | None = None
) -> list[Fold]:
    """Leave each collection out in turn, search for weights on the others, and judge them on it.

    Each weight is looked at by itself, from where it is set: what a step is worth on a collection is then the same
    whichever other is left out, and is asked once. What gains by itself is taken together, or the best of it alone if
    together it is worth less. Collections count the same, however many questions they have.
    """
    most = (1 + len(before) * len(_STEPS)) * len(collections)
    climb = _Climb(ask, most, told)
    found = []
    for left in collections:
        others = [each for each in collections if each is not left]
        after = _together(climb, others, before)
        new, old = climb.measured(left, after, "judged"), climb.measured(left, before, "judged")
        found.append(
            Fold(
                replace(compare_runs(new, old, "as set"), recipe="tuned without it"),
                round(fmean(old.scores[MAIN_METRIC].values()), 4),
                round(fmean(new.scores[MAIN_METRIC].values()), 4),
                {key: (value, after[key]) for key, value in before.items() if after[key] != value},
            )
        )
    return found


def _together(climb: "_Climb", collections: Sequence[Collection], before: Weights) -> Weights:
    """Move every weight that gains by itself, if together they gain more than the best of them."""
    steps = {key: climb.best(collections, before, key, _STEPS, _even) for key in before}
    gains = {key: step for key, step in steps.items() if step[1] != before[key]}
    if not gains:
        return before
    together = {**before, **{key: value for key, (_, value) in gains.items()}}
    first = max(gains, key=lambda key: gains[key][0])
    if climb.gain(collections, before, together, "together", _even) >= gains[first][0]:
        return together
    return {**before, first: gains[first][1]}


def _cautious(gains: Sequence[Sequence[float]]) -> float:
    """Count every question once, and no gain if one kind of them loses, or if it may well be chance."""
    if any(fmean(kind) < -_MOST_LOST for kind in gains if len(kind) >= _ENOUGH):
        return -inf
    every = [gain for kind in gains for gain in kind]
    gain = fmean(every) if every else 0.0
    return gain if gain > _SURE * pstdev(every or [0.0]) / sqrt(len(every) or 1) else -inf


def _even(gains: Sequence[Sequence[float]]) -> float:
    """Count every collection once."""
    means = [fmean(kind) if kind else 0.0 for kind in gains]
    return fmean(means) if means else 0.0


class _Climb:
    """Moves one weight at a time, and remembers what was asked before."""

    def __init__(self, ask: MeasureWeights, most: int, told: ReportProgress | None) -> None:
        self._ask = ask
        self._most = most
        self._told = told
        self._known: dict[tuple[str, tuple[float, ...]], MeasuredRun] = {}

    def best(
        self, collections: Sequence[Collection], weights: Weights, key: str, steps: Sequence[float], judge: Judge
    ) -> tuple[float, float]:
        """Try other values of a weight, and give what the best gains with the value; as it is if none gains enough."""
        gain, chosen = _LEAST, weights[key]
        judging = [each for each in collections if each.name not in _BLIND.get(key, frozenset())]
        unmoved = {each.name for each in judging}
        for at, value in enumerate(_values(key, weights[key], steps)):
            # What two steps did not move at all has no use for this weight.
            deaf = frozenset(unmoved) if at > 1 else frozenset[str]()
            tried = {**weights, key: value}
            found = self.gain(judging, weights, tried, f"{key} = {value:g}", judge, deaf=deaf)
            unmoved -= {each.name for each in judging if each.name not in deaf and self._moved(each, weights, tried)}
            if found > gain:
                gain, chosen = found, value
        return gain, chosen

    def gain(
        self,
        collections: Sequence[Collection],
        before: Weights,
        after: Weights,
        name: str,
        judge: Judge,
        *,
        deaf: frozenset[str] = frozenset(),
    ) -> float:
        """Say what other weights gain over all collections; those that are deaf are not asked again."""
        gains = []
        for collection in collections:
            old = self.measured(collection, before, name).scores[MAIN_METRIC]
            new = old if collection.name in deaf else self.measured(collection, after, name).scores[MAIN_METRIC]
            gains.append([new[query] - value for query, value in old.items()])
        return judge(gains)

    def _moved(self, collection: Collection, before: Weights, after: Weights) -> bool:
        old, new = (self.measured(collection, each, "").scores[MAIN_METRIC] for each in (before, after))
        return old != new

    def measured(self, collection: Collection, weights: Weights, name: str) -> MeasuredRun:
        """Measure a collection, or say what was measured before."""
        known = (collection.name, tuple(weights.values()))
        if known not in self._known:
            self._known[known] = self._ask(collection, weights)
            if self._told:
                self._told(min(len(self._known), self._most), self._most, name)
        return self._known[known]


def _values(key: str, now: float, steps: Sequence[float]) -> list[float]:
    """List what to try in place of a value.

    >>> _values("auto.vector_weight", 0.6, (0.0, 0.5, 2.0))
    [0.0, 0.3]
    """
    tried = [round((now or _FIRST[key.partition(".")[0]]) * step, 3) for step in steps]
    return [each for each in dict.fromkeys(tried) if each != now and _fits(key, each)]


def _fits(key: str, value: float) -> bool:
    """Tell whether a setting can have a value: parts of a whole end at 1."""
    try:
        parse_assignment(key, repr(value), "tuning")
    except SettingsError:
        return False
    return True


def _joined(
    collections: Sequence[Collection], ask: MeasureWeights, before: Weights, after: Weights
) -> list[Comparison]:
    """Compare old and new weights over all collections together, then over each."""
    pairs = [(ask(each, {**before, **after}), ask(each, before)) for each in collections]
    both = [
        MeasuredRun(
            replace(first.summary, collection="all"),
            {MAIN_METRIC: {query: value for each in side for query, value in each.scores[MAIN_METRIC].items()}},
        )
        for side in zip(*pairs, strict=True)
        for first in side[:1]
    ]
    new, old = both
    return [compare_runs(new, old, "before"), *(compare_runs(now, then, "before") for now, then in pairs)]
