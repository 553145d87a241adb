"""PDF: the text of its pages, each a section."""

from typing import TYPE_CHECKING

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import escape_line, plain_rows

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

_ENOUGH = 1_100_000
"""Characters after which no further page is read: more than is kept of any document, so that the cut is noted."""
_LONGEST_TITLE = 200


def read(raw: bytes) -> str:
    """Write a PDF down as Markdown: its title, if it has one, and a heading for each page."""
    try:
        from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - an extra, and heavy
    except ImportError as error:
        raise ExtractError.without("pdf", "PDF files") from error
    try:
        document = PdfDocument(raw)
    except PdfiumError as error:
        raise ExtractError(f"not a PDF that can be read: {error}") from error
    try:
        return _written(document)
    except PdfiumError as error:
        raise ExtractError(f"a page of the PDF cannot be read: {error}") from error
    finally:
        document.close()


def _written(document: "PdfDocument") -> str:
    title = " ".join(document.get_metadata_value("Title").split())[:_LONGEST_TITLE]
    parts = [f"# {escape_line(title)}"] if title else []
    length = 0
    for number in range(len(document)):
        text = _page(document, number)
        if text.strip():
            parts.append(f"## Page {number + 1}\n\n{text}")
        length += len(text)
        if length > _ENOUGH:
            break
    if not length:
        raise ExtractError("a PDF without text: its pages are pictures")
    return "\n\n".join(parts) + "\n"


def _page(document: "PdfDocument", number: int) -> str:
    page = document[number]
    try:
        text = page.get_textpage()
        try:
            said = text.get_text_bounded(errors="replace")
        finally:
            text.close()
    finally:
        page.close()
    lines = plain_rows(said.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")[:_ENOUGH])
    return lines.replace("\x02", "").replace("\ufffe", "").strip()
