"""Compare two sections: whether one repeats the text of the other, and how much of it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from waymeet.analysis.cjk import CJK
from waymeet.analysis.file_formats import FileFormat, file_format
from waymeet.analysis.file_roles import BUILD_OUTPUT, GENERATED, LICENCE, MINIFIED, VENDORED
from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.settings import Copies
from waymeet.types import Candidate, Chunk, Document

_WORD = rf"[{CJK}]|[^\W{CJK}]+"
"""One character of a script without spaces, or a word."""
_SEPARATED = bytes(byte if chr(byte).isalnum() else ord(" ") for byte in range(128)) + b" " * 128
"""Table that replaces all ASCII characters except letters and digits by spaces."""
_MAX_OTHER = 0.1
"""Share of other characters than ASCII up to which these count as separators of words."""
_MIN_STEM = 3
_WORDS_COMPARED = 3
_MIN_TOKENS = 40
"""Length from which equal text is a copy in any file. Shorter text may be a phrase that suits many pages."""
_STRICT_KINDS = frozenset({"code", "files"})
"""Kinds of documents in which a part of a section is something else."""
_ITEM_KINDS = frozenset({"notes", "tasks", "skills"})
"""Kinds of documents that are changed and removed one by one, so that each is a result."""
_DERIVED_ROLES = frozenset({VENDORED, GENERATED, BUILD_OUTPUT, MINIFIED})

Shingles = frozenset[tuple[str | bytes, ...]]
"""All groups of consecutive words of a text."""


@dataclass(frozen=True)
class Section:
    """A candidate with its text in forms that can be compared."""

    candidate: Candidate
    position: int
    """Position among the candidates, from 0."""
    chunk: Chunk

    @cached_property
    def format(self) -> FileFormat:
        """Content and format of its file."""
        return file_format(self.candidate.document)

    @cached_property
    def text(self) -> str:
        """Its text without the level of its heading, line breaks and indentation."""
        return _join_lines(self.chunk.text)

    @cached_property
    def lower_text(self) -> str:
        """Its text in small letters."""
        return self.text.lower()

    @cached_property
    def shingles(self) -> Shingles:
        """Its text as groups of words, for texts that are similar in part."""
        return split_shingles(self.lower_text)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Names of the symbols that begin in it."""
        return frozenset(symbol.name for symbol in self.chunk.symbols)


@lru_cache(maxsize=1024)  # the results of queries overlap
def _join_lines(text: str) -> str:
    return " ".join(text.lstrip("#= ").split())


class Comparison(NamedTuple):
    """What sections are compared by."""

    numbers: Copies
    query_terms: Collection[str]
    documents: Mapping[str, Document]
    """The documents of the sections."""


def split_shingles(text: str) -> Shingles:
    """Split a text in small letters into all groups of three consecutive words.

    >>> sorted(split_shingles("set it to 1, please!"))
    [(b'it', b'to', b'1'), (b'set', b'it', b'to'), (b'to', b'1', b'please')]
    >>> sorted(split_shingles("設定する")), split_shingles("hello!")
    ([('定', 'す', 'る'), ('設', '定', 'す')], frozenset({(b'hello',)}))
    """
    words: Sequence[str | bytes]
    if len(text) - len(text.encode("ascii", "ignore")) > _MAX_OTHER * len(text):
        words = re.findall(_WORD, text)
    else:  # several times as fast
        words = text.encode("ascii", "replace").translate(_SEPARATED).split()
    if len(words) < _WORDS_COMPARED:
        return frozenset({tuple(words)})
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def may_have_copies(section: Section, others: Iterable[Section]) -> bool:
    """Check quickly whether a section may be a copy of another one, or that one of it."""
    document, text, stem = section.candidate.document, section.text, section.format.stem
    return any(
        other.candidate.document != document and (stem == other.format.stem or text in other.text or other.text in text)
        for other in others
    )


def copy_similarity(shown: Section, hidden: Section, comparison: Comparison) -> float:
    """Rate how far a section is a copy of the one to show, from 0 to 1.

    - In any file: all of its text is in the other one, and it is no phrase that suits many pages.
    - In two formats of one file, such as HTML beside text or a module beside its source: much of the text or the same
      symbols, and every word of the query that it contains.
    - In vendored, generated or compiled files and in licences of the same name: nearly the same text.
    """
    is_part = hidden.text in shown.text
    if not is_part and shown.format.stem != hidden.format.stem:
        return 0.0
    document, hidden_document = (comparison.documents[each.candidate.document] for each in (shown, hidden))
    if document is hidden_document:
        return 0.0
    if is_part and _is_repeated(shown, hidden, document, hidden_document):
        return 1.0
    numbers = comparison.numbers
    if shown.format.has_same_content(hidden.format) and shown.format.suffix != hidden.format.suffix:
        return _format_similarity(shown, hidden, numbers.overlap, comparison.query_terms)
    if numbers.similarity and _is_derived(shown, hidden, {document.role, hidden_document.role}):
        common = len(shown.shingles & hidden.shingles)
        share = common / (len(shown.shingles) + len(hidden.shingles) - common)
        return share if share >= numbers.similarity and shown.symbols == hidden.symbols else 0.0
    return 0.0


def _is_repeated(shown: Section, hidden: Section, document: Document, hidden_document: Document) -> bool:
    """Check whether a section whose text is part of another one says the same there."""
    kind = hidden_document.kind
    if kind != document.kind or kind in _ITEM_KINDS:
        return False
    if kind in _STRICT_KINDS and (len(hidden.text) != len(shown.text) or hidden.symbols != shown.symbols):
        return False
    if estimate_tokens(hidden.text) >= _MIN_TOKENS:
        return True
    has_same_name = hidden_document.title == document.title and hidden.format.stem == shown.format.stem
    return has_same_name and hidden.chunk.headings == shown.chunk.headings


def _format_similarity(shown: Section, hidden: Section, overlap: float, query_terms: Collection[str]) -> float:
    """Rate how far two sections in different formats of one file have the same content."""
    if not overlap:
        return 0.0
    same_symbols = len(shown.symbols & hidden.symbols) / max(len(shown.symbols), len(hidden.symbols), 1)
    same_text = len(shown.shingles & hidden.shingles) / min(len(shown.shingles), len(hidden.shingles))
    share = max(same_symbols, same_text)
    return share if share >= overlap and _has_terms(shown.lower_text, hidden.lower_text, query_terms) else 0.0


def _has_terms(shown: str, hidden: str, query_terms: Collection[str]) -> bool:
    """Check whether a text contains the terms of the query that another one contains.

    Terms are stems: words begin with them, or with all but their last letter.
    """
    stems = (term[:-1] if len(term) > _MIN_STEM and term.isascii() else term for term in query_terms)
    return all(stem in shown or stem not in hidden for stem in stems)


def _is_derived(shown: Section, hidden: Section, roles: Collection[str]) -> bool:
    """Check whether one of two sections may be a changed copy of the other."""
    return roles == {LICENCE} or not _DERIVED_ROLES.isdisjoint(roles) or shown.format.has_same_content(hidden.format)
