"""Creating and upgrading the tables, and finding or adding a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from psycopg import errors

from waymeet.errors import IndexUnavailableError, NoIndexError
from waymeet.stores.postgres.database.errors import (
    missing_extension_error,
    newer_schema_error,
    older_schema_error,
)
from waymeet.stores.postgres.database.policies import APPLY_TO_OWNER, EXEMPT_OWNER, FIND_COLLECTION, SET_NAME
from waymeet.stores.postgres.database.schema import MIGRATIONS, SCHEMA, VERSION
from waymeet.stores.postgres.database.session import run_together
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from waymeet.stores.postgres.database.pool import Connection
    from waymeet.stores.postgres.database.session import Owner
    from waymeet.stores.postgres.database.sessions import Sessions

OLDEST_SERVER = 16
_LOCK = 0x57594D54
"""Number of the lock under which tables are made: `WYMT`."""
_VERSIONS = f"{SCHEMA}.schema_versions"
_ADD_VERSION = f"INSERT INTO {_VERSIONS} VALUES (%s, %s)"  # noqa: S608 - our own constant


class OpenedCollection(NamedTuple):
    """A collection, and those whose tables were upgraded to open it."""

    id: int
    upgraded: tuple[int, ...]


def open_collection(sessions: Sessions, name: str, *, create: bool, owner: Owner) -> OpenedCollection:
    """Find a collection, making it and the tables if `create` is on.

    Raises:
        NoIndexError: there is no such collection, and `create` is off.
        NewerIndexError: a newer Waymeet made the tables.
        IndexUnavailableError: the server is too old, or lacks pgvector.
    """
    version = sessions.with_connection(lambda connection: read_version(connection, sessions.server))
    if version > VERSION:
        raise newer_schema_error(sessions.server, version, VERSION)
    if version == 0 and not create:
        raise _no_collection_error(sessions.server, name)
    upgraded = _upgrade(sessions, version) if version < VERSION else ()
    known = sessions.with_connection(lambda connection: _find(connection, name))
    if known is None and create:
        sessions.with_connection(lambda connection: _insert(connection, name, owner), write=True)
        known = sessions.with_connection(lambda connection: _find(connection, name), write=True)
    if known is None:
        raise _no_collection_error(sessions.server, name)
    return OpenedCollection(known, upgraded)


def read_version(connection: Connection, server: str) -> int:
    """Return the version that a program needs for the tables, or 0 if there are none."""
    if connection.info.server_version // 10_000 < OLDEST_SERVER:
        raise IndexUnavailableError(
            f"The server {server} is PostgreSQL {connection.info.server_version // 10_000}.",
            f"Waymeet needs PostgreSQL {OLDEST_SERVER} or newer with pgvector.",
        )
    (table,) = connection.execute("SELECT to_regclass(%s)::text", (_VERSIONS,)).fetchone() or (None,)
    if table is None:
        return 0
    newest = connection.execute(
        f"SELECT version, oldest_reader FROM {_VERSIONS} ORDER BY version DESC LIMIT 1".encode()  # noqa: S608 - our own constant
    ).fetchone()
    version, oldest_reader = newest or (0, 0)
    return version if version <= VERSION or oldest_reader > VERSION else VERSION


def _upgrade(sessions: Sessions, version: int) -> tuple[int, ...]:
    """Create or upgrade the tables, and return the collections in them."""

    def upgrade(connection: Connection) -> tuple[int, ...]:
        connection.execute("SELECT pg_advisory_xact_lock(%s), set_config('statement_timeout', '0', true)", (_LOCK,))
        present = read_version(connection, sessions.server)
        if present == VERSION:  # another process was faster
            return ()
        if present == 0:
            _create_schema(connection, sessions.server)
        connection.execute(EXEMPT_OWNER.encode())  # a step may need the rows of all collections
        for number, (statements, oldest_reader) in enumerate(MIGRATIONS[present:], start=present + 1):
            connection.execute(statements.encode())
            connection.execute(_ADD_VERSION.encode(), (number, oldest_reader))
        upgraded = tuple(id_ for (id_,) in connection.execute("SELECT id FROM collections ORDER BY id"))
        connection.execute(APPLY_TO_OWNER.encode())
        return upgraded

    try:
        return sessions.with_connection(upgrade, write=True)
    except IndexUnavailableError as error:
        if version and isinstance(error.__cause__, (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)):
            raise older_schema_error(sessions.server, version, VERSION) from error
        raise


def _create_schema(connection: Connection, server: str) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (errors.FeatureNotSupported, errors.UndefinedFile, errors.InsufficientPrivilege) as error:
        raise missing_extension_error(server, str(error).split("\n", maxsplit=1)[0]) from error
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
    connection.execute(
        f"CREATE TABLE {_VERSIONS} (version integer PRIMARY KEY, oldest_reader integer NOT NULL)".encode()
    )


def _find(connection: Connection, name: str) -> int | None:
    rows = run_together(connection, FIND_COLLECTION, (name, name))
    return int(rows[0][0]) if rows else None


def _insert(connection: Connection, name: str, owner: Owner) -> None:
    zeros = [0] * len(FIELDS)
    connection.execute(SET_NAME.encode(), (name,))
    connection.execute(
        """
        INSERT INTO collections (name, machine, root, totals, filled) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        (name, *owner, zeros, zeros),
    )


def _no_collection_error(server: str, name: str) -> NoIndexError:
    return NoIndexError(f"The server {server} has no collection {name}.", "Run: waymeet index")
