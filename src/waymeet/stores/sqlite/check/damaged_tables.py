"""Reading tables with unreadable pages: up to the first one, and again from behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from waymeet.stores.sqlite.database.errors import means_corruption

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    Row = tuple[Any, ...]

_MAX_KEY = 2**62
_MAX_NARROW_GAP = 4096
"""Keys in a gap up to which each is tried."""


def read_until_error(connection: apsw.Connection, sql: str, values: tuple[int, ...] = ()) -> Generator[Row, None, bool]:
    """Yield rows as long as they can be read, and return whether that was all."""
    try:
        yield from connection.execute(sql, values)
    except UnicodeDecodeError:
        return False
    except apsw.Error as error:
        if not means_corruption(error) and not isinstance(error, apsw.IOError):
            raise
        return False
    return True


def read_both_ways(connection: apsw.Connection, select: str, order: str) -> tuple[list[Row], bool]:
    """Read rows forwards until an error, then backwards, and return whether these are all."""
    rows: list[Row] = []
    for direction in ("ASC", "DESC"):
        result = _Collected(read_until_error(connection, f"{select} ORDER BY {order} {direction}"))
        if result.is_complete:
            return result.rows, True
        rows += result.rows
    return rows, False


class _Collected:
    """All rows of a generator, and the value it returned."""

    def __init__(self, source: Generator[Row, None, bool]) -> None:
        self.rows: list[Row] = []
        while True:
            try:
                self.rows.append(next(source))
            except StopIteration as end:
                self.is_complete = bool(end.value)
                return


class TableScan:
    """Reads the rows of a table in the order of an integer key, skipping unreadable ranges."""

    def __init__(self, connection: apsw.Connection, table: str, key: str) -> None:
        self._connection = connection
        self._sql = f"SELECT {key}, * FROM {table} NOT INDEXED WHERE {key} BETWEEN ? AND ? ORDER BY {key}"  # noqa: S608 - constants
        self.gaps: list[tuple[int, int]] = []
        """First and last key of ranges in which rows may be missing. Complete when all rows were read."""

    def rows(self) -> Iterator[Row]:
        """Yield the readable rows, some of them twice."""
        start = 0
        while True:
            last_key, is_complete = yield from self._read(start, _MAX_KEY)
            if is_complete:
                return
            bad = max(start, last_key)
            start = self._find_readable_after(bad)
            if start >= _MAX_KEY:
                self.gaps.append((bad, _MAX_KEY))
                return
            # The steps double, so the last one may have skipped readable rows: they are read backwards.
            lowest_key, is_complete = yield from self._read(bad + 1, start - 1, " DESC")
            yield from self._read_narrow_gap(bad, bad if is_complete else lowest_key or start - 1)

    def _read(self, first: int, last: int, direction: str = "") -> Generator[Row, None, tuple[int, bool]]:
        """Yield the rows of a range until an error, then return the last key and whether it was all."""
        last_key, rows = 0, read_until_error(self._connection, self._sql + direction, (first, last))
        while True:
            try:
                row = next(rows)
            except StopIteration as end:
                return last_key, bool(end.value)
            last_key = row[0]
            yield row

    def _find_readable_after(self, bad: int) -> int:
        """Find a key after an unreadable one from which on rows can be read, in doubling steps."""
        step = 1
        while bad + step < _MAX_KEY and not self._is_readable(bad + step, _MAX_KEY):
            step *= 2
        return bad + step

    def _is_readable(self, first: int, last: int) -> bool:
        return _Collected(read_until_error(self._connection, f"{self._sql} LIMIT 1", (first, last))).is_complete

    def _read_narrow_gap(self, first: int, last: int) -> Iterator[Row]:
        """Try each key in a gap, unless the gap is wide."""
        if last - first > _MAX_NARROW_GAP:
            self.gaps.append((first, last))
            return
        for key in range(first, last + 1):
            _, is_complete = yield from self._read(key, key)
            if not is_complete:
                self.gaps.append((key, key))
