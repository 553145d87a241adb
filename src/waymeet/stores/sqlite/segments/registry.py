"""Which segment holds which document: the books that are kept in the truth about what is derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.segments.posting_codec import Leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

_NEXT = "(SELECT value + 1 FROM counters WHERE key = 'generation')"
_BURY = "INSERT OR IGNORE INTO deleted_documents SELECT segment, position FROM document_segments WHERE document = ? AND segment IS NOT NULL"
_LOOSEN = f"INSERT OR REPLACE INTO document_segments VALUES (?, {_NEXT}, NULL, NULL)"  # noqa: S608 - a constant
_PLACE = "UPDATE document_segments SET segment = ?, position = ? WHERE document = ? AND version = ? AND segment IS NULL"
_CHUNKS = "SELECT id, terms FROM chunks WHERE document = ? ORDER BY ordinal, id"
_SAID = "SELECT terms FROM edges WHERE target = ?"


def loosen(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Take documents off their segments, because what those hold of them is no longer true."""
    wanted = [(document,) for document in documents]
    connection.executemany(_BURY, wanted)
    connection.executemany(_LOOSEN, wanted)


def remove(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Forget documents that are gone."""
    wanted = [(document,) for document in documents]
    connection.executemany(_BURY, wanted)
    connection.executemany("DELETE FROM document_segments WHERE document = ?", wanted)


def loose(connection: apsw.Connection) -> list[tuple[int, int]]:
    """List the documents that are on no segment, with their versions, in the order of their paths."""
    return _listed(connection, "IS NULL", ())


def on(connection: apsw.Connection, segments: Sequence[int]) -> list[tuple[int, int]]:
    """List the documents of some segments, with their versions, in the order of their paths."""
    return _listed(connection, f"IN ({', '.join('?' * len(segments))})", segments)


def _listed(connection: apsw.Connection, which: str, values: Sequence[int]) -> list[tuple[int, int]]:
    sql = f"""
    SELECT s.document, s.version FROM document_segments s JOIN documents d ON d.id = s.document
    WHERE s.segment {which} ORDER BY d.path
    """  # noqa: S608 - values are bound
    return [(document, version) for document, version in connection.execute(sql, tuple(values))]


def leaves(connection: apsw.Connection, documents: Iterable[int]) -> Iterator[Leaf]:
    """Read what a segment holds of documents."""
    for document in documents:
        terms = connection.execute("SELECT terms FROM documents WHERE id = ?", (document,)).get
        said = [each for (each,) in connection.execute(_SAID, (document,))]
        chunks = [(number, blob) for number, blob in connection.execute(_CHUNKS, (document,))]
        yield Leaf(document, b"".join((terms, *said)), chunks)


def register(connection: apsw.Connection, file: str, documents: Sequence[tuple[int, int]]) -> int:
    """Put documents on a new segment, in its order; those that changed since their version was read are dead on it."""
    connection.execute("INSERT INTO segments (file) VALUES (?)", (file,))
    segment = connection.last_insert_rowid()
    dead = []
    for place, (document, version) in enumerate(documents):
        connection.execute(_PLACE, (segment, place, document, version))
        if not connection.changes():
            dead.append((segment, place))
    connection.executemany("INSERT INTO deleted_documents VALUES (?, ?)", dead)
    shelved(connection)
    return segment


def retire(connection: apsw.Connection, segments: Iterable[int]) -> None:
    """Forget segments; documents that are on them become loose again."""
    for segment in segments:
        connection.execute("UPDATE document_segments SET segment = NULL, position = NULL WHERE segment = ?", (segment,))
        connection.execute("DELETE FROM deleted_documents WHERE segment = ?", (segment,))
        connection.execute("DELETE FROM segments WHERE id = ?", (segment,))
    shelved(connection)


def segments(connection: apsw.Connection) -> dict[int, str]:
    """Give the files of all segments, oldest first."""
    return dict(connection.execute("SELECT id, file FROM segments ORDER BY id"))


def files(connection: apsw.Connection) -> set[str]:
    """Name the files of all segments, of words, of vectors and of links."""
    sql = "SELECT file FROM segments UNION ALL SELECT file FROM vector_segments UNION ALL SELECT file FROM link_files"
    return {file for (file,) in connection.execute(sql)}


def dead(connection: apsw.Connection) -> Mapping[int, set[int]]:
    """Give the dead places of each segment that has any."""
    found: dict[int, set[int]] = {}
    for segment, place in connection.execute("SELECT segment, position FROM deleted_documents"):
        found.setdefault(segment, set()).add(place)
    return found


def whereabouts(connection: apsw.Connection, chunks: Iterable[int]) -> dict[int, tuple[int | None, int | None]]:
    """Say on which segment and place the documents of chunks are."""
    sql = "SELECT c.id, s.segment, s.position FROM chunks c JOIN document_segments s ON s.document = c.document WHERE c.id = ?"
    rows = connection.executemany(sql, ((chunk,) for chunk in chunks))
    return {chunk: (segment, place) for chunk, segment, place in rows}


def shelved(connection: apsw.Connection) -> None:
    """Let readers know that the books changed although nothing was said anew."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE key = 'registry_version'")
