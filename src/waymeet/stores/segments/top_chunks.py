"""The best chunks of a segment: candidates by bounds of their scores, then exact scores.

The words of a query are processed by descending bound of what they add to a score (MaxScore, Turtle and Flood, 1995).
As soon as the words that are left cannot raise a chunk to the threshold by themselves, they are only looked up in the
candidates. So the long lists of frequent words are seldom read.
"""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.stores.segments.bulk_scorer import Matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.bulk_scorer import SegmentScorer, TermBounds

    Floats = NDArray[np.float64]
    Bound = NDArray[np.float32]
    Positions = NDArray[np.int64]

_GROUP = 64
"""Chunks in a group, for which one maximum is computed."""
_FEW = 1000
"""Chunks that pass the filters up to which all are candidates."""
_MIN_ENTRIES = 8000
"""Entries that are left to read from which it pays to look for candidates first."""
_MIN_ENTRIES_FOR_THRESHOLD = 40_000
"""Entries that are left to read from which it pays to compute a threshold first."""
_LOOKUP_COST = 200
"""Entries that are read in the time in which all words are looked up in one candidate."""
_MIN_SCORE = float(np.nextafter(np.float32(0.0), np.float32(1.0)))
"""The smallest score above 0."""
_PRECISION = 2.0**-23
"""The relative error of one sum of 32-bit numbers, at most."""


class QueryWord(NamedTuple):
    """A query word by its term ids, and the factor of its weights: the word's own weight × IDF."""

    terms: tuple[int, ...]
    factor: float


class _WordList(NamedTuple):
    """The occurrences of a word in the segment, and the most that it adds to a score."""

    highest: float
    length: int
    factor: float
    content: TermBounds | Matches


def find_top(
    scorer: SegmentScorer, words: Sequence[QueryWord], limit: int, threshold: float, excluded: Positions | None
) -> tuple[Positions, Floats]:
    """Find the chunks of the highest scores, by descending score, then by position.

    Chunks below the threshold may be missing, and some with a score of 0 may be found. `excluded` are the positions of
    chunks that do not pass the filters.
    """
    if limit <= 0 or not words:
        return np.zeros(0, np.int64), np.zeros(0)
    count = len(scorer.segment.chunks)
    if scorer.segment.deleted:
        excluded = scorer.deleted_chunks if excluded is None else np.concatenate([excluded, scorer.deleted_chunks])
    if excluded is not None and count - len(excluded) <= _FEW:
        passes = np.ones(count, dtype=np.bool_)
        passes[excluded] = False
        candidates = np.flatnonzero(passes)
    else:
        candidates = _find_candidates(scorer, words, limit, threshold, excluded)
    if not len(candidates):
        return candidates, np.zeros(0)
    scores = scorer.score(words, candidates)
    order = np.lexsort((candidates, -scores))[:limit]
    return candidates.take(order), scores.take(order)


def _find_candidates(
    scorer: SegmentScorer, words: Sequence[QueryWord], limit: int, threshold: float, excluded: Positions | None
) -> Positions:
    """Find all chunks that may be among the best and reach the threshold."""
    lists = sorted((_open_list(scorer, word) for word in words if word.factor > 0.0), reverse=True, key=_highest)
    entries, reachable = sum(each.length for each in lists), sum(map(_highest, lists))
    tolerance = reachable * (len(lists) + 2) * _PRECISION
    error = sum(-word.factor * scorer.highest_weight for word in words if word.factor < 0.0)
    bounds = _ScoreBounds(len(scorer.segment.chunks), limit, tolerance + error)
    if excluded is not None:
        bounds.scores[excluded] = -np.inf
    added = 0.0
    for word_list in lists:
        if entries >= _MIN_ENTRIES:
            if entries >= _MIN_ENTRIES_FOR_THRESHOLD and reachable < added:  # what was added limits the threshold
                threshold = max(threshold, bounds.find_threshold(scorer.certain_share))
            if reachable + tolerance < threshold:
                candidates = bounds.find_candidates(threshold - reachable, (entries + _MIN_ENTRIES) // _LOOKUP_COST)
                if candidates is not None:
                    return candidates
        bounds.add(scorer, word_list)
        added += word_list.highest
        entries, reachable = entries - word_list.length, reachable - word_list.highest
    threshold = max(threshold, bounds.find_threshold(scorer.certain_share))
    return bounds.find_all_candidates(threshold)


def _highest(word_list: _WordList) -> float:
    return word_list.highest


def _open_list(scorer: SegmentScorer, word: QueryWord) -> _WordList:
    """Open the list of a word: with bounds if it has one term, else with exact weights."""
    if scorer.has_bounds and len(word.terms) == 1:
        bounds = scorer.bounds(word.terms[0])
        return _WordList(word.factor * scorer.unit * bounds.highest, bounds.length, word.factor, bounds)
    matches = scorer.find_matches(word.terms)
    highest = word.factor * float(matches.weights.max(initial=0.0))
    return _WordList(highest, len(matches.positions), word.factor, matches)


class _ScoreBounds:
    """Upper bounds of the scores of all chunks of a segment."""

    def __init__(self, count: int, limit: int, error: float) -> None:
        columns = -(-count // _GROUP)
        self.scores = _clear_scores(columns * _GROUP)
        self._table = self.scores.reshape(_GROUP, columns)
        """Each column is a group of chunks."""
        self._maxima: NDArray[np.float32] | None = None
        self._limit = limit
        self._error = error
        """By how much bounds are too high at most."""

    def add(self, scorer: SegmentScorer, word_list: _WordList) -> None:
        """Add the bounds of a word."""
        _, length, factor, content = word_list
        if not length:
            return
        self._maxima = None
        if isinstance(content, Matches):
            np.add.at(self.scores, content.positions, (factor * content.weights).astype(np.float32))
        else:
            scorer.add_bounds(self.scores, factor, content)
            self._error += factor * scorer.unit

    def find_threshold(self, certain_share: float) -> float:
        """Return a lower bound of the limit-th highest score.

        The limit-th highest maximum of groups is at most the limit-th highest score, and faster to find.
        """
        values = self._find_maxima() if 2 * self._limit <= self._table.shape[1] else self.scores
        positive = values[values > 0.0]  # `partition` is a hundred times slower if most values are equal
        if self._limit > len(positive):
            return 0.0
        positive.partition(len(positive) - self._limit)
        return float(positive[-self._limit]) * certain_share - self._error

    def find_candidates(self, bound: float, limit: int) -> Positions | None:
        """Find the chunks whose scores may reach a bound, or return None if there are too many."""
        number = np.count_nonzero(self._find_maxima() >= max(bound - self._error, _MIN_SCORE))
        candidates = self.find_all_candidates(bound) if number <= limit else None
        return candidates if candidates is not None and len(candidates) <= limit else None

    def find_all_candidates(self, bound: float) -> Positions:
        """Find the chunks whose scores may reach a bound."""
        bound = max(bound - self._error, _MIN_SCORE)
        (columns,) = (self._find_maxima() >= bound).nonzero()
        if len(columns) > self._table.shape[1] // 16:
            return (self.scores >= bound).nonzero()[0]
        row, column = (self._table.take(columns, axis=1) >= bound).nonzero()
        return row * self._table.shape[1] + columns[column]

    def _find_maxima(self) -> NDArray[np.float32]:
        if self._maxima is None:
            self._maxima = self._table.max(axis=0)
        return self._maxima


_scratch = local()


def _clear_scores(count: int) -> NDArray[np.float32]:
    """Return an array of zeros that is used again by the next query of the thread.

    The system would have to provide the pages of a new one each time.
    """
    scores: NDArray[np.float32] | None = getattr(_scratch, "scores", None)
    if scores is None or len(scores) < count:
        scores = _scratch.scores = np.empty(count, dtype=np.float32)
    scores[:count] = 0.0
    return scores[:count]
