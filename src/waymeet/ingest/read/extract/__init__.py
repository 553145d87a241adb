"""Files whose bytes are not text: what people read in them, written down as Markdown. One module each.

The lines of such a document are those of the Markdown, for the file has none; `waymeet read` shows the same lines.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read.decode import Decoded, decode
from waymeet.ingest.read.extract.errors import ExtractError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ExtractError", "text_of"]

MOST_CHARACTERS = 1_000_000
"""What is kept of one file: more is a library, or made to exhaust whoever reads it."""
_READERS = {
    "notebook": "waymeet.ingest.read.extract.ipynb",
    "docx": "waymeet.ingest.read.extract.docx",
    "pdf": "waymeet.ingest.read.extract.pdf",
}
"""The module that reads each language, by its function `read`; loaded when the first such file is met."""


def text_of(path: str, raw: bytes) -> Decoded | None:
    """Give the text of a file; None if it has none.

    Raises:
        ExtractError: it may have one, but it cannot be taken out; says why.
    """
    module = _READERS.get(file_type(path).language)
    if module is None:
        return decode(raw)
    read: Callable[[bytes], str] = import_module(module).read
    text = read(raw)
    if len(text) <= MOST_CHARACTERS:
        return Decoded(text, "utf-8")
    cut = text.rfind("\n", 0, MOST_CHARACTERS) + 1 or MOST_CHARACTERS
    return Decoded(text[:cut], "utf-8", note=f"only its first {cut:,} characters are indexed")
