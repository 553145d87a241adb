"""Text extraction from PDF files, Word documents and notebooks. One module per format.

The text is extracted as Markdown. Line numbers of such a document are those of the Markdown, because the file has no
lines; `waymeet read` shows the same lines.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read.decode import Decoded, decode
from waymeet.ingest.read.extract.errors import ExtractError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ExtractError", "extract_text"]

MAX_CHARACTERS = 1_000_000
"""Characters kept of one file, to bound the memory that a large or hostile file takes."""
_EXTRACTORS = {
    "notebook": "waymeet.ingest.read.extract.ipynb",
    "docx": "waymeet.ingest.read.extract.docx",
    "pdf": "waymeet.ingest.read.extract.pdf",
}
"""The module with the function `to_markdown` of each format; imported for the first such file."""


def extract_text(path: str, raw: bytes) -> Decoded | None:
    """Extract or decode the text of a file, or return None if it has no text.

    Raises:
        ExtractError: the text cannot be extracted; the message is the reason.
    """
    module = _EXTRACTORS.get(file_type(path).language)
    if module is None:
        return decode(raw)
    to_markdown: Callable[[bytes], str] = import_module(module).to_markdown
    text = to_markdown(raw)
    if len(text) <= MAX_CHARACTERS:
        return Decoded(text, "utf-8")
    end = text.rfind("\n", 0, MAX_CHARACTERS) + 1 or MAX_CHARACTERS
    return Decoded(text[:end], "utf-8", warning=f"only its first {end:,} characters are indexed")
