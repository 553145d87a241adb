"""Connections and transactions, with one connection per thread."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Lock, local
from typing import TYPE_CHECKING
from weakref import WeakSet

import apsw

from waymeet.errors import WaymeetError
from waymeet.stores.sqlite.database.connection import connect
from waymeet.stores.sqlite.database.errors import UnreadableError, translate_errors, unavailable_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from waymeet.stores.segments.array_file import ArrayFile
    from waymeet.stores.sqlite.segments.adjacency import LinkFile
    from waymeet.stores.sqlite.segments.vector_registry import VectorFile


class Session:
    """One thread's connection, with the read transaction it may be in."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.depth = 0
        """How many nested reads use the transaction."""
        self.is_durable = False
        """Whether transactions are synced when they are committed."""
        self.files: tuple[tuple[int, ...] | None, ...] | None = None
        """States of the files of a connection that can only read and does not see changes; None for others."""
        self.generation = 0
        self.registry_version = 0
        """How often segment files were registered or dropped. That does not change the generation."""
        self.segments: Mapping[int, ArrayFile] = {}
        """The mapped segments of the generation, by id."""
        self.vectors: Mapping[VectorFile, ArrayFile] = {}
        """The mapped vector files of the generation."""
        self.links: tuple[LinkFile, ArrayFile] | None = None
        """The mapped link file of the generation."""

    @property
    def version(self) -> tuple[int, int]:
        """Return generation and registry version: the key of all that is cached between reads."""
        return self.generation, self.registry_version


class _Current(local):
    session: Session | None = None


class Sessions:
    """The connections to one index file.

    `on_begin` is called at the start of every read transaction, to map the files that its generation lists.
    """

    def __init__(
        self, path: Path, timeout: float, connection: apsw.Connection, on_begin: Callable[[Session], None]
    ) -> None:
        self.path = path
        self._on_begin = on_begin
        self.timeout = timeout
        self._lock = Lock()
        self._is_closed = False
        self._current = _Current()
        self._all: WeakSet[Session] = WeakSet()  # a thread's connection is released with the thread
        self._add(connection)

    def begin(self) -> Session:
        """Pin the newest generation, or the one that this thread has pinned already."""
        current = self._current.session
        if current is not None and current.depth and not self._is_closed:
            current.depth += 1
            return current
        with translate_errors(self.path):
            session = self._session()
            if session.depth == 0:
                session.connection.execute("BEGIN")
                try:
                    # SQLite fixes the snapshot at the first read.
                    session.generation = _read_counter(session.connection, "generation")
                    session.registry_version = _read_counter(session.connection, "registry_version")
                    self._on_begin(session)
                except BaseException:
                    _roll_back(session.connection)
                    raise
            session.depth += 1
            return session

    def end(self, session: Session) -> None:
        """Release what `begin` pinned."""
        session.depth -= 1
        if session.depth == 0:
            _roll_back(session.connection)  # nothing was written

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Read within one generation."""
        session = self.begin()
        try:
            with self.translating(session):
                yield session
        finally:
            self.end(session)

    @contextmanager
    def translating(self, session: Session) -> Iterator[None]:
        """Translate errors during a read, and diagnose unexpected ones."""
        with translate_errors(self.path), _diagnosing(session):
            yield

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[apsw.Connection]:
        """Make changes in one transaction, which a power failure cannot undo if it is durable.

        The write lock is taken at the start (`BEGIN IMMEDIATE`): a read transaction cannot become a writing one while
        another process writes.
        """
        with translate_errors(self.path):
            session = self._session()
            if session.depth:
                raise RuntimeError("a store cannot be changed inside snapshot()")
            if durable != session.is_durable:
                session.connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                session.is_durable = durable
            session.connection.execute("BEGIN IMMEDIATE")
            try:
                with _diagnosing(session):
                    yield session.connection
                session.connection.execute("COMMIT")
            except BaseException:
                _roll_back(session.connection)
                raise

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            self._is_closed = True
            for session in self._all:
                session.connection.close(force=True)  # an error may have left a statement unfinished
            self._all.clear()

    def _session(self) -> Session:
        if self._is_closed:
            raise unavailable_error(self.path, "it was closed", "Open it again.")
        session = self._current.session
        if session is not None and session.depth == 0 and _has_other_files(session, self.path):
            session.connection.close(force=True)
            session = None
        return session or self._add(connect(self.path, self.timeout))

    def _add(self, connection: apsw.Connection) -> Session:
        session = self._current.session = Session(connection)
        if connection.readonly("main"):
            session.files = _file_states(self.path)
        with self._lock:
            self._all.add(session)
        return session


def _has_other_files(session: Session, path: Path) -> bool:
    """Return whether the files of a read-only session, which knows them, were replaced."""
    return session.files is not None and session.files != _file_states(path)


def _file_states(path: Path) -> tuple[tuple[int, ...] | None, ...]:
    """Return identity, size and time of a file and its log, None for a missing one."""
    states: list[tuple[int, ...] | None] = []
    for suffix in ("", "-wal"):
        try:
            status = path.with_name(path.name + suffix).stat()
        except OSError:
            states.append(None)
        else:
            states.append((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(states)


def raise_generation(connection: apsw.Connection) -> None:
    """Increment the generation, inside the transaction of the change."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE key = 'generation'")


def _read_counter(connection: apsw.Connection, name: str) -> int:
    value = connection.execute("SELECT value FROM counters WHERE key = ?", (name,)).get
    if not isinstance(value, int):
        raise UnreadableError(f"the counter {name} is missing")
    return value


@contextmanager
def _diagnosing(session: Session) -> Iterator[None]:
    """Check the files after an unexpected exception: a changed value may have caused it."""
    try:
        yield
    except (WaymeetError, UnreadableError, apsw.Error, OSError):
        raise
    except Exception as error:
        verdict = session.connection.execute("PRAGMA integrity_check(1)").get
        if verdict != "ok":
            raise UnreadableError(str(verdict)) from error
        links = (session.links[1],) if session.links else ()
        for file in (*session.segments.values(), *session.vectors.values(), *links):
            from waymeet.stores.sqlite.check import derived_files  # noqa: PLC0415 - needed in an emergency only

            for check in (derived_files.check_segments, derived_files.check_vectors, derived_files.check_links):
                for problem in check(session.connection, file.path.parent):
                    raise UnreadableError(f"the segment {problem.file}: {problem.what}") from error
        raise


def _roll_back(connection: apsw.Connection) -> None:
    """End the transaction unless SQLite has ended it after an error."""
    with suppress(apsw.Error):  # the first error is the one to report; closing the file ends the transaction, too
        if connection.in_transaction:
            connection.execute("ROLLBACK")
