"""What goes wrong with an index file, said in our words."""

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
    WaymeetError,
)

_REBUILD = "Delete it and run `waymeet index` again: everything in it can be rebuilt from the files."
_REPAIR = "Run `waymeet check --repair`, then `waymeet index`: everything in it can be rebuilt from the files."
_FREE_SPACE = "Free some space and try again; what was indexed is kept."
_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
# Our own statements are right, so one that does not fit the tables means that the tables are not as we made them.
_DAMAGED = (
    apsw.CorruptError,
    apsw.FormatError,
    apsw.SQLError,
    apsw.MismatchError,
    apsw.ConstraintError,
)


class UnreadableError(Exception):
    """A value in the file is none that we can have written."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn whatever SQLite or the system raises inside into an error that names the file and the next step."""
    try:
        yield
    except apsw.Error as error:
        raise _ours(path, error) from error
    except OSError as error:  # of a segment, which is an ordinary file
        raise _of_system(path, error) from error
    except (UnicodeDecodeError, DecodeError, UnreadableError) as error:
        raise damaged(path, str(error)) from error


def _ours(path: Path, error: apsw.Error) -> WaymeetError:
    if isinstance(error, _BUSY):
        return BusyIndexError(
            f"{path} is held by another process.", "Let that process finish, or end it, and try again."
        )
    if isinstance(error, apsw.NotADBError):  # perhaps a file of another kind: nothing that we should mend
        return DamagedIndexError(f"The index {path} is damaged: {error}.", _REBUILD)
    if means_damage(error):
        return damaged(path, said(error))
    if isinstance(error, apsw.FullError):
        return unavailable(path, "there is no space left", _FREE_SPACE)
    if isinstance(error, apsw.ConnectionClosedError):
        return unavailable(path, "it was closed", "Open it again.")
    return unavailable(path, str(error))


def means_damage(error: apsw.Error) -> bool:
    """Tell whether an error says that the file is at fault, rather than the disk or another process."""
    return isinstance(error, (*_DAMAGED, apsw.NotADBError)) or changed(error)


def changed(error: apsw.Error) -> bool:
    """Tell whether a page does not fit its checksum."""
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


def said(error: apsw.Error) -> str:
    """Say what SQLite complains of."""
    return "bytes in it changed since they were written" if changed(error) else str(error)


def _of_system(path: Path, error: OSError) -> IndexUnavailableError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return unavailable(path, "there is no space left", _FREE_SPACE)
    place = f" ({error.filename})" if error.filename else ""
    return unavailable(path, f"{error.strerror or error}{place}")


def damaged(path: Path, cause: str) -> DamagedIndexError:
    """Say that the file cannot be read as an index."""
    return DamagedIndexError(f"The index {path} is damaged: {cause}.", _REPAIR)


def foreign(path: Path) -> DamagedIndexError:
    """Say that the file belongs to another program."""
    return DamagedIndexError(
        f"{path} is not a Waymeet index, but another program's database.",
        "Choose another place for the index, or, if nobody needs that file, delete it and run `waymeet index` again.",
    )


def newer(path: Path, version: int, known: int) -> NewerIndexError:
    """Say that a later version of Waymeet wrote the file."""
    return NewerIndexError(
        f"The index {path} was written by a newer Waymeet (format {version}; this one reads {known}).",
        f"Upgrade Waymeet. Or: {_REBUILD[0].lower()}{_REBUILD[1:]}",
    )


def missing(path: Path) -> NoIndexError:
    """Say that nothing was indexed here."""
    return NoIndexError(f"There is no index at {path}.", "Run `waymeet index` first.")


def unavailable(
    path: Path, cause: str, hint: str = "Check that the file and its folder can be read and written."
) -> IndexUnavailableError:
    """Say that the file cannot be used for a reason that does not lie in it."""
    return IndexUnavailableError(f"The index {path} cannot be used: {cause}.", hint)
