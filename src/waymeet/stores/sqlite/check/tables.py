"""Checks of the tables: whether every row can be read and all rows agree.

A problem comes with its repair: rows that follow from others are computed again, rows without an owner are deleted, and
a document with an unreadable row is dropped, so that the next run indexes its file again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from waymeet.analysis.embedded.space_names import is_quantised_space
from waymeet.stores.segments.posting_codec import FIELD_CODES, FIELD_SHIFT
from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.shared.validation import OWN_FIELDS
from waymeet.stores.sqlite.database.rows import CHUNK, read_chunk, read_document
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import documents
from waymeet.stores.sqlite.write import edges as edge_table
from waymeet.types import CHUNK_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import apsw
    import numpy as np
    from numpy.typing import NDArray

_MAX_LENGTH_ERROR = 1e-3
"""How much the length of a vector may differ from 1."""

_ORPHANS = {
    "tags": ("document NOT IN (SELECT id FROM documents)", "tags without a document"),
    "names": ("document NOT IN (SELECT id FROM documents)", "names without a document"),
    "chunks": ("document NOT IN (SELECT id FROM documents)", "sections without a document"),
    "edges": ("source NOT IN (SELECT id FROM documents)", "links without a document"),
    "edge_refs": ("edge NOT IN (SELECT id FROM edges)", "keys without a link"),
    "document_segments": ("document NOT IN (SELECT id FROM documents)", "segment entries without a document"),
    "deleted_documents": ("segment NOT IN (SELECT id FROM segments)", "deletion marks without a segment"),
    "vectors": (
        "chunk NOT IN (SELECT id FROM chunks) OR space NOT IN (SELECT id FROM spaces)",
        "vectors without a section or space",
    ),
    "vector_segments": ("space NOT IN (SELECT id FROM spaces)", "files without a space"),
    "deleted_vectors": ("space NOT IN (SELECT id FROM spaces)", "deletion marks without a space"),
}
"""Conditions for rows without an owner, by table. A table comes after the one that its rows refer to."""

_DOCUMENTS = """
SELECT path, kind, title, doc_type, language, tags, properties, names, digest, size, modified_ns, lines,
    namespace, role, changed_ns, changed_by, terms, id
FROM documents ORDER BY id
"""
_CHUNKS = f"{CHUNK} WHERE c.document = ? ORDER BY c.ordinal, c.id"
_WITHOUT_SEGMENT_ENTRY = """
SELECT id FROM documents WHERE id NOT IN (SELECT document FROM document_segments) UNION
SELECT document FROM document_segments
WHERE segment IS NOT NULL AND (position IS NULL OR segment NOT IN (SELECT id FROM segments))
"""
_TARGETS_WITHOUT_REFS = "SELECT id FROM edges WHERE target IS NOT NULL AND id NOT IN (SELECT edge FROM edge_refs)"
_VECTOR_SIZES = "SELECT length(vector), COUNT(*) FROM vectors WHERE space = ? GROUP BY 1"
_CODE_HEADERS = "SELECT substr(vector, 1, 2) FROM vectors WHERE space = ?"
_VECTORS = "SELECT chunk, vector FROM vectors WHERE space = ? ORDER BY chunk"
_BATCH = 4096


class Fault(NamedTuple):
    """A problem of the tables, and its repair."""

    where: str
    what: str
    repair: Callable[[apsw.Connection], object]


def find_faults(connection: apsw.Connection) -> Iterator[Fault]:
    """Find wrong rows that SQLite itself accepts."""
    yield from _find_orphans(connection)
    yield from _check_documents(connection)
    yield from _check_edges(connection)
    yield from _check_segment_entries(connection)
    for space, name in _rows(connection, "SELECT id, name FROM spaces ORDER BY id"):
        yield from _check_space(connection, space, name)


def _find_orphans(connection: apsw.Connection) -> Iterator[Fault]:
    for table, (condition, what) in _ORPHANS.items():
        number = connection.execute(f"SELECT COUNT(*) FROM {table} WHERE {condition}").get  # noqa: S608 - constants
        if number:
            delete = f"DELETE FROM {table} WHERE {condition}"  # noqa: S608 - constants
            yield Fault(table, f"{number} {what}", partial(_execute, sql=delete))


def delete_orphans(connection: apsw.Connection) -> None:
    """Delete the rows without an owner."""
    for table, (condition, _) in _ORPHANS.items():
        connection.execute(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608 - constants


def _check_documents(connection: apsw.Connection) -> Iterator[Fault]:
    """Read every document with all its rows."""
    is_known = _known_terms(connection)
    tags, names = _by_document(connection, "tag", "tags"), _by_document(connection, "key", "names")
    for *row, terms, id_ in _rows(connection, _DOCUMENTS):
        path = str(row[0])
        drop = partial(documents.drop_documents, documents=[path])
        try:
            document = read_document(tuple(row))
            for chunk in map(read_chunk, connection.execute(_CHUNKS, (id_,))):
                if chunk.start > chunk.end:
                    raise ValueError("a section ends before it begins")
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
            yield Fault(path, f"cannot be read: {error}", drop)
            continue
        what = _check_terms(connection, id_, terms, is_known)
        if what:
            yield Fault(path, what, drop)
        elif tags[id_] != set(fold_tags(document.tags)) or names[id_] != set(document.names):
            yield Fault(path, "its tags or names differ from their tables", drop)


def _by_document(connection: apsw.Connection, column: str, table: str) -> dict[int, set[str]]:
    values: dict[int, set[str]] = defaultdict(set)
    for value, document in connection.execute(f"SELECT {column}, document FROM {table}"):  # noqa: S608 - constants
        values[document].add(value)
    return values


def _known_terms(connection: apsw.Connection) -> NDArray[np.bool_]:
    """Return whether each term id exists."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    ids = [id_ for (id_,) in connection.execute("SELECT id FROM terms")]
    is_known = np.zeros(max(ids, default=0) + 1, dtype=np.bool_)
    is_known[ids] = True
    return is_known


def _check_terms(connection: apsw.Connection, document: int, terms: bytes, is_known: NDArray[np.bool_]) -> str:
    """Check the packed terms of a document, its chunks and its links."""
    owned: list[tuple[Iterable[str], list[bytes]]] = [
        (OWN_FIELDS, [terms]),
        (CHUNK_FIELDS, _column(connection, "SELECT terms FROM chunks WHERE document = ?", document)),
        (("inbound",), _column(connection, "SELECT terms FROM edges WHERE source = ?", document)),
    ]
    for fields, packed in owned:
        what = _check_packed(packed, [FIELD_CODES[field] for field in fields], is_known)
        if what:
            return what
    return ""


def _check_packed(packed: list[bytes], codes: list[int], is_known: NDArray[np.bool_]) -> str:
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    if any(len(terms) % 8 for terms in packed):
        return "its terms are truncated"
    pairs = np.frombuffer(b"".join(packed), dtype="<u4").reshape(-1, 2)
    terms = pairs[:, 0]
    if np.any(terms >= len(is_known)) or not np.all(is_known[terms]):
        return "it has unknown terms"
    return "" if np.all(np.isin(pairs[:, 1] >> FIELD_SHIFT, codes)) else "its terms are in fields that it does not have"


def _check_edges(connection: apsw.Connection) -> Iterator[Fault]:
    """Find links with another target than their keys select, or with a target but no keys."""
    wrong = len(edge_table.find_wrong_targets(connection, _column(connection, "SELECT id FROM edges")))
    wrong += len(_column(connection, _TARGETS_WITHOUT_REFS))
    if wrong:
        yield Fault("edges", f"{wrong} links have a wrong target", _resolve_all)


def _resolve_all(connection: apsw.Connection) -> None:
    _execute(connection, "UPDATE edges SET target = NULL WHERE id NOT IN (SELECT edge FROM edge_refs)")
    edge_table.resolve_edges(connection, _column(connection, "SELECT id FROM edges"))
    # A wrong target may have been a document that no longer exists, so all documents may have gained or lost links.
    registry.unassign(connection, _column(connection, "SELECT id FROM documents"))


def _check_segment_entries(connection: apsw.Connection) -> Iterator[Fault]:
    """Find documents that are neither buffered nor in a segment."""
    lost = _column(connection, _WITHOUT_SEGMENT_ENTRY)
    if lost:
        what = f"{len(lost)} documents have no segment entry"
        yield Fault("document_segments", what, partial(registry.unassign, documents=lost))


def _check_space(connection: apsw.Connection, space: int, name: str) -> Iterator[Fault]:
    """Find vectors of another dimension than most, not finite, or not of length 1."""
    if is_quantised_space(name):
        yield from _check_quantised_space(connection, space, name)
        return
    sizes = Counter(dict(connection.execute(_VECTOR_SIZES, (space,))))
    usual = next((size for size, _ in sizes.most_common() if size and size % 4 == 0), 0)
    invalid: list[int] = []
    cursor = connection.execute(_VECTORS, (space,))
    while rows := [row for _, row in zip(range(_BATCH), cursor, strict=False)]:
        invalid.extend(_find_invalid(rows, usual))
    if invalid:
        delete = partial(_delete_vectors, space=space, chunks=invalid)
        yield Fault(f"space {name}", f"{len(invalid)} vectors are invalid", delete)


def _check_quantised_space(connection: apsw.Connection, space: int, name: str) -> Iterator[Fault]:
    """Find codes that are no whole vectors, or of another dimension than most."""
    from waymeet.stores.segments.part_vectors import is_valid_code  # noqa: PLC0415 - start-up is a feature

    headers = Counter(header for (header,) in connection.execute(_CODE_HEADERS, (space,)))
    usual = headers.most_common(1)[0][0] if headers else b""
    rows = connection.execute(_VECTORS, (space,))
    invalid = [chunk for chunk, code in rows if code[:2] != usual or not is_valid_code(code)]
    if invalid:
        delete = partial(_delete_vectors, space=space, chunks=invalid)
        yield Fault(f"space {name}", f"{len(invalid)} vectors are invalid", delete)


def _find_invalid(rows: list[tuple[int, bytes]], usual: int) -> list[int]:
    """Return the chunks whose vectors are invalid. `usual` is the size of a vector in bytes."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    of_other_size = [chunk for chunk, vector in rows if len(vector) != usual]
    of_usual_size = [(chunk, vector) for chunk, vector in rows if len(vector) == usual]
    if not of_usual_size or not usual:
        return of_other_size
    matrix = np.frombuffer(b"".join(vector for _, vector in of_usual_size), dtype="<f4").reshape(len(of_usual_size), -1)
    with np.errstate(all="ignore"):
        length = np.linalg.norm(matrix.astype(np.float64), axis=1)
        is_wrong = ~(np.abs(length - 1.0) < _MAX_LENGTH_ERROR)  # true for NaN, too
    return of_other_size + [of_usual_size[index][0] for index in np.flatnonzero(is_wrong).tolist()]


def _delete_vectors(connection: apsw.Connection, space: int, chunks: Iterable[int]) -> None:
    connection.executemany("DELETE FROM vectors WHERE space = ? AND chunk = ?", [(space, chunk) for chunk in chunks])


def _execute(connection: apsw.Connection, sql: str) -> None:
    connection.execute(sql)


def _column(connection: apsw.Connection, sql: str, *values: object) -> list[Any]:
    return [value for (value,) in connection.execute(sql, values)]


def _rows(connection: apsw.Connection, sql: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(sql))
