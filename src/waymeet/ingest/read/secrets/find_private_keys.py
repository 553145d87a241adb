"""Finding private keys between their two lines (PEM, OpenSSH, PGP, PuTTY)."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from waymeet.ingest.read.secrets.spans import Span, find_all

_KEY_LINE = re.compile(
    rb"----[- ](?P<which>BEGIN|END)(?: [A-Z0-9]{1,20}){0,4} (?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-?[- ]?----"
)
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
    if b"private key" in lower or b"static key" in lower:
        yield from _find_between_lines(raw)
    if b"private-lines:" in lower:
        yield from (match.span("value") for match in _PUTTY.finditer(raw))
    yield from _find_web_keys(raw)


_WEB_KEY_FIELD = re.compile(rb"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,8}:\s{0,8}\"(?P<value>[A-Za-z0-9_-]{20,1000})\"")
"""The private parts of a JSON Web Key (RFC 7517)."""
_MAX_WEB_KEY = 4_000


def _find_web_keys(raw: bytes) -> Iterator[Span]:
    for position in find_all(raw, b'"kty"'):
        start = raw.rfind(b"{", max(position - _MAX_WEB_KEY, 0), position)
        end = raw.find(b"}", position, position + _MAX_WEB_KEY)
        fields = _WEB_KEY_FIELD.finditer(raw, max(start, 0), end if end >= 0 else position + _MAX_WEB_KEY)
        yield from (field.span("value") for field in fields)


def _find_between_lines(raw: bytes) -> Iterator[Span]:
    lines = [(match["which"], match.start(), match.end()) for match in _KEY_LINE.finditer(raw)]
    for (which, _, start), following in zip_longest(lines, lines[1:]):
        end = min(following[1] if following else len(raw), start + _MAX_BYTES)
        body = _BODY.match(raw, start, end) if which == b"BEGIN" else None
        characters = sum(map(len, re.findall(rb"[A-Za-z0-9+/]{10,}+", body.group()))) if body else 0
        is_long = characters >= _MIN_CHARACTERS
        if body and (is_long or (following and _SHORT_BODY.fullmatch(raw, start, end))):
            yield start + raw.startswith(b"\n", start), start + len(body.group().rstrip(b"\n \t\"'"))
