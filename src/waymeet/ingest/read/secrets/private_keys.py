"""Finding private keys between their two lines (PEM, OpenSSH, PGP, PuTTY)."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from waymeet.ingest.read.secrets.spans import Span

_KEY_LINE = re.compile(rb"-----(?P<which>BEGIN|END)(?: [A-Z0-9]{1,20}){0,4} PRIVATE KEY(?: BLOCK)?-----")
"""First and last line of a private key (RFC 7468, RFC 9580)."""
_BODY = re.compile(rb"""(?:[A-Za-z0-9+/=\s"',:;.#*>|()-]|\\[nrt\n])*+""")
_SHORT_BODY = re.compile(rb"(?:(?:\n|\\[nr])[ \t#*>|]{0,8}+[A-Za-z0-9+/=]{4,}+[ \t]*+)+(?:\\r)?(?:\n|\\n)[ \t#*>|]*+")
"""The body of a key that is shorter than any real one. (A possessive group would fail before Python 3.11.5.)"""
_MIN_CHARACTERS, _MAX_BYTES = 48, 20_000
"""Fewest base64 characters of a real key, and bytes after which the search for its end stops."""
_PUTTY = re.compile(
    rb"private-lines:[ \t]*+\d{1,4}[ \t\r]*+\n(?P<value>(?:[ \t]*+[A-Za-z0-9+/=]{4,}+[ \t\r]*+\n?)++)", re.IGNORECASE
)
"""The private part of a key of PuTTY."""


def find_private_keys(raw: bytes, lower: bytes) -> Iterator[Span]:
    """Find the bodies of private keys, also those without a last line."""
    if b"private key" in lower:
        yield from _find_between_lines(raw)
    if b"private-lines:" in lower:
        yield from (match.span("value") for match in _PUTTY.finditer(raw))


def _find_between_lines(raw: bytes) -> Iterator[Span]:
    lines = [(match["which"], match.start(), match.end()) for match in _KEY_LINE.finditer(raw)]
    for (which, _, start), following in zip_longest(lines, lines[1:]):
        end = min(following[1] if following else len(raw), start + _MAX_BYTES)
        body = _BODY.match(raw, start, end) if which == b"BEGIN" else None
        characters = sum(map(len, re.findall(rb"[A-Za-z0-9+/]{10,}+", body.group()))) if body else 0
        is_long = characters >= _MIN_CHARACTERS
        if body and (is_long or (following and _SHORT_BODY.fullmatch(raw, start, end))):
            yield start + raw.startswith(b"\n", start), start + len(body.group().rstrip(b"\n \t\"'"))
