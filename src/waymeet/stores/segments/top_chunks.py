"""The best chunks of a segment: candidates by bounds of their scores, then exact scores.

The words of a query are processed by descending bound of what they add to a score (MaxScore, Turtle and Flood, 1995).
As soon as the words that are left cannot raise a chunk to the threshold by themselves, they are only looked up in the
candidates. So the long lists of frequent words are seldom read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from waymeet.stores.segments.bulk_scorer import Bounds, Matches, SegmentScorer

    Floats = NDArray[np.float64]
    Bound = NDArray[np.float32]
    Positions = NDArray[np.int64]

_GROUPS = 64
"""Chunks in a group, of which `_kth_highest` takes one maximum."""
_FEW = 1000
"""Candidates up to which words are looked up in each of them, instead of reading their lists."""
_MIN_ENTRIES = 4000
"""Entries that are left to read from which it pays to look for candidates first."""
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
    content: Bounds | Matches


def find_top(
    scorer: SegmentScorer, words: Sequence[QueryWord], limit: int, threshold: float, excluded: Positions | None
) -> tuple[Positions, Floats]:
    """Find the chunks of the highest scores above 0, by descending score, then by position.

    Chunks below the threshold may be missing. `excluded` are the positions of chunks that do not pass the filters.
    """
    if limit <= 0:
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
    scores = np.zeros(len(candidates), dtype=np.float64)
    for word in words:  # in the order of summation
        scores += word.factor * scorer.weigh(word.terms, candidates)
    order = np.lexsort((candidates, -scores))[:limit]
    order = order[scores[order] > 0.0]
    return candidates[order], scores[order]


def _find_candidates(
    scorer: SegmentScorer, words: Sequence[QueryWord], limit: int, threshold: float, excluded: Positions | None
) -> Positions:
    """Find all chunks that may be among the best and reach the threshold."""
    lists = sorted((_open_list(scorer, word) for word in words if word.factor > 0.0), reverse=True, key=_highest)
    entries, reachable = sum(each.length for each in lists), sum(map(_highest, lists))
    tolerance = reachable * (len(lists) + 2) * _PRECISION
    error = sum(-word.factor * scorer.highest_weight for word in words if word.factor < 0.0) + tolerance
    scores = np.zeros(-(-len(scorer.segment.chunks) // _GROUPS) * _GROUPS, dtype=np.float32)
    if excluded is not None:
        scores[excluded] = -np.inf
    for word_list in lists:
        if reachable < threshold or (entries >= _MIN_ENTRIES and entries > word_list.length):
            threshold = max(threshold, _lower_bound(scorer, scores, limit) - error)
            if reachable + tolerance < threshold:
                candidates = np.flatnonzero(scores >= threshold - reachable - tolerance)
                if len(candidates) <= _FEW:
                    return candidates
        error += _add_list(scorer, scores, word_list)
        entries, reachable = entries - word_list.length, reachable - word_list.highest
    threshold = max(threshold, _lower_bound(scorer, scores, limit) - error) - tolerance
    return np.flatnonzero(scores >= max(threshold, _MIN_SCORE))


def _highest(word_list: _WordList) -> float:
    return word_list.highest


def _open_list(scorer: SegmentScorer, word: QueryWord) -> _WordList:
    """Open the list of a word: with bounds if it has one term, else with exact weights."""
    if scorer.has_bounds and len(word.terms) == 1:
        bounds = scorer.bounds(word.terms[0])
        length = len(bounds.positions) + len(bounds.documents)
        return _WordList(word.factor * scorer.unit * bounds.highest, length, word.factor, bounds)
    matches = scorer.find_matches(word.terms)
    highest = word.factor * float(matches.weights.max(initial=0.0))
    return _WordList(highest, len(matches.positions), word.factor, matches)


def _add_list(scorer: SegmentScorer, scores: Bound, word_list: _WordList) -> float:
    """Add the bounds of a word to the scores, and return by how much they may be too high."""
    _, length, factor, content = word_list
    if not length:
        return 0.0
    if len(content) == 2:
        np.add.at(scores, content.positions, (factor * content.weights).astype(np.float32))
        return 0.0
    scorer.add_bounds(scores, factor, content)
    return factor * scorer.unit


def _lower_bound(scorer: SegmentScorer, scores: Bound, limit: int) -> float:
    """Return a lower bound of the limit-th highest score, less the error of the bounds.

    The limit-th highest maximum of groups is at most the limit-th highest score, and faster to find.
    """
    if limit > len(scores):
        return 0.0
    values = scores.reshape(_GROUPS, -1).max(axis=0) if 2 * limit <= len(scores) // _GROUPS else scores
    highest = float(np.partition(values, -limit)[-limit])
    return highest * scorer.certain_share if highest > 0.0 else 0.0
