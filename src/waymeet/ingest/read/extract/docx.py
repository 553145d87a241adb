"""Word documents as Markdown: paragraphs, headings, lists and tables of the main text.

A docx is a zip of XML, and both can be made to unpack to gigabytes: sizes are checked while reading, and a document
type declaration (DOCTYPE), which Word never writes, is refused.
"""

import re
import zipfile
from io import BytesIO
from xml.parsers import expat

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import escape_line

MAX_BYTES = 30_000_000
"""Size of one part of the archive, unpacked."""
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_MAX_DEPTH = 256
_UNREADABLE = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    zipfile.LargeZipFile,
)


def to_markdown(raw: bytes) -> str:
    """Convert a Word document to Markdown."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            styles = _Styles(_part(archive, "word/styles.xml"))
            body = _Body(styles.levels, _part(archive, "word/document.xml"))
    except KeyError as error:
        raise ExtractError("not a Word document: the document part is missing") from error
    except (*_UNREADABLE, expat.ExpatError) as error:
        raise ExtractError(f"not a readable Word document: {error}") from error
    return "\n\n".join(body.blocks) + "\n"


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack one part up to the size limit, or b"" if an optional part is missing."""
    try:
        with archive.open(name) as part:
            content = part.read(MAX_BYTES + 1)
    except KeyError:
        if name == "word/document.xml":
            raise
        return b""
    if len(content) > MAX_BYTES:
        raise ExtractError(f"a Word document of more than {MAX_BYTES:,} bytes when unpacked")
    return content


class _XmlReader:
    """Event-based XML reader without a tree."""

    def __init__(self, content: bytes) -> None:
        self._depth = 0
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._enter
        parser.EndElementHandler = self._leave
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.buffer_text = True
        if content:
            parser.Parse(content, True)

    def _enter(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ExtractError("a Word document that is nested too deeply")
        self.start(name.rpartition(":")[2], attributes)

    def _leave(self, name: str) -> None:
        self._depth -= 1
        self.end(name.rpartition(":")[2])

    def _characters(self, text: str) -> None:
        self.text(text)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def text(self, text: str) -> None:
        """Handle text."""


def _refuse_doctype(*_declaration: object) -> None:
    raise ExtractError("a Word document with a DOCTYPE is refused (possible entity expansion)")


class _Styles(_XmlReader):
    """Heading levels by style id.

    Ids are in the author's language, style names in English.
    """

    def __init__(self, content: bytes) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""
        super().__init__(content)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Record the id of a style, then its heading level."""
        value = attributes.get("w:val", "")
        if name == "style":
            self._style = attributes.get("w:styleId", "")
        elif name == "name" and self._style:
            if level := heading_level(value):
                self.levels[self._style] = level
        elif name == "outlineLvl" and self._style and value.isdigit() and int(value) < 6:
            self.levels.setdefault(self._style, int(value) + 1)


class _Body(_XmlReader):
    """The paragraphs of the main text."""

    def __init__(self, levels: dict[str, int], content: bytes) -> None:
        self.blocks: list[str] = []
        self._levels = levels
        self._words: list[str] = []
        self._level = 0
        self._is_item = False
        self._is_reading = False
        self._tables = 0
        self._cells: list[str] = []
        self._cell: list[str] = []
        super().__init__(content)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Record whether a paragraph is a heading or a list item."""
        value = attributes.get("w:val", "")
        if name == "pStyle":
            self._level = self._levels.get(value) or heading_level(value)
        elif name == "outlineLvl" and value.isdigit() and int(value) < 6:
            self._level = int(value) + 1
        elif name == "numPr":
            self._is_item = True
        elif name == "t":
            self._is_reading = True
        elif name in {"tab", "br", "cr"}:
            self._words.append("\n" if name == "br" else " ")
        elif name == "tbl":
            self._tables += 1

    def end(self, name: str) -> None:
        """Finish a paragraph, a cell or a row."""
        if name == "t":
            self._is_reading = False
        elif name == "p":
            self._finish_paragraph()
        elif name == "tc":
            self._cells.append(" ".join(self._cell))
            self._cell = []
        elif name == "tr" and self._cells:
            self.blocks.append(escape_line(" | ".join(self._cells)))
            self._cells = []
        elif name == "tbl":
            self._tables -= 1

    def text(self, text: str) -> None:
        """Collect the words of a run."""
        if self._is_reading:
            self._words.append(text)

    def _finish_paragraph(self) -> None:
        rows = [" ".join(row.split()) for row in "".join(self._words).split("\n")]
        rows = [row for row in rows if row]
        if self._tables:
            self._cell.extend(rows)
        elif rows and self._level:
            self.blocks.append(f"{'#' * self._level} {' '.join(rows)}")
        elif rows:
            text = "\n".join(map(escape_line, rows))
            self.blocks.append(f"- {text}" if self._is_item else text)
        self._words, self._level, self._is_item = [], 0, False


def heading_level(style: str) -> int:
    """Return the heading level of a style by its name or id, or 0 if it is no heading.

    >>> heading_level("heading 2"), heading_level("Heading3"), heading_level("Title"), heading_level("Normal")
    (2, 3, 1, 0)
    """
    if style.lower() == "title":
        return 1
    match = _HEADING.fullmatch(style)
    return min(int(match[1]), 6) if match else 0
