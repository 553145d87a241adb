"""Words in the file: where they occur, and how long fields usually are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.bm25f import Statistics, averages
from waymeet.stores.sqlite.schema import FIELD_CODES, FIELD_NAMES
from waymeet.stores.sqlite.terms import numbers
from waymeet.stores.sqlite.trouble import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

    from waymeet.types import Word

    Found = dict[str, dict[int, tuple[int, int]]]

# Each gives rows of chunk, field, frequency and length of the field, for one term: in all chunks, or in one.
_IN_CHUNKS = """
SELECT p.chunk, p.field, p.tf, l.length
FROM chunk_terms p JOIN chunk_lengths l ON l.chunk = p.chunk AND l.field = p.field
WHERE p.term = :term
"""
_IN_DOCUMENTS = """
SELECT c.id, p.field, p.tf, l.length
FROM document_terms p JOIN document_lengths l ON l.document = p.document AND l.field = p.field
    JOIN chunks c ON c.document = p.document
WHERE p.term = :term
"""
_IN_LINKS = """
SELECT c.id, :inbound, i.tf, ifnull((SELECT SUM(length) FROM edges WHERE target = i.document), i.tf)
FROM (
    SELECT e.target AS document, SUM(p.tf) AS tf FROM edge_terms p JOIN edges e ON e.id = p.edge
    WHERE p.term = :term AND e.target IS NOT NULL GROUP BY e.target
) i JOIN chunks c ON c.document = i.document
"""
_EVERYWHERE = (_IN_CHUNKS, _IN_DOCUMENTS, _IN_LINKS)
_IN_ONE = (
    f"{_IN_CHUNKS} AND p.chunk = :chunk",
    f"{_IN_DOCUMENTS} AND c.id = :chunk",
    """
    SELECT c.id, :inbound, SUM(p.tf), ifnull((SELECT SUM(length) FROM edges WHERE target = c.document), SUM(p.tf))
    FROM edge_terms p JOIN edges e ON e.id = p.edge JOIN chunks c ON c.document = e.target
    WHERE p.term = :term AND c.id = :chunk GROUP BY c.id
    """,
)
_INBOUND = FIELD_CODES["inbound"]

_LENGTHS = """
SELECT field, SUM(length), COUNT(*) FROM document_lengths GROUP BY field
UNION ALL
SELECT field, SUM(length), COUNT(*) FROM chunk_lengths GROUP BY field
"""
_INBOUND_LENGTH = """
SELECT ifnull(SUM(length), 0), COUNT(DISTINCT target) FROM edges WHERE target IS NOT NULL AND length > 0
"""


def statistics(connection: apsw.Connection) -> Statistics:
    """Count the chunks and measure the fields."""
    by_code = {code: (total, filled) for code, total, filled in connection.execute(_LENGTHS)}
    if not by_code.keys() <= FIELD_NAMES.keys():
        raise UnreadableError("it has a field of unknown number")
    lengths = {FIELD_NAMES[code]: length for code, length in by_code.items()}
    lengths["inbound"] = connection.execute(_INBOUND_LENGTH).fetchone() or (0, 0)
    return Statistics(connection.execute("SELECT COUNT(*) FROM chunks").get, averages(lengths))


def postings(connection: apsw.Connection, word: Word, fields: Collection[str]) -> Found:
    """Find a word in some fields of every chunk."""
    found: Found = {field: {} for field in fields}
    for term in numbers(connection, word.terms):
        for sql in _EVERYWHERE:
            _gather(connection.execute(sql, {"term": term, "inbound": _INBOUND}), found)
    return found


def occurrences(connection: apsw.Connection, word: Word, fields: Collection[str], chunks: Collection[int]) -> Found:
    """Find a word in some fields of some chunks."""
    found: Found = {field: {} for field in fields}
    for term in numbers(connection, word.terms):
        for sql in _IN_ONE:
            asked = ({"term": term, "inbound": _INBOUND, "chunk": chunk} for chunk in chunks)
            _gather(connection.executemany(sql, asked), found)
    return found


def _gather(rows: apsw.Cursor, found: Found) -> None:
    """Add the occurrences of one more term."""
    by_code = {FIELD_CODES[field]: here for field, here in found.items()}
    for chunk, code, frequency, length in rows:
        here = by_code.get(code)
        if here is not None:
            here[chunk] = (here[chunk][0] + frequency if chunk in here else frequency), length
