r"""Masking of secrets in texts before they are stored, shown or sent.

Files that hold only secrets are never opened (setting `ingest.secret_files`). This module masks secrets inside of other
texts: in a guide, a test, a configuration. There are three classes:

- tokens with a form of their own (`ghp_…`, `AKIA…`, a private key between its two lines): always masked, unless they
  are a filler such as `ghp_xxxx`;
- passwords in URLs and headers (`https://me:…@host`, `Bearer …`);
- values assigned to a name such as `api_key` or `password`, if they look random or look like a real value. Code is full
  of `token = next_token()` and pages of "password: see below", so the second test depends on the type of the file.

HTML entities (`&quot;`) are decoded first. Hashes, identifiers and images in base64 have no such form and no such name,
and are not masked. The number of lines stays the same.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import unescape

from msgspec import Struct

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read.secrets.find_assigned import TextKind
from waymeet.ingest.read.secrets.find_by_words import find_by_words
from waymeet.ingest.read.secrets.find_in_yaml import find_in_manifests
from waymeet.ingest.read.secrets.find_private_keys import find_private_keys
from waymeet.ingest.read.secrets.find_tokens import find_tokens
from waymeet.ingest.read.secrets.spans import Span

MASK = b"[secret]"
_MIN_REPEATED, _MAX_REPEATED = 16, 128
"""Length of a value whose other occurrences are masked, too; a shorter one may be a common word."""
_MAX_REPEATED_VALUES = 32
"""Values whose other occurrences are searched for, the longest first."""

_CONFIG_LANGUAGES = frozenset("json yaml toml ini properties dotenv docker xml".split())
_SHELLS = frozenset("bash shell sh zsh fish batch bat powershell".split())
"""Languages of commands, in which values need no quotes."""
_ENTITY = re.compile(rb"&(?:quot|apos|amp|#\d{2,3}|#[xX][0-9a-fA-F]{2});|\\_")
"""HTML entities and escaped underscores of Markdown."""


class MaskedText(Struct, frozen=True):
    """A text with masked secrets and their number."""

    text: str
    number: int = 0

    @property
    def warning(self) -> str:
        """Number of masked secrets in words, or "" if there are none."""
        return f"{self.number} secret{'s' * (self.number > 1)} masked" if self.number else ""


def mask_secrets(text: str, path: str = "") -> MaskedText:
    """Replace every secret in a text by `[secret]`, by the rules for the type of its path.

    >>> mask_secrets('url = "https://me:s3cr3t-42@host/"; token = next_token()')
    MaskedText(text='url = "https://me:[secret]@host/"; token = next_token()', number=1)
    >>> mask_secrets('api_key: "q8Zr4TnX2vLw9KbY7mPd"').text, mask_secrets("password = 'changeme'").number
    ('api_key: "[secret]"', 0)
    >>> mask_secrets("password: sunflower", "set.yaml").text, mask_secrets("password: sunflower", "guide.md").number
    ('password: [secret]', 0)
    """
    parts = split_secrets(text, path)
    if len(parts) == 1:
        return MaskedText(text)
    masks = (MASK.decode() + "\n" * secret.count("\n") for secret in parts[1::2])
    masked = "".join(part for pair in zip(parts[::2], (*masks, ""), strict=True) for part in pair)
    return MaskedText(masked, len(parts) // 2)


def split_secrets(text: str, path: str = "") -> list[str]:
    """Split a text into plain parts and secrets, in turn, with a plain part first and last.

    >>> split_secrets("https://me:s3cr3t-42@host/")
    ['https://me:', 's3cr3t-42', '@host/']
    """
    raw = text.encode("utf-8", "surrogatepass")
    spans = sorted(_find_secrets(raw, _text_kind(path)))
    if not spans:
        return [text]
    parts: list[bytes] = []
    position = 0
    for start, end in _merge_spans(raw, sorted({*spans, *find_repeats(raw, spans)})):
        parts += (raw[position:start], raw[start:end])
        position = end
    return [part.decode("utf-8", "surrogatepass") for part in (*parts, raw[position:])]


def _merge_spans(raw: bytes, spans: Iterable[Span]) -> list[Span]:
    """Merge spans that overlap. The spans are sorted."""
    merged: list[Span] = []
    for start, end in (_whole_characters(raw, span) for span in spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _whole_characters(raw: bytes, span: Span) -> Span:
    """Extend a span so that it does not divide a character of several bytes."""
    start, end = span
    while start > 0 and raw[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def find_repeats(raw: bytes, spans: Sequence[Span]) -> Iterator[Span]:
    """Find all occurrences of the values at the given spans.

    >>> list(find_repeats(b"key = 0123456789abcdef; print: 0123456789abcdef", [(6, 22)]))
    [(6, 22), (31, 47)]
    """
    values = {raw[start:end] for start, end in spans if _MIN_REPEATED <= end - start <= _MAX_REPEATED}
    one_line = (value for value in values if b"\n" not in value)
    longest = sorted(one_line, key=lambda value: (-len(value), value))[:_MAX_REPEATED_VALUES]
    if longest:
        yield from (match.span() for match in re.finditer(b"|".join(map(re.escape, longest)), raw))


def _text_kind(path: str) -> TextKind:
    """Classify a file as configuration, where any value may be a secret, code or prose."""
    name = path.rpartition("/")[2].lower()
    kind, language = file_type(path)
    if language in _CONFIG_LANGUAGES or re.match(r"\.env|docker-compose|dockerfile|\.\w+rc\Z", name):
        return "config"
    return "code" if kind == "code" and language not in _SHELLS else "prose"


def _find_secrets(raw: bytes, kind: TextKind) -> Iterator[Span]:
    """Find secrets in a text after decoding entities, as spans of the text before that."""
    entities = list(_ENTITY.finditer(raw)) if b"&" in raw or b"\\_" in raw else []
    if not entities:
        yield from _find_in_plain(raw, kind)
        return
    plain = _ENTITY.sub(_decode_entity, raw)
    positions, shifts = [], [0]
    for match in entities:
        positions.append(match.start() - shifts[-1])
        shifts.append(shifts[-1] + len(match.group()) - len(_decode_entity(match)))
    for span in _find_in_plain(plain, kind):
        start, end = (position + shifts[bisect_left(positions, position)] for position in span)
        yield start, end


def _decode_entity(match: re.Match[bytes]) -> bytes:
    """Decode an entity to its character, unless that is not a visible ASCII character."""
    character = unescape(match.group().removeprefix(b"\\").decode())
    return character.encode() if "!" <= character <= "~" else match.group()


def _find_in_plain(raw: bytes, kind: TextKind) -> Iterator[Span]:
    lower = raw.lower()
    yield from find_private_keys(raw, lower)
    yield from find_tokens(raw)
    yield from find_by_words(raw, lower, kind)
    yield from find_in_manifests(raw, lower)
