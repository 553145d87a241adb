"""Slips of the pen: what is one edit away from a word, and how many edits lie between two words."""

from collections.abc import Iterator
from string import ascii_lowercase


def words_one_edit_away(word: str) -> Iterator[str]:
    """Yield everything that one slip turns a word into: a letter left out, doubled up, mistaken, or two swapped.

    >>> found = set(words_one_edit_away("teh"))
    >>> {"the", "te", "ten", "tech"} <= found, "teh" in found
    (True, False)
    """
    letters = "".join(dict.fromkeys(ascii_lowercase + word))
    seen = {word}
    for place in range(len(word) + 1):
        before, behind = word[:place], word[place:]
        if behind:
            yield from _new((before + behind[1:],), seen)
            yield from _new((before + letter + behind[1:] for letter in letters), seen)
        if len(behind) > 1:
            yield from _new((before + behind[1] + behind[0] + behind[2:],), seen)
        yield from _new((before + letter + behind for letter in letters), seen)


def _new(found: Iterator[str] | tuple[str], seen: set[str]) -> Iterator[str]:
    for each in found:
        if each not in seen:
            seen.add(each)
            yield each


def edit_distance(one: str, other: str, most: int) -> int:
    """Count the edits between two words, a swap of neighbours being one; `most + 1` if there are more than `most`.

    The optimal string alignment distance, computed only as far from the diagonal as `most` allows.

    >>> edit_distance("retreival", "retrieval", 2), edit_distance("conection", "connection", 2), edit_distance("cat", "dogs", 2)
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
