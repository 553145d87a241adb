"""Runs: consecutive words of a query that a text contains in the same order."""

from collections.abc import Sequence

MIN_RUN = 4
"""Words of the shortest run that counts. Fewer follow each other by chance, or are a name."""


def longest_run(words: Sequence[str], text: str) -> int:
    """Return the length of the longest run of words in a text, both normalised.

    >>> longest_run(["reply", "was", "already", "sent"], "the reply was sent already")
    2
    """
    padded, longest = f" {text} ", 0
    for first in range(len(words)):
        while first + longest < len(words) and f" {' '.join(words[first : first + longest + 1])} " in padded:
            longest += 1
    return longest


def run_share(run: int, words: int) -> float:
    """Rate a run from 0 (shorter than four words) to 1 (the whole query).

    It is `√((run − 3) / (words − 3))`.

    >>> [round(run_share(run, 12), 2) for run in (3, 4, 7, 12)], run_share(4, 4)
    ([0.0, 0.33, 0.67, 1.0], 1.0)
    """
    return ((run - MIN_RUN + 1) / (words - MIN_RUN + 1)) ** 0.5 if run >= MIN_RUN else 0.0
