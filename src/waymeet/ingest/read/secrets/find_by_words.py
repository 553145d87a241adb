"""Finding secrets by the words near them: names of secrets, and the words of the rules."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from waymeet.ingest.read.secrets.find_assigned import TextKind
from waymeet.ingest.read.secrets.find_in_context import find_in_context
from waymeet.ingest.read.secrets.secret_names import NAMES, OTHER_NAMES, find_after_name
from waymeet.ingest.read.secrets.spans import Span, find_all
from waymeet.ingest.read.secrets.tables.command_rules import COMMANDS
from waymeet.ingest.read.secrets.tables.context_rows import ContextRule
from waymeet.ingest.read.secrets.tables.context_rules import CONTEXTS
from waymeet.ingest.read.secrets.word_search import can_scan, compile_words, find_prefixes, list_stems

_SHORT_TEXT = 4_000
"""Bytes of a text from which compiling one expression for all words pays."""


class _Search(NamedTuple):
    """The words that are searched for in a kind of text."""

    stems: tuple[bytes, ...]
    names: dict[bytes, list[bytes]]
    """Names of secrets, by their stems."""
    rules: dict[bytes, list[tuple[bytes, ContextRule]]]
    """Words with their rules, by their stems."""


def find_by_words(raw: bytes, lower: bytes, kind: TextKind) -> Iterator[Span]:
    """Find secrets by the words near them."""
    search = _make_search(is_ascii=raw.isascii())
    for position, stem in _find_stems(search, lower):
        for word, rule in search.rules.get(stem, ()):
            if lower.startswith(word, position) and (span := find_in_context(rule, raw, position)):
                yield span
        if any(lower.startswith(name, position) for name in search.names.get(stem, ())):
            yield from find_after_name(raw, lower, position, kind)


def _find_stems(search: _Search, lower: bytes) -> Iterator[tuple[int, bytes]]:
    """Find all words, also where they overlap."""
    if can_scan():
        match_word = compile_words(search.stems).match
        for position in find_prefixes(lower, search.stems):
            if found := match_word(lower, position):
                yield position, found.group()
        return
    if len(lower) < _SHORT_TEXT:
        for stem in search.stems:
            if stem in lower:
                yield from ((position, stem) for position in find_all(lower, stem))
        return
    pattern, start = compile_words(search.stems), 0
    while match := pattern.search(lower, start):
        yield match.start(), match.group()
        start = match.start() + 1


@cache
def _make_search(*, is_ascii: bool) -> _Search:
    rules = [(word, rule) for rule in (*CONTEXTS, *COMMANDS) for word in rule.words]
    rules = [(word, rule) for word, rule in rules if word.isascii() or not is_ascii]
    names = [*NAMES, *(() if is_ascii else OTHER_NAMES)]
    stems = list_stems((*names, *(word for word, _ in rules)))
    return _Search(
        stems,
        {stem: [name for name in names if name.startswith(stem)] for stem in stems},
        {stem: [(word, rule) for word, rule in rules if word.startswith(stem)] for stem in stems},
    )
