"""Edit distance of words, and the words one edit away, for spelling correction."""

from collections.abc import Iterator
from string import ascii_lowercase


def words_one_edit_away(word: str) -> Iterator[str]:
    """Yield each string one edit away: a letter deleted, replaced or inserted, or two swapped.

    >>> words = set(words_one_edit_away("teh"))
    >>> {"the", "te", "ten", "tech"} <= words, "teh" in words
    (True, False)
    """
    letters = "".join(dict.fromkeys(ascii_lowercase + word))
    known = {word}
    for position in range(len(word) + 1):
        before, behind = word[:position], word[position:]
        if behind:
            yield from _yield_new((before + behind[1:],), known)
            yield from _yield_new((before + letter + behind[1:] for letter in letters), known)
        if len(behind) > 1:
            yield from _yield_new((before + behind[1] + behind[0] + behind[2:],), known)
        yield from _yield_new((before + letter + behind for letter in letters), known)


def _yield_new(candidates: Iterator[str] | tuple[str], known: set[str]) -> Iterator[str]:
    for candidate in candidates:
        if candidate not in known:
            known.add(candidate)
            yield candidate


def edit_distance(one: str, other: str, most: int) -> int:
    """Return the optimal string alignment distance of two words, at most `most + 1`.

    A swap of adjacent letters is one edit. Only a band of `most` cells around the diagonal is computed.

    >>> (edit_distance("retreival", "retrieval", 2), edit_distance("conection", "connection", 2),
    ...  edit_distance("cat", "dogs", 2))
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    far = most + 1
    older: list[int] = []
    row = [column if column <= most else far for column in range(len(other) + 1)]
    for line, letter in enumerate(one, start=1):
        first, last = max(line - most, 1), min(line + most, len(other))
        below = [far] * (len(other) + 1)
        if line <= most:
            below[0] = line
        for column in range(first, last + 1):
            cost = row[column - 1] + (letter != other[column - 1])
            cost = min(cost, row[column] + 1, below[column - 1] + 1)
            if line > 1 and column > 1 and letter == other[column - 2] and one[line - 2] == other[column - 1]:
                cost = min(cost, older[column - 2] + 1)
            below[column] = min(cost, far)
        if min(below) >= far and min(row) >= far:
            return far
        older, row = row, below
    return row[len(other)]
