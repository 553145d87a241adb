"""The connections of this process to a server, shared by all collections that are open."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import psycopg

from waymeet.stores.postgres.database import address
from waymeet.stores.postgres.database.pool import Pool
from waymeet.stores.postgres.database.schema import SCHEMA

if TYPE_CHECKING:
    from waymeet.stores.postgres.database.pool import Connection

_READERS, _WRITERS = 16, 4
"""Connections at most."""
_READ_SECONDS, _WRITE_SECONDS, _IDLE_SECONDS = 60, 600, 600
"""Limits of a statement and of an idle transaction, which the server applies."""
_CONFIGURE = """
SELECT set_config('search_path', %s || current_setting('search_path') || coalesce(
        (SELECT ',' || quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
         WHERE e.extname = 'vector'), ''), false),
    set_config('statement_timeout', %s, false),
    set_config('idle_in_transaction_session_timeout', %s, false), set_config('jit', 'off', false),
    set_config('join_collapse_limit', '1', false)
"""
"""Joins are executed in the order in which they are written: postings first, whatever the statistics say."""


class ServerPools:
    """Pools of connections for reading and for writing."""

    def __init__(self, dsn: str) -> None:
        self.server = address.mask_address(dsn)
        self._parameters = address.parse_address(dsn)
        self._dsn = dsn
        self._reads_primary = not address.reads_from_replica(self._parameters)
        self.writers = Pool(self._connect_writer, _WRITERS)
        self.readers = Pool(self._connect_reader, _READERS)
        self.lockers = Pool(self._connect_writer, _WRITERS)
        """Connections that have a lock while others are used: from the pool of these, all might be taken."""
        self.users = 0

    def _connect(self, parameters: str, seconds: int) -> Connection:
        connection = psycopg.connect(parameters)
        connection.execute(_CONFIGURE, (f"{SCHEMA},", f"{seconds}s", f"{_IDLE_SECONDS}s"))
        connection.commit()
        return connection

    def _connect_writer(self) -> Connection:
        return self._connect(address.writer_parameters(self._parameters), _WRITE_SECONDS)

    def _connect_reader(self) -> Connection:
        choose = address.writer_parameters if self._reads_primary else address.reader_parameters
        connection = self._connect(choose(self._parameters), _READ_SECONDS)
        connection.autocommit = True  # a session begins its transaction itself
        return connection

    def read_from_primary(self) -> None:
        """Stop reading from replicas: they may be behind what this process has just written."""
        if not self._reads_primary:
            self._reads_primary = True
            self.readers.discard_idle()

    def close(self) -> None:
        """Close all connections when nobody uses them any more."""
        with _lock:
            self.users -= 1
            if self.users == 0:
                _open.pop(self._dsn, None)
                self.readers.close()
                self.writers.close()
                self.lockers.close()


_open: dict[str, ServerPools] = {}
_lock = Lock()


def open_pools(dsn: str) -> ServerPools:
    """Return the pools for an address, which must be closed."""
    with _lock:
        if dsn not in _open:
            _open[dsn] = ServerPools(dsn)
        pools = _open[dsn]
        pools.users += 1
        return pools
