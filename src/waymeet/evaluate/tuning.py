"""Weights fitted to a project: searched for on one half of its questions, judged on the other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from waymeet.evaluate.collection import Collection
from waymeet.evaluate.measures import MAIN, Comparison, Measured, compared
from waymeet.evaluate.mining.labels import HEADINGS, LINKS
from waymeet.formulas.bootstrap import paired

MEANING = ("auto.vector", "auto.prose", "auto.files")
"""Weights of meaning, which say nothing where there is no model of it."""
KEYS = (
    *MEANING,
    "auto.exact",
    "auto.symbol",
    "auto.out_link",
    "auto.in_link",
    "bm25.fields.title",
    "bm25.fields.headings",
    "bm25.fields.path",
    "bm25.fields.inbound",
)
"""What is tuned, as far as it is set: some numbers only stand in for others."""
_BLIND: Mapping[str, frozenset[str]] = {
    "bm25.fields.headings": frozenset({HEADINGS}),
    "bm25.fields.inbound": frozenset({LINKS}),
    "auto.out_link": frozenset({LINKS}),
    "auto.in_link": frozenset({LINKS}),
}
"""Kinds of labels that must not judge a weight: what it weighs is just what was withheld from them."""
_ROUNDS = ((0.0, 0.5, 2.0), (0.75, 1.4))
"""What a weight is multiplied with, first in large steps, then in small ones."""
_FIRST = {"auto": 0.2, "bm25": 1.0}
"""What stands for a weight that is 0, by its section."""
_MOST_LOST, _ENOUGH = 0.01, 8
"""What a step may cost one kind of labels, if there are enough of it to tell."""
_LEAST = 0.001
"""What a step must gain: less is not worth another number in a file."""

Weights = Mapping[str, float]
Ask = Callable[[Collection, Weights], Measured]
"""Measures a collection with some weights in place of those that are set."""
Told = Callable[[int, int, str], None]


class Tuned(Struct, frozen=True):
    """What a search for better weights came to."""

    before: Weights
    """The weights that were looked at, as they are."""
    after: Weights
    """Those that should change, with their new values; empty if none was found on the half that was searched."""
    learnt: Comparison | None = None
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


def halves(collections: Iterable[Collection]) -> tuple[list[Collection], list[Collection]]:
    """Part the queries of collections into two halves, always the same."""
    parts: tuple[list[Collection], list[Collection]] = ([], [])
    for collection in collections:
        ordered = sorted(collection.queries, key=lambda query: blake2b(query.id.encode(), digest_size=8).digest())
        for part, start in zip(parts, (0, 1), strict=True):
            part.append(replace(collection, queries=tuple(ordered[start::2])))
    return parts


def tune(collections: Sequence[Collection], ask: Ask, before: Weights, told: Told | None = None) -> Tuned:
    """Search for better weights, one after the other, and judge them on questions that the search has not seen."""
    learning, judging = halves(collections)
    search = _Search(learning, ask, before, told)
    after = {key: value for key, value in search.best().items() if value != before[key]}
    if not after:
        return Tuned(before, {})
    learnt = _joined(learning, ask, before, after)
    return Tuned(before, after, learnt[0], tuple(_joined(judging, ask, before, after)))


class _Search:
    """Climbs one weight at a time."""

    def __init__(self, collections: Sequence[Collection], ask: Ask, before: Weights, told: Told | None) -> None:
        self._collections = collections
        self._ask = ask
        self._before = before
        self._told = told
        self._known: dict[tuple[str, tuple[float, ...]], Measured] = {}
        self._done = 0

    def best(self) -> dict[str, float]:
        """Give the weights that do best, those that gain nothing as they were."""
        weights = dict(self._before)
        for steps in _ROUNDS:
            for key in weights:
                weights = self._climbed(key, weights, steps)
        return weights

    def _climbed(self, key: str, weights: dict[str, float], steps: Sequence[float]) -> dict[str, float]:
        """Try other values of a weight, and give the best."""
        now = self._worth(key, weights)
        best, chosen = _LEAST, weights
        for value in _values(key, weights[key], steps):
            tried = {**weights, key: value}
            gains = [paired(this, that).mean for this, that in zip(self._worth(key, tried), now, strict=True)]
            lost = any(gain < -_MOST_LOST for gain, kind in zip(gains, now, strict=True) if len(kind) >= _ENOUGH)
            gain = sum(gain * len(kind) for gain, kind in zip(gains, now, strict=True)) / max(sum(map(len, now)), 1)
            if gain > best and not lost:
                best, chosen = gain, tried
        return chosen

    def _worth(self, key: str, weights: Weights) -> list[list[float]]:
        """Give what each query is worth, kind by kind, of those that may judge a weight."""
        return [
            list(self._measured(collection, weights, key).scores[MAIN].values())
            for collection in self._collections
            if collection.name not in _BLIND.get(key, frozenset())
        ]

    def _measured(self, collection: Collection, weights: Weights, key: str) -> Measured:
        known = (collection.name, tuple(weights.values()))
        if known not in self._known:
            self._known[known] = self._ask(collection, weights)
            self._done += 1
            if self._told:
                most = (1 + len(self._before) * sum(map(len, _ROUNDS))) * len(self._collections)
                self._told(min(self._done, most), most, f"{key} = {weights[key]:g}")
        return self._known[known]


def _values(key: str, now: float, steps: Sequence[float]) -> list[float]:
    """List what to try in place of a value.

    >>> _values("auto.vector", 0.6, (0.0, 0.5, 2.0))
    [0.0, 0.3]
    """
    tried = [round((now or _FIRST[key.partition(".")[0]]) * step, 3) for step in steps]
    return [each for each in dict.fromkeys(tried) if each != now and (each <= 1.0 or key not in MEANING)]


def _joined(collections: Sequence[Collection], ask: Ask, before: Weights, after: Weights) -> list[Comparison]:
    """Compare old and new weights over all collections together, then over each."""
    pairs = [(ask(each, {**before, **after}), ask(each, before)) for each in collections]
    both = [
        Measured(
            replace(first.worth, collection="all"),
            {MAIN: {query: value for each in side for query, value in each.scores[MAIN].items()}},
        )
        for side in zip(*pairs, strict=True)
        for first in side[:1]
    ]
    new, old = both
    return [compared(new, old, "before"), *(compared(now, then, "before") for now, then in pairs)]
