"""What somebody pasted instead of a question: a stack trace, a diff, the complaints of a tool, or plain text."""

import re
from typing import Literal

from msgspec import Struct

from waymeet.analysis.pasted.diffs import diff
from waymeet.analysis.pasted.location import Location
from waymeet.analysis.pasted.stack_traces import trace

_MOST = 1_000_000
"""Characters that are looked at, the last ones: what failed stands at the end."""
_LONGEST = 2_000
"""Characters of a line that are looked at."""
_PAINT = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


class PastedText(Struct, frozen=True):
    """What was understood of a pasted text."""

    kind: Literal["trace", "diff", "text"]
    language: str = ""
    """Whose trace it is, such as Python; empty if any tool may have written it."""
    message: str = ""
    """What a trace complains of, what a commit says, or the text itself."""
    locations: tuple[Location, ...] = ()
    """Places in files: of a trace the nearest to the failure first, of a diff in its order."""
    words: tuple[str, ...] = ()
    """Names that a diff adds or removes, the most frequent first."""


def parse_pasted(text: str) -> PastedText:
    r"""Tell what a pasted text is.

    >>> found = parse_pasted('Traceback (most recent call last):\n  File "a.py", line 3, in load\n    x[1]\nKeyError: 1\n')
    >>> found.language, found.message, found.locations
    ('Python', 'KeyError: 1', (Spot(path='a.py', line=3, symbol='load'),))
    >>> parse_pasted("how are keys rotated").sort
    'text'
    """
    lines = [line[:_LONGEST] for line in _PAINT.sub("", text[-_MOST:]).splitlines()]
    change = diff(lines)
    if change is not None:
        return PastedText("diff", message=change.message, locations=change.spots, words=change.words)
    failure = trace(lines)
    if failure is not None:
        return PastedText("trace", failure.language, failure.message, failure.spots)
    return PastedText("text", message=text.strip())
