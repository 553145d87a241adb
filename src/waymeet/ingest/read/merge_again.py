"""Where else a secret stands: what a guide assigns to a key, it often shows as the output of a command, too."""

import re
from collections.abc import Iterator, Sequence

_SHORTEST, _LONGEST = 16, 128
"""Of this length a value is a secret also where nothing says so; a shorter one may be a common word."""
_MOST = 32
"""How many values are looked for, the longest first."""


def again(raw: bytes, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Find the values that stand in some places wherever they stand.

    >>> list(again(b"key = 0123456789abcdef; print: 0123456789abcdef", [(6, 22)]))
    [(6, 22), (31, 47)]
    """
    values = {raw[start:end] for start, end in places if _SHORTEST <= end - start <= _LONGEST}
    known = sorted((each for each in values if b"\n" not in each), key=lambda each: (-len(each), each))[:_MOST]
    if known:
        yield from (found.span() for found in re.finditer(b"|".join(map(re.escape, known)), raw))
