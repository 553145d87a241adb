"""Going on where an answer ended: a cursor remembers what was shown, so that nothing comes twice and nothing is lost.

A larger number of results can change a ranking a little, for more candidates are looked at. A mere position would then
show something twice or never. A cursor therefore names what was shown, in six bytes each, with the generation of the
index and a digest of the question. Nothing is kept on this side.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from waymeet.errors import CursorError

_KEY = 6
"""Bytes that stand for an id: two of a thousand are alike less often than once in a hundred million answers."""
_FORM = 1
_AGAIN = "Ask again without a cursor."


class Page(NamedTuple):
    """How far an asker has read."""

    generation: int = 0
    """The generation of the index that the page before came from."""
    shown: frozenset[bytes] = frozenset()


FIRST = Page()


class _Written(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    form: int
    generation: int
    question: bytes
    shown: bytes


def key(id_: str) -> bytes:
    """Give the few bytes that stand for an id."""
    return blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


def question(root: Path, request: msgspec.Struct) -> bytes:
    """Give what tells one question from another; how much is shown of the answer is no part of it."""
    asked = msgspec.to_builtins(request)
    for name in ("cursor", "limit", "budget", "explain", "include_linked", "refresh"):
        asked.pop(name, None)
    return blake2b(repr((str(root), asked)).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def written(page: Page, asked: bytes, also: Iterable[str]) -> str:
    """Write a cursor that leads behind a page and behind what is shown now."""
    shown = b"".join(sorted({*page.shown, *map(key, also)}))
    packed = msgspec.msgpack.encode(_Written(_FORM, page.generation, asked, shown))
    return urlsafe_b64encode(packed).decode().rstrip("=")


def read(cursor: str, asked: bytes) -> Page:
    """Read a cursor; an empty one means the first page.

    Raises:
        CursorError: it is broken, or belongs to another question.
    """
    if not cursor:
        return FIRST
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        found = msgspec.msgpack.decode(urlsafe_b64decode(padded), type=_Written)
    except (UnicodeEncodeError, NotBase64, ValueError, msgspec.MsgspecError) as error:
        raise CursorError("The cursor is broken.", _AGAIN) from error
    if found.form != _FORM or len(found.shown) % _KEY:
        raise CursorError("The cursor is broken, or another version of Waymeet wrote it.", _AGAIN)
    if found.question != asked:
        raise CursorError("The cursor belongs to another question.", f"Repeat the question it came from. {_AGAIN}")
    parts = (found.shown[at : at + _KEY] for at in range(0, len(found.shown), _KEY))
    return Page(found.generation, frozenset(parts))
