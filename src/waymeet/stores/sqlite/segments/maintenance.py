"""Maintenance of segments: flushing the buffer, merging segments, removing unused files.

Files are written outside any transaction. Only their registration takes one. Readers use the old segments until then,
and a crash at any moment leaves at most a file that is not registered.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct

from waymeet.paths import file_identity
from waymeet.ports import RepairedFile
from waymeet.stores.sqlite.database.connection import is_writable
from waymeet.stores.sqlite.database.errors import translate_errors
from waymeet.stores.sqlite.segments import adjacency, lost_vectors, registry, vector_registry
from waymeet.stores.sqlite.segments.index_reader import IndexReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import apsw
    from filelock import FileLock

    from waymeet.stores.sqlite.database.sessions import Session, Sessions
    from waymeet.stores.sqlite.segments.open_segments import LostSegmentError

_MAX_SMALL_SEGMENTS = 4
_MAX_DELETED_SHARE = 0.3
_SEGMENT_SIZES = """
SELECT g.id, COUNT(c.id), (SELECT COUNT(*) FROM deleted_documents d WHERE d.segment = g.id),
    (SELECT COUNT(*) FROM document_segments s WHERE s.segment = g.id)
FROM segments g LEFT JOIN document_segments s ON s.segment = g.id LEFT JOIN chunks c ON c.document = s.document
GROUP BY g.id
"""


class MaintenanceLimits(Struct, frozen=True):
    """Sizes at which the store changes its method.

    They affect speed and disk use, but no result.
    """

    max_buffered: int = 4000
    """Buffered chunks or vectors above which a change flushes them at once."""
    min_segment: int = 64
    """Buffered chunks or vectors up to which `optimize` writes no segment."""
    max_segment: int = 131_072
    """Chunks per segment: memory use stays bounded."""
    max_vectors: int = 100_000
    """Vectors per file: likewise."""
    max_exact_vectors: int = 50_000
    """Vectors per file up to which all are compared. Larger files have the bits of codes apart."""
    max_loop_postings: int = 20_000
    """Postings up to which a loop is faster than importing numpy."""
    max_loop_postings_with_numpy: int = 500
    """Postings up to which a loop is faster even if numpy is imported."""


class SegmentMaintenance:
    """Maintains the segments of one index."""

    def __init__(self, sessions: Sessions, folder: Path, limits: MaintenanceLimits) -> None:
        self._sessions = sessions
        self._limits = limits
        self._folder = folder
        self.repaired: list[RepairedFile] = []
        """The files that were lost."""
        self._index_file = file_identity(sessions.path)
        self._reader = IndexReader(sessions, self.repair)

    @cached_property
    def _lock(self) -> FileLock:
        """Held by the one process that writes segments."""
        from filelock import FileLock  # noqa: PLC0415 - start-up is a feature: a search writes nothing

        return FileLock(self._folder.with_name(f"{self._folder.name}.lock"), mode=0o600)

    def flush_if_full(self) -> None:
        """Write buffered documents to a segment if there are many, unless another process does so."""
        if self._count_buffered() > self._limits.max_buffered:
            with translate_errors(self._sessions.path), self.exclusive(0.0) as is_exclusive:
                if is_exclusive:
                    self._flush()

    def flush_vectors_if_full(self) -> None:
        """Write buffered vectors to files if there are many, unless another process does so."""
        if self._spaces_to_flush(self._limits.max_buffered):
            with translate_errors(self._sessions.path), self.exclusive(0.0) as is_exclusive:
                if is_exclusive:
                    self._maintain_vectors(self._limits.max_buffered)

    def optimize(self) -> None:
        """Flush, merge and remove unused files, unless another process does so."""
        with translate_errors(self._sessions.path), self.exclusive(0.0) as is_exclusive:
            if not is_exclusive:
                return
            if self._count_buffered() > self._limits.min_segment:
                self._flush()
            self._merge()
            self._maintain_vectors(self._limits.min_segment, merge=True)
            self._rewrite_links()
            self._remove_unused_files()

    @contextmanager
    def exclusive(self, seconds: float) -> Iterator[bool]:
        """Keep other processes from writing segments, and yield whether the lock was acquired."""
        if not is_writable(self._sessions.path):
            yield False
            return
        from filelock import Timeout  # noqa: PLC0415 - start-up is a feature

        try:
            self._lock.acquire(timeout=seconds)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            self._lock.release()

    def repair(self, lost: LostSegmentError) -> None:
        """Remove lost files from the registry, and write their content to new ones if it is large.

        Vectors are nowhere else: their sections have to be embedded again.
        """
        vectors = 0
        with self._sessions.writing(durable=lost.kind == "vectors") as connection:
            if lost.kind == "postings":
                registry.drop_segments(connection, lost.segments)
            elif lost.kind == "vectors":
                vectors = lost_vectors.drop_lost_files(connection, self._folder)
            else:
                adjacency.drop_file(connection)
        if lost.kind != "vectors" or vectors:
            self.repaired.append(RepairedFile(str(lost), vectors))
        if lost.kind == "postings":
            self.flush_if_full()

    def _count_buffered(self) -> int:
        with self._reader.reading() as session:
            return registry.count_buffered_chunks(session.connection)

    def _flush(self) -> None:
        with self._reader.reading() as session:
            files = self._write_segments(session, registry.list_buffered(session.connection))
        self._register(files)

    def _merge(self) -> None:
        with self._reader.reading() as session:
            chosen = _choose_segments(session.connection, self._limits.max_segment)
            documents = registry.list_documents_in(session.connection, chosen)
            files = self._write_segments(session, documents, is_merge=True)
        if chosen:
            self._register(files, replaced=chosen)

    def _register(self, files: Iterable[tuple[str, Sequence[tuple[int, int]]]], replaced: Iterable[int] = ()) -> None:
        """Register written segments in place of others, in one transaction."""
        with self._sessions.writing() as connection:
            registry.drop_segments(connection, replaced)
            for file, documents in files:
                registry.register(connection, file, documents)

    def _write_segments(
        self, session: Session, documents: Sequence[tuple[int, int]], *, is_merge: bool = False
    ) -> list[tuple[str, Sequence[tuple[int, int]]]]:
        """Write as many segments as needed, and return their names and documents."""
        batches = _split_documents(session.connection, documents, self._limits.max_segment)
        return [(self._write_segment(session, batch, is_merge=is_merge), batch) for batch in batches]

    def _write_segment(self, session: Session, documents: Sequence[tuple[int, int]], *, is_merge: bool) -> str:
        from waymeet.stores.segments import postings  # noqa: PLC0415 - numpy costs more than a small search
        from waymeet.stores.sqlite.segments import segment_merge, segment_writer  # noqa: PLC0415 - likewise

        ids = [document for document, _ in documents]
        if is_merge:
            content = segment_merge.merge_segments(*registry.locate_documents(session, ids))
        else:
            content = postings.invert(registry.read_terms(session.connection, ids))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = f"{uuid4().hex}.segment"
        segment_writer.write_segment(self._folder / file, session, content, is_merge=is_merge)
        return file

    def _spaces_to_flush(self, max_buffered: int) -> list[int]:
        """List the spaces with more buffered vectors than that."""
        with self._reader.reading() as session:
            return [
                space
                for space in vector_registry.list_spaces(session.connection)
                if vector_registry.count_buffered(session.connection, space) > max_buffered
            ]

    def _maintain_vectors(self, max_buffered: int, *, merge: bool = False) -> None:
        to_flush = self._spaces_to_flush(max_buffered)
        with self._reader.reading() as session:
            with_files = {file.space for file in session.vectors}
        if to_flush or (merge and with_files):
            from waymeet.stores.sqlite.segments import vector_maintenance  # noqa: PLC0415 - likewise

            for space in to_flush:
                vector_maintenance.flush(self._sessions, self._folder, self._limits, space)
            for space in sorted(with_files | set(to_flush)) if merge else ():
                vector_maintenance.merge(self._sessions, self._folder, self._limits, space)

    def _rewrite_links(self) -> None:
        """Rewrite the link file if the links of many documents changed."""
        with self._reader.reading() as session:
            if not adjacency.is_due(session.connection, self._limits.min_segment):
                return
            file = adjacency.write_file(self._folder, session.connection)
        with self._sessions.writing() as connection:
            adjacency.register(connection, file, session.generation)

    def _remove_unused_files(self) -> None:
        """Remove files that are not registered.

        If another index file has replaced this one meanwhile, the folder belongs to that one, and nothing is removed.
        """
        if file_identity(self._sessions.path) != self._index_file:
            return
        with self._reader.reading() as session:
            registered = registry.registered_files(session.connection)
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in registered:
                    with suppress(PermissionError):  # on Windows a mapped file cannot be removed; a later run does it
                        path.unlink(missing_ok=True)


def _split_documents(
    connection: apsw.Connection, documents: Sequence[tuple[int, int]], max_chunks: int
) -> Iterator[list[tuple[int, int]]]:
    """Split documents into batches of a segment's size."""
    sizes = dict(connection.execute("SELECT document, COUNT(*) FROM chunks GROUP BY document"))
    batch: list[tuple[int, int]] = []
    chunks = 0
    for document in documents:
        chunks += sizes.get(document[0], 0)
        if batch and chunks > max_chunks:
            yield batch
            batch, chunks = [], sizes.get(document[0], 0)
        batch.append(document)
    if batch:
        yield batch


def _choose_segments(connection: apsw.Connection, max_chunks: int) -> list[int]:
    """Choose the segments to merge: those with many deletions, and small ones if there are many."""
    chosen, small = set(), set()
    for segment, chunks, deleted, live in connection.execute(_SEGMENT_SIZES):
        if deleted > _MAX_DELETED_SHARE * (deleted + live):
            chosen.add(segment)
        if chunks < max_chunks / 2:
            small.add(segment)
    return sorted(chosen | (small if len(small) > _MAX_SMALL_SEGMENTS else set()))
