"""Finding tokens that have a form of their own (`tables/token_rules`)."""

import re
from collections.abc import Iterator

from waymeet.ingest.read.secrets.spans import Span, compile_once, find_all
from waymeet.ingest.read.secrets.tables.token_rules import INNER_TOKENS, TOKENS, TokenRule
from waymeet.ingest.read.secrets.value_tests import has_sequence

_MIN_RUN = 15
"""Shortest run of token bytes that is searched for tokens."""
_TOKEN_BYTES = bytes(97 if (code < 128 and chr(code).isalnum()) or code in b"_.:+/=~$-" else 32 for code in range(256))
"""Translation of every byte a token can hold to `a`, so that `bytes.find` finds long runs of them quickly."""
_RUN = re.compile(rb"a++")
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


def find_tokens(raw: bytes) -> Iterator[Span]:
    """Find tokens that have a form of their own."""
    # Only long runs of token bytes are searched: `find` on the translated text is much faster than an expression.
    runs, shortest = raw.translate(_TOKEN_BYTES), b"a" * _MIN_RUN
    start = runs.find(shortest)
    while start >= 0:
        run = _RUN.match(runs, start)
        end = run.end() if run else start + _MIN_RUN
        yield from _find_in_run(raw, start, end)
        start = runs.find(shortest, end)
    for rule in INNER_TOKENS:
        for position in find_all(raw, rule.part):
            earliest = max(position - rule.before, 0)
            token = compile_once(rule.whole).search(raw, earliest, position + _MAX_INNER)
            if token and token.start() < position and not is_example_token(token.group()):
                yield token.span()


def _find_in_run(raw: bytes, start: int, end: int) -> Iterator[Span]:
    masked_until = start
    for beginning in _BEGINNING.finditer(raw, start, end):
        position = beginning.start()
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
