"""Parsers by file type. A new type is one line here and one in `ingest.filetypes`."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

from waymeet.ingest.filetypes import file_type, has_known_extension
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink

__all__ = [
    "Format",
    "Heading",
    "Parsed",
    "RawLink",
    "format_of",
    "has_known_extension",
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


class Format(NamedTuple):
    """A type of file."""

    kind: str
    """`docs`, `code` or `files`; a parser may know better (`Parsed.kind`)."""
    language: str


def format_of(path: str) -> Format:
    """Tell a file's type by its name.

    >>> format_of("a/README")[:2], format_of("a/x.TSX")[:2], format_of("a/x.weird")[:2]
    (('docs', 'text'), ('code', 'typescript'), ('files', ''))
    """
    return Format(*file_type(path))


def parse(path: str, content: str, *, plain: bool = False) -> Parsed:
    """Parse a file with the parser of its type, or as plain text."""
    kind, language = file_type(path)
    default = "code" if kind == "code" else "markup.fallback"
    return _load_parser("markup.fallback" if plain else _PARSERS.get(language, default))(path, content, kind, language)


@cache
def _load_parser(module: str) -> Parser:
    parser: Parser = import_module(f"{__name__}.{module}").parse
    return parser
