"""One transaction on a collection, for reading or for writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import ClientCursor

from waymeet.errors import NoIndexError, ReadOnlyIndexError
from waymeet.stores.postgres.database.policies import SET_COLLECTION
from waymeet.stores.postgres.database.schema import SCHEMA
from waymeet.stores.shared.bm25f import Statistics, average_lengths
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg

    from waymeet.stores.postgres.database.pool import Connection

_BEGIN = f"""
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {SET_COLLECTION}
SELECT generation, chunks, totals, filled, registry_version FROM collections WHERE id = %s
"""  # noqa: S608 - our own constant
"""One round trip for all."""
_LOCK = f"""
SELECT set_config('lock_timeout', %s, true); {SET_COLLECTION}
SELECT machine, root, generation, last_document, last_chunk, totals, filled, chunks, last_segment,
    row_security_active('collections')
FROM collections WHERE id = %s FOR UPDATE
"""  # noqa: S608 - our own constant
_SET_COUNTERS = """
UPDATE collections SET generation = %s, last_document = %s, last_chunk = %s, totals = %s, filled = %s, chunks = %s
WHERE id = %s
"""
_SET_SEGMENTS = "UPDATE collections SET registry_version = registry_version + 1, last_segment = %s WHERE id = %s"


class Owner(NamedTuple):
    """The machine and the folder that a collection is indexed from, empty if unknown."""

    machine: str = ""
    root: str = ""


def run_together(
    connection: Connection, sql: str, parameters: Sequence[Any] | Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Run several statements in one round trip, and return the rows of the last one."""
    cursor = ClientCursor(connection)
    cursor.execute(sql.encode(), parameters)
    while cursor.nextset():
        pass
    return cursor.fetchall()


class Session:
    """A transaction that reads one generation of a collection."""

    def __init__(self, connection: Connection, collection: int) -> None:
        self.connection = connection
        self.collection = collection
        rows = run_together(connection, _BEGIN, (collection, collection))
        if not rows:
            raise _removed_error()
        row = rows[0]
        self.generation: int = row[0]
        self.version: tuple[int, int] = (row[0], row[4])
        """The generation, and the number of changes of its segments."""
        lengths = dict(zip(FIELDS, zip(row[2], row[3], strict=True), strict=True))
        self.statistics = Statistics(row[1], average_lengths(lengths))

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Run a query whose first parameter is the collection, and return all rows."""
        return self.connection.execute(sql.encode(), (self.collection, *parameters), binary=True).fetchall()

    def named(self, sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Run a query with named parameters, one of which is `collection`, and return all rows."""
        return self.connection.execute(
            sql.encode(), {"collection": self.collection, **parameters}, binary=True
        ).fetchall()


class WriteSession:
    """A transaction that changes a collection. Others that change it wait until it ends."""

    def __init__(self, connection: Connection, collection: int, owner: Owner, lock_timeout: str) -> None:
        self.connection = connection
        self.collection = collection
        rows = run_together(connection, _LOCK, (lock_timeout, collection, collection))
        if not rows:
            raise _removed_error()
        row = rows[0]
        refuse_other_owner(Owner(row[0], row[1]), owner)
        self.generation: int = row[2]
        self.last_document: int = row[3]
        self.last_chunk: int = row[4]
        self.totals, self.filled = list[int](row[5]), list[int](row[6])
        """Total length of each field, and the number of documents or chunks in which it is not empty."""
        self.chunks: int = row[7]
        self.last_segment: int = row[8]
        self._has_row_security: bool = row[9]
        self._staged: set[str] = set()
        """Tables whose rows were copied to temporary ones in this transaction."""

    def run(self, sql: str, *parameters: object) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement whose first parameter is the collection."""
        return self.connection.execute(sql.encode(), (self.collection, *parameters))

    def copy(self, table: str, columns: str, types: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Insert rows in bulk. `columns` and `types` are those after the collection."""
        target = self._stage(table) if self._has_row_security else table
        sql = f"COPY {target} (collection_id, {columns}) FROM STDIN (FORMAT BINARY)"
        with self.connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            copy.set_types(["int4", *types])
            for row in rows:
                copy.write_row((self.collection, *row))
        if target != table:
            sql = f"INSERT INTO {table} (collection_id, {columns}) SELECT collection_id, {columns} FROM {target}"  # noqa: S608 - our own constants
            self.connection.execute(sql.encode())

    def _stage(self, table: str) -> str:
        """Return an empty temporary table with the columns of a table.

        The server refuses COPY into a table with row-level security. The temporary table exists as long as the
        connection, and is empty after each transaction.
        """
        staged = f"pg_temp.staged_{table}"
        if table in self._staged:
            self.connection.execute(f"DELETE FROM {staged}".encode())  # noqa: S608 - our own constant
        else:
            create = f"CREATE TEMPORARY TABLE IF NOT EXISTS staged_{table} (LIKE {SCHEMA}.{table} INCLUDING STORAGE)"
            self.connection.execute(f"{create} ON COMMIT DELETE ROWS".encode())
            self._staged.add(table)
        return staged

    def add_lengths(self, field: int, total: int, filled: int) -> None:
        """Change the counters of a field's length."""
        self.totals[field] += total
        self.filled[field] += filled

    def raise_generation(self) -> None:
        """Count this change, and store the counters of the collection."""
        self.generation += 1
        counters = (self.generation, self.last_document, self.last_chunk, self.totals, self.filled, self.chunks)
        self.connection.execute(_SET_COUNTERS, (*counters, self.collection))

    def raise_registry_version(self) -> None:
        """Let readers look for segments again."""
        self.connection.execute(_SET_SEGMENTS, (self.last_segment, self.collection))


def refuse_other_owner(stored: Owner, own: Owner) -> None:
    """Refuse to write to a collection of another machine or folder.

    Raises:
        ReadOnlyIndexError: another machine or folder owns the collection.
    """
    if own.machine and stored.machine and stored != own:
        raise ReadOnlyIndexError(
            f"This collection is indexed from {stored.root} on the machine {stored.machine}; it is written only there.",
            "Write there, or choose another collection: --set store.collection=NAME",
        )


def _removed_error() -> NoIndexError:
    return NoIndexError("The collection was removed from the server.", "Run: waymeet index")
