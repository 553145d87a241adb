"""Plain questions to the file: what is there."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.json import encode

from waymeet.ports import Counts
from waymeet.stores.shared.corpus_profile import LAST, STEPS, STRUCTURE
from waymeet.stores.sqlite.database.rows import CHUNK, DOCUMENT, chunk_of, document_of
from waymeet.types import INFERRED_KINDS, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection

    import apsw

    from waymeet.stores.sqlite.read.lexicon import Lexicon
    from waymeet.types import Chunk, Document

_BY_KEY = f"{CHUNK} WHERE c.key IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own constant
_OF_DOCUMENT = f"{CHUNK} WHERE d.path = ? ORDER BY c.ordinal, c.id"
_IN_SPACES = "(SELECT id FROM spaces WHERE name IN (SELECT value FROM json_each(?1)))"
_WITHOUT_VECTOR = f"""
WITH linked (target, linking) AS (
    SELECT target, COUNT(DISTINCT source) FROM edges
    WHERE target IS NOT NULL AND target <> source AND kind <> '{STRUCTURE}' GROUP BY target
)
SELECT c.key FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN linked l ON l.target = c.document
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.space IN {_IN_SPACES})
ORDER BY d.kind = '{LAST}', {" + ".join(f"(ifnull(l.linking, 0) >= {step})" for step in STEPS)} DESC,
    d.modified_ns DESC, d.path, c.ordinal, c.id
LIMIT ?2
"""  # noqa: S608 - our own constants
_WITH_VECTOR = f"""
SELECT key FROM chunks c WHERE c.key = ?2 AND EXISTS (
    SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.space IN {_IN_SPACES}
)
"""  # noqa: S608 - likewise
_NAMED = """
SELECT n.key, d.path
FROM json_each(?1) wanted CROSS JOIN names n ON n.key = wanted.value JOIN documents d ON d.id = n.document
WHERE ?2 IS NULL OR NOT EXISTS (SELECT 1 FROM names WHERE key = wanted.value LIMIT 1 OFFSET ?2)
ORDER BY wanted.key, d.path
"""
_SECTIONS = """
SELECT d.path, (SELECT COUNT(*) FROM chunks c WHERE c.document = d.id)
FROM json_each(?) wanted CROSS JOIN documents d ON d.path = wanted.value
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
_BY_SPACE = f"SELECT space, COUNT(*) FROM vectors WHERE space IN {_IN_SPACES} GROUP BY space ORDER BY 2 DESC"  # noqa: S608 - likewise
_IN_NO_OTHER = """
SELECT COUNT(*) FROM vectors v WHERE space = ?1 AND NOT EXISTS (
    SELECT 1 FROM vectors o WHERE o.chunk = v.chunk AND o.space IN (SELECT value FROM json_each(?2))
)
"""
_KINDS = "SELECT kind, COUNT(*) FROM documents GROUP BY kind ORDER BY kind"
_VECTORS = "SELECT l.name, COUNT(*) FROM spaces l JOIN vectors v ON v.space = l.id GROUP BY l.name ORDER BY l.name"


def chunks(connection: apsw.Connection, ids: Collection[str]) -> dict[str, Chunk]:
    """Fetch chunks by id."""
    wanted = (encode(list(ids)).decode(),)  # one question for all costs half of one for each
    found = {chunk.id: chunk for chunk in map(chunk_of, connection.execute(_BY_KEY, wanted))}
    return {chunk: found[chunk] for chunk in ids if chunk in found}


def numbers(connection: apsw.Connection, ids: Collection[str]) -> dict[str, int]:
    """Give the numbers of chunks by id."""
    return dict(connection.executemany("SELECT key, id FROM chunks WHERE key = ?", ((chunk,) for chunk in ids)))


def sections(connection: apsw.Connection, ids: Collection[str]) -> dict[str, int]:
    """Count the chunks of some documents."""
    return dict(connection.execute(_SECTIONS, (encode(list(ids)).decode(),)))


def chunks_of(connection: apsw.Connection, ids: Collection[str]) -> dict[str, tuple[Chunk, ...]]:
    """Fetch all chunks of some documents, in order."""
    known = connection.executemany("SELECT path FROM documents WHERE path = ?", ((id_,) for id_ in ids))
    return {path: tuple(map(chunk_of, connection.execute(_OF_DOCUMENT, (path,)))) for (path,) in known}


def documents(connection: apsw.Connection, ids: Collection[str]) -> dict[str, Document]:
    """Fetch documents by id."""
    rows = connection.execute(DOCUMENT, (encode(list(ids)).decode(),))
    return {document.id: document for document in map(document_of, rows)}


def without_vector(connection: apsw.Connection, spaces: Collection[str], limit: int) -> list[str]:
    """Name chunks that none of the spaces has a vector for, the most urgent first."""
    asked = encode(sorted(spaces)).decode()
    return [key for (key,) in connection.execute(_WITHOUT_VECTOR, (asked, max(limit, 0)))]


def with_vector(connection: apsw.Connection, spaces: Collection[str], ids: Collection[str]) -> frozenset[str]:
    """Say which of some chunks have a vector in any of the spaces."""
    asked = encode(sorted(spaces)).decode()
    return frozenset(key for (key,) in connection.executemany(_WITH_VECTOR, ((asked, chunk) for chunk in set(ids))))


def named(connection: apsw.Connection, keys: Collection[str], most: int | None = None) -> dict[str, tuple[str, ...]]:
    """Say which documents carry each of the keys, but for those that more than so many carry."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, path in connection.execute(_NAMED, (encode(list(dict.fromkeys(keys))).decode(), most)):
        found[key].append(path)
    return {key: tuple(paths) for key, paths in found.items()}


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
        connection.execute(_COUNTS, (encode(sorted(INFERRED_KINDS)).decode(),)).fetchone() or (0,) * 4
    )
    vectors = dict(connection.execute(_VECTORS))
    return Counts(documents, chunks, lexicon.count_terms(), edges, dangling, kinds(connection), vectors)


def kinds(connection: apsw.Connection) -> dict[str, int]:
    """Count documents by kind."""
    return dict(connection.execute(_KINDS))


def coverage(connection: apsw.Connection, spaces: Collection[str]) -> tuple[int, int]:
    """Count the chunks that have a vector in any of the spaces, and all."""
    largest: list[int] = []
    embedded = 0
    counted: dict[int, int] = dict(connection.execute(_BY_SPACE, (encode(sorted(spaces)).decode(),)))
    for space, number in counted.items():
        # Hardly a chunk is in two spaces, and the first, by far the largest, need not be looked through.
        other = connection.execute(_IN_NO_OTHER, (space, encode(largest).decode())).get if largest else number
        embedded += other
        largest.append(space)
    chunks: int = connection.execute("SELECT COUNT(*) FROM chunks").get
    return embedded, chunks


def note(connection: apsw.Connection, key: str) -> str:
    """Read back a remark, or the empty string."""
    (found,) = connection.execute("SELECT value FROM metadata WHERE key = ?", (key,)).fetchone() or ("",)
    return str(found)
