"""Reading tables of which some pages cannot be read: up to the damage, and on from behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from waymeet.stores.sqlite.database.errors import means_damage

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    Row = tuple[Any, ...]

_HIGHEST = 2**62
_CLOSELY = 4096
"""Numbers between two readable ones up to which each is tried."""


def until_damage(connection: apsw.Connection, sql: str, values: tuple[int, ...] = ()) -> Generator[Row, None, bool]:
    """Give rows as long as they can be read, and tell at the end whether that was all."""
    try:
        yield from connection.execute(sql, values)
    except UnicodeDecodeError:
        return False
    except apsw.Error as error:
        if not means_damage(error) and not isinstance(error, apsw.IOError):
            raise
        return False
    return True


def both_ways(connection: apsw.Connection, select: str, order: str) -> tuple[list[Row], bool]:
    """Read rows from the first on until damage, then from the last back; and tell whether these are all."""
    found: list[Row] = []
    for way in ("ASC", "DESC"):
        read = _Collected(until_damage(connection, f"{select} ORDER BY {order} {way}"))
        if read.whole:
            return read.rows, True
        found += read.rows
    return found, False


class _Collected:
    """All rows of a generator, and whether it came to its end."""

    def __init__(self, source: Generator[Row, None, bool]) -> None:
        self.rows: list[Row] = []
        while True:
            try:
                self.rows.append(next(source))
            except StopIteration as end:
                self.whole = bool(end.value)
                return


class Scan:
    """Rows in the order of a number that one of their columns holds."""

    def __init__(
        self, connection: apsw.Connection, table: str, key: str = "id", columns: str = "*", index: str = ""
    ) -> None:
        self._connection = connection
        by = f"INDEXED BY {index}" if index else "NOT INDEXED"
        self._sql = f"SELECT {key}, {columns} FROM {table} {by} WHERE {key} BETWEEN ? AND ? ORDER BY {key}"  # noqa: S608 - constants
        self.gaps: list[tuple[int, int]] = []
        """From where to where rows may be missing, both included; complete when all rows were read."""

    def doubts(self, number: int) -> bool:
        """Tell whether rows with a number may be missing."""
        return any(first <= number <= last for first, last in self.gaps)

    def rows(self) -> Iterator[Row]:
        """Give what can be read; some rows may come twice."""
        at = 0
        while True:
            last, whole = yield from self._read(at, _HIGHEST)
            if whole:
                return
            bad = max(at, last)
            at = self._beyond(bad)
            if at >= _HIGHEST:
                self.gaps.append((bad, _HIGHEST))
                return
            least, whole = yield from self._read(bad + 1, at - 1, " DESC")  # the step may have been too far
            yield from self._closely(bad, bad if whole else least or at - 1)

    def _read(self, first: int, last: int, way: str = "") -> Generator[Row, None, tuple[int, bool]]:
        """Read from one number to another until damage; tell the number of the last row and whether all was read."""
        reached, rows = 0, until_damage(self._connection, self._sql + way, (first, last))
        while True:
            try:
                row = next(rows)
            except StopIteration as end:
                return reached, bool(end.value)
            reached = row[0]
            yield row

    def _beyond(self, bad: int) -> int:
        """Find a number behind the damage from which on something can be read again."""
        step = 1
        while bad + step < _HIGHEST and not self._readable(bad + step, _HIGHEST):
            step *= 2
        return bad + step

    def _readable(self, first: int, last: int) -> bool:
        return _Collected(until_damage(self._connection, f"{self._sql} LIMIT 1", (first, last))).whole

    def _closely(self, first: int, last: int) -> Iterator[Row]:
        """Try each number in a gap, unless it is wide."""
        if last - first > _CLOSELY:
            self.gaps.append((first, last))
            return
        for number in range(first, last + 1):
            _, whole = yield from self._read(number, number)
            if not whole:
                self.gaps.append((number, number))
