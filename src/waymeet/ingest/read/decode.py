"""Bytes → text, whatever they are."""

import re
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from waymeet.errors import NotFoundError
from waymeet.ingest.read.safe_read import read_file

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),  # before UTF-16, whose mark it begins with
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CANDIDATES = ["cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252", "cp1251", "koi8_r", "iso8859_2"]
"""Encodings that files really have. Offered every encoding there is, a guess from little text goes wrong."""
_SAMPLE = 65_536
_WESTERN = re.compile(rb"(?<![\x80-\xff])[\xa0-\xff](?![\x80-\xff])")
_HIGH = re.compile(rb"[\x80-\xff]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_LETTER = re.compile(_CONTROL.pattern.decode())
_LARGEST = 64_000_000


class Decoded(Struct, frozen=True):
    """A text, the encoding it was found in, and whether some bytes fitted no encoding."""

    text: str
    encoding: str
    replaced: bool = False
    note: str = ""
    """What of the file is not in the text, if anything is not."""


class LoadedFile(Struct, frozen=True):
    """A file's text with the digest of its bytes."""

    text: str
    digest: str
    note: str = ""
    """What was done to the text, if anything was."""


def load_file(root: Path, path: str, *, mask: bool = True) -> LoadedFile:
    """Read an indexed file as it is now, but for what looks like a secret in it.

    Raises:
        NotFoundError: it is gone, cannot be read, or holds no text any more.
    """
    try:
        raw = read_file(str(root), path, _LARGEST).raw
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror}.", "Run: waymeet index") from error
    from waymeet.ingest.read.extract import ExtractError, text_of  # noqa: PLC0415 - it decodes by this module

    try:
        decoded = text_of(path, raw)
    except ExtractError as error:
        raise NotFoundError(f"{path} cannot be read: {error}.", "Run: waymeet index") from error
    if decoded is None:
        raise NotFoundError(f"{path} holds no text any more.", "Run: waymeet index")
    if not mask:
        return LoadedFile(decoded.text, content_digest(raw))
    from waymeet.ingest.read.secrets import mask_secrets  # noqa: PLC0415 - looking for changes needs no expressions

    found = mask_secrets(decoded.text)
    return LoadedFile(found.text, content_digest(raw), found.note)


def content_digest(raw: bytes) -> str:
    """Name a content by its hash.

    >>> content_digest(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return blake2b(raw, digest_size=16).hexdigest()


def decode(raw: bytes) -> Decoded | None:
    r"""Find a text's encoding and decode it, with `\n` at the end of its lines; None if it is not text.

    >>> decode("été\r\n".encode()), decode(b"\x00\x01") is None
    (Decoded(text='été\n', encoding='utf-8', replaced=False, note=''), True)
    """
    decoded = _marked(raw) or _utf8(raw)
    if decoded is None:
        if b"\x00" in raw:
            decoded = _utf16(raw)
        elif not _is_noise(raw):
            decoded = _western(raw) or _mostly_utf8(raw) or _guessed(raw) or _replaced(raw, "utf-8")
    if decoded is None or "\r" not in decoded.text:
        return decoded
    return Decoded(decoded.text.replace("\r\n", "\n").replace("\r", "\n"), decoded.encoding, decoded.replaced)


def _marked(raw: bytes) -> Decoded | None:
    """Believe a byte order mark."""
    encoding = next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), None)
    if encoding is None:
        return None
    decoded = _strict(raw, encoding) or _replaced(raw, encoding)
    return None if "\x00" in decoded.text else decoded


def _utf8(raw: bytes) -> Decoded | None:
    return None if b"\x00" in raw else _strict(raw, "utf-8")


def _utf16(raw: bytes) -> Decoded | None:
    """Recognise UTF-16 without a mark by the zeros that every other byte of mostly Western text is."""
    sample = raw[:_SAMPLE]
    half = len(sample) // 2
    for encoding, zeros, others in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if half and zeros.count(0) > half * 0.4 and others.count(0) < half * 0.02:
            decoded = _strict(raw, encoding)
            return None if decoded is None or _CONTROL_LETTER.search(decoded.text) else decoded
    return None


def _is_noise(raw: bytes) -> bool:
    """Tell compressed or compiled bytes, of which many are control characters, from text."""
    sample = raw[:_SAMPLE]
    return len(_CONTROL.findall(sample)) * 20 > len(sample)


def _western(raw: bytes) -> Decoded | None:
    """Recognise text in which letters beyond ASCII only ever stand alone, as they do in Western words."""
    high = _HIGH.findall(raw)
    return _strict(raw, "cp1252") if len(_WESTERN.findall(raw)) == len(high) else None


def _mostly_utf8(raw: bytes) -> Decoded | None:
    """Recognise UTF-8 with a few broken bytes: elsewhere, hardly any pair of bytes happens to be valid."""
    decoded = _replaced(raw, "utf-8")
    broken = decoded.text.count("\ufffd")
    valid = sum(letter > "\x7f" for letter in decoded.text) - broken
    return decoded if valid > 4 * broken else None


def _guessed(raw: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it

    sample = raw if len(raw) <= _SAMPLE else raw[:_SAMPLE].rpartition(b"\n")[0] or raw[:_SAMPLE]
    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    if best is None or best.encoding not in _CANDIDATES:
        return None
    return _strict(raw, best.encoding) or _replaced(raw, best.encoding)


def _strict(raw: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(raw.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def _replaced(raw: bytes, encoding: str) -> Decoded:
    return Decoded(raw.decode(encoding, "replace"), encoding, replaced=True)
