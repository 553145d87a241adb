"""Errors of an index file: translation of SQLite's and the system's errors into ours."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
from msgspec import DecodeError

from waymeet.errors import (
    BusyIndexError,
    DamagedIndexError,
    IndexUnavailableError,
    NewerIndexError,
    NoIndexError,
    ReadOnlyIndexError,
    WaymeetError,
)

_REBUILD = "Delete it and run `waymeet index` again: it is rebuilt from the project's files."
_REPAIR = "Run `waymeet check --repair`, then `waymeet index`: lost parts are rebuilt from the project's files."
_FREE_SPACE = "Free some disk space and try again. What was indexed so far is kept."
_READ_ONLY = "Allow writing to the file and its folder, or choose another file with --index."
_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
# Our statements are tested, so one that does not fit the tables means that the tables have changed.
CORRUPT = (
    apsw.CorruptError,
    apsw.FormatError,
    apsw.SQLError,
    apsw.MismatchError,
    apsw.ConstraintError,
)
_CAUSES = (
    (apsw.FullError, "no space left on the disk", _FREE_SPACE),
    (apsw.ConnectionClosedError, "it was closed", "Open it again."),
)


class UnreadableError(Exception):
    """A value in the file cannot have been written by us."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite and the system into ours, which name the file and the remedy."""
    try:
        yield
    except apsw.Error as error:
        raise _translate(path, error) from error
    except OSError as error:  # of a segment, which is an ordinary file
        raise _translate_system_error(path, error) from error
    except (UnicodeDecodeError, DecodeError, UnreadableError) as error:
        raise damaged_error(path, str(error)) from error


def _translate(path: Path, error: apsw.Error) -> WaymeetError:
    if isinstance(error, _BUSY):
        return BusyIndexError(
            f"The index {path} is locked by another process.", "Wait for that process, or end it, and try again."
        )
    if isinstance(error, apsw.NotADBError):  # perhaps a file of another program: it must not be repaired
        return DamagedIndexError(f"The index {path} is corrupt: {error}.", _REBUILD)
    if means_corruption(error):
        return damaged_error(path, describe(error))
    if isinstance(error, apsw.ReadOnlyError):
        return read_only_error(path)
    for kind, cause, hint in _CAUSES:
        if isinstance(error, kind):
            return unavailable_error(path, cause, hint)
    return unavailable_error(path, str(error))


def means_corruption(error: apsw.Error) -> bool:
    """Return whether the file is at fault, rather than the disk or another process."""
    return isinstance(error, (*CORRUPT, apsw.NotADBError)) or _is_checksum_error(error)


def _is_checksum_error(error: apsw.Error) -> bool:
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


def describe(error: apsw.Error) -> str:
    """Describe an error of SQLite."""
    return "a page does not match its checksum" if _is_checksum_error(error) else str(error)


def _translate_system_error(path: Path, error: OSError) -> IndexUnavailableError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return unavailable_error(path, "no space left on the disk", _FREE_SPACE)
    file = f" ({error.filename})" if error.filename else ""
    return unavailable_error(path, f"{error.strerror or error}{file}")


def damaged_error(path: Path, cause: str) -> DamagedIndexError:
    """Return the error for a corrupt index."""
    return DamagedIndexError(f"The index {path} is corrupt: {cause}.", _REPAIR)


def foreign_file_error(path: Path) -> DamagedIndexError:
    """Return the error for a database of another program."""
    return DamagedIndexError(
        f"{path} is not a Waymeet index, but another program's database.",
        "Choose another path for the index. Or, if that file is not needed, delete it and run `waymeet index` again.",
    )


def newer_index_error(path: Path, version: int, known: int) -> NewerIndexError:
    """Return the error for an index that a later version of Waymeet wrote."""
    return NewerIndexError(
        f"The index {path} was written by a newer Waymeet (format {version}; this one reads {known}).",
        f"Upgrade Waymeet. Or: {_REBUILD[0].lower()}{_REBUILD[1:]}",
    )


def no_index_error(path: Path) -> NoIndexError:
    """Return the error for a path without an index."""
    return NoIndexError(f"There is no index at {path}.", "Run `waymeet index` first.")


def read_only_error(path: Path) -> ReadOnlyIndexError:
    """Return the error for a change of an index that can only be read."""
    return ReadOnlyIndexError(f"The index {path} can be read, but not written.", _READ_ONLY)


def unavailable_error(
    path: Path, cause: str, hint: str = "Check that the file and its folder can be read and written."
) -> IndexUnavailableError:
    """Return the error for an index that cannot be used although it is not corrupt."""
    return IndexUnavailableError(f"The index {path} cannot be used: {cause}.", hint)
