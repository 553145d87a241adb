"""Opening, validating and creating index files."""

import os
import sys
from pathlib import Path
from time import monotonic, sleep

import apsw
from msgspec import DecodeError

from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.schema import APPLICATION_ID, TABLES, UPGRADED_VERSIONS, VERSION

_PRAGMAS = """
PRAGMA synchronous = NORMAL;       -- a power failure may lose the last changes, never the file: they are indexed again
PRAGMA cache_size = -32768;        -- 32 MB
PRAGMA journal_size_limit = 67108864;
PRAGMA cell_size_check = ON;       -- detect corruption early
PRAGMA trusted_schema = OFF;       -- the file may come from an untrusted source
"""


_CHECKSUM_VFS = "cksmvfs"
_CHECKSUM_BYTES = 8
_WITHOUT_LOCKS = "win32-none" if sys.platform == "win32" else "unix-none"
"""The part of SQLite that opens files without locks."""

_OUTDATED = "an earlier version of Waymeet wrote it, and it cannot be rebuilt where nothing can be written"
_OUTDATED_HINT = "Run `waymeet index` where it can be written, or choose another file with --index."
OUTDATED_VERSION = "outdated_version"
"""Metadata key: the format that the file had before it was emptied."""
_USER_METADATA = ("roots",)
"""Keys of metadata that users entered: the folders added by `waymeet index --add-root`."""
_METADATA_TABLE = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('metadata', 'notes')"
"""The table of metadata was called `notes` up to format 5."""


def connect(path: Path, timeout: float, *, create: bool = False) -> apsw.Connection:
    """Open a connection that waits for locks up to the timeout, in seconds.

    It can only read if the file or its folder cannot be written.
    """
    _load_checksum_extension()
    if create or is_writable(path) or not path.exists():
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        connection = apsw.Connection(str(path), flags=flags)
    else:
        connection = _connect_read_only(path)
    connection.set_busy_timeout(int(timeout * 1000))
    connection.execute(_PRAGMAS)
    return connection


def is_writable(path: Path) -> bool:
    """Tell whether a file and its folder can be written: SQLite needs other files beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _connect_read_only(path: Path) -> apsw.Connection:
    """Open a file without writing anything beside it.

    Processes that write share the state of the write-ahead log in a file `-shm`. If it is missing, no process writes:
    a log that one of them left is read without locks, and without a log the file itself is complete.
    """
    log, shared = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    location = f"{path.absolute().as_uri()}?mode=ro"
    if not log.exists() or not log.stat().st_size:
        return apsw.Connection(f"{location}&immutable=1", flags=flags)
    if shared.exists():
        return apsw.Connection(location, flags=flags)
    connection = apsw.Connection(f"{location}&vfs={_WITHOUT_LOCKS}", flags=flags)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # then the state is kept in memory
    return connection


def _load_checksum_extension() -> None:
    """Have SQLite end every page with a checksum, which is verified whenever the page is read.

    The extension (sqlite.org/cksumvfs.html) comes with apsw. It is located here without apsw's own helper, which would
    import half the standard library. Once loaded, it applies to all connections of the process. Files without
    checksums are read as before. On 58 MB it costs no measurable time.
    """
    if _CHECKSUM_VFS in apsw.vfs_names():
        return
    folder = Path(apsw.__file__).with_name("sqlite_extra_binaries")
    libraries = [path for suffix in (".so", ".dll", ".dylib") if (path := folder / f"cksumvfs{suffix}").exists()]
    if libraries:  # else a custom build of apsw: only what `check` computes itself is detected
        connection = apsw.Connection(":memory:")
        connection.enable_load_extension(True)
        connection.load_extension(str(libraries[0]))
        connection.close()


def open_index(path: Path, timeout: float, *, create: bool) -> apsw.Connection:
    """Open and validate an index file, or create it if there is none and `create` is on."""
    _check_path(path, create=create)
    with errors.translate_errors(path):
        connection = connect(path, timeout, create=create)
        try:
            if _is_empty(connection):
                if not create:
                    raise errors.no_index_error(path)
                _create_tables(connection)
                connection.close()
                connection = connect(path, timeout)  # a connection opened on an empty file writes no checksums
            elif _is_outdated(connection):
                if connection.readonly("main"):
                    raise errors.unavailable_error(path, _OUTDATED, _OUTDATED_HINT)
                _convert_outdated(connection)
            _validate(path, connection)
            if not connection.readonly("main") and connection.execute("PRAGMA journal_mode").get != "wal":
                _enable_wal(connection, timeout)
        except BaseException:
            connection.close()
            raise
        return connection


def _check_path(path: Path, *, create: bool) -> None:
    try:
        if path.is_dir():
            raise errors.unavailable_error(path, "it is a folder", "Choose another path for the index.")
        if create:  # the indexed files may be private: only their owner may read the index
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        elif not path.exists():
            raise errors.no_index_error(path)
    except OSError as error:
        raise errors.unavailable_error(path, error.strerror or str(error)) from error


def _is_empty(connection: apsw.Connection) -> bool:
    """Return whether nothing was ever written. An interrupted creation leaves such a file."""
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_schema").get
    return (_pragma(connection, "application_id"), _pragma(connection, "user_version"), tables) == (0, 0, 0)


def _create_tables(connection: apsw.Connection) -> None:
    """Create the tables in rollback-journal mode: the first page must be in the file itself.

    While that page is only in the write-ahead log, a process that opens the file does not see that pages have
    checksums, and the pages it writes look corrupt to all others.
    """
    if _CHECKSUM_VFS in apsw.vfs_names():
        connection.reserve_bytes(reserve=_CHECKSUM_BYTES)
    connection.execute("BEGIN IMMEDIATE")
    if _is_empty(connection):  # another process may have been faster
        connection.execute(TABLES)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _is_outdated(connection: apsw.Connection) -> bool:
    """Return whether an earlier version of Waymeet wrote the file."""
    is_index = _pragma(connection, "application_id") == APPLICATION_ID
    return is_index and 0 < _pragma(connection, "user_version") < VERSION


def _convert_outdated(connection: apsw.Connection) -> None:
    """Upgrade a file of one of the formats before this one, and empty any older one."""
    if not _upgrade(connection):
        _empty_outdated(connection)


def _upgrade(connection: apsw.Connection) -> bool:
    """Upgrade the tables in one transaction, and return whether they could be read."""
    from waymeet.stores.sqlite.database import upgrade  # noqa: PLC0415 - needed once

    version = _pragma(connection, "user_version")
    if version not in UPGRADED_VERSIONS:
        return False
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _is_outdated(connection):  # another process may have been faster
            upgrade.upgrade_tables(connection, version)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except (*errors.CORRUPT, errors.UnreadableError, DecodeError):
        connection.execute("ROLLBACK")
        return False
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    upgrade.release_free_pages(connection)
    return True


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


def _enable_wal(connection: apsw.Connection, timeout: float) -> None:
    """Enable the write-ahead log, waiting for other processes that do the same.

    SQLite's busy timeout does not apply to this pragma.
    """
    deadline = monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except apsw.BusyError:
            if monotonic() > deadline:
                raise
            sleep(0.01)
        else:
            return


def _validate(path: Path, connection: apsw.Connection) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise errors.foreign_file_error(path)
    version = _pragma(connection, "user_version")
    if version > VERSION:
        raise errors.newer_index_error(path, version, VERSION)
    if version < VERSION:
        raise errors.damaged_error(path, f"unknown format {version}")
    if _CHECKSUM_VFS not in apsw.vfs_names() and connection.reserve_bytes() == _CHECKSUM_BYTES:
        # Pages written without checksums would look corrupt to every other process.
        cause = "its pages have checksums, which this build of apsw does not support"
        raise errors.unavailable_error(path, cause, "Install apsw from its published wheels.")
    connection.execute("SELECT value FROM counters WHERE key = 'generation'").fetchall()


def _pragma(connection: apsw.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").get
    return value
