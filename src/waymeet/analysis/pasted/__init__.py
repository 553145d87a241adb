"""Recognition of pasted text: a stack trace, a diff, messages of a tool, or plain text."""

import re
from typing import Literal

from msgspec import Struct

from waymeet.analysis.pasted.diffs import parse_diff
from waymeet.analysis.pasted.location import Location
from waymeet.analysis.pasted.stack_traces import parse_trace

_MAX_CHARS = 1_000_000
"""Only so many characters at the end are parsed: the failure is reported last."""
_MAX_LINE_CHARS = 2_000
"""Only so many characters of a line are parsed."""
_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


class PastedText(Struct, frozen=True):
    """Parsed form of a pasted text."""

    kind: Literal["trace", "diff", "text"]
    language: str = ""
    """Programming language of a trace, such as Python; empty for messages of other tools."""
    message: str = ""
    """Error message of a trace, commit message of a diff, or the text itself."""
    locations: tuple[Location, ...] = ()
    """Locations in files: of a trace from the failure outwards, of a diff in its order."""
    words: tuple[str, ...] = ()
    """Identifiers in the changed lines of a diff, the most frequent first."""


def parse_pasted(text: str) -> PastedText:
    r"""Parse a pasted text as a diff or a stack trace, otherwise keep it as plain text.

    >>> text = 'Traceback (most recent call last):\n  File "a.py", line 3, in load\n    x[1]\nKeyError: 1\n'
    >>> pasted = parse_pasted(text)
    >>> pasted.language, pasted.message, pasted.locations
    ('Python', 'KeyError: 1', (Location(path='a.py', line=3, symbol='load'),))
    >>> parse_pasted("how are keys rotated").kind
    'text'
    """
    lines = [line[:_MAX_LINE_CHARS] for line in _TERMINAL_CODES.sub("", text[-_MAX_CHARS:]).splitlines()]
    change = parse_diff(lines)
    if change is not None:
        return PastedText("diff", message=change.message, locations=change.locations, words=change.words)
    failure = parse_trace(lines)
    if failure is not None:
        return PastedText("trace", failure.language, failure.message, failure.locations)
    return PastedText("text", message=text.strip())
