"""What goes wrong with an index file, said in our words."""

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
_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
# Our own statements are right, so one that does not fit the tables means that the tables are not as we made them.
_DAMAGED = (
    apsw.NotADBError,
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
    """Turn whatever SQLite raises inside into an error that names the file and the next step."""
    try:
        yield
    except apsw.Error as error:
        raise _ours(path, error) from error
    except (UnicodeDecodeError, DecodeError, UnreadableError) as error:
        raise damaged(path, str(error)) from error


def _ours(path: Path, error: apsw.Error) -> WaymeetError:
    if isinstance(error, _BUSY):
        return BusyIndexError(
            f"{path} is held by another process.", "Let that process finish, or end it, and try again."
        )
    if isinstance(error, _DAMAGED):
        return damaged(path, str(error))
    if isinstance(error, apsw.FullError):
        return unavailable(path, "there is no space left", "Free some space and try again; what was indexed is kept.")
    if isinstance(error, apsw.ConnectionClosedError):
        return unavailable(path, "it was closed", "Open it again.")
    return unavailable(path, str(error))


def damaged(path: Path, cause: str) -> DamagedIndexError:
    """Say that the file cannot be read as an index."""
    return DamagedIndexError(f"The index {path} is damaged: {cause}.", _REBUILD)


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
