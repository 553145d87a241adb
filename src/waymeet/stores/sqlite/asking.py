"""Plain questions to the file: what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.json import encode

from waymeet.ports import Counts
from waymeet.stores.sqlite.records import CHUNK, DOCUMENT, chunk_of, document_of
from waymeet.types import FOUND_KINDS, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

    from waymeet.stores.sqlite.lexical import Lexicon
    from waymeet.types import Chunk, Document

_BY_KEY = f"{CHUNK} WHERE c.key = ?"
_OF_DOCUMENT = f"{CHUNK} WHERE d.path = ? ORDER BY c.ordinal, c.id"
_WITHOUT_VECTOR = f"""
{CHUNK} WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.lane IN
    (SELECT id FROM lanes WHERE name IN (SELECT value FROM json_each(?))))
ORDER BY d.path, c.ordinal, c.id LIMIT ?
"""  # noqa: S608 - our own constant
_NAMED = """
SELECT n.key, d.path FROM names n JOIN documents d ON d.id = n.document WHERE n.key = ? ORDER BY d.path
"""
_BEGINNING = "SELECT term, id FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111)"
_COUNTS = """
SELECT
    (SELECT COUNT(*) FROM documents),
    (SELECT COUNT(*) FROM chunks),
    (SELECT COUNT(*) FROM edges),
    (SELECT COUNT(*) FROM edges e JOIN documents d ON d.id = e.source
     WHERE e.target IS NULL AND d.kind <> 'code' AND e.kind NOT IN (SELECT value FROM json_each(?)))
"""
_EMBEDDED = """
SELECT COUNT(DISTINCT chunk) FROM vectors
WHERE lane IN (SELECT id FROM lanes WHERE name IN (SELECT value FROM json_each(?)))
"""
_KINDS = "SELECT kind, COUNT(*) FROM documents GROUP BY kind ORDER BY kind"
_VECTORS = "SELECT l.name, COUNT(*) FROM lanes l JOIN vectors v ON v.lane = l.id GROUP BY l.name ORDER BY l.name"


def chunks(connection: apsw.Connection, ids: Collection[str]) -> dict[str, Chunk]:
    """Fetch chunks by id."""
    rows = connection.executemany(_BY_KEY, ((chunk,) for chunk in ids))
    return {chunk.id: chunk for chunk in map(chunk_of, rows)}


def numbers(connection: apsw.Connection, ids: Collection[str]) -> dict[str, int]:
    """Give the numbers of chunks by id."""
    return dict(connection.executemany("SELECT key, id FROM chunks WHERE key = ?", ((chunk,) for chunk in ids)))


def chunks_of(connection: apsw.Connection, ids: Collection[str]) -> dict[str, tuple[Chunk, ...]]:
    """Fetch all chunks of some documents, in order."""
    known = connection.executemany("SELECT path FROM documents WHERE path = ?", ((id_,) for id_ in ids))
    return {path: tuple(map(chunk_of, connection.execute(_OF_DOCUMENT, (path,)))) for (path,) in known}


def documents(connection: apsw.Connection, ids: Collection[str]) -> dict[str, Document]:
    """Fetch documents by id."""
    rows = connection.executemany(DOCUMENT, ((id_,) for id_ in ids))
    return {document.id: document for document in map(document_of, rows)}


def without_vector(connection: apsw.Connection, lanes: Collection[str], limit: int) -> list[Chunk]:
    """List chunks that none of the lanes has a vector for."""
    asked = encode(sorted(lanes)).decode()
    return [chunk_of(row) for row in connection.execute(_WITHOUT_VECTOR, (asked, max(limit, 0)))]


def named(connection: apsw.Connection, keys: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Say which documents carry each of the keys."""
    found: dict[str, tuple[str, ...]] = {}
    for key, path in connection.executemany(_NAMED, ((key,) for key in set(keys))):
        found[key] = (*found.get(key, ()), path)
    return found


def vocabulary(connection: apsw.Connection, lexicon: Lexicon, prefix: str, limit: int) -> list[str]:
    """List the terms that begin with a prefix, those that most chunks hold first."""
    held = {term: lexicon.held(number) for term, number in connection.execute(_BEGINNING, (prefix,))}
    return sorted((term for term in held if held[term]), key=lambda term: (-held[term], term))[: max(limit, 0)]


def holds(connection: apsw.Connection, lexicon: Lexicon, terms: Collection[str]) -> frozenset[str]:
    """Say which of some terms any chunk holds."""
    known = connection.executemany("SELECT term, id FROM terms WHERE term = ?", ((term,) for term in set(terms)))
    return frozenset(term for term, number in known if lexicon.holds(number))


def fingerprints(connection: apsw.Connection) -> dict[str, Fingerprint]:
    """Give the fingerprint of every document, by id."""
    rows = connection.execute("SELECT path, digest, size, modified_ns FROM documents ORDER BY path")
    return {path: Fingerprint(*rest) for path, *rest in rows}


def counts(connection: apsw.Connection, lexicon: Lexicon) -> Counts:
    """Count what is kept."""
    documents, chunks, edges, dangling = (
        connection.execute(_COUNTS, (encode(sorted(FOUND_KINDS)).decode(),)).fetchone() or (0,) * 4
    )
    kinds, vectors = dict(connection.execute(_KINDS)), dict(connection.execute(_VECTORS))
    return Counts(documents, chunks, lexicon.count_terms(), edges, dangling, kinds, vectors)


def coverage(connection: apsw.Connection, lanes: Collection[str]) -> tuple[int, int]:
    """Count the chunks that have a vector in any of the lanes, and all."""
    embedded: int = connection.execute(_EMBEDDED, (encode(sorted(lanes)).decode(),)).get
    chunks: int = connection.execute("SELECT COUNT(*) FROM chunks").get
    return embedded, chunks


def note(connection: apsw.Connection, key: str) -> str:
    """Read back a remark, or the empty string."""
    (found,) = connection.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone() or ("",)
    return str(found)
