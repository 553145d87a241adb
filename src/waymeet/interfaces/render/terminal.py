"""What a terminal is given: colours, names of files that can be clicked, lines that fit, and a pager for the rest."""

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TextIO
from unicodedata import combining, east_asian_width
from urllib.parse import quote

from waymeet.interfaces.render.text import Line, Segment, escape_control, plain_line, to_single_line

Linked = Callable[[str], str]
"""Gives the address that the name of a place leads to, empty for none."""

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
PLACE = "place"
"""The word in a style which says that the text names a file, or lines of one."""
_SCHEMES = {
    "none": "",
    "vscode": "vscode://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
}
_MARGIN = re.compile(r"[ │├└─→←]*(?:\d+\. |[✓✗!·] \w+ +)?")
"""How lines begin that others stand below: branches, numbers, a mark and what it is about."""
_UNKNOWN = (80, 0)
"""Columns and lines of a terminal that does not tell: where nobody knows what fits, there is no pager."""
_NARROWEST = 20
"""Columns below which wrapping would only make things worse."""
_PLAIN_PAGERS = frozenset({"", "cat"})


def wants_colour(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that may be coloured."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write(lines: Iterable[Line], stream: TextIO, links: Linked, *, paging: bool) -> None:
    """Write lines to a terminal, through a pager if they are more than the screen holds."""
    size = shutil.get_terminal_size(_UNKNOWN)
    colour = wants_colour(stream)
    fitting = [part for line in lines for part in fitted(line, size.columns)]
    pager = _pager() if paging and len(fitting) >= size.lines > 0 else []
    if pager and Path(pager[0]).name != "less":
        links = nowhere  # only of less is it known that it passes links on
    _put("".join(f"{painted(line, links) if colour else plain_line(line)}\n" for line in fitting), stream, pager)


def write_text(text: str, stream: TextIO, *, paging: bool) -> None:
    """Write a text as it is but for what could steer the terminal, likewise."""
    size = shutil.get_terminal_size(_UNKNOWN)
    rows = sum(max(-(-cells(row.expandtabs()) // size.columns), 1) for row in text.split("\n"))
    _put(f"{escape_control(text)}\n", stream, _pager() if paging and rows >= size.lines > 0 else [])


def _put(text: str, stream: TextIO, pager: list[str]) -> None:
    if not (pager and _paged(pager, text)):
        stream.write(text)
        stream.flush()


def painted(line: Line, links: Linked) -> str:
    r"""Give a line with its styles as escape sequences, its places as links (OSC 8).

    >>> painted([("a", "bold cyan"), (" b", "")], nowhere)
    '\x1b[1;36ma\x1b[0m b'
    """
    shown = []
    for text, style in line:
        words = style.split()
        codes = ";".join(_CODES[word] for word in words if word in _CODES)
        part = f"\x1b[{codes}m{to_single_line(text)}\x1b[0m" if codes and text else to_single_line(text)
        address = links(_target(text, words)) if PLACE in words else ""
        shown.append(f"\x1b]8;;{address}\x1b\\{part}\x1b]8;;\x1b\\" if address else part)
    return "".join(shown).rstrip()


def _target(text: str, words: list[str]) -> str:
    """Say which place is meant: the text itself, unless it was broken over several lines."""
    return next((word.removeprefix("@") for word in words if word.startswith("@")), text)


def nowhere(_place: str) -> str:
    """Link nothing."""
    return ""


def linking(root: Path, scheme: str) -> Linked:
    """Make addresses for places below a folder by a scheme: `file`, an editor's, or an address of the user's own.

    >>> linking(Path("/p"), "vscode")("docs/a b.md#L10-L24")
    'vscode://file/p/docs/a%20b.md:10'
    >>> linking(Path("/p"), "none")("a.md"), linking(Path("/p"), "vscode")("notes:/a.md")
    ('', '')
    """
    form = _SCHEMES.get(scheme, scheme if "{path}" in scheme else "file://{host}{path}")

    def address(place: str) -> str:
        found = re.fullmatch(r"(?P<path>.+?)(?:#L?(?P<line>\d+)?.*|:(?P<row>\d+)(?::\d+)?)?", place, re.DOTALL)
        if not found or not form or ":/" in found["path"]:  # a file of an extra root lies elsewhere
            return ""
        path = quote((root / found["path"]).as_posix())
        line = found["line"] or found["row"] or "1"
        host = os.uname().nodename if hasattr(os, "uname") else ""
        return form.replace("{host}", quote(host)).replace("{path}", path).replace("{line}", line)

    return address


def fitted(line: Line, columns: int) -> Iterator[Line]:
    """Break a line so that it fits, at spaces if it can be, what follows below its beginning.

    >>> [plain_line(each) for each in fitted([("   ", ""), ("words that go on and on", "bold")], 22)]
    ['   words that go on', '   and on']
    """
    texts = [(to_single_line(text), style) for text, style in line]
    whole = "".join(text for text, _ in texts)
    if columns < _NARROWEST or cells(whole) <= columns:
        yield texts
        return
    found = _MARGIN.match(whole)
    first = found.group() if found else ""
    margin = re.sub(r"[^│ ]", " ", first.replace("├", "│"))
    margin = margin if cells(margin) < columns // 2 else ""
    letters = [(letter, _pinned(text, style)) for text, style in texts for letter in text]
    start = True
    while letters:
        room = columns if start else columns - cells(margin)
        end = _end(letters, room, len(first) if start else 0)
        row = _joined(letters[:end])
        yield row if start else [(margin, "dim"), *row]
        letters, start = letters[end:], False
        while letters and letters[0][0] == " ":
            letters.pop(0)


def _pinned(text: str, style: str) -> str:
    """Let the pieces of a place remember the whole of it; one with a space in it is not linked when it is broken."""
    if PLACE not in style.split():
        return style
    return f"{style} @{text}" if len(text.split()) == 1 else style.replace(PLACE, "")


def _end(letters: list[Segment], room: int, least: int) -> int:
    """Say how many letters go into a row: up to the last space that fits, else as many as fit."""
    used, space = 0, 0
    for at, (letter, _) in enumerate(letters):
        used += _cell(letter)
        if used > room:
            return space or max(at, 1)
        if letter == " " and at > least:
            space = at
    return len(letters)


def _joined(letters: list[Segment]) -> list[Segment]:
    """Put neighbouring letters of one style together."""
    return [
        ("".join(letter for letter, _ in same), style) for style, same in groupby(letters, key=lambda each: each[1])
    ]


def cells(text: str) -> int:
    """Count the columns a text takes on a terminal.

    >>> cells("abc"), cells("検索")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(letter: str) -> int:
    if letter.isascii():
        return 1
    return (
        0 if combining(letter) or letter in "\u200b\u200c\u200d\ufe0e\ufe0f" else 1 + (east_asian_width(letter) in "WF")
    )


def _pager() -> list[str]:
    """Give the command of the user's pager, empty if there is none."""
    if os.environ.get("TERM") == "dumb":
        return []
    chosen = os.environ.get("PAGER")
    try:
        words = shlex.split("less" if chosen is None else chosen)
    except ValueError:
        return []
    return words if words and words[0] not in _PLAIN_PAGERS and shutil.which(words[0]) else []


def _paged(pager: list[str], text: str) -> bool:
    """Show a text in a pager; say whether that could be done."""
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}  # as git does: colours, and no pager for what fits
    try:
        running = subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment, text=True, errors="replace")  # noqa: S603 - the user's own
    except OSError:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's while it shows something
    try:
        running.communicate(text)
    finally:
        signal.signal(signal.SIGINT, before)
    return True
