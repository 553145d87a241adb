"""Translation of errors of the server into ours, which name the cause and the remedy."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors

from waymeet.errors import (
    BusyIndexError,
    DamagedIndexError,
    IndexUnavailableError,
    NewerIndexError,
    ReadOnlyIndexError,
    WaymeetError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOST = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.ReadOnlySqlTransaction,
)
"""Errors after which another attempt may succeed, perhaps on another server."""
_EXTENSION = "On the server, install pgvector and run as an administrator: CREATE EXTENSION vector"
_GRANT = "Use another user in the address, or let the owner of the schema run: GRANT ALL ON SCHEMA waymeet TO …"


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the server went away or asks for another attempt, so that a retry may help."""
    return isinstance(error, _LOST) or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


@contextmanager
def translate_errors(server: str) -> Iterator[None]:
    """Translate errors of the server into ours."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(server, error) from error


def translate(server: str, error: psycopg.Error) -> WaymeetError:
    """Return our error for one of the server."""
    cause = _first_line(error)
    for kinds, make in _MESSAGES:
        if isinstance(error, kinds):
            return make(server, cause)
    if isinstance(error, psycopg.OperationalError) and "FATAL:" in cause:  # of the server, before there is a session
        return _no_password(server, cause.rpartition("FATAL:")[2].strip())
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return IndexUnavailableError(
            f"The server {server} cannot be reached: {cause}.",
            "Check that it runs and that its address and password are right: waymeet doctor",
        )
    return IndexUnavailableError(f"The server {server} reported an error: {cause}.", "Run: waymeet doctor")


def missing_extension_error(server: str, cause: str) -> IndexUnavailableError:
    """Return the error for a server without pgvector."""
    return IndexUnavailableError(f"The server {server} has no usable extension vector: {cause}.", _EXTENSION)


def newer_schema_error(server: str, version: int, known: int) -> NewerIndexError:
    """Return the error for tables that a later version of Waymeet made."""
    return NewerIndexError(
        f"The tables on {server} were made by a newer Waymeet (version {version}; this one knows {known}).",
        "Upgrade Waymeet on this machine.",
    )


def older_schema_error(server: str, version: int, known: int) -> ReadOnlyIndexError:
    """Return the error for older tables that this user may not change."""
    return ReadOnlyIndexError(
        f"The tables on {server} have version {version}; this Waymeet needs {known}, and the user may not change them.",
        "Let the owner of the schema run: waymeet index",
    )


def _read_only(server: str, cause: str) -> WaymeetError:
    return ReadOnlyIndexError(f"The user of {server} may not write: {cause}.", _GRANT)


def _full(server: str, cause: str) -> WaymeetError:
    return IndexUnavailableError(
        f"The disk of the server {server} is full: {cause}.",
        "Free some space on it and try again. What was indexed so far is kept.",
    )


def _busy(server: str, cause: str) -> WaymeetError:
    return BusyIndexError(
        f"The server {server} did not answer in time: {cause}.",
        "Another process writes to this collection, or the server is overloaded. Try again later.",
    )


def _corrupt(server: str, cause: str) -> WaymeetError:
    return DamagedIndexError(
        f"The server {server} reports corrupt data: {cause}.", "Restore the database, or run `waymeet index` again."
    )


def _no_password(server: str, cause: str) -> WaymeetError:
    return IndexUnavailableError(
        f"The server {server} refuses the connection: {cause}.",
        "Check user, database and password of the address, or ~/.pgpass.",
    )


def _unknown_tables(server: str, cause: str) -> WaymeetError:
    return DamagedIndexError(
        f"The tables on {server} are not those of Waymeet: {cause}.",
        "Run `waymeet doctor`. If the schema waymeet is not needed, drop it and run `waymeet index` again.",
    )


_MESSAGES = (
    ((errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction), _read_only),
    ((errors.DiskFull, errors.OutOfMemory), _full),
    ((errors.LockNotAvailable, errors.QueryCanceled, errors.TooManyConnections), _busy),
    ((errors.DataCorrupted, errors.IndexCorrupted), _corrupt),
    ((errors.InvalidPassword, errors.InvalidAuthorizationSpecification), _no_password),
    ((errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName), _unknown_tables),
)


def _first_line(error: psycopg.Error) -> str:
    """Return the first line of a message, which never contains a password."""
    return str(error).strip().split("\n", maxsplit=1)[0].rstrip(".")
