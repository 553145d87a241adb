"""Upgrade of the terms of documents from format 9 to 10: postings by term.

In format 9 the posting of the term with the index i, of V, in the list with the number j and the frequency f was the
number (j · V + i) · 256 + f, or with 24 bits for all frequencies if one did not fit into 8.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from waymeet.stores.sqlite.database.compression import compress_numbers, decompress, pack_numbers, unpack_numbers
from waymeet.stores.sqlite.database.errors import UnreadableError

if TYPE_CHECKING:
    import apsw

_HEAD = b"\x02"
"""The first byte of a value of format 9, which begins with two numbers."""


def upgrade_terms(connection: apsw.Connection) -> None:
    """Convert the terms of all documents, inside a transaction.

    A value that cannot be read is left as it is. `waymeet check` finds it.
    """
    for (document,) in connection.execute("SELECT document FROM document_terms").fetchall():
        data = connection.execute("SELECT data FROM document_terms WHERE document = ?", (document,)).get
        with suppress(UnreadableError):
            converted = _convert(data)
            connection.execute("UPDATE document_terms SET data = ? WHERE document = ?", (converted, document))


def _convert(packed: bytes) -> bytes:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.stores.sqlite.database.bulk_terms import (  # noqa: PLC0415 - likewise
        pack_array,
        pack_postings,
        unpack_array,
    )

    data = decompress(packed)
    if data[:1] != _HEAD:
        raise UnreadableError("packed terms have an unknown form")
    (owners, bits), end = unpack_numbers(data, 0)
    id_steps, end = unpack_array(data, end)
    steps, end = unpack_array(data, end)
    ids, postings = np.cumsum(id_steps, dtype=np.int64), np.cumsum(steps, dtype=np.int64)
    lists, rest = np.divmod(postings, max(len(ids) << bits, 1))
    numbers, places = np.unique(lists, return_inverse=True)
    head = (pack_numbers([owners]), pack_array(np.diff(numbers, prepend=0)))
    columns = pack_postings(ids[rest >> bits], places, len(numbers), rest & (1 << bits) - 1)
    return compress_numbers(b"".join((*head, *columns)))
