"""The content of an index file as it is stored, for copying it to another store and back."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

from waymeet.analysis.embedded.space_names import is_part_space
from waymeet.stores.segments.posting_codec import unpack_terms
from waymeet.stores.sqlite.database.connection import open_index
from waymeet.stores.sqlite.database.errors import translate_errors
from waymeet.stores.sqlite.database.rows import KEY
from waymeet.stores.sqlite.database.sessions import Sessions, raise_generation
from waymeet.stores.sqlite.database.term_codec import unpack_document_terms, unpack_link_terms
from waymeet.stores.sqlite.read.contents import ContentReader
from waymeet.stores.sqlite.read.queries import find_chunk_ids, read_chunks_of, read_documents
from waymeet.stores.sqlite.read.vectors import VectorSpace, load_space
from waymeet.stores.sqlite.segments.open_segments import OpenSegments
from waymeet.stores.sqlite.segments.vector_registry import read_buffered
from waymeet.stores.sqlite.write.vectors import insert_vectors
from waymeet.types import IndexEntry, Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import apsw

    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.types import Terms

_CHUNKS = f"""
SELECT {KEY} FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ? ORDER BY c.id
"""  # noqa: S608 - our own constant
_TERMS = "SELECT d.id, t.data FROM documents d JOIN document_terms t ON t.document = d.id WHERE d.path = ?"
_LINKS = """
SELECT e.ordinal, k.name, e.terms FROM edges e JOIN edge_kinds k ON k.id = e.kind WHERE e.source = ? ORDER BY e.ordinal
"""
_KEYS = f"SELECT c.id, {KEY} FROM chunks c JOIN documents d ON d.id = c.document"  # noqa: S608 - our own constant


class SqliteTransfer:
    """Reads and writes the content of an index file."""

    def __init__(self, path: Path, timeout: float) -> None:
        self._path, self._timeout = path, timeout
        self._names: dict[int, str] = {}

    def _open(self) -> closing[apsw.Connection]:
        return closing(open_index(self._path, self._timeout, create=False))

    def read_entries(self, documents: Sequence[str]) -> list[IndexEntry]:
        """Read documents with all that was put."""
        with translate_errors(self._path), self._open() as connection:
            if not self._names:
                self._names = {id_: term for term, id_ in connection.execute("SELECT term, id FROM terms")}
            contents = ContentReader()
            known, chunks = read_documents(connection, documents), read_chunks_of(connection, documents, contents)
            return [
                self._read_entry(connection, IndexEntry(known[id_], chunks[id_], {}, ()), contents) for id_ in known
            ]

    def _read_entry(self, connection: apsw.Connection, entry: IndexEntry, contents: ContentReader) -> IndexEntry:
        path = entry.document.id
        number, data = next(connection.execute(_TERMS, (path,)))
        own, *of_chunks = map(self._decode_terms, unpack_document_terms(data))
        keys = (key for (key,) in connection.execute(_CHUNKS, (path,)))
        terms = dict(zip(keys, of_chunks, strict=True))
        links = tuple(
            self._read_link(connection, contents, (number, ordinal), kind, packed)
            for ordinal, kind, packed in connection.execute(_LINKS, (number,))
        )
        return IndexEntry(entry.document, entry.chunks, own, tuple(terms[chunk.id] for chunk in entry.chunks), links)

    def _decode_terms(self, packed: bytes) -> dict[str, Terms]:
        fields: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for term, field, frequency in unpack_terms(packed):
            fields[field][self._names[term]] = frequency
        return dict(fields)

    def _read_link(
        self, connection: apsw.Connection, contents: ContentReader, place: tuple[int, int], kind: str, packed: bytes
    ) -> Link:
        details = contents.link(connection, *place)
        return Link(
            refs=details.refs,
            kind=kind,
            anchor=details.anchor,
            source_anchor=details.source_anchor,
            text=details.text,
            sentence=details.sentence,
            line=details.line,
            terms=self._decode_terms(unpack_link_terms(packed)).get("inbound", {}),
        )

    def read_vectors(self, space: str) -> Iterator[tuple[str, bytes]]:
        """Read the chunk and the stored bytes of each vector of a space."""
        segments = OpenSegments(self._path.with_name(f"{self._path.name}.segments"))
        connection = open_index(self._path, self._timeout, create=False)
        sessions = Sessions(self._path, self._timeout, connection, segments.map_files)
        try:
            with sessions.reading() as session:
                keys = dict(session.connection.execute(_KEYS))
                yield from ((keys[chunk], code) for chunk, code in _read_codes(session, space))
        finally:
            sessions.close()

    def read_metadata(self) -> Mapping[str, str]:
        """Read all metadata."""
        with translate_errors(self._path), self._open() as connection:
            return dict(connection.execute("SELECT key, value FROM metadata"))

    def write_vectors(self, space: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of known chunks that have none in the space."""
        with translate_errors(self._path), self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                connection.execute("INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (space,))
                chunks = find_chunk_ids(connection, list(vectors))
                number = connection.execute("SELECT id FROM spaces WHERE name = ?", (space,)).get
                insert_vectors(connection, number, ((id_, vectors[chunk]) for chunk, id_ in chunks.items()))
                raise_generation(connection)
            connection.execute("COMMIT")


def _read_codes(session: Session, name: str) -> Iterator[tuple[int, bytes]]:
    """Read the codes of a space by chunk, from the table and from files."""
    if is_part_space(name):
        space = session.connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
        yield from ((row.chunk, row.code) for row in read_buffered(session.connection, space))
        return
    loaded = load_space(session, name)
    for block in loaded.blocks if isinstance(loaded, VectorSpace) else ():
        rows = block.live_rows
        for chunk, code in zip(block.chunks[rows].tolist(), block.take(rows), strict=True):
            yield chunk, code.tobytes()
