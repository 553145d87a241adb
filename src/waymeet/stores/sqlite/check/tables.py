"""The truth held against itself: whether every row can be read and all rows agree.

Damage is told together with what mends it: what follows from other rows is worked out anew, what nobody owns is
removed, and a document with a row that cannot be read is dropped, so that the next run reads its file again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from waymeet.stores.segments.posting_codec import FIELD_CODES, SHIFT
from waymeet.stores.shared.filters import folded
from waymeet.stores.shared.validation import OWN_FIELDS
from waymeet.stores.sqlite.database.rows import CHUNK, chunk_of, document_of
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import documents
from waymeet.stores.sqlite.write import edges as edge_table
from waymeet.types import CHUNK_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import apsw
    import numpy as np
    from numpy.typing import NDArray

_UNIT = 1e-3
"""How far a vector's length may be from 1."""

_NOBODYS = {
    "tags": ("document NOT IN (SELECT id FROM documents)", "tags of no document"),
    "names": ("document NOT IN (SELECT id FROM documents)", "names of no document"),
    "chunks": ("document NOT IN (SELECT id FROM documents)", "sections of no document"),
    "edges": ("source NOT IN (SELECT id FROM documents)", "links of no document"),
    "edge_refs": ("edge NOT IN (SELECT id FROM edges)", "keys of no link"),
    "document_segments": ("document NOT IN (SELECT id FROM documents)", "books about no document"),
    "deleted_documents": ("segment NOT IN (SELECT id FROM segments)", "books about no segment"),
    "vectors": (
        "chunk NOT IN (SELECT id FROM chunks) OR space NOT IN (SELECT id FROM spaces)",
        "vectors of no section or space",
    ),
    "vector_segments": ("space NOT IN (SELECT id FROM spaces)", "files of no space"),
    "deleted_vectors": ("space NOT IN (SELECT id FROM spaces)", "books about no space"),
}
"""Rows that belong to nothing, by table. Outer ones come last where one table hangs on another."""

_DOCUMENT = """
SELECT path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns, lines,
    namespace, terms, id
FROM documents ORDER BY id
"""
_CHUNKS = f"{CHUNK} WHERE c.document = ? ORDER BY c.ordinal, c.id"
_UNSHELVED = """
SELECT id FROM documents WHERE id NOT IN (SELECT document FROM document_segments) UNION
SELECT document FROM document_segments WHERE segment IS NOT NULL AND (position IS NULL OR segment NOT IN (SELECT id FROM segments))
"""
_SIZES = "SELECT length(vector), COUNT(*) FROM vectors WHERE space = ? GROUP BY 1"
_OF_SPACE = "SELECT chunk, vector FROM vectors WHERE space = ? ORDER BY chunk"
_BATCH = 4096


class Fault(NamedTuple):
    """Something that is not as it should be, and what mends it."""

    where: str
    what: str
    mend: Callable[[apsw.Connection], object]


def faults(connection: apsw.Connection) -> Iterator[Fault]:
    """Find what is wrong with rows that SQLite itself has no doubts about."""
    yield from _nobodys(connection)
    yield from _documents(connection)
    yield from _edges(connection)
    yield from _books(connection)
    for space, name in _rows(connection, "SELECT id, name FROM spaces ORDER BY id"):
        yield from _space(connection, space, name)


def _nobodys(connection: apsw.Connection) -> Iterator[Fault]:
    for table, (condition, what) in _NOBODYS.items():
        number = connection.execute(f"SELECT COUNT(*) FROM {table} WHERE {condition}").get  # noqa: S608 - constants
        if number:
            delete = f"DELETE FROM {table} WHERE {condition}"  # noqa: S608 - constants
            yield Fault(table, f"{number} {what}", partial(_execute, sql=delete))


def sweep(connection: apsw.Connection) -> None:
    """Remove the rows that belong to nothing."""
    for table, (condition, _) in _NOBODYS.items():
        connection.execute(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608 - constants


def _documents(connection: apsw.Connection) -> Iterator[Fault]:
    """Read every document with all that it owns."""
    known = _known_terms(connection)
    tags, names = _listed(connection, "tag", "tags"), _listed(connection, "key", "names")
    for *row, terms, number in _rows(connection, _DOCUMENT):
        path = str(row[0])
        drop = partial(documents.drop, documents=[path])
        try:
            document = document_of(tuple(row))
            for chunk in map(chunk_of, connection.execute(_CHUNKS, (number,))):
                if chunk.start > chunk.end:
                    raise ValueError("a section ends before it begins")
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
            yield Fault(path, f"cannot be read: {error}", drop)
            continue
        what = _blobs(connection, number, terms, known)
        if what:
            yield Fault(path, what, drop)
        elif tags[number] != set(folded(document.tags)) or names[number] != set(document.names):
            yield Fault(path, "its tags or names are not listed as they should be", drop)


def _listed(connection: apsw.Connection, column: str, table: str) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for value, document in connection.execute(f"SELECT {column}, document FROM {table}"):  # noqa: S608 - constants
        found[document].add(value)
    return found


def _known_terms(connection: apsw.Connection) -> NDArray[np.bool_]:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    numbers = [number for (number,) in connection.execute("SELECT id FROM terms")]
    known = np.zeros(max(numbers, default=0) + 1, dtype=np.bool_)
    known[numbers] = True
    return known


def _blobs(connection: apsw.Connection, document: int, terms: bytes, known: NDArray[np.bool_]) -> str:
    """Say what is wrong with the packed terms of a document; empty if nothing is."""
    owned: list[tuple[Iterable[str], list[bytes]]] = [
        (OWN_FIELDS, [terms]),
        (CHUNK_FIELDS, _column(connection, "SELECT terms FROM chunks WHERE document = ?", document)),
        (("inbound",), _column(connection, "SELECT terms FROM edges WHERE source = ?", document)),
    ]
    for fields, blobs in owned:
        what = _unreadable(blobs, [FIELD_CODES[field] for field in fields], known)
        if what:
            return what
    return ""


def _unreadable(blobs: list[bytes], codes: list[int], known: NDArray[np.bool_]) -> str:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    if any(len(blob) % 8 for blob in blobs):
        return "its terms are cut off"
    pairs = np.frombuffer(b"".join(blobs), dtype="<u4").reshape(-1, 2)
    terms = pairs[:, 0]
    if np.any(terms >= len(known)) or not np.all(known[terms]):
        return "it holds terms that nobody knows"
    return "" if np.all(np.isin(pairs[:, 1] >> SHIFT, codes)) else "its terms stand in fields that it does not have"


def _edges(connection: apsw.Connection) -> Iterator[Fault]:
    """Find links that do not lead where the rule says, a dangling one with a target among them."""
    edges = [edge for (edge,) in connection.execute("SELECT id FROM edges")]
    wrong = edge_table.astray(connection, edges)
    unasked = "SELECT id FROM edges WHERE target IS NOT NULL AND id NOT IN (SELECT edge FROM edge_refs)"
    wrong += [(edge, None, None) for (edge,) in connection.execute(unasked)]
    if wrong:
        number = len(wrong)
        yield Fault("edges", f"{number} links lead elsewhere than they should", _lead_all)


def _lead_all(connection: apsw.Connection) -> None:
    _execute(connection, "UPDATE edges SET target = NULL WHERE id NOT IN (SELECT edge FROM edge_refs)")
    edge_table.lead(connection, _column(connection, "SELECT id FROM edges"))
    # What led astray may have gained or lost a document that is no more: take all off their segments.
    registry.loosen(connection, _column(connection, "SELECT id FROM documents"))


def _books(connection: apsw.Connection) -> Iterator[Fault]:
    """Find documents that are neither loose nor on a segment."""
    lost = _column(connection, _UNSHELVED)
    if lost:
        yield Fault(
            "document_segments",
            f"{len(lost)} documents have no segment entry",
            partial(registry.loosen, documents=lost),
        )


def _space(connection: apsw.Connection, space: int, name: str) -> Iterator[Fault]:
    """Find vectors that are none: of another length than the rest, not finite, or not of length 1."""
    sizes = Counter(
        dict(connection.execute("SELECT length(vector), COUNT(*) FROM vectors WHERE space = ? GROUP BY 1", (space,)))
    )
    usual = next((size for size, _ in sizes.most_common() if size and size % 4 == 0), 0)
    bad: list[int] = []
    cursor = connection.execute(_OF_SPACE, (space,))
    while rows := [row for _, row in zip(range(_BATCH), cursor, strict=False)]:
        bad.extend(_bad_vectors(rows, usual))
    if bad:
        yield Fault(f"space {name}", f"{len(bad)} vectors cannot be right", partial(_forget, space=space, chunks=bad))


def _bad_vectors(rows: list[tuple[int, bytes]], usual: int) -> list[int]:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    odd = [chunk for chunk, vector in rows if len(vector) != usual]
    even = [(chunk, vector) for chunk, vector in rows if len(vector) == usual]
    if not even or not usual:
        return odd
    matrix = np.frombuffer(b"".join(vector for _, vector in even), dtype="<f4").reshape(len(even), -1)
    with np.errstate(all="ignore"):
        length = np.linalg.norm(matrix.astype(np.float64), axis=1)
        wrong = ~(np.abs(length - 1.0) < _UNIT)  # also where it is no number at all
    return odd + [even[at][0] for at in np.flatnonzero(wrong).tolist()]


def _forget(connection: apsw.Connection, space: int, chunks: Iterable[int]) -> None:
    connection.executemany("DELETE FROM vectors WHERE space = ? AND chunk = ?", [(space, chunk) for chunk in chunks])


def _execute(connection: apsw.Connection, sql: str) -> None:
    connection.execute(sql)


def _column(connection: apsw.Connection, sql: str, *values: object) -> list[Any]:
    return [value for (value,) in connection.execute(sql, values)]


def _rows(connection: apsw.Connection, sql: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(sql))
