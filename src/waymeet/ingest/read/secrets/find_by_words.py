"""Finding secrets by the words near them: names of secrets, and the words of the rules."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from waymeet.ingest.read.secrets.find_assigned import TextKind
from waymeet.ingest.read.secrets.find_in_context import find_in_context
from waymeet.ingest.read.secrets.secret_names import NAMES, OTHER_NAMES, find_after_name
from waymeet.ingest.read.secrets.spans import Span
from waymeet.ingest.read.secrets.tables.command_rules import COMMANDS
from waymeet.ingest.read.secrets.tables.context_rows import ContextRule
from waymeet.ingest.read.secrets.tables.context_rules import CONTEXTS
from waymeet.ingest.read.secrets.word_search import compile_words, list_stems


class _Search(NamedTuple):
    """The words that are searched for in a kind of text."""

    pattern: re.Pattern[bytes]
    names: dict[bytes, list[bytes]]
    """Names of secrets, by their stems."""
    rules: dict[bytes, list[tuple[bytes, ContextRule]]]
    """Words with their rules, by their stems."""


def find_by_words(raw: bytes, lower: bytes, kind: TextKind) -> Iterator[Span]:
    """Find secrets by the words near them."""
    search = _make_search(is_ascii=raw.isascii())
    start = 0
    while match := search.pattern.search(lower, start):
        position, stem = match.start(), match.group()
        start = position + 1  # words may overlap
        for word, rule in search.rules.get(stem, ()):
            if lower.startswith(word, position) and (span := find_in_context(rule, raw, position)):
                yield span
        if any(lower.startswith(name, position) for name in search.names.get(stem, ())):
            yield from find_after_name(raw, lower, position, kind)


@cache
def _make_search(*, is_ascii: bool) -> _Search:
    rules = [(word, rule) for rule in (*CONTEXTS, *COMMANDS) for word in rule.words]
    rules = [(word, rule) for word, rule in rules if word.isascii() or not is_ascii]
    names = [*NAMES, *(() if is_ascii else OTHER_NAMES)]
    stems = list_stems((*names, *(word for word, _ in rules)))
    return _Search(
        compile_words(stems),
        {stem: [name for name in names if name.startswith(stem)] for stem in stems},
        {stem: [(word, rule) for word, rule in rules if word.startswith(stem)] for stem in stems},
    )
