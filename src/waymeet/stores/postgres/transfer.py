"""The content of a collection as it is stored, for copying it to another store and back."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from waymeet.stores.postgres.database.encoding import decode_link, escape_text, unescape_text
from waymeet.stores.postgres.read.catalog import read_chunks_of, read_documents
from waymeet.stores.postgres.segments.term_rows import split_parts, unpack_hashes
from waymeet.stores.postgres.vector_values import from_stored
from waymeet.stores.postgres.write.vectors import insert_vectors
from waymeet.types import IndexEntry, Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from waymeet.stores.postgres.database.session import Session, WriteSession
    from waymeet.stores.postgres.database.sessions import Sessions
    from waymeet.types import Terms

_TERMS = "SELECT hash, term FROM terms WHERE collection_id = %s"
_IDS = "SELECT id, path FROM documents WHERE collection_id = %s AND path = ANY(%s)"
_STORED = "SELECT document, sizes, content FROM document_terms WHERE collection_id = %s AND document = ANY(%s)"
_LINKS = """
SELECT source, kind, content, terms, frequencies FROM edges WHERE collection_id = %s AND source = ANY(%s)
ORDER BY source, ordinal
"""
_VECTORS = """
SELECT c.key, v.value, v.chunk FROM vectors v JOIN spaces s ON s.collection_id = v.collection_id AND s.id = v.space
    JOIN chunks c ON c.collection_id = v.collection_id AND c.id = v.chunk
WHERE v.collection_id = %s AND s.name = %s AND v.chunk > %s ORDER BY v.chunk LIMIT 2000
"""


class PostgresTransfer:
    """Reads and writes the content of a collection."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._names: dict[int, str] = {}

    def read_entries(self, documents: Sequence[str]) -> list[IndexEntry]:
        """Read documents with all that was put."""
        return self._sessions.read(lambda session: self._read_entries(session, documents))

    def _read_entries(self, session: Session, documents: Sequence[str]) -> list[IndexEntry]:
        if not self._names:
            self._names = {hash_: unescape_text(term) for hash_, term in session.rows(_TERMS)}
        known = read_documents(session, documents)
        chunks = read_chunks_of(session, known)
        rows = session.rows(_IDS, [escape_text(id_) for id_ in known])
        ids = {unescape_text(path): number for number, path in rows}
        numbers = list(ids.values())
        terms = {
            document: [self._decode_terms(part) for part in split_parts(sizes, content)]
            for document, sizes, content in session.rows(_STORED, numbers)
        }
        links: defaultdict[int, list[Link]] = defaultdict(list)
        for source, *columns in session.rows(_LINKS, numbers):
            links[source].append(self._decode_link(*columns))
        return [
            IndexEntry(
                counted.document,
                chunks[id_],
                terms[ids[id_]][0],
                tuple(terms[ids[id_]][1:]),
                tuple(links[ids[id_]]),
            )
            for id_, counted in known.items()
        ]

    def _decode_terms(self, packed: bytes) -> dict[str, Terms]:
        fields: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for term, field, frequency in unpack_hashes(packed):
            fields[field][self._names[term]] = frequency
        return dict[str, "Terms"](fields)

    def _decode_link(self, kind: str, content: str, terms: Sequence[int], frequencies: Sequence[int]) -> Link:
        link = decode_link(content)
        return Link(
            refs=link.refs,
            kind=unescape_text(kind),
            anchor=link.anchor,
            source_anchor=link.source_anchor,
            text=link.text,
            sentence=link.sentence,
            line=link.line,
            terms={self._names[term]: number for term, number in zip(terms, frequencies, strict=True)},
        )

    def read_vectors(self, space: str) -> Iterator[tuple[str, bytes]]:
        """Read the chunk and the stored bytes of each vector of a space."""
        last = 0
        while rows := self._read_rows(_VECTORS, space, last):
            yield from ((unescape_text(key), bytes(value)) for key, value, _ in rows)
            last = rows[-1][2]

    def _read_rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self._sessions.read(lambda session: session.rows(sql, *parameters))

    def read_metadata(self) -> Mapping[str, str]:
        """Read all metadata."""
        rows = self._read_rows("SELECT key, value FROM metadata WHERE collection_id = %s")
        return {unescape_text(key): unescape_text(value) for key, value in rows}

    def write_vectors(self, space: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of known chunks as they were stored elsewhere."""

        def change(session: WriteSession) -> None:
            if insert_vectors(session, space, from_stored(space, vectors), None):
                session.raise_generation()

        self._sessions.write(change)
