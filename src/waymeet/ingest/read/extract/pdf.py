"""PDF files as Markdown: one section per page."""

from typing import TYPE_CHECKING

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import escape_line, escape_lines

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

_MAX_CHARACTERS = 1_100_000
"""Characters after which no further page is read: more than are kept, so that the cut is reported."""
_MAX_TITLE = 200


def to_markdown(raw: bytes) -> str:
    """Convert a PDF to Markdown with its title and a heading for each page."""
    try:
        from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - an extra, and heavy
    except ImportError as error:
        raise ExtractError.missing_extra("pdf", "PDF files") from error
    try:
        document = PdfDocument(raw)
    except PdfiumError as error:
        raise ExtractError(f"not a readable PDF: {error}") from error
    try:
        return _document_markdown(document)
    except PdfiumError as error:
        raise ExtractError(f"a page of the PDF cannot be read: {error}") from error
    finally:
        document.close()


def _document_markdown(document: "PdfDocument") -> str:
    title = " ".join(document.get_metadata_value("Title").split())[:_MAX_TITLE]
    parts = [f"# {escape_line(title)}"] if title else []
    length = 0
    for number in range(len(document)):
        text = _page_text(document, number)
        if text.strip():
            parts.append(f"## Page {number + 1}\n\n{text}")
        length += len(text)
        if length > _MAX_CHARACTERS:
            break
    if not length:
        raise ExtractError("a PDF without text: its pages are images")
    return "\n\n".join(parts) + "\n"


def _page_text(document: "PdfDocument", number: int) -> str:
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            text = text_page.get_text_bounded(errors="replace")
        finally:
            text_page.close()
    finally:
        page.close()
    lines = escape_lines(text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")[:_MAX_CHARACTERS])
    return lines.replace("\x02", "").replace("\ufffe", "").strip()
