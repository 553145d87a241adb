"""The table of parsers: who reads which type of file. A new type is one line here and one in `formats`."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink

__all__ = [
    "Heading",
    "Parsed",
    "RawLink",
    "parse",
]

Parser = Callable[[str, str, str, str], Parsed]
_PARSERS = {
    "markdown": "markup.markdown",
    "rst": "markup.rst",
    "asciidoc": "markup.asciidoc",
    "text": "markup.text",
    "html": "markup.html",
    **dict.fromkeys(("notebook", "docx", "pdf"), "markup.markdown"),  # as `extract` writes them down
}
"""The module that reads each language, by its function `parse`; it is loaded when the first such file is met.

Source code is read by `code`, which has a table of its own; everything else by `markup.fallback`.
"""


def parse(path: str, content: str, *, plain: bool = False) -> Parsed:
    """Read a file's text by the parser for its type, or as plain text."""
    kind, language = file_type(path)
    usual = "code" if kind == "code" else "markup.fallback"
    return _parser("markup.fallback" if plain else _PARSERS.get(language, usual))(path, content, kind, language)


@cache
def _parser(module: str) -> Parser:
    parser: Parser = import_module(f"{__name__}.{module}").parse
    return parser
