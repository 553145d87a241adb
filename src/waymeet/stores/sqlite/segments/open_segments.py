"""The open segments of an index: files mapped once, and what was computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from waymeet.stores.lexical.buffer import BufferedDocument, WriteBuffer
from waymeet.stores.lexical.lexicon import Lexicon
from waymeet.stores.segments.array_file import ArrayFile, CorruptFileError
from waymeet.stores.segments.checksums import ChecksumVerifier
from waymeet.stores.segments.reader import FORMAT, Segment
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from waymeet.stores.sqlite.database.sessions import Session
    from waymeet.stores.sqlite.segments.vector_registry import VectorFile


FileKind = Literal["postings", "vectors", "links"]


class LostSegmentError(Exception):
    """Registered files are missing, corrupt or of an earlier format."""

    def __init__(self, segments: Sequence[int], cause: str, kind: FileKind) -> None:
        super().__init__(cause)
        self.segments = segments
        self.kind = kind
        """The kind of file. Each kind has ids of its own."""


class _MappedFiles(NamedTuple):
    """The files of one registry version."""

    registry_version: int
    segments: dict[int, ArrayFile]
    vectors: dict[VectorFile, ArrayFile]
    links: tuple[adjacency.LinkFile, ArrayFile] | None


class OpenSegments:
    """Maps the files of an index, and caches what was computed from them.

    Threads share it without a lock. Each thread copies a reference once and works with that, since another thread may
    be in another generation and replace the attribute at any moment. Then something is computed twice, but
    generations are never mixed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._verifier = ChecksumVerifier()
        self._files: dict[str, ArrayFile] = {}
        self._mapped = _MappedFiles(-1, {}, {}, None)
        self._segments: dict[int, Segment] = {}
        self._buffered: dict[tuple[int, int], BufferedDocument] = {}
        """The buffered documents by id and version."""
        self._neighbours: tuple[tuple[int, int], adjacency.NeighbourReader] | None = None
        self._lexicon: tuple[tuple[int, int], Lexicon] | None = None

    def map_files(self, session: Session) -> None:
        """Map the files of a session's generation, before another process can remove them.

        Raises:
            LostSegmentError: one of them cannot be mapped.
        """
        mapped = self._mapped
        if mapped.registry_version != session.registry_version or not self._verifier.corrupt.isdisjoint(self._files):
            mapped = self._mapped = self._map_registered(session)
        _, session.segments, session.vectors, session.links = mapped

    def _map_registered(self, session: Session) -> _MappedFiles:
        known = {name: file for name, file in self._files.items() if name not in self._verifier.corrupt}
        segments = {
            id_: known.get(name) or self._map(id_, name, "postings")
            for id_, name in registry.list_segments(session.connection).items()
        }
        outdated = [id_ for id_, file in segments.items() if file.attributes.get("format") != FORMAT]
        if outdated:
            raise LostSegmentError(outdated, "the segments of words have the format of an earlier version", "postings")
        vectors = {
            entry: known.get(entry.file) or self._map(entry.id, entry.file, "vectors")
            for entry in vector_registry.list_files(session.connection)
        }
        entry = adjacency.find_file(session.connection)
        links = (entry, known.get(entry.file) or self._map(entry.id, entry.file, "links")) if entry else None
        files = (*segments.values(), *vectors.values(), *((links[1],) if links else ()))
        self._files = {file.path.name: file for file in files}
        return _MappedFiles(session.registry_version, segments, vectors, links)

    def _map(self, segment: int, name: str, kind: FileKind) -> ArrayFile:
        try:
            file = ArrayFile(self.folder / name)
            self._verifier.verify(file)
        except (OSError, CorruptFileError) as error:
            raise LostSegmentError([segment], f"the segment {name} cannot be used: {error}", kind) from error
        return file

    def lexicon(self, session: Session) -> Lexicon:
        """Return the lexicon of a session's generation."""
        previous = self._lexicon
        if previous is not None and previous[0] == session.version:
            return previous[1]
        deleted = registry.deleted_positions(session.connection)
        previous_segments, self._segments = self._segments, {}
        segments = {}
        for id_, file in session.segments.items():
            known, positions = previous_segments.get(id_), deleted.get(id_, set())
            is_current = known is not None and known.file is file and known.deleted == positions
            segments[id_] = known if known is not None and is_current else Segment(file, positions)
        lexicon = Lexicon(segments, self._read_buffer(session))
        if previous is not None:
            lexicon.reuse_scorers(previous[1])
        self._segments = segments
        self._lexicon = (session.version, lexicon)
        return lexicon

    def _read_buffer(self, session: Session) -> WriteBuffer:
        """Read the buffered documents. Versions that are known already are not decoded again."""
        known, buffered = self._buffered, registry.list_buffered(session.connection)
        new = [key for key in buffered if key not in known]
        terms = registry.read_terms(session.connection, (document for document, _ in new))
        decoded = dict(zip(new, map(BufferedDocument, terms), strict=True))
        documents = self._buffered = {key: decoded.get(key) or known[key] for key in buffered}
        return WriteBuffer(list(documents.values()))

    def neighbours(self, session: Session) -> adjacency.NeighbourReader:
        """Return the reader of neighbours in a session's generation."""
        cached = self._neighbours
        if cached is None or cached[0] != session.version:
            reader = adjacency.NeighbourReader(session.links, session.connection)
            cached = self._neighbours = (session.version, reader)
        return cached[1]

    def verify_pending(self) -> None:
        """Verify the mapped files that were not verified yet. The next session repairs corrupt ones."""
        self._verifier.verify_pending()
