"""Lookups without opening a store, for shell completion and the list of projects."""

from contextlib import closing
from pathlib import Path

from waymeet.errors import NoIndexError
from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.connection import connect

_TIMEOUT_SECONDS = 0.2
_WITH_PREFIX = "SELECT path FROM documents WHERE path >= ? AND path < ? ORDER BY path LIMIT ?"
_LAST_CHARACTER = "\U0010ffff"


def paths_with_prefix(index: Path, prefix: str, limit: int) -> list[str]:
    """List indexed paths with a prefix, in alphabetical order."""
    return _read_column(index, _WITH_PREFIX, (prefix, prefix + _LAST_CHARACTER, limit))


def list_namespaces(index: Path) -> list[str]:
    """List the namespaces of documents."""
    return _read_column(index, "SELECT DISTINCT namespace FROM documents WHERE namespace != '' ORDER BY namespace", ())


def read_root(index: Path) -> str:
    """Return the folder that an index was made from, or the empty string."""
    return next(iter(_read_column(index, "SELECT value FROM metadata WHERE key = 'root'", ())), "")


def _read_column(index: Path, sql: str, bindings: tuple[str | int, ...]) -> list[str]:
    if not index.is_file():
        raise NoIndexError(f"There is no index {index}.", "Run: waymeet index")
    with errors.translate_errors(index), closing(connect(index, _TIMEOUT_SECONDS)) as connection:
        return [str(value) for (value,) in connection.execute(sql, bindings)]
