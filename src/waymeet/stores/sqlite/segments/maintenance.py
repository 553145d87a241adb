"""Keeping segments: shelving loose documents, merging what is small or half dead, clearing away what nobody names.

All of it happens beside the truth. A transaction is taken only at the end, to register what lies ready; readers go on
with the old segments until then, and a crash at any moment leaves at most a file that nobody names.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from filelock import FileLock, Timeout
from msgspec import Struct

from waymeet.paths import file_identity
from waymeet.stores.sqlite.database.errors import translated
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry
from waymeet.stores.sqlite.segments.index_reader import IndexReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import apsw

    from waymeet.stores.sqlite.database.sessions import Session, Sessions
    from waymeet.stores.sqlite.segments.open_segments import LostSegmentError

_SMALL_ONES = 4
_DEAD_PART = 0.3


class MaintenanceLimits(Struct, frozen=True):
    """From where on which way is worth its while: numbers that change speed and size, but no answer."""

    loose: int = 4000
    """Loose chunks after which a change shelves them at once."""
    few: int = 64
    """Loose chunks that are not worth a segment."""
    largest: int = 100_000
    """Most chunks of a segment: what is built in memory stays bounded."""
    exact: int = 50_000
    """Vectors in one file up to which all of them are compared; above, only likely ones."""
    by_hand: int = 20_000
    """Occurrences up to which loops are quicker than importing numpy."""
    by_hand_anyway: int = 500
    """Occurrences up to which loops are quicker even if numpy is there."""


class SegmentMaintenance:
    """Looks after the segments of one index."""

    def __init__(self, sessions: Sessions, folder: Path, effort: MaintenanceLimits) -> None:
        self._sessions = sessions
        self._effort = effort
        self._folder = folder
        self.mended: list[str] = []
        """What was found lost and made anew, since somebody last asked."""
        self._lock = FileLock(folder.with_name(f"{folder.name}.lock"), mode=0o600)
        self._file = file_identity(sessions.path)
        self._reader = IndexReader(sessions, self.mend)

    def shelve(self) -> None:
        """Make a segment of the loose documents if they have become many, unless another process is at it."""
        if self._loose() > self._effort.loose:
            with translated(self._sessions.path), suppress(Timeout), self._lock.acquire(blocking=False):
                self._shelve()

    def tidy(self) -> None:
        """Shelve, merge and clear away, unless another process is at it."""
        with translated(self._sessions.path), suppress(Timeout), self._lock.acquire(blocking=False):
            if self._loose() > self._effort.few:
                self._shelve()
            self._merge()
            self._keep_vectors(self._effort.few, merge=True)
            self._keep_links()
            self._clear()

    @contextmanager
    def alone(self, seconds: float) -> Iterator[bool]:
        """Keep others from making segments, and say whether that succeeded within some seconds."""
        try:
            self._lock.acquire(timeout=seconds)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            self._lock.release()

    def retire(self, segments: Iterable[int]) -> None:
        """Forget segments and shelve their documents anew."""
        with self._sessions.writing() as connection:
            registry.retire(connection, segments)
        self.shelve()

    def mend(self, lost: LostSegmentError) -> None:
        """Make anew what a lost segment held."""
        self.mended.append(str(lost))
        if lost.holds == "words":
            self.retire([lost.segment])
            return
        with self._sessions.writing() as connection:
            if lost.holds == "links":
                adjacency.retire(connection)
            else:
                vector_registry.retire(connection, lost.segment)
        if lost.holds == "vectors":
            self.shelve_vectors()

    def shelve_vectors(self) -> None:
        """Put loose vectors into files if they have become many, unless another process is at it."""
        if self._spaces(self._effort.loose):
            with translated(self._sessions.path), suppress(Timeout), self._lock.acquire(blocking=False):
                self._keep_vectors(self._effort.loose)

    def _spaces(self, more_than: int) -> list[int]:
        """List the spaces with more loose vectors than that."""
        with self._reader.reading() as session:
            spaces = vector_registry.spaces(session.connection)
            return [space for space in spaces if vector_registry.count_loose(session.connection, space) > more_than]

    def _keep_vectors(self, more_than: int, *, merge: bool = False) -> None:
        spaces = self._spaces(more_than)
        with self._reader.reading() as session:
            filed = {each.space for each in session.vectors}
        if spaces or (merge and filed):
            from waymeet.stores.sqlite.segments import vector_maintenance  # noqa: PLC0415 - numpy costs more than a small search

            for space in spaces:
                vector_maintenance.shelve(self._sessions, self._folder, self._effort, space)
            for space in sorted(filed | set(spaces)) if merge else ():
                vector_maintenance.merge(self._sessions, self._folder, self._effort, space)

    def _keep_links(self) -> None:
        """Write the neighbours anew if those of many documents changed."""
        with self._reader.reading() as session:
            if not adjacency.due(session.connection, self._effort.few):
                return
            file = adjacency.write(self._folder, session.connection)
        with self._sessions.writing() as connection:
            adjacency.register(connection, file, session.generation)

    def _loose(self) -> int:
        with self._reader.reading() as session:
            sql = "SELECT COUNT(*) FROM document_segments s JOIN chunks c ON c.document = s.document WHERE s.segment IS NULL"
            found: int = session.connection.execute(sql).get
            return found

    def _shelve(self) -> None:
        with self._reader.reading() as session:
            made = self._made(session, registry.loose(session.connection))
        self._register(made)

    def _merge(self) -> None:
        with self._reader.reading() as session:
            worn = _worn(session.connection, self._effort.largest)
            made = self._made(session, registry.on(session.connection, worn), anew=True)
        if worn:
            self._register(made, worn)

    def _register(self, made: Iterable[tuple[str, Sequence[tuple[int, int]]]], instead_of: Iterable[int] = ()) -> None:
        """Put documents on the segments that lie ready, all in one transaction."""
        with self._sessions.writing() as connection:
            registry.retire(connection, instead_of)
            for file, documents in made:
                registry.register(connection, file, documents)

    def _clear(self) -> None:
        """Remove files that no generation to come will name; not those of an index that took the place of this one."""
        if file_identity(self._sessions.path) != self._file:
            return
        with self._reader.reading() as session:
            named = registry.files(session.connection)
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in named:
                    with suppress(PermissionError):  # where a mapped file cannot be removed, a later run does it
                        path.unlink(missing_ok=True)

    def _made(
        self, session: Session, documents: Sequence[tuple[int, int]], *, anew: bool = False
    ) -> list[tuple[str, Sequence[tuple[int, int]]]]:
        """Write segments of documents, as many as it takes."""
        portions = _portions(session.connection, documents, self._effort.largest)
        return [(self._write(session, part, anew=anew), part) for part in portions]

    def _write(self, session: Session, documents: Sequence[tuple[int, int]], *, anew: bool) -> str:
        from waymeet.stores.sqlite.segments import segment_writer  # noqa: PLC0415 - numpy costs more than a small search

        leaves = list(registry.leaves(session.connection, (document for document, _ in documents)))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = f"{uuid4().hex}.segment"
        segment_writer.write(self._folder / file, session, leaves, anew=anew)
        return file


def _portions(
    connection: apsw.Connection, documents: Sequence[tuple[int, int]], largest: int
) -> Iterator[list[tuple[int, int]]]:
    """Divide documents so that no segment gets too large."""
    sizes = dict(connection.execute("SELECT document, COUNT(*) FROM chunks GROUP BY document"))
    portion: list[tuple[int, int]] = []
    size = 0
    for document in documents:
        size += sizes.get(document[0], 0)
        if portion and size > largest:
            yield portion
            portion, size = [], sizes.get(document[0], 0)
        portion.append(document)
    if portion:
        yield portion


def _worn(connection: apsw.Connection, largest: int) -> list[int]:
    """Choose the segments to merge: those that are half dead, and small ones when they have become many."""
    sql = """
    SELECT g.id, COUNT(c.id), (SELECT COUNT(*) FROM deleted_documents d WHERE d.segment = g.id),
        (SELECT COUNT(*) FROM document_segments s WHERE s.segment = g.id)
    FROM segments g LEFT JOIN document_segments s ON s.segment = g.id LEFT JOIN chunks c ON c.document = s.document GROUP BY g.id
    """
    worn, small = set(), set()
    for segment, chunks, dead, living in connection.execute(sql):
        if dead > _DEAD_PART * (dead + living):
            worn.add(segment)
        if chunks < largest / 2:
            small.add(segment)
    return sorted(worn | (small if len(small) > _SMALL_ONES else set()))
