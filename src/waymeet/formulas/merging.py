"""Scores by which hits of several projects are merged into one list.

A score of BM25 or of a fusion depends on the statistics of its own collection, so that those of two projects cannot be
compared. The estimated relevance can, but orders the hits of one project less well than its own score. Therefore the
relevance is made to fall along the project's own order by isotonic regression (pool adjacent violators): where a later
hit looks more relevant than an earlier one, both get their mean. Each project's hits keep their order, and the merged
score is still a probability. `benchmarks/merged_projects.py` compares it with other merges.

>>> [round(score.value, 2) for score in merge_scores([0.5, 0.7, 0.2, 0.3, 0.1])]
[0.6, 0.6, 0.25, 0.25, 0.1]
>>> [score.value for score in merge_scores([None, 0.4, None])], [score.value for score in merge_scores([None])]
([0.4, 0.4, 0.4], [0.05])
"""

from collections.abc import Sequence

from waymeet.formulas.explanation import mean, value
from waymeet.types import Explanation

_UNKNOWN = 0.05
"""Relevance of the hits of a project whose model is not calibrated, as of an average hit at the end of a list."""


def merge_scores(relevances: Sequence[float | None]) -> list[Explanation]:
    """Compute comparable scores of the hits of one project, given in its order.

    A hit of unknown relevance gets that of the one before it, or after it if it is the first.
    """
    blocks: list[list[float]] = []
    for relevance in _fill_unknown(relevances):
        blocks.append([relevance])
        while len(blocks) > 1 and _mean(blocks[-2]) < _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    return [score for block in blocks for score in [_explain_block(block)] * len(block)]


def _fill_unknown(relevances: Sequence[float | None]) -> list[float]:
    known = next((relevance for relevance in relevances if relevance is not None), _UNKNOWN)
    filled = []
    for relevance in relevances:
        known = known if relevance is None else relevance
        filled.append(known)
    return filled


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _explain_block(block: Sequence[float]) -> Explanation:
    if len(block) == 1:
        return value(block[0], "estimated relevance of the result")
    parts = [value(relevance, "estimated relevance of a result next to it") for relevance in block]
    return mean("mean relevance of results whose order in their project differs from that by relevance", *parts)
