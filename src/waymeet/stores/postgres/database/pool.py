"""A pool of connections that are opened when needed and used again."""

from __future__ import annotations

from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]


class Pool:
    """Connections to one server. The one used last is used first."""

    def __init__(self, connect: Callable[[], Connection], size: int) -> None:
        self._connect = connect
        self._idle: list[Connection] = []
        self._lock = Lock()
        self._free = BoundedSemaphore(size)
        self._is_closed = False

    def acquire(self) -> Connection:
        """Take a connection, which must be released."""
        self._free.acquire()
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        try:
            return connection or self._connect()
        except BaseException:
            self._free.release()
            raise

    def release(self, connection: Connection) -> None:
        """Give a connection back. It is closed rather than kept if it is unusable."""
        try:
            if not connection.closed:
                connection.rollback()
        except psycopg.Error:
            connection.close()
        with self._lock:
            is_kept = not connection.closed and not self._is_closed
            if is_kept:
                self._idle.append(connection)
        if not is_kept:
            connection.close()
        self._free.release()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection."""
        connection = self.acquire()
        try:
            yield connection
        finally:
            self.release(connection)

    def discard_idle(self) -> None:
        """Close the connections that nobody uses, for example because their server ended."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close all connections, those in use when they are released."""
        self._is_closed = True
        self.discard_idle()
