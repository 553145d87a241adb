"""Word documents: paragraphs, headings, lists and tables of the main text.

A docx is a zip of XML, and both can be made to unpack without end: sizes are checked while reading, and a document
type declaration, which Word never writes, is refused.
"""

import re
import zipfile
from io import BytesIO
from xml.parsers import expat

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import escape_line

MOST_BYTES = 30_000_000
"""Of one part of the archive, unpacked."""
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_DEEPEST = 256
_UNREADABLE = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    zipfile.LargeZipFile,
)


def read(raw: bytes) -> str:
    """Write a Word document down as Markdown."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            styles = _Styles(_part(archive, "word/styles.xml"))
            body = _Body(styles.levels, _part(archive, "word/document.xml"))
    except KeyError as error:
        raise ExtractError("not a Word document: it has no text part") from error
    except (*_UNREADABLE, expat.ExpatError) as error:
        raise ExtractError(f"not a Word document that can be read: {error}") from error
    return "\n\n".join(body.written) + "\n"


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack one part, whatever its size is said to be. Only the text itself is indispensable."""
    try:
        with archive.open(name) as part:
            content = part.read(MOST_BYTES + 1)
    except KeyError:
        if name == "word/document.xml":
            raise
        return b""
    if len(content) > MOST_BYTES:
        raise ExtractError(f"a Word document of more than {MOST_BYTES:,} bytes when unpacked")
    return content


class _Reader:
    """Reads XML by its events, without building a tree."""

    def __init__(self, content: bytes) -> None:
        self._depth = 0
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._enter
        parser.EndElementHandler = self._leave
        parser.CharacterDataHandler = self._say
        parser.StartDoctypeDeclHandler = _refuse
        parser.buffer_text = True
        if content:
            parser.Parse(content, True)

    def _enter(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExtractError("a Word document that is nested too deeply")
        self.start(name.rpartition(":")[2], attributes)

    def _leave(self, name: str) -> None:
        self._depth -= 1
        self.end(name.rpartition(":")[2])

    def _say(self, text: str) -> None:
        self.text(text)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Meet an element."""

    def end(self, name: str) -> None:
        """Leave an element."""

    def text(self, text: str) -> None:
        """Read text."""


def _refuse(*_declared: object) -> None:
    raise ExtractError("a Word document with a document type declaration, which may stand for gigabytes")


class _Styles(_Reader):
    """Which styles are headings: their ids are in the author's language, their names are not."""

    def __init__(self, content: bytes) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""
        super().__init__(content)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note the id of a style, then its name or its level."""
        value = attributes.get("w:val", "")
        if name == "style":
            self._style = attributes.get("w:styleId", "")
        elif name == "name" and self._style:
            if level := heading_level(value):
                self.levels[self._style] = level
        elif name == "outlineLvl" and self._style and value.isdigit() and int(value) < 6:
            self.levels.setdefault(self._style, int(value) + 1)


class _Body(_Reader):
    """The paragraphs of the main text."""

    def __init__(self, levels: dict[str, int], content: bytes) -> None:
        self.written: list[str] = []
        self._levels = levels
        self._words: list[str] = []
        self._level = 0
        self._item = False
        self._reading = False
        self._tables = 0
        self._cells: list[str] = []
        self._cell: list[str] = []
        super().__init__(content)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note what a paragraph is."""
        value = attributes.get("w:val", "")
        if name == "pStyle":
            self._level = self._levels.get(value) or heading_level(value)
        elif name == "outlineLvl" and value.isdigit() and int(value) < 6:
            self._level = int(value) + 1
        elif name == "numPr":
            self._item = True
        elif name == "t":
            self._reading = True
        elif name in {"tab", "br", "cr"}:
            self._words.append("\n" if name == "br" else " ")
        elif name == "tbl":
            self._tables += 1

    def end(self, name: str) -> None:
        """Finish a paragraph, a cell, a row."""
        if name == "t":
            self._reading = False
        elif name == "p":
            self._paragraph()
        elif name == "tc":
            self._cells.append(" ".join(self._cell))
            self._cell = []
        elif name == "tr" and self._cells:
            self.written.append(escape_line(" | ".join(self._cells)))
            self._cells = []
        elif name == "tbl":
            self._tables -= 1

    def text(self, text: str) -> None:
        """Read the words of a run."""
        if self._reading:
            self._words.append(text)

    def _paragraph(self) -> None:
        rows = [" ".join(row.split()) for row in "".join(self._words).split("\n")]
        rows = [row for row in rows if row]
        if self._tables:
            self._cell.extend(rows)
        elif rows and self._level:
            self.written.append(f"{'#' * self._level} {' '.join(rows)}")
        elif rows:
            text = "\n".join(map(escape_line, rows))
            self.written.append(f"- {text}" if self._item else text)
        self._words, self._level, self._item = [], 0, False


def heading_level(style: str) -> int:
    """Tell the level of a heading from the name or id of its style; 0 if it is none.

    >>> heading_level("heading 2"), heading_level("Heading3"), heading_level("Title"), heading_level("Normal")
    (2, 3, 1, 0)
    """
    if style.lower() == "title":
        return 1
    found = _HEADING.fullmatch(style)
    return min(int(found[1]), 6) if found else 0
