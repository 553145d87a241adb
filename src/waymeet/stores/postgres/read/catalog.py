"""Looking up documents, chunks, vectors, metadata and counts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.ports import Counts
from waymeet.stores.postgres.database.encoding import (
    decode_chunk,
    decode_document,
    escape_text,
    hash_key,
    unescape_text,
)
from waymeet.stores.postgres.database.session import Owner
from waymeet.stores.postgres.read.filters import filter_condition, select_with_phrases
from waymeet.stores.shared.corpus_profile import LAST_KIND, STRUCTURE_KIND, URGENCY_STEPS, build_profile
from waymeet.types import INFERRED_KINDS, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from waymeet.ports import CorpusProfile
    from waymeet.stores.postgres.database.session import Session
    from waymeet.stores.postgres.read.filters import WordFilter
    from waymeet.types import Chunk, Document, Filters

_DOCUMENTS = """
SELECT path, chunks, content, changed_ns, changed_by FROM documents WHERE collection_id = %s AND path = ANY(%s)
"""
_CHUNK = """
SELECT c.key, d.path, c.ordinal, c.is_embedded, c.content FROM chunks c
    JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
"""
_CHUNKS = f"{_CHUNK} WHERE c.collection_id = %s AND c.hash = ANY(%s)"
_CHUNKS_OF = f"{_CHUNK} WHERE c.collection_id = %s AND d.path = ANY(%s) ORDER BY d.path, c.ordinal, c.id"
_BY_KEY = """
SELECT n.hash, d.path FROM names n JOIN documents d ON d.collection_id = n.collection_id AND d.id = n.document
WHERE n.collection_id = %s AND n.hash = ANY(%s) AND (%s::int IS NULL OR (
    SELECT count(*) FROM (
        SELECT FROM names m WHERE m.collection_id = n.collection_id AND m.hash = n.hash LIMIT %s::int + 1
    ) AS counted) <= %s::int)
ORDER BY d.path
"""
_PASSING = """
SELECT row.path, row.chunk, row.key FROM (
    SELECT d.path, c.id AS chunk, c.document, c.ordinal, c.key FROM chunks c
        JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
    WHERE c.collection_id = %(collection)s AND d.path = ANY(%(paths)s)
) AS row WHERE {condition} ORDER BY row.path, row.ordinal, row.chunk
"""
_FINGERPRINTS = "SELECT path, digest, size, modified_ns FROM documents WHERE collection_id = %s ORDER BY path"
_IN_SPACES = """
SELECT FROM vectors v JOIN spaces s ON s.collection_id = v.collection_id AND s.id = v.space
WHERE v.collection_id = c.collection_id AND v.chunk = c.id AND s.name = ANY(%s)
"""
_WITH_VECTOR = f"""
SELECT c.hash FROM chunks c WHERE c.collection_id = %s AND c.hash = ANY(%s) AND EXISTS ({_IN_SPACES})
"""  # noqa: S608 - our own constants
_WITHOUT_VECTOR = f"""
WITH embedded AS (
    SELECT v.chunk FROM vectors v WHERE v.collection_id = %(collection)s AND v.space = ANY(ARRAY(
        SELECT id FROM spaces WHERE collection_id = %(collection)s AND name = ANY(%(spaces)s)))
),
linked AS (
    SELECT target, count(DISTINCT source) AS linking FROM edges
    WHERE collection_id = %(collection)s AND target <> source AND kind <> '{STRUCTURE_KIND}' GROUP BY target
)
SELECT c.key FROM chunks c JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
    LEFT JOIN linked l ON l.target = c.document
WHERE c.collection_id = %(collection)s AND c.is_embedded AND c.id NOT IN (SELECT chunk FROM embedded)
ORDER BY d.kind = '{LAST_KIND}',
    {" + ".join(f"(coalesce(l.linking, 0) >= {step})::int" for step in URGENCY_STEPS)} DESC,
    d.changed_ns DESC, d.path, c.ordinal, c.id
LIMIT %(limit)s
"""  # noqa: S608 - our own constants
_COVERAGE = """
SELECT (SELECT count(DISTINCT v.chunk) FROM vectors v WHERE v.collection_id = %(collection)s AND v.space = ANY(ARRAY(
        SELECT id FROM spaces WHERE collection_id = %(collection)s AND name = ANY(%(spaces)s)))),
    (SELECT count(*) FROM chunks WHERE collection_id = %(collection)s AND NOT is_embedded)
"""
_SPACES = """
SELECT name, dimension, vectors FROM spaces WHERE collection_id = %s AND vectors > 0 ORDER BY name COLLATE "C"
"""
_COUNTS = """
SELECT (SELECT count(*) FROM documents WHERE collection_id = %(collection)s),
    (SELECT count(*) FROM edges WHERE collection_id = %(collection)s),
    (SELECT count(*) FROM edges e JOIN documents d ON d.collection_id = e.collection_id AND d.id = e.source
     WHERE e.collection_id = %(collection)s AND e.target IS NULL AND d.kind <> 'code' AND e.kind <> ALL(%(inferred)s))
"""
_GROUPS = """
SELECT {column}, count(*) FROM documents WHERE collection_id = %s AND {column} <> '' GROUP BY 1
"""
_NOT_EMBEDDED = """
SELECT d.role, count(*) FROM chunks c JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
WHERE c.collection_id = %s AND NOT c.is_embedded GROUP BY 1
"""
_METADATA = "SELECT value FROM metadata WHERE collection_id = %s AND key = %s"


def read_owner(session: Session) -> Owner:
    """Return the machine and the folder that the collection is indexed from."""
    return Owner(*session.rows("SELECT machine, root FROM collections WHERE id = %s")[0])


class CountedDocument(NamedTuple):
    """A document with the number of its chunks."""

    document: Document
    chunks: int


def read_documents(session: Session, ids: Collection[str]) -> dict[str, CountedDocument]:
    """Fetch documents by id."""
    rows = session.rows(_DOCUMENTS, list(map(escape_text, ids)))
    documents = {unescape_text(path): CountedDocument(decode_document(*rest), chunks) for path, chunks, *rest in rows}
    return {id_: documents[id_] for id_ in ids if id_ in documents}


def read_chunks(session: Session, ids: Collection[str]) -> dict[str, Chunk]:
    """Fetch chunks by id."""
    chunks = {chunk.id: chunk for row in session.rows(_CHUNKS, _hashes(ids)) for chunk in [decode_chunk(*row)]}
    return {id_: chunks[id_] for id_ in ids if id_ in chunks}


def read_chunks_of(session: Session, documents: Collection[str]) -> dict[str, tuple[Chunk, ...]]:
    """Fetch all chunks of known documents, in order."""
    chunks: dict[str, list[Chunk]] = {id_: [] for id_ in documents}
    for row in session.rows(_CHUNKS_OF, list(map(escape_text, chunks))):
        chunk = decode_chunk(*row)
        chunks[chunk.document].append(chunk)
    return {id_: tuple(own) for id_, own in chunks.items()}


def documents_by_key(session: Session, keys: Collection[str], most: int | None) -> dict[str, tuple[str, ...]]:
    """Find the documents that have each key, except for keys of more than `most`."""
    documents: defaultdict[str, list[str]] = defaultdict(list)
    key_by_hash = {hash_key(key): key for key in keys}
    for number, path in session.rows(_BY_KEY, list(key_by_hash), most, most, most):
        documents[key_by_hash[number]].append(unescape_text(path))
    return {key: tuple(documents[key]) for key in keys if key in documents}


def first_passing_chunks(
    session: Session, documents: Collection[str], filters: Filters, words: WordFilter
) -> dict[str, str]:
    """Find the first chunk of each document that passes the filters."""
    condition = filter_condition(filters, "row", words)
    parameters = {**condition.parameters, "paths": list(map(escape_text, documents))}
    rows = session.named(_PASSING.format(condition=condition.sql), parameters)
    if filters.phrases:
        with_phrases = select_with_phrases(session, [chunk for _, chunk, _ in rows], filters.phrases)
        rows = [row for row in rows if row[1] in with_phrases]
    first: dict[str, str] = {}
    for path, _, key in rows:
        first.setdefault(unescape_text(path), unescape_text(key))
    return first


def read_fingerprints(session: Session) -> dict[str, Fingerprint]:
    """Return the fingerprint of every document, by id."""
    rows = session.rows(_FINGERPRINTS)
    return {unescape_text(path): Fingerprint(unescape_text(digest), *columns) for path, digest, *columns in rows}


def chunks_with_vector(session: Session, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
    """Return those of the chunks that have a vector in any of the spaces."""
    found = {hash_ for (hash_,) in session.rows(_WITH_VECTOR, _hashes(chunks), list(spaces))}
    return frozenset(chunk for chunk in chunks if hash_key(chunk) in found)


def chunks_without_vector(session: Session, spaces: Collection[str], limit: int) -> list[str]:
    """List chunks without a vector in any of the spaces, the most urgent first."""
    rows = session.named(_WITHOUT_VECTOR, {"spaces": list(spaces), "limit": max(limit, 0)})
    return [unescape_text(key) for (key,) in rows]


def count_coverage(session: Session, spaces: Collection[str]) -> tuple[int, int]:
    """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
    ((embedded, without),) = session.named(_COVERAGE, {"spaces": list(spaces)})
    return embedded, session.statistics.chunks - without


def read_dimensions(session: Session) -> dict[str, int]:
    """Return the dimension of every space that has vectors."""
    return {name: dimension for name, dimension, _ in session.rows(_SPACES)}


def count_all(session: Session, terms: int) -> Counts:
    """Count documents, chunks, terms, edges and vectors."""
    ((documents, edges, dangling),) = session.named(_COUNTS, {"inferred": sorted(INFERRED_KINDS)})
    return Counts(
        documents=documents,
        chunks=session.statistics.chunks,
        terms=terms,
        edges=edges,
        dangling=dangling,
        kinds=_count_by(session, "kind"),
        vectors={name: number for name, _, number in session.rows(_SPACES)},
        roles=_count_by(session, "role"),
        not_embedded=_sorted_counts(session.rows(_NOT_EMBEDDED)),
    )


def read_profile(session: Session) -> CorpusProfile:
    """Compute the statistics of the indexed texts."""
    kinds, roles = _count_by(session, "kind"), _count_by(session, "role")
    return build_profile(kinds, roles, session.statistics.chunks, session.statistics)


def read_metadata(session: Session, key: str) -> str:
    """Read a metadata value, or the empty string."""
    rows = session.rows(_METADATA, escape_text(key))
    return unescape_text(rows[0][0]) if rows else ""


def _count_by(session: Session, column: str) -> dict[str, int]:
    return _sorted_counts(session.rows(_GROUPS.format(column=column)))


def _sorted_counts(rows: Iterable[tuple[Any, ...]]) -> dict[str, int]:
    return dict(sorted((unescape_text(value), number) for value, number in rows))


def _hashes(keys: Collection[str]) -> list[int]:
    return [hash_key(key) for key in keys]
