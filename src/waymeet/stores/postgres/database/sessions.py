"""Transactions of one collection, with new attempts when a server goes away."""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

import psycopg

from waymeet.errors import IndexUnavailableError
from waymeet.stores.postgres.database.errors import is_lost, translate, translate_errors
from waymeet.stores.postgres.database.server import open_pools
from waymeet.stores.postgres.database.session import Owner, Session, WriteSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from waymeet.stores.postgres.database.pool import Connection, Pool

Result = TypeVar("Result")

RECONNECT_SECONDS = 20.0
"""How long a call tries to reach a server again that answered before."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
_LOCK = 0x57594D53
"""Number of the locks under which segments are written: `WYMS`."""


class _Pinned(local):
    """The session that the current thread has pinned."""

    session: Session | None = None


class Sessions:
    """Reading and writing transactions of one collection."""

    def __init__(self, dsn: str, timeout: float) -> None:
        self._pools = open_pools(dsn)
        self._lock_timeout = f"{max(int(timeout * 1000), 1)}ms"
        self.server = self._pools.server
        self._pinned = _Pinned()
        self.collection = 0
        self.owner = Owner()

    def close(self) -> None:
        """Close all connections, unless other collections of this process use them."""
        self._pools.close()

    @property
    def _readers(self) -> Pool:
        return self._pools.readers

    @property
    def _writers(self) -> Pool:
        return self._pools.writers

    def with_connection(self, work: Callable[[Connection], Result], *, write: bool = False) -> Result:
        """Run work in a transaction that belongs to no collection, without another attempt."""
        with translate_errors(self.server), (self._writers if write else self._readers).connection() as connection:
            result = work(connection)
            connection.commit()
            return result

    def run_outside_transaction(self, statements: Sequence[str]) -> None:
        """Run statements that cannot be in a transaction, such as creating an index without locking."""
        with translate_errors(self.server), self._writers.connection() as connection:
            connection.autocommit = True
            try:
                for statement in statements:
                    connection.execute(statement.encode())
            finally:
                connection.autocommit = False

    def _retry(self, pool: Pool, work: Callable[[], Result]) -> Result:
        """Run work, again if the server goes away, for a while."""
        deadline, pause = monotonic() + RECONNECT_SECONDS, _FIRST_PAUSE
        while True:
            try:
                return work()
            except psycopg.Error as error:
                if not is_lost(error) or monotonic() + pause > deadline:
                    raise translate(self.server, error) from error
            pool.discard_idle()  # they lead to the same server
            sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    # --- reading -----------------------------------------------------------------------------------------------

    @property
    def is_pinned(self) -> bool:
        """Return whether this thread has pinned a generation."""
        return self._pinned.session is not None

    def read(self, work: Callable[[Session], Result]) -> Result:
        """Run work in the pinned session of this thread, or in one of its own."""
        session = self._pinned.session
        if session is not None:
            return self._read_pinned(session, work)

        def attempt() -> Result:
            with self._readers.connection() as connection:
                return work(Session(connection, self.collection))

        return self._retry(self._readers, attempt)

    def _read_pinned(self, session: Session, work: Callable[[Session], Result]) -> Result:
        try:
            return work(session)
        except psycopg.Error as error:
            if not is_lost(error):
                raise translate(self.server, error) from error
        self._continue_elsewhere(session)
        with translate_errors(self.server):
            return work(session)

    def _continue_elsewhere(self, session: Session) -> None:
        """Continue a pinned session on a new connection, if the collection has not changed since."""
        session.connection.close()
        again = self._begin()
        self._readers.release(session.connection)
        session.connection = again.connection
        if again.generation != session.generation:
            raise IndexUnavailableError(f"The connection to {self.server} was lost during this search.", "Try again.")

    def _begin(self) -> Session:
        """Begin a session whose connection stays in use."""
        return self._retry(self._readers, self._begin_once)

    def _begin_once(self) -> Session:
        connection = self._readers.acquire()
        try:
            return Session(connection, self.collection)
        except BaseException:
            self._readers.release(connection)
            raise

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Pin one generation for several reads of this thread."""
        outer = self._pinned.session
        if outer is not None:
            yield outer.generation
            return
        session = self._pinned.session = self._begin()
        try:
            yield session.generation
        finally:
            self._pinned.session = None
            self._readers.release(session.connection)

    @contextmanager
    def exclusive(self) -> Iterator[bool]:
        """Keep other processes from writing segments of the collection.

        Yields False if one of them does so now.
        """

        def acquire() -> tuple[Connection, bool]:
            connection = lockers.acquire()
            try:
                connection.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
                row = connection.execute(
                    "SELECT pg_try_advisory_xact_lock(%s, %s)", (_LOCK, self.collection)
                ).fetchone()
            except BaseException:
                lockers.release(connection)
                raise
            return connection, bool(row and row[0])

        lockers = self._pools.lockers
        connection, is_exclusive = self._retry(lockers, acquire)
        try:
            yield is_exclusive
        finally:
            lockers.release(connection)

    # --- writing -----------------------------------------------------------------------------------------------

    def write(self, work: Callable[[WriteSession], Result]) -> Result:
        """Run work in a transaction that changes the collection, again if the server goes away."""
        if self.is_pinned:
            raise RuntimeError("a store cannot be changed inside snapshot()")

        def attempt() -> Result:
            with self._writers.connection() as connection:
                result = work(WriteSession(connection, self.collection, self.owner, self._lock_timeout))
                connection.commit()
                return result

        result = self._retry(self._writers, attempt)
        self._pools.read_from_primary()
        return result
