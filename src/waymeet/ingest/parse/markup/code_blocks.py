"""Blocks of code in a document: each a child of its section, with its language."""

import re

from waymeet.analysis import path_key
from waymeet.ingest.parse.parsed import RawLink
from waymeet.types import Symbol

CODE_BLOCK = "code_block"
CONTAINS = "contains"
MOST = 1_000
"""Blocks that are named of one file."""
_LANGUAGE = re.compile(r"\{?\.?(?P<name>[A-Za-z][\w+#-]*)")


class Blocks:
    """Collects the blocks of one document.

    >>> blocks = Blocks("a.md")
    >>> blocks.add("python title=x", "setup", 3, 5), blocks.add("Python", "setup", 7, 9), blocks.add("", "", 11, 12)
    ('python', 'python', '')
    >>> [symbol.name for symbol in blocks.symbols]
    ['setup/python-1', 'setup/python-2', 'code-1']
    """

    def __init__(self, path: str) -> None:
        self.symbols: list[Symbol] = []
        self._path = path
        self._times: dict[tuple[str, str], int] = {}

    def add(self, said: str, section: str, first: int, last: int) -> str:
        """Name a block, and give the language that its first line states."""
        language = language_of(said)
        if len(self.symbols) < MOST:
            place = (section, language)
            self._times[place] = number = self._times.get(place, 0) + 1
            name = f"{section}/{language or 'code'}-{number}".removeprefix("/")
            self.symbols.append(Symbol(name, CODE_BLOCK, first, last, signature=language))
        return language

    @property
    def links(self) -> tuple[RawLink, ...]:
        """Connect the document, or the section of it, with each of its blocks."""
        refs = (path_key(self._path),)
        return tuple(
            RawLink("", symbol.name, CONTAINS, "", "", symbol.start, symbol.name.rpartition("/")[0], refs)
            for symbol in self.symbols
        )


def language_of(said: str) -> str:
    """Read the language of a block from what stands behind its fence.

    >>> language_of("Python title='x'"), language_of("{.rust .numbered}"), language_of("c++"), language_of("")
    ('python', 'rust', 'c++', '')
    """
    found = _LANGUAGE.match(said.strip())
    return found["name"].lower()[:40] if found else ""
