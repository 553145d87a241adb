"""Opening an index file: making sure that it is one, and making one."""

import os
from pathlib import Path
from time import monotonic, sleep

import apsw

from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.schema import APPLICATION_ID, TABLES, VERSION

_CONNECTION = """
PRAGMA synchronous = NORMAL;       -- a power failure may take the last changes, never the file; files can be read again
PRAGMA cache_size = -32768;        -- 32 MB
PRAGMA journal_size_limit = 67108864;
PRAGMA cell_size_check = ON;       -- notice damage early
PRAGMA trusted_schema = OFF;       -- the file may come from a stranger
"""


_CHECKSUMS = "cksmvfs"
_CHECKSUM_BYTES = 8

OUTDATED_VERSION = "outdated_version"
"""Metadata key: the format that the file had before it was emptied."""
_USER_METADATA = ("roots",)
"""Keys of metadata that users entered: the folders added by `waymeet index --add-root`."""
_METADATA_TABLE = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('metadata', 'notes')"
"""The table of metadata was called `notes` up to format 5."""


def connect(path: Path, timeout: float, *, create: bool = False) -> apsw.Connection:
    """Open a connection that waits for locks up to the timeout, in seconds."""
    _watch_pages()
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(int(timeout * 1000))
    connection.execute(_CONNECTION)
    return connection


def _watch_pages() -> None:
    """Have SQLite end every page with a checksum, by which a flipped bit is noticed as soon as the page is read.

    The extension (sqlite.org/cksumvfs.html) comes with apsw and is found here without importing half the standard
    library. It changes how this process reads files of apsw's SQLite for good; files without checksums are read as
    ever. Measured on 58 MB, it costs nothing.
    """
    if _CHECKSUMS in apsw.vfs_names():
        return
    folder = Path(apsw.__file__).with_name("sqlite_extra_binaries")
    found = [path for ending in (".so", ".dll", ".dylib") if (path := folder / f"cksumvfs{ending}").exists()]
    if found:  # else an apsw that was built by hand: only what `check` works out itself is noticed
        connection = apsw.Connection(":memory:")
        connection.enable_load_extension(True)
        connection.load_extension(str(found[0]))
        connection.close()


def opened(path: Path, timeout: float, *, create: bool) -> apsw.Connection:
    """Open a file after making sure that it is an index; with `create`, make one where there is nothing."""
    _look_at_place(path, create=create)
    with errors.translated(path):
        connection = connect(path, timeout, create=create)
        try:
            if _is_empty(connection):
                if not create:
                    raise errors.missing(path)
                _make(connection)
                connection.close()
                connection = connect(path, timeout)  # one that was opened on an empty file keeps no checksums
            elif _is_outdated(connection):
                _empty_outdated(connection)
            _check(path, connection)
            if connection.execute("PRAGMA journal_mode").get != "wal":
                _write_ahead(connection, timeout)
        except BaseException:
            connection.close()
            raise
        return connection


def _look_at_place(path: Path, *, create: bool) -> None:
    try:
        if path.is_dir():
            raise errors.unavailable(path, "it is a folder", "Choose another place for the index.")
        if create:  # what is indexed may be private: the index is for its owner only
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        elif not path.exists():
            raise errors.missing(path)
    except OSError as error:
        raise errors.unavailable(path, error.strerror or str(error)) from error


def _is_empty(connection: apsw.Connection) -> bool:
    """Tell whether nothing was ever written; an interrupted creation leaves such a file behind."""
    return (_pragma(connection, "application_id"), _pragma(connection, "user_version"), _tables(connection)) == (
        0,
        0,
        0,
    )


def _make(connection: apsw.Connection) -> None:
    """Make the tables, without the write-ahead log: what keeps checksums must find the first page in the file itself.

    While that page lies in the log alone, a process that opens the file would not see that it has checksums, and the
    pages it writes would look damaged to all others.
    """
    if _CHECKSUMS in apsw.vfs_names():
        connection.reserve_bytes(reserve=_CHECKSUM_BYTES)
    connection.execute("BEGIN IMMEDIATE")
    if _is_empty(connection):  # another process may have been quicker
        connection.execute(TABLES)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _is_outdated(connection: apsw.Connection) -> bool:
    """Tell whether an earlier version of Waymeet made the file."""
    ours = _pragma(connection, "application_id") == APPLICATION_ID
    return ours and 0 < _pragma(connection, "user_version") < VERSION


def _empty_outdated(connection: apsw.Connection) -> None:
    """Replace the tables of an older format by empty ones of this format.

    Documents and vectors are derived from the project's files. Without `indexed_at` in its metadata the index counts
    as not indexed, so the next search or `waymeet index` rebuilds it. What a user entered is carried over.
    """
    connection.execute("BEGIN IMMEDIATE")
    if _is_outdated(connection):  # another process may have been faster
        version = _pragma(connection, "user_version")
        metadata = _user_metadata(connection)
        objects = "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'trigger') AND name NOT LIKE 'sqlite_%'"
        for kind, name in sorted(connection.execute(objects).fetchall(), reverse=True):  # triggers before tables
            connection.execute(f'DROP {kind} "{name}"')
        connection.execute(TABLES)
        metadata.append((OUTDATED_VERSION, str(version)))
        connection.executemany("INSERT INTO metadata VALUES (?, ?)", metadata)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _user_metadata(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Read the metadata that cannot be derived from files."""
    table = connection.execute(_METADATA_TABLE).get
    if table is None:
        return []
    marks = ", ".join("?" * len(_USER_METADATA))
    sql = f"SELECT key, value FROM {table} WHERE key IN ({marks})"  # noqa: S608 - constants
    return list(connection.execute(sql, _USER_METADATA))


def _write_ahead(connection: apsw.Connection, timeout: float) -> None:
    """Turn the write-ahead log on; SQLite does not wait by itself when several processes do so at once."""
    until = monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except apsw.BusyError:
            if monotonic() > until:
                raise
            sleep(0.01)
        else:
            return


def _check(path: Path, connection: apsw.Connection) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise errors.foreign(path)
    version = _pragma(connection, "user_version")
    if version > VERSION:
        raise errors.newer(path, version, VERSION)
    if version < VERSION:
        raise errors.damaged(path, f"it says it has format {version}, which never existed")
    if _CHECKSUMS not in apsw.vfs_names() and connection.reserve_bytes() == _CHECKSUM_BYTES:
        # What such a build wrote would look damaged to every other.
        cause = "its pages have checksums, which this build of apsw cannot keep"
        raise errors.unavailable(path, cause, "Install apsw from its published wheels.")
    connection.execute("SELECT value FROM counters WHERE key = 'generation'").fetchall()


def _pragma(connection: apsw.Connection, name: str) -> int:
    found: int = connection.execute(f"PRAGMA {name}").get
    return found


def _tables(connection: apsw.Connection) -> int:
    found: int = connection.execute("SELECT COUNT(*) FROM sqlite_schema").get
    return found
