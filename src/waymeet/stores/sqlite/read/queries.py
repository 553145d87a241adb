"""Queries on the tables: documents, chunks, terms, vectors and counts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.json import encode

from waymeet.ports import Counts
from waymeet.stores.shared.corpus_profile import LAST_KIND, STRUCTURE_KIND, URGENCY_STEPS, build_profile
from waymeet.stores.sqlite.database.key_hashes import hash_name
from waymeet.stores.sqlite.database.rows import CHUNK, DOCUMENT, KEY, read_chunk, read_document, split_key
from waymeet.stores.sqlite.database.term_ids import find_ids_of_words
from waymeet.types import INFERRED_KINDS, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import apsw

    from waymeet.ports import CorpusProfile, TermPostings
    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.sqlite.read.contents import ContentReader
    from waymeet.types import Chunk, Document

_CHUNKS_BY_ID = f"{CHUNK} WHERE c.id IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own constant
_ID_BY_LINES = """
SELECT ?5, c.id FROM documents d JOIN chunks c ON c.document = d.id
WHERE d.path = ?1 AND c.first = ?2 AND c.last = ?3 AND c.suffix = ?4 AND c.key IS NULL
"""
_KEYS_OF_CHUNKS = f"""
SELECT c.id, {KEY} FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id IN (SELECT value FROM json_each(?))
"""  # noqa: S608 - our own constant
_CHUNKS_OF_DOCUMENT = f"{CHUNK} WHERE d.path = ? ORDER BY c.ordinal, c.id"
_SPACE_IDS = "(SELECT id FROM spaces WHERE name IN (SELECT value FROM json_each(?1)))"
_WITHOUT_VECTOR = f"""
WITH linked (target, linking) AS (
    SELECT target, COUNT(DISTINCT source) FROM edges
    WHERE target <> source AND kind NOT IN (SELECT id FROM edge_kinds WHERE name = '{STRUCTURE_KIND}') GROUP BY target
)
SELECT {KEY} FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN linked l ON l.target = c.document
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.space IN {_SPACE_IDS})
    AND c.id NOT IN (SELECT id FROM chunks WHERE is_embedded = 0)
ORDER BY d.kind = '{LAST_KIND}', {" + ".join(f"(ifnull(l.linking, 0) >= {step})" for step in URGENCY_STEPS)} DESC,
    d.changed_ns DESC, d.path, c.ordinal, c.id
LIMIT ?2
"""  # noqa: S608 - our own constants
_WITH_VECTOR = f"SELECT chunk FROM vectors WHERE chunk = ?2 AND space IN {_SPACE_IDS} LIMIT 1"  # noqa: S608 - likewise
# A key of more than ?2 documents has a row at the offset ?2.
_DOCUMENTS_BY_KEY = """
SELECT n.hash, d.path
FROM json_each(?1) input CROSS JOIN names n ON n.hash = input.value JOIN documents d ON d.id = n.document
WHERE ?2 IS NULL OR NOT EXISTS (SELECT 1 FROM names WHERE hash = input.value LIMIT 1 OFFSET ?2)
ORDER BY input.key, d.path
"""
_CHUNK_COUNTS = "SELECT d.path, chunks FROM json_each(?) input CROSS JOIN documents d ON d.path = input.value"
_TERMS_WITH_PREFIX = "SELECT term, id FROM terms WHERE term >= ?1 AND term < ?1 || char(1114111) AND term GLOB ?2"
_ROLES_OF_DOCUMENTS = "SELECT d.path, role FROM json_each(?) input CROSS JOIN documents d ON d.path = input.value"
_COUNTS = """
SELECT
    (SELECT COUNT(*) FROM documents),
    (SELECT COUNT(*) FROM chunks),
    (SELECT COUNT(*) FROM edges),
    (SELECT COUNT(*) FROM edges e JOIN documents d ON d.id = e.source JOIN edge_kinds k ON k.id = e.kind
     WHERE e.target IS NULL AND d.kind <> 'code' AND k.name NOT IN (SELECT value FROM json_each(?)))
"""
_VECTORS_BY_SPACE_ID = f"SELECT space, COUNT(*) FROM vectors WHERE space IN {_SPACE_IDS} GROUP BY space ORDER BY 2 DESC"  # noqa: S608 - likewise
_IN_NO_OTHER_SPACE = """
SELECT COUNT(*) FROM vectors v WHERE space = ?1 AND NOT EXISTS (
    SELECT 1 FROM vectors o WHERE o.chunk = v.chunk AND o.space IN (SELECT value FROM json_each(?2))
)
"""
_NOT_EMBEDDED = "SELECT COUNT(*) FROM chunks WHERE is_embedded = 0"
_ROLES = "SELECT role, COUNT(*) FROM documents WHERE role <> '' GROUP BY role ORDER BY role"
_NOT_EMBEDDED_BY_ROLE = """
SELECT d.role, COUNT(*) FROM chunks c JOIN documents d ON d.id = c.document
WHERE c.is_embedded = 0 GROUP BY d.role ORDER BY d.role
"""
_KINDS = "SELECT kind, COUNT(*) FROM documents GROUP BY kind ORDER BY kind"
_VECTORS_BY_SPACE = """
SELECT l.name, COUNT(*) FROM spaces l JOIN vectors v ON v.space = l.id GROUP BY l.name ORDER BY l.name
"""


def _json(values: Iterable[object]) -> str:
    """Encode values for `json_each`: one query for all takes half the time of one for each."""
    return encode(list(values)).decode()


def read_chunks(connection: apsw.Connection, ids: Collection[str], contents: ContentReader) -> dict[str, Chunk]:
    """Fetch chunks by id."""
    known = find_chunk_ids(connection, ids)
    rows = connection.execute(_CHUNKS_BY_ID, (_json(known.values()),))
    chunks = {row[1]: read_chunk(row, contents.chunk(connection, row[0])) for row in rows}
    return {id_: chunks[id_] for id_ in ids if id_ in chunks}


def find_chunk_ids(connection: apsw.Connection, keys: Collection[str]) -> dict[str, int]:
    """Return the row ids of chunks by their public ids."""
    parts = ((key, split_key(key)) for key in dict.fromkeys(keys))
    by_lines = ((*place, key) for key, place in parts if place)
    ids: dict[str, int] = dict(connection.executemany(_ID_BY_LINES, by_lines))
    others = ((key,) for key in keys if key not in ids)
    return ids | dict(connection.executemany("SELECT key, id FROM chunks WHERE key = ?", others))


def count_chunks(connection: apsw.Connection, documents: Collection[str]) -> dict[str, int]:
    """Count the chunks of each document."""
    return dict(connection.execute(_CHUNK_COUNTS, (_json(documents),)))


def read_roles(connection: apsw.Connection, documents: Collection[str]) -> dict[str, str]:
    """Return the role of each document."""
    return dict(connection.execute(_ROLES_OF_DOCUMENTS, (_json(documents),)))


def read_chunks_of(
    connection: apsw.Connection, documents: Collection[str], contents: ContentReader
) -> dict[str, tuple[Chunk, ...]]:
    """Fetch all chunks of documents, in order."""
    known = connection.executemany("SELECT path FROM documents WHERE path = ?", ((path,) for path in documents))
    return {path: tuple(_read_chunks_of(connection, path, contents)) for (path,) in known}


def _read_chunks_of(connection: apsw.Connection, document: str, contents: ContentReader) -> Iterator[Chunk]:
    for row in connection.execute(_CHUNKS_OF_DOCUMENT, (document,)):
        yield read_chunk(row, contents.chunk(connection, row[0]))


def read_documents(connection: apsw.Connection, ids: Collection[str]) -> dict[str, Document]:
    """Fetch documents by id."""
    rows = connection.execute(DOCUMENT, (_json(ids),))
    return {document.id: document for document in map(read_document, rows)}


def chunks_without_vector(connection: apsw.Connection, spaces: Collection[str], limit: int) -> list[str]:
    """List chunks without a vector in any of the spaces, the most urgent first."""
    rows = connection.execute(_WITHOUT_VECTOR, (_json(sorted(spaces)), max(limit, 0)))
    return [key for (key,) in rows]


def chunks_with_vector(connection: apsw.Connection, spaces: Collection[str], chunks: Collection[str]) -> frozenset[str]:
    """Return those of the chunks that have a vector in any of the spaces."""
    names = _json(sorted(spaces))
    keys = {id_: key for key, id_ in find_chunk_ids(connection, chunks).items()}
    rows = connection.executemany(_WITH_VECTOR, ((names, id_) for id_ in keys))
    return frozenset(keys[id_] for (id_,) in rows)


def documents_by_key(
    connection: apsw.Connection, keys: Collection[str], max_documents: int | None = None
) -> dict[str, tuple[str, ...]]:
    """Find the documents that have each key, except for keys of more than `max_documents`."""
    documents: defaultdict[str, list[str]] = defaultdict(list)
    key_by_hash = {hash_name(key): key for key in keys}
    for number, path in connection.execute(_DOCUMENTS_BY_KEY, (_json(key_by_hash), max_documents)):
        documents[key_by_hash[number]].append(path)
    return {key: tuple(paths) for key, paths in documents.items()}


def read_postings(
    connection: apsw.Connection, lexicon: Lexicon, terms: Sequence[str], fields: Collection[str]
) -> list[TermPostings]:
    """Return the occurrences of each term, with the public ids of chunks."""
    postings = [lexicon.postings(ids, fields) for ids in find_ids_of_words(connection, [(term,) for term in terms])]
    chunks = sorted({chunk for by_field in postings for by_chunk in by_field.values() for chunk in by_chunk})
    keys: dict[int, str] = dict(connection.execute(_KEYS_OF_CHUNKS, (_json(chunks),)))
    return [
        {field: {keys[chunk]: found for chunk, found in by_chunk.items()} for field, by_chunk in by_field.items()}
        for by_field in postings
    ]


def terms_with_prefix(
    connection: apsw.Connection, lexicon: Lexicon, prefix: str, limit: int, pattern: str = "*"
) -> list[str]:
    """List the terms with a prefix that match a pattern by descending number of chunks."""
    rows = connection.execute(_TERMS_WITH_PREFIX, (prefix, pattern))
    chunks = {term: lexicon.count_chunks(id_) for term, id_ in rows}
    return sorted((term for term in chunks if chunks[term]), key=lambda term: (-chunks[term], term))[: max(limit, 0)]


def known_terms(connection: apsw.Connection, lexicon: Lexicon, terms: Collection[str]) -> frozenset[str]:
    """Return those of the terms that occur in any chunk."""
    rows = connection.executemany("SELECT term, id FROM terms WHERE term = ?", ((term,) for term in set(terms)))
    return frozenset(term for term, id_ in rows if lexicon.has_term(id_))


def read_fingerprints(connection: apsw.Connection) -> dict[str, Fingerprint]:
    """Return the fingerprint of every document, by id."""
    rows = connection.execute("SELECT path, digest, size, modified_ns FROM documents ORDER BY path")
    return {path: Fingerprint(*columns) for path, *columns in rows}


def count_all(connection: apsw.Connection, lexicon: Lexicon) -> Counts:
    """Count documents, chunks, terms, edges and vectors."""
    documents, chunks, edges, dangling = (
        connection.execute(_COUNTS, (_json(sorted(INFERRED_KINDS)),)).fetchone() or (0,) * 4
    )
    vectors = dict(connection.execute(_VECTORS_BY_SPACE))
    return Counts(
        documents=documents,
        chunks=chunks,
        terms=lexicon.count_terms(),
        edges=edges,
        dangling=dangling,
        kinds=count_kinds(connection),
        vectors=vectors,
        roles=count_roles(connection),
        not_embedded=dict(connection.execute(_NOT_EMBEDDED_BY_ROLE)),
    )


def count_kinds(connection: apsw.Connection) -> dict[str, int]:
    """Count documents by kind."""
    return dict(connection.execute(_KINDS))


def count_roles(connection: apsw.Connection) -> dict[str, int]:
    """Count files by role."""
    return dict(connection.execute(_ROLES))


def read_profile(connection: apsw.Connection, lexicon: Lexicon) -> CorpusProfile:
    """Compute the statistics of the indexed texts."""
    kinds, roles, chunks = count_kinds(connection), count_roles(connection), count_all_chunks(connection)
    return build_profile(kinds, roles, chunks, lexicon.statistics)


def count_coverage(connection: apsw.Connection, spaces: Collection[str]) -> tuple[int, int]:
    """Count the chunks with a vector in any of the spaces, and all chunks that get one."""
    counted: list[int] = []
    embedded = 0
    vectors: dict[int, int] = dict(connection.execute(_VECTORS_BY_SPACE_ID, (_json(sorted(spaces)),)))
    for space, number in vectors.items():
        # The largest space comes first and counts fully. Of the others, which are much smaller, only chunks without a
        # vector in a space counted before.
        embedded += connection.execute(_IN_NO_OTHER_SPACE, (space, _json(counted))).get if counted else number
        counted.append(space)
    return embedded, count_all_chunks(connection) - connection.execute(_NOT_EMBEDDED).get


def count_all_chunks(connection: apsw.Connection) -> int:
    """Count all chunks."""
    number: int = connection.execute("SELECT COUNT(*) FROM chunks").get
    return number


def read_metadata(connection: apsw.Connection, key: str) -> str:
    """Read a metadata value, or the empty string."""
    (value,) = connection.execute("SELECT value FROM metadata WHERE key = ?", (key,)).fetchone() or ("",)
    return str(value)
