"""Checks of a server: version, extension, rights, policies, latency and clock."""

from __future__ import annotations

from statistics import median
from time import perf_counter, time
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import WaymeetError
from waymeet.stores.postgres.database.migrations import OLDEST_SERVER, read_version
from waymeet.stores.postgres.database.schema import SCHEMA, VERSION
from waymeet.stores.postgres.database.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waymeet.stores.postgres.database.pool import Connection

_OLDEST_EXTENSION = (0, 7)
"""The first pgvector with vectors of 16-bit numbers."""
_SLOW_MILLISECONDS = 20.0
_CLOCK_SECONDS = 5.0
_ROUND_TRIPS = 5
_EXTENSION = """
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')
"""
_ROW_SECURITY = """
SELECT c.relrowsecurity, row_security_active(c.oid), current_user,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) FROM pg_class c WHERE c.oid = to_regclass(%s)
"""
_RIGHTS = """
SELECT pg_is_in_recovery(), has_database_privilege(current_database(), 'CREATE'),
    to_regnamespace(%s) IS NOT NULL AND has_schema_privilege(%s, 'CREATE'),
    to_regclass(%s) IS NOT NULL AND has_table_privilege(%s, 'INSERT')
"""


class Check(NamedTuple):
    """The result of one check."""

    is_ok: bool
    message: str
    remedy: str = ""


def _problem(message: str, remedy: str) -> Check:
    return Check(is_ok=False, message=message, remedy=remedy)


def check_server(dsn: str) -> Iterator[Check]:
    """Check whether a server can hold collections, as far as it can be reached."""
    try:
        sessions = Sessions(dsn, timeout=5.0)
    except WaymeetError as error:
        yield _problem(error.message, error.hint)
        return
    try:
        yield from sessions.with_connection(lambda connection: list(_check(connection, sessions.server)))
    except WaymeetError as error:
        yield _problem(error.message, error.hint)
    finally:
        sessions.close()


def _check(connection: Connection, server: str) -> Iterator[Check]:
    version = connection.info.server_version // 10_000
    remedy = "" if version >= OLDEST_SERVER else f"Upgrade it to PostgreSQL {OLDEST_SERVER} or newer."
    yield Check(not remedy, f"{server} is PostgreSQL {version}", remedy)
    yield _check_extension(connection)
    yield _check_tables(connection, server)
    yield _check_rights(connection)
    yield from _check_row_security(connection)
    yield _check_latency(connection)
    yield _check_clock(connection)


def _check_extension(connection: Connection) -> Check:
    installed, available = connection.execute(_EXTENSION).fetchone() or (None, None)
    if installed is None:
        state = "is not created in this database" if available else "is not installed"
        remedy = "" if available else "Install pgvector on the server, then run "
        return _problem(f"the extension vector {state}", f"{remedy}CREATE EXTENSION vector")
    is_ok = tuple(int(part) for part in installed.split(".")[:2]) >= _OLDEST_EXTENSION
    return Check(is_ok, f"pgvector {installed}", "" if is_ok else "Upgrade it: ALTER EXTENSION vector UPDATE")


def _check_tables(connection: Connection, server: str) -> Check:
    version = read_version(connection, server)
    if version == 0:
        return Check(is_ok=True, message="there are no tables yet; the first waymeet index creates them")
    if version > VERSION:
        return _problem(f"the tables have version {version}, newer than {VERSION}", "Upgrade Waymeet.")
    remedy = "" if version == VERSION else "waymeet index"
    return Check(not remedy, f"the tables have version {version}", remedy)


def _check_rights(connection: Connection) -> Check:
    table = f"{SCHEMA}.collections"
    row = connection.execute(_RIGHTS, (SCHEMA, SCHEMA, table, table)).fetchone() or (False,) * 4
    is_replica, can_create_schema, can_create, can_write = row
    if is_replica:
        return Check(is_ok=True, message="this server is a replica: it answers, but is not written to")
    if can_write or can_create or can_create_schema:
        return Check(is_ok=True, message="the user may write")
    remedy = f"To index with it: GRANT CREATE ON DATABASE … TO …, or rights on the schema {SCHEMA}"
    return Check(is_ok=True, message="the user may only read", remedy=remedy)


def _check_row_security(connection: Connection) -> Iterator[Check]:
    """Check whether the server keeps collections apart, if there are tables."""
    row = connection.execute(_ROW_SECURITY, (f"{SCHEMA}.chunks",)).fetchone()
    if row is None:
        return
    has_policies, is_active, user, is_superuser = row
    message = "row-level security is in force: a transaction reads and writes one collection only"
    if is_active:
        yield Check(is_ok=True, message=message)
        return
    cause = f"the user {user} {'is a superuser' if is_superuser else 'may bypass it (BYPASSRLS)'}"
    remedy = "For several projects or a team, use a user that is neither superuser nor has BYPASSRLS."
    if not has_policies:
        cause, remedy = "the tables have no policies", "If they have an older version: waymeet index"
    yield Check(is_ok=True, message=f"row-level security is not in force: {cause}", remedy=remedy)


def _check_latency(connection: Connection) -> Check:
    durations = []
    for _ in range(_ROUND_TRIPS):
        started = perf_counter()
        connection.execute("SELECT 1")
        durations.append((perf_counter() - started) * 1000)
    is_ok = median(durations) <= _SLOW_MILLISECONDS
    remedy = "" if is_ok else "A search needs about 20 round trips: run waymeet serve near the server."
    return Check(is_ok, f"a round trip takes {median(durations):.1f} ms", remedy)


def _check_clock(connection: Connection) -> Check:
    (seconds,) = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone() or (time(),)
    difference = abs(seconds - time())
    is_ok = difference <= _CLOCK_SECONDS
    remedy = "" if is_ok else "Synchronise the clocks; dates of documents and entries depend on them."
    return Check(is_ok, f"the clocks differ by {difference:.1f} s", remedy)
