"""Parsers by file type. A new type is one line here and one in `ingest.filetypes`."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.parse.parsed import Field, Heading, Parsed, RawLink

__all__ = [
    "Field",
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
    **dict.fromkeys(("notebook", "docx", "pdf"), "markup.markdown"),  # `read.extract` converts them to Markdown
}
"""The module whose function `parse` reads each language, loaded with the first such file.

Source code is parsed by `code`, which has a table of its own; all other files by `markup.fallback`.
"""


def parse(path: str, content: str, *, plain: bool = False) -> Parsed:
    """Parse a file with the parser of its type, or as plain text."""
    kind, language = file_type(path)
    default = "code" if kind == "code" else "markup.fallback"
    return _load_parser("markup.fallback" if plain else _PARSERS.get(language, default))(path, content, kind, language)


@cache
def _load_parser(module: str) -> Parser:
    parser: Parser = import_module(f"{__name__}.{module}").parse
    return parser
