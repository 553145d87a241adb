"""Finding tokens that have a form of their own (`tables/token_rules`)."""

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits

from waymeet.ingest.read.secrets.spans import Span, compile_once, find_all
from waymeet.ingest.read.secrets.tables.token_rules import INNER_TOKENS, TOKENS, TokenRule
from waymeet.ingest.read.secrets.value_tests import has_sequence
from waymeet.ingest.read.secrets.word_search import can_scan, find_prefixes

_MIN_RUN = 15
"""Shortest run of token bytes that is searched for tokens."""
_TOKEN_BYTES = bytes(97 if (code < 128 and chr(code).isalnum()) or code in b"_.:+/=~$-" else 32 for code in range(256))
"""Translation of every byte a token can hold to `a`, so that `bytes.find` finds long runs of them quickly."""
_RUN = re.compile(rb"a++")
_BLANK = b" "
_INSIDE = (digits + ascii_letters).translate({ord(letter): None for letter in "nrt"}).encode()
"""Bytes after which no token begins. The last letter of an escaped line break may be one of the others."""
_BEGINNING = re.compile(rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))[A-Za-z0-9]")
"""Where a token can begin: after a byte that none contains, or after an escaped line break."""
_MAX_INNER = 400
"""Longest token that is known by a part inside of it."""
_EXAMPLE = re.compile(
    rb"xxxx|\.\.\.|example|placeholder|your|redacted|replace|dummy|fake|changeme|notreal", re.IGNORECASE
)


def _rules_by_beginning() -> dict[bytes, list[tuple[bytes, TokenRule]]]:
    """List the rules by the first two bytes of their tokens, the longest beginning first."""
    rules: dict[bytes, list[tuple[bytes, TokenRule]]] = {}
    for rule in TOKENS:
        for start in rule.starts:
            rules.setdefault(start[:2], []).append((start, rule))
    for candidates in rules.values():
        candidates.sort(key=lambda candidate: -len(candidate[0]))
    return rules


_RULES = _rules_by_beginning()
_STARTS = tuple(sorted({start for rule in TOKENS for start in rule.starts}))


def find_tokens(raw: bytes) -> Iterator[Span]:
    """Find tokens that have a form of their own."""
    runs = raw.translate(_TOKEN_BYTES)
    for positions in _find_starts(raw, runs) if can_scan() else _find_beginnings(raw, runs):
        yield from _find_in_run(raw, positions)
    for rule in INNER_TOKENS:
        for position in find_all(raw, rule.part):
            earliest = max(position - rule.before, 0)
            token = compile_once(rule.whole).search(raw, earliest, position + _MAX_INNER)
            if token and token.start() < position and not is_example_token(token.group()):
                yield token.span()


def _find_beginnings(raw: bytes, runs: bytes) -> Iterator[Iterable[int]]:
    """List where a token can begin in each long run of token bytes."""
    shortest = b"a" * _MIN_RUN
    start = runs.find(shortest)  # much faster than an expression
    while start >= 0:
        run = _RUN.match(runs, start)
        end = run.end() if run else start + _MIN_RUN
        yield (beginning.start() for beginning in _BEGINNING.finditer(raw, start, end))
        start = runs.find(shortest, end)


def _find_starts(raw: bytes, runs: bytes) -> Iterator[Iterable[int]]:
    """List where the first bytes of a rule are in each long run of token bytes."""
    start = end = 0
    positions: list[int] = []
    for position in find_prefixes(raw, _STARTS, not_after=_INSIDE):
        if not _BEGINNING.match(raw, position):
            continue
        if position >= end:
            yield positions
            positions = []
            start, end = runs.rfind(_BLANK, 0, position) + 1, runs.find(_BLANK, position)
            end = len(runs) if end < 0 else end
        if end - start >= _MIN_RUN:
            positions.append(position)
    yield positions


def _find_in_run(raw: bytes, positions: Iterable[int]) -> Iterator[Span]:
    """Find the tokens that begin at some of the positions in a run of token bytes."""
    masked_until = 0
    for position in positions:
        if position < masked_until:
            continue
        for literal, rule in _RULES.get(raw[position : position + 2], ()):
            if raw.startswith(literal, position) and (
                rest := compile_once(rule.rest).match(raw, position + len(literal))
            ):
                if not is_example_token(raw[position : rest.end()]):
                    yield position, rest.end()
                masked_until = rest.end()
                break


def is_example_token(token: bytes) -> bool:
    """Return whether a token only shows its form, as `ghp_xxxx…` does.

    >>> is_example_token(b"AKIAIOSFODNN7EXAMPLE"), is_example_token(b"ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    (True, True)
    """
    if token.startswith(b"A") and len(token) == 20:  # the ids of AWS keys are short: only all X is a filler
        return token.endswith(b"EXAMPLE") or set(token[4:]) == {88}
    return len(set(token[8:])) <= 4 or _EXAMPLE.search(token) is not None or has_sequence(token.lower())
