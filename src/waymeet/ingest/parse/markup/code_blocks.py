"""Code blocks of a document, as symbols of their sections."""

import re

from waymeet.analysis import path_key
from waymeet.ingest.parse.parsed import RawLink
from waymeet.types import Symbol

CODE_BLOCK = "code_block"
CONTAINS = "contains"
_MAX_BLOCKS = 1_000
"""Code blocks that are kept of one file."""
_LANGUAGE = re.compile(r"\{?\.?(?P<name>[A-Za-z][\w+#-]*)")
_MAX_LANGUAGE_CHARS = 40


class CodeBlocks:
    """Collector of the code blocks of one document.

    >>> blocks = CodeBlocks("a.md")
    >>> blocks.add("python title=x", "setup", 3, 5), blocks.add("Python", "setup", 7, 9), blocks.add("", "", 11, 12)
    ('python', 'python', '')
    >>> [symbol.name for symbol in blocks.symbols]
    ['setup/python-1', 'setup/python-2', 'code-1']
    """

    def __init__(self, path: str) -> None:
        self.symbols: list[Symbol] = []
        self._path = path
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, info: str, section: str, first: int, last: int) -> str:
        """Add a block with the text after its fence, and return its language."""
        language = parse_language(info)
        if len(self.symbols) < _MAX_BLOCKS:
            key = (section, language)
            self._counts[key] = number = self._counts.get(key, 0) + 1
            name = f"{section}/{language or 'code'}-{number}".removeprefix("/")
            self.symbols.append(Symbol(name, CODE_BLOCK, first, last, signature=language))
        return language

    @property
    def links(self) -> tuple[RawLink, ...]:
        """Links from the document or section to each of its blocks."""
        refs = (path_key(self._path),)
        return tuple(
            RawLink("", symbol.name, CONTAINS, "", "", symbol.start, symbol.name.rpartition("/")[0], refs)
            for symbol in self.symbols
        )


def parse_language(info: str) -> str:
    """Parse the language from the text after the fence of a block.

    >>> (parse_language("Python title='x'"), parse_language("{.rust .numbered}"), parse_language("c++"),
    ...  parse_language(""))
    ('python', 'rust', 'c++', '')
    """
    match = _LANGUAGE.match(info.strip())
    return match["name"].lower()[:_MAX_LANGUAGE_CHARS] if match else ""
