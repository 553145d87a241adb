"""Checks of the tables: whether every row can be read and all rows agree.

A problem comes with its repair: rows that follow from others are computed again, rows without an owner are deleted, and
a document with an unreadable row is dropped, so that the next run indexes its file again.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.sqlite.check import document_rows
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import documents
from waymeet.stores.sqlite.write import edges as edge_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import apsw

_NO_DOCUMENT = "NOT IN (SELECT id FROM documents)"
_ORPHANS = {
    "tags": (f"document {_NO_DOCUMENT}", "tags without a document"),
    "names": (f"document {_NO_DOCUMENT}", "names without a document"),
    "document_terms": (f"document {_NO_DOCUMENT}", "terms without a document"),
    "chunks": (f"document {_NO_DOCUMENT}", "sections without a document"),
    "texts": ("chunk NOT IN (SELECT id FROM chunks)", "texts without a section"),
    "edges": (f"source {_NO_DOCUMENT}", "links without a document"),
    "link_keys": (f"source {_NO_DOCUMENT}", "keys without a document"),
    "link_texts": (f"id >> 32 {_NO_DOCUMENT}", "texts of links without a document"),
    "document_segments": (f"document {_NO_DOCUMENT}", "segment entries without a document"),
    "deleted_documents": ("segment NOT IN (SELECT id FROM segments)", "deletion marks without a segment"),
    "vectors": (
        "chunk NOT IN (SELECT id FROM chunks) OR space NOT IN (SELECT id FROM spaces)",
        "vectors without a section or space",
    ),
    "vector_codes": ("id NOT IN (SELECT id FROM vectors)", "codes without a vector"),
    "vector_segments": ("space NOT IN (SELECT id FROM spaces)", "files without a space"),
    "deleted_vectors": ("space NOT IN (SELECT id FROM spaces)", "deletion marks without a space"),
}
"""Conditions for rows without an owner, by table. A table comes after the one that its rows refer to."""

_WITHOUT_SEGMENT_ENTRY = """
SELECT id FROM documents WHERE id NOT IN (SELECT document FROM document_segments) UNION
SELECT document FROM document_segments
WHERE segment IS NOT NULL AND (position IS NULL OR segment NOT IN (SELECT id FROM segments))
"""
_LAST_TERM = "UPDATE counters SET value = (SELECT ifnull(max(id), 0) FROM terms) WHERE key = 'last_term'"
_IS_LAST_TERM_LOW = """
SELECT (SELECT value FROM counters WHERE key = 'last_term') < (SELECT ifnull(max(id), 0) FROM terms)
"""
_LAST_VECTOR = """
SELECT max(ifnull(max(id), 0), (SELECT ifnull(max(id), 0) FROM vector_codes),
    (SELECT ifnull(max(vector), 0) FROM deleted_vectors), (SELECT ifnull(max(last), 0) FROM vector_segments))
FROM vectors
"""
RAISE_LAST_VECTOR = f"UPDATE counters SET value = max(value, ({_LAST_VECTOR})) WHERE key = 'last_vector'"  # noqa: S608 - constants
_IS_LAST_VECTOR_LOW = f"SELECT (SELECT value FROM counters WHERE key = 'last_vector') < ({_LAST_VECTOR})"  # noqa: S608
_CODE_SIZES = "SELECT length(code), COUNT(*) FROM vector_codes WHERE space = ? GROUP BY 1"
_FILE_DIMENSION = "SELECT dimension FROM vector_segments WHERE space = ? ORDER BY id DESC LIMIT 1"
_CODE_HEADERS = "SELECT substr(code, 1, 2) FROM vector_codes WHERE space = ?"
_CODES = "SELECT chunk, code FROM vector_codes WHERE space = ? ORDER BY chunk"


class Fault(NamedTuple):
    """A problem of the tables, and its repair."""

    where: str
    what: str
    repair: Callable[[apsw.Connection], object]


def find_faults(connection: apsw.Connection) -> Iterator[Fault]:
    """Find wrong rows that SQLite itself accepts."""
    yield from _find_orphans(connection)
    if connection.execute(_IS_LAST_TERM_LOW).get:
        yield Fault("counters", "the highest id of a term is wrong", partial(_execute, sql=_LAST_TERM))
    if connection.execute(_IS_LAST_VECTOR_LOW).get:
        yield Fault("counters", "the highest id of a vector is wrong", partial(_execute, sql=RAISE_LAST_VECTOR))
    unreadable = [
        Fault(document, what, partial(documents.drop_unreadable, document=id_))
        for id_, document, what in document_rows.find_unreadable(connection)
    ]
    yield from unreadable
    if not unreadable:  # else some links cannot be read, and after the repair others have no target
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


def _check_edges(connection: apsw.Connection) -> Iterator[Fault]:
    """Find links with another target than their keys select."""
    portions = edge_table.read_refs(connection, _column(connection, "SELECT id FROM documents"))
    wrong = sum(len(edge_table.find_wrong_targets(connection, refs)) for refs in portions)
    if wrong:
        yield Fault("edges", f"{wrong} links have a wrong target", resolve_all)


def resolve_all(connection: apsw.Connection) -> None:
    """Set the targets of all links."""
    for refs in edge_table.read_refs(connection, _column(connection, "SELECT id FROM documents")):
        edge_table.resolve_edges(connection, refs)
    # A wrong target may have been a document that no longer exists, so all documents may have gained or lost links.
    registry.unassign(connection, _column(connection, "SELECT id FROM documents"))


def _check_segment_entries(connection: apsw.Connection) -> Iterator[Fault]:
    """Find documents that are neither buffered nor in a segment."""
    lost = _column(connection, _WITHOUT_SEGMENT_ENTRY)
    if lost:
        what = f"{len(lost)} documents have no segment entry"
        yield Fault("document_segments", what, partial(registry.unassign, documents=lost))


def _check_space(connection: apsw.Connection, space: int, name: str) -> Iterator[Fault]:
    """Find codes of another dimension than most, and zero vectors."""
    if is_part_space(name):
        yield from _check_part_space(connection, space, name)
        return
    sizes = Counter(dict(connection.execute(_CODE_SIZES, (space,))))
    usual = connection.execute(_FILE_DIMENSION, (space,)).get or next((size for size, _ in sizes.most_common()), 0)
    rows = connection.execute(_CODES, (space,))
    invalid = [chunk for chunk, code in rows if len(code) != usual or not code.strip(b"\0")]
    if invalid:
        delete = partial(_delete_vectors, space=space, chunks=invalid)
        yield Fault(f"space {name}", f"{len(invalid)} vectors are invalid", delete)


def _check_part_space(connection: apsw.Connection, space: int, name: str) -> Iterator[Fault]:
    """Find codes that are no whole vectors, or of another dimension than most."""
    from waymeet.stores.segments.part_vectors import is_valid_code  # noqa: PLC0415 - start-up is a feature

    headers = Counter(header for (header,) in connection.execute(_CODE_HEADERS, (space,)))
    usual = headers.most_common(1)[0][0] if headers else b""
    rows = connection.execute(_CODES, (space,))
    invalid = [chunk for chunk, code in rows if code[:2] != usual or not is_valid_code(code)]
    if invalid:
        delete = partial(_delete_vectors, space=space, chunks=invalid)
        yield Fault(f"space {name}", f"{len(invalid)} vectors are invalid", delete)


def _delete_vectors(connection: apsw.Connection, space: int, chunks: Iterable[int]) -> None:
    connection.executemany("DELETE FROM vectors WHERE space = ? AND chunk = ?", [(space, chunk) for chunk in chunks])


def _execute(connection: apsw.Connection, sql: str) -> None:
    connection.execute(sql)


def _column(connection: apsw.Connection, sql: str, *values: object) -> list[Any]:
    return [value for (value,) in connection.execute(sql, values)]


def _rows(connection: apsw.Connection, sql: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(sql))
