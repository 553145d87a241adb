"""Decoding of file bytes to text: encoding detection and line ends."""

import re
from hashlib import blake2b

from msgspec import Struct

_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),  # before UTF-16: the mark of UTF-32 begins with that of UTF-16
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CANDIDATES = ["cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252", "cp1251", "koi8_r", "iso8859_2"]
"""Encodings that occur in practice. With every known encoding as a candidate, guesses from short texts are wrong."""
_SAMPLE_BYTES = 65_536
_SINGLE_HIGH = re.compile(rb"(?<![\x80-\xff])[\xa0-\xff](?![\x80-\xff])")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_CHARACTER = re.compile(_CONTROL.pattern.decode())


class Decoded(Struct, frozen=True):
    """A decoded text with its encoding."""

    text: str
    encoding: str
    replaced: bool = False
    """Whether bytes that are invalid in the encoding were replaced."""
    warning: str = ""
    """Which part of the file is missing from the text; empty if none is."""


def content_digest(raw: bytes) -> str:
    """Return the hash of a file's content.

    >>> content_digest(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return blake2b(raw, digest_size=16).hexdigest()


def decode(raw: bytes) -> Decoded | None:
    r"""Detect the encoding and decode a text with `\n` line ends, or return None for binary data.

    >>> decode("été\r\n".encode()), decode(b"\x00\x01") is None
    (Decoded(text='été\n', encoding='utf-8', replaced=False, warning=''), True)
    """
    decoded = _decode_by_mark(raw) or _decode_utf8(raw)
    if decoded is None:
        if b"\x00" in raw:
            decoded = _decode_utf16(raw)
        elif not _is_binary(raw):
            decoded = (
                _decode_western(raw)
                or _decode_damaged_utf8(raw)
                or _decode_by_guess(raw)
                or _decode_with_replacement(raw, "utf-8")
            )
    if decoded is None or "\r" not in decoded.text:
        return decoded
    return Decoded(decoded.text.replace("\r\n", "\n").replace("\r", "\n"), decoded.encoding, decoded.replaced)


def _decode_by_mark(raw: bytes) -> Decoded | None:
    """Decode by the byte order mark, if there is one."""
    encoding = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if raw.startswith(mark)), None)
    if encoding is None:
        return None
    decoded = _decode_strictly(raw, encoding) or _decode_with_replacement(raw, encoding)
    return None if "\x00" in decoded.text else decoded


def _decode_utf8(raw: bytes) -> Decoded | None:
    return None if b"\x00" in raw else _decode_strictly(raw, "utf-8")


def _decode_utf16(raw: bytes) -> Decoded | None:
    """Decode UTF-16 without a mark, recognised by zeros in every other byte of Western text."""
    sample = raw[:_SAMPLE_BYTES]
    half = len(sample) // 2
    for encoding, zeros, others in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if half and zeros.count(0) > half * 0.4 and others.count(0) < half * 0.02:
            decoded = _decode_strictly(raw, encoding)
            return None if decoded is None or _CONTROL_CHARACTER.search(decoded.text) else decoded
    return None


def _is_binary(raw: bytes) -> bool:
    """Return whether more than 5 % of the bytes are control characters, as in compiled code."""
    sample = raw[:_SAMPLE_BYTES]
    return len(_CONTROL.findall(sample)) * 20 > len(sample)


def _decode_western(raw: bytes) -> Decoded | None:
    """Decode as cp1252 if no two bytes beyond ASCII are adjacent, as in Western languages."""
    high = _HIGH_RUN.findall(raw)
    return _decode_strictly(raw, "cp1252") if len(_SINGLE_HIGH.findall(raw)) == len(high) else None


def _decode_damaged_utf8(raw: bytes) -> Decoded | None:
    """Decode UTF-8 with a few broken bytes.

    In other encodings, hardly any sequence of bytes beyond ASCII happens to be valid UTF-8.
    """
    decoded = _decode_with_replacement(raw, "utf-8")
    broken = decoded.text.count("\ufffd")
    valid = sum(character > "\x7f" for character in decoded.text) - broken
    return decoded if valid > 4 * broken else None


def _decode_by_guess(raw: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it

    sample = raw if len(raw) <= _SAMPLE_BYTES else raw[:_SAMPLE_BYTES].rpartition(b"\n")[0] or raw[:_SAMPLE_BYTES]
    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    if best is None or best.encoding not in _CANDIDATES:
        return None
    return _decode_strictly(raw, best.encoding) or _decode_with_replacement(raw, best.encoding)


def _decode_strictly(raw: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(raw.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def _decode_with_replacement(raw: bytes, encoding: str) -> Decoded:
    return Decoded(raw.decode(encoding, "replace"), encoding, replaced=True)
