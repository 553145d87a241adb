"""Connections and transactions: one connection for each thread, so that what one reads no other disturbs."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Lock, local
from typing import TYPE_CHECKING
from weakref import WeakSet

import apsw

from waymeet.errors import WaymeetError
from waymeet.stores.sqlite.database.connection import connect
from waymeet.stores.sqlite.database.errors import UnreadableError, translated, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from waymeet.stores.segments.array_file import Container
    from waymeet.stores.sqlite.segments import adjacency
    from waymeet.stores.sqlite.segments.vector_registry import Shelved


class Session:
    """One thread's connection, and the reading transaction it may be in."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.depth = 0
        self.generation = 0
        self.shelving = 0
        """How often segments were registered; changes without a new generation."""
        self.segments: Mapping[int, Container] = {}
        """The mapped segments of the generation that is held."""
        self.vectors: Mapping[Shelved, Container] = {}
        """The mapped files of vectors, likewise."""
        self.graph: tuple[adjacency.Shelved, Container] | None = None
        """The mapped file of neighbours, likewise."""


class _Current(local):
    session: Session | None = None


class Sessions:
    """The connections to one index file."""

    def __init__(
        self, path: Path, timeout: float, connection: apsw.Connection, begun: Callable[[Session], None]
    ) -> None:
        self.path = path
        self._begun = begun
        self.timeout = timeout
        self._lock = Lock()
        self._closed = False
        self._current = _Current()
        self._all: WeakSet[Session] = WeakSet()  # a thread's connection goes when the thread does
        self._add(connection)

    def begin(self) -> Session:
        """Hold the newest generation, or once more the one that this thread holds already."""
        with translated(self.path):
            session = self._session()
            if session.depth == 0:
                session.connection.execute("BEGIN")
                try:
                    # The first read fixes what is seen.
                    session.generation = _counter(session.connection, "generation")
                    session.shelving = _counter(session.connection, "registry_version")
                    self._begun(session)
                except BaseException:
                    _roll_back(session.connection)
                    raise
            session.depth += 1
            return session

    def end(self, session: Session) -> None:
        """Let go of what `begin` held."""
        session.depth -= 1
        if session.depth == 0:
            _roll_back(session.connection)  # nothing was written

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Ask questions within one generation."""
        session = self.begin()
        try:
            with self.asking(session):
                yield session
        finally:
            self.end(session)

    @contextmanager
    def asking(self, session: Session) -> Iterator[None]:
        """Say in our words what goes wrong while a question is answered."""
        with translated(self.path), _doubting(session):
            yield

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """Make changes that all happen or do not; the lock is taken at once, so no reader turns writer too late."""
        with translated(self.path):
            session = self._session()
            if session.depth:
                raise RuntimeError("a store cannot be changed while reading() holds one of its generations")
            session.connection.execute("BEGIN IMMEDIATE")
            try:
                with _doubting(session):
                    yield session.connection
                session.connection.execute("COMMIT")
            except BaseException:
                _roll_back(session.connection)
                raise

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            self._closed = True
            for session in self._all:
                session.connection.close(force=True)  # an error may have left a question half answered
            self._all.clear()

    def _session(self) -> Session:
        if self._closed:
            raise unavailable(self.path, "it was closed", "Open it again.")
        return self._current.session or self._add(connect(self.path, self.timeout))

    def _add(self, connection: apsw.Connection) -> Session:
        session = self._current.session = Session(connection)
        with self._lock:
            self._all.add(session)
        return session


def raise_generation(connection: apsw.Connection) -> None:
    """Count one more change, inside its own transaction."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE key = 'generation'")


def _counter(connection: apsw.Connection, name: str) -> int:
    found = connection.execute("SELECT value FROM counters WHERE key = ?", (name,)).get
    if not isinstance(found, int):
        raise UnreadableError(f"it does not say its {name}")
    return found


@contextmanager
def _doubting(session: Session) -> Iterator[None]:
    """Ask whether the files are at fault when something fails that should not: values may have changed their type."""
    try:
        yield
    except (WaymeetError, UnreadableError, apsw.Error, OSError):
        raise
    except Exception as error:
        verdict = session.connection.execute("PRAGMA integrity_check(1)").get
        if verdict != "ok":
            raise UnreadableError(str(verdict)) from error
        graph = (session.graph[1],) if session.graph else ()
        for container in (*session.segments.values(), *session.vectors.values(), *graph):
            from waymeet.stores.sqlite.check import derived_files  # noqa: PLC0415 - needed in an emergency only

            for wrong in (derived_files.wrong, derived_files.wrong_vectors, derived_files.wrong_graph):
                for _, file, what in wrong(session.connection, container.path.parent):
                    raise UnreadableError(f"the segment {file}: {what}") from error
        raise


def _roll_back(connection: apsw.Connection) -> None:
    """End the transaction if there still is one: after some errors SQLite has done so itself."""
    with suppress(apsw.Error):  # the error that led here is the one to tell; an open transaction dies with its file
        if connection.in_transaction:
            connection.execute("ROLLBACK")
