"""Terminal output: colours, links to files, line wrapping and a pager."""

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

LinkMaker = Callable[[str], str]
"""Makes the URL of a place such as `docs/a.md#L3`, empty for none."""

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
PLACE = "place"
"""The word in a style that marks the text as the name of a file or of lines in it."""
_SCHEMES = {
    "none": "",
    "vscode": "vscode://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
}
_MARGIN = re.compile(r"[ │├└─→←]*(?:\d+\. |[✓✗!·] \w+ +)?")
"""The beginning of a line below which its continuation is indented: branches, numbers, a mark with its topic."""
_UNKNOWN = (80, 0)
"""Columns and lines of a terminal of unknown size; without lines, no pager is used."""
_MIN_COLUMNS = 20
"""Columns below which lines are not wrapped."""
_PLAIN_PAGERS = frozenset({"", "cat"})


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal and colours are not disabled."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_lines(lines: Iterable[Line], stream: TextIO, links: LinkMaker, *, paging: bool) -> None:
    """Write lines to a terminal, through a pager if they do not fit on the screen."""
    size = shutil.get_terminal_size(_UNKNOWN)
    colour = wants_colour(stream)
    rows = [row for line in lines for row in wrap_line(line, size.columns)]
    pager = _pager_command() if paging and len(rows) >= size.lines > 0 else []
    if pager and Path(pager[0]).name != "less":
        links = no_link  # only less is known to pass links through
    _output("".join(f"{paint_line(row, links) if colour else plain_line(row)}\n" for row in rows), stream, pager)


def write_text(text: str, stream: TextIO, *, paging: bool) -> None:
    """Write a text to a terminal, through a pager if it does not fit on the screen."""
    size = shutil.get_terminal_size(_UNKNOWN)
    rows = sum(max(-(-count_columns(row.expandtabs()) // size.columns), 1) for row in text.split("\n"))
    _output(f"{escape_control(text)}\n", stream, _pager_command() if paging and rows >= size.lines > 0 else [])


def _output(text: str, stream: TextIO, pager: list[str]) -> None:
    if not (pager and _run_pager(pager, text)):
        stream.write(text)
        stream.flush()


def paint_line(line: Line, links: LinkMaker) -> str:
    r"""Format a line with its styles as escape sequences and its places as links (OSC 8).

    >>> paint_line([("a", "bold cyan"), (" b", "")], no_link)
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
    """Return the place to link to: the text itself, unless wrapping cut it into pieces."""
    return next((word.removeprefix("@") for word in words if word.startswith("@")), text)


def no_link(_place: str) -> str:
    """Return no URL."""
    return ""


def file_links(root: Path, scheme: str) -> LinkMaker:
    """Make URLs of places below a folder by a scheme: `file`, an editor's, or a template.

    >>> file_links(Path("/p"), "vscode")("docs/a b.md#L10-L24")
    'vscode://file/p/docs/a%20b.md:10'
    >>> file_links(Path("/p"), "none")("a.md"), file_links(Path("/p"), "vscode")("notes:/a.md")
    ('', '')
    """
    template = _SCHEMES.get(scheme, scheme if "{path}" in scheme else "file://{host}{path}")

    def make_url(place: str) -> str:
        match = re.fullmatch(r"(?P<path>.+?)(?:#L?(?P<line>\d+)?.*|:(?P<row>\d+)(?::\d+)?)?", place, re.DOTALL)
        if not match or not template or ":/" in match["path"]:  # files of an extra root are not below this folder
            return ""
        path = quote((root / match["path"]).as_posix())
        line = match["line"] or match["row"] or "1"
        host = os.uname().nodename if hasattr(os, "uname") else ""
        return template.replace("{host}", quote(host)).replace("{path}", path).replace("{line}", line)

    return make_url


def wrap_line(line: Line, columns: int) -> Iterator[Line]:
    """Wrap a line at spaces if possible, with the following rows indented below its beginning.

    >>> [plain_line(row) for row in wrap_line([("   ", ""), ("words that go on and on", "bold")], 22)]
    ['   words that go on', '   and on']
    """
    texts = [(to_single_line(text), style) for text, style in line]
    plain = "".join(text for text, _ in texts)
    if columns < _MIN_COLUMNS or count_columns(plain) <= columns:
        yield texts
        return
    match = _MARGIN.match(plain)
    beginning = match.group() if match else ""
    margin = re.sub(r"[^│ ]", " ", beginning.replace("├", "│"))
    margin = margin if count_columns(margin) < columns // 2 else ""
    letters = [(letter, _pin_place(text, style)) for text, style in texts for letter in text]
    is_first = True
    while letters:
        available = columns if is_first else columns - count_columns(margin)
        end = _row_end(letters, available, len(beginning) if is_first else 0)
        row = _join_letters(letters[:end])
        yield row if is_first else [(margin, "dim"), *row]
        letters, is_first = letters[end:], False
        while letters and letters[0][0] == " ":
            letters.pop(0)


def _pin_place(text: str, style: str) -> str:
    """Store the whole place in the style of its pieces, so that each piece links to it.

    Styles are separated by spaces: a place with a space in it loses its link when it is wrapped.
    """
    if PLACE not in style.split():
        return style
    return f"{style} @{text}" if len(text.split()) == 1 else style.replace(PLACE, "")


def _row_end(letters: list[Segment], columns: int, min_letters: int) -> int:
    """Count the letters of a row: up to the last space that fits, else as many as fit."""
    used, last_space = 0, 0
    for position, (letter, _) in enumerate(letters):
        used += _letter_columns(letter)
        if used > columns:
            return last_space or max(position, 1)
        if letter == " " and position > min_letters:
            last_space = position
    return len(letters)


def _join_letters(letters: list[Segment]) -> list[Segment]:
    """Join adjacent letters of the same style."""
    return [
        ("".join(letter for letter, _ in run), style) for style, run in groupby(letters, key=lambda letter: letter[1])
    ]


def count_columns(text: str) -> int:
    """Count the columns of a text on a terminal.

    >>> count_columns("abc"), count_columns("検索")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_letter_columns, text))


def _letter_columns(letter: str) -> int:
    if letter.isascii():
        return 1
    return (
        0 if combining(letter) or letter in "\u200b\u200c\u200d\ufe0e\ufe0f" else 1 + (east_asian_width(letter) in "WF")
    )


def _pager_command() -> list[str]:
    """Return the command of the user's pager, empty if there is none."""
    if os.environ.get("TERM") == "dumb":
        return []
    chosen = os.environ.get("PAGER")
    try:
        words = shlex.split("less" if chosen is None else chosen)
    except ValueError:
        return []
    return words if words and words[0] not in _PLAIN_PAGERS and shutil.which(words[0]) else []


def _run_pager(pager: list[str], text: str) -> bool:
    """Show a text in a pager, and return False if it cannot be started."""
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}  # as git sets them: colours, and exit if the text fits
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment, text=True, errors="replace")  # noqa: S603 - the user's own
    except OSError:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the pager while it runs
    try:
        process.communicate(text)
    finally:
        signal.signal(signal.SIGINT, before)
    return True
