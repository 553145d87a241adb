"""Cursors for paging through search results.

A larger limit can change a ranking slightly, because more candidates are scored. With an offset as cursor, a result
could then be shown twice or never. A cursor therefore lists the results that were shown, as a hash of six bytes each,
with the generation of the index and a digest of the query. The server stores nothing.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from waymeet.errors import CursorError

_HASH_BYTES = 6
"""Bytes of the hash of an id. Two ids of a thousand collide in less than one of a hundred million answers."""
_FORMAT = 1
_RETRY = "Search again without a cursor."


class Page(NamedTuple):
    """The results shown so far."""

    generation: int = 0
    """Generation of the index that the previous page came from."""
    shown: frozenset[bytes] = frozenset()
    """Hashes of the ids that were shown."""


FIRST = Page()


class _Payload(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The content of a cursor."""

    format: int
    generation: int
    query: bytes
    shown: bytes


def hash_id(id_: str) -> bytes:
    """Hash an id for a cursor."""
    return blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


def hash_query(scope: str, request: msgspec.Struct) -> bytes:
    """Hash what is searched and the fields of a request that determine its results.

    Fields that only limit what is shown, such as `limit`, are not part of it.
    """
    fields = msgspec.to_builtins(request)
    for name in ("cursor", "limit", "budget", "explain", "include_linked", "facets", "refresh"):
        fields.pop(name, None)
    return blake2b(repr((scope, fields)).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def encode_cursor(page: Page, query: bytes, ids: Iterable[str]) -> str:
    """Encode a cursor for the results after a page and after these ids."""
    shown = b"".join(sorted({*page.shown, *map(hash_id, ids)}))
    packed = msgspec.msgpack.encode(_Payload(_FORMAT, page.generation, query, shown))
    return urlsafe_b64encode(packed).decode().rstrip("=")


def decode_cursor(cursor: str, query: bytes) -> Page:
    """Decode a cursor, where an empty one means the first page.

    Raises:
        CursorError: the cursor is malformed, or belongs to another query.
    """
    if not cursor:
        return FIRST
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        payload = msgspec.msgpack.decode(urlsafe_b64decode(padded), type=_Payload)
    except (UnicodeEncodeError, Base64Error, ValueError, msgspec.MsgspecError) as error:
        raise CursorError("Malformed cursor.", _RETRY) from error
    if payload.format != _FORMAT or len(payload.shown) % _HASH_BYTES:
        raise CursorError("Malformed cursor, or one of another version of Waymeet.", _RETRY)
    if payload.query != query:
        raise CursorError("The cursor belongs to another query.", f"Repeat the query it came from. {_RETRY}")
    starts = range(0, len(payload.shown), _HASH_BYTES)
    return Page(payload.generation, frozenset(payload.shown[start : start + _HASH_BYTES] for start in starts))
