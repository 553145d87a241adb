"""Opening an index file: making sure that it is one, and making one."""

import os
from pathlib import Path

import apsw

from waymeet.stores.sqlite import trouble
from waymeet.stores.sqlite.schema import APPLICATION_ID, TABLES, VERSION

_CONNECTION = """
PRAGMA synchronous = NORMAL;       -- a power failure may take the last changes, never the file; files can be read again
PRAGMA cache_size = -32768;        -- 32 MB
PRAGMA journal_size_limit = 67108864;
PRAGMA cell_size_check = ON;       -- notice damage early
PRAGMA trusted_schema = OFF;       -- the file may come from a stranger
"""


def connect(path: Path, timeout: float, *, create: bool = False) -> apsw.Connection:
    """Open a connection that waits for locks up to the timeout, in seconds."""
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(int(timeout * 1000))
    connection.execute(_CONNECTION)
    return connection


def opened(path: Path, timeout: float, *, create: bool) -> apsw.Connection:
    """Open a file after making sure that it is an index; with `create`, make one where there is nothing."""
    _look_at_place(path, create=create)
    with trouble.translated(path):
        connection = connect(path, timeout, create=create)
        try:
            if _is_empty(connection):
                if not create:
                    raise trouble.missing(path)
                _make(connection)
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _look_at_place(path: Path, *, create: bool) -> None:
    try:
        if path.is_dir():
            raise trouble.unavailable(path, "it is a folder", "Choose another place for the index.")
        if create:  # what is indexed may be private: the index is for its owner only
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        elif not path.exists():
            raise trouble.missing(path)
    except OSError as error:
        raise trouble.unavailable(path, error.strerror or str(error)) from error


def _is_empty(connection: apsw.Connection) -> bool:
    """Tell whether nothing was ever written; an interrupted creation leaves such a file behind."""
    return (_pragma(connection, "application_id"), _pragma(connection, "user_version"), _tables(connection)) == (
        0,
        0,
        0,
    )


def _make(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if _is_empty(connection):  # another process may have been quicker
        connection.execute(TABLES)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _check(path: Path, connection: apsw.Connection) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise trouble.foreign(path)
    version = _pragma(connection, "user_version")
    if version > VERSION:
        raise trouble.newer(path, version, VERSION)
    if version < VERSION:
        raise trouble.damaged(path, f"it says it has format {version}, which never existed")
    connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchall()


def _pragma(connection: apsw.Connection, name: str) -> int:
    found: int = connection.execute(f"PRAGMA {name}").get
    return found


def _tables(connection: apsw.Connection) -> int:
    found: int = connection.execute("SELECT COUNT(*) FROM sqlite_schema").get
    return found
