"""Searching for many words at once.

One expression is much faster than a search for each of a hundred words. It is built as a tree by first letters, because
the alternatives of an expression are tried one after the other. In a process that has imported numpy, the first
bytes of the words are looked up at all positions of a text at once, which takes a tenth of the time.
"""

import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Tree = dict[int, "_Tree"]
_END = -1
_DEPTH = 6
"""Bytes of a word that are looked up at all positions of a text."""


def list_stems(words: Iterable[bytes]) -> tuple[bytes, ...]:
    """List the words without those that begin with another one.

    >>> list_stems([b"pass", b"password", b"key"])
    (b'key', b'pass')
    """
    stems: list[bytes] = []
    for word in sorted(set(words)):
        if not stems or not word.startswith(stems[-1]):
            stems.append(word)
    return tuple(stems)


@cache
def compile_words(stems: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """Compile an expression that matches each of the words.

    >>> compile_words((b"pass", b"pin", b"key")).pattern
    b'(?:p(?:ass|in)|key)'
    """
    tree: _Tree = {}
    for stem in stems:
        branch = tree
        for code in stem:
            branch = branch.setdefault(code, {})
        branch[_END] = {}
    return re.compile(_format_tree(tree))


def _format_tree(tree: _Tree) -> bytes:
    """Format a tree of words as an expression."""
    branches = [re.escape(bytes((code,))) + _format_tree(below) for code, below in tree.items() if code != _END]
    return b"" if not branches else branches[0] if len(branches) == 1 else b"(?:" + b"|".join(branches) + b")"


def can_scan() -> bool:
    """Return whether `find_prefixes` can be used: importing numpy for it pays only in bulk."""
    return "numpy" in sys.modules


def find_prefixes(raw: bytes, words: tuple[bytes, ...], not_after: bytes = b"") -> list[int]:
    """Find the positions at which the first six bytes of a word are. Words have at least two.

    Positions directly after one of the bytes `not_after` are left out.

    >>> find_prefixes(b"a password, a pin", (b"pass", b"pi")), find_prefixes(b"a pin, spin", (b"pin",), b"s")
    ([2, 14], [2])
    """
    import numpy as np  # noqa: PLC0415 - see `can_scan`

    first_states, next_states = _build_tables(words)
    data = np.frombuffer(raw + bytes(_DEPTH), np.uint8)
    pairs = data[:-_DEPTH].astype(np.uint16)
    pairs <<= 8
    pairs |= data[1 : 1 - _DEPTH]
    states = first_states[pairs]
    positions = np.flatnonzero(states)
    states = states[positions]
    if not_after:
        is_excluded = np.zeros(256, np.bool_)
        is_excluded[list(not_after)] = True
        keep = ~is_excluded[data[positions - 1]] | (positions == 0)
        positions, states = positions[keep], states[keep]
    for depth in range(2, _DEPTH):
        states = next_states[states, data[positions + depth]]
        keep = states > 0
        positions, states = positions[keep], states[keep]
    found: list[int] = positions.tolist()
    return found


@cache
def _build_tables(words: tuple[bytes, ...]) -> "tuple[NDArray[np.uint16], NDArray[np.uint16]]":
    """Build the states after two bytes of words, and the state after each state and byte.

    State 0 means that no word matches, state 1 that a whole word does.
    """
    import numpy as np  # noqa: PLC0415 - see `can_scan`

    numbers: dict[bytes, int] = {}
    for word in words:
        for length in range(2, min(len(word), _DEPTH) + 1):
            numbers.setdefault(word[:length], len(numbers) + 2)
    numbers |= {word[:_DEPTH]: 1 for word in words}  # longer words with the same beginning need no state
    first = np.zeros(1 << 16, np.uint16)
    following = np.zeros((max(numbers.values()) + 1, 256), np.uint16)
    following[1] = 1
    for prefix, number in numbers.items():
        if len(prefix) == 2:
            first[int.from_bytes(prefix)] = number
        elif numbers[prefix[:-1]] != 1:
            following[numbers[prefix[:-1]], prefix[-1]] = number
    return first, following
