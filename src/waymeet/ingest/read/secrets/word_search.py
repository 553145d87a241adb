"""Searching for many words at once.

One expression is much faster than a search for each of a hundred words. It is built as a tree by first letters, because
the alternatives of an expression are tried one after the other.
"""

import re
from collections.abc import Iterable
from functools import cache

_Tree = dict[int, "_Tree"]
_END = -1


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
