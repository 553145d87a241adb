"""A quick look into an index file, for those who cannot wait until the store is open: a shell that completes a word."""

from contextlib import closing
from pathlib import Path

from waymeet.errors import NoIndexError
from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.connection import connect

_PATIENCE = 0.2
"""Seconds to wait for another process that holds the file."""
_BEGINNING = "SELECT path FROM documents WHERE path >= ? AND path < ? ORDER BY path LIMIT ?"
_LAST = "\U0010ffff"


def paths_with_prefix(index: Path, prefix: str, most: int) -> list[str]:
    """List indexed paths that begin so, in their order."""
    return _column(index, _BEGINNING, (prefix, prefix + _LAST, most))


def list_namespaces(index: Path) -> list[str]:
    """List the namespaces that documents belong to."""
    return _column(index, "SELECT DISTINCT namespace FROM documents WHERE namespace != '' ORDER BY namespace", ())


def _column(index: Path, question: str, bindings: tuple[str | int, ...]) -> list[str]:
    if not index.is_file():
        raise NoIndexError(f"There is no index {index}.", "Run: waymeet index")
    with errors.translated(index), closing(connect(index, _PATIENCE)) as connection:
        return [str(value) for (value,) in connection.execute(question, bindings)]
