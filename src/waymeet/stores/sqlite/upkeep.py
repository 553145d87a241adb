"""Keeping segments: shelving loose documents, merging what is small or half dead, clearing away what nobody names.

All of it happens beside the truth. A transaction is taken only at the end, to register what lies ready; readers go on
with the old segments until then, and a crash at any moment leaves at most a file that nobody names.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from filelock import FileLock, Timeout
from msgspec import Struct

from waymeet.stores.segments import container
from waymeet.stores.sqlite import shelf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import apsw

    from waymeet.stores.sqlite.sessions import Sessions

_SMALL_ONES = 4
_DEAD_PART = 0.3


class Effort(Struct, frozen=True):
    """From where on which way is worth its while: numbers that change speed and size, but no answer."""

    loose: int = 4000
    """Loose chunks after which a change shelves them at once."""
    few: int = 64
    """Loose chunks that are not worth a segment."""
    largest: int = 100_000
    """Most chunks of a segment: what is built in memory stays bounded."""
    by_hand: int = 20_000
    """Occurrences up to which loops are quicker than importing numpy."""
    by_hand_anyway: int = 500
    """Occurrences up to which loops are quicker even if numpy is there."""


class Upkeep:
    """Looks after the segments of one index."""

    def __init__(self, sessions: Sessions, folder: Path, effort: Effort) -> None:
        self._sessions = sessions
        self._effort = effort
        self._folder = folder
        self._lock = FileLock(folder.with_name(f"{folder.name}.lock"), mode=0o600)

    def shelve(self) -> None:
        """Make a segment of the loose documents if they have become many, unless another process is at it."""
        if self._loose() > self._effort.loose:
            with suppress(Timeout), self._lock.acquire(blocking=False):
                self._shelve()

    def tidy(self) -> None:
        """Shelve, merge and clear away, unless another process is at it."""
        with suppress(Timeout), self._lock.acquire(blocking=False):
            if self._loose() > self._effort.few:
                self._shelve()
            self._merge()
            self._clear()

    def retire(self, segments: Iterable[int]) -> None:
        """Forget segments and shelve their documents anew."""
        with self._sessions.writing() as connection:
            shelf.retire(connection, segments)
        self.shelve()

    def _loose(self) -> int:
        with self._sessions.reading() as session:
            sql = "SELECT COUNT(*) FROM shelf s JOIN chunks c ON c.document = s.document WHERE s.segment IS NULL"
            found: int = session.connection.execute(sql).get
            return found

    def _shelve(self) -> None:
        with self._sessions.reading() as session:
            made = self._made(session.connection, shelf.loose(session.connection))
        self._register(made)

    def _merge(self) -> None:
        with self._sessions.reading() as session:
            worn = _worn(session.connection, self._effort.largest)
            made = self._made(session.connection, shelf.on(session.connection, worn))
        if worn:
            self._register(made, worn)

    def _register(self, made: Iterable[tuple[str, Sequence[tuple[int, int]]]], instead_of: Iterable[int] = ()) -> None:
        """Put documents on the segments that lie ready, all in one transaction."""
        with self._sessions.writing() as connection:
            shelf.retire(connection, instead_of)
            for file, documents in made:
                shelf.register(connection, file, documents)

    def _clear(self) -> None:
        """Remove files that no generation to come will name."""
        with self._sessions.reading() as session:
            named = set(shelf.segments(session.connection).values())
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in named:
                    with suppress(PermissionError):  # where a mapped file cannot be removed, a later run does it
                        path.unlink(missing_ok=True)

    def _made(
        self, connection: apsw.Connection, documents: Sequence[tuple[int, int]]
    ) -> list[tuple[str, Sequence[tuple[int, int]]]]:
        """Write segments of documents, as many as it takes."""
        return [
            (self._write(connection, part), part) for part in _portions(connection, documents, self._effort.largest)
        ]

    def _write(self, connection: apsw.Connection, documents: Sequence[tuple[int, int]]) -> str:
        from waymeet.stores.segments.build import arrays  # noqa: PLC0415 - numpy costs more than a small search

        made, facts = arrays(list(shelf.leaves(connection, (document for document, _ in documents))))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = f"{uuid4().hex}.segment"
        container.write(self._folder / file, made, facts)
        return file


def _portions(
    connection: apsw.Connection, documents: Sequence[tuple[int, int]], largest: int
) -> Iterator[list[tuple[int, int]]]:
    """Divide documents so that no segment gets too large."""
    sizes = dict(connection.execute("SELECT document, COUNT(*) FROM chunks GROUP BY document"))
    portion: list[tuple[int, int]] = []
    size = 0
    for document in documents:
        size += sizes.get(document[0], 0)
        if portion and size > largest:
            yield portion
            portion, size = [], sizes.get(document[0], 0)
        portion.append(document)
    if portion:
        yield portion


def _worn(connection: apsw.Connection, largest: int) -> list[int]:
    """Choose the segments to merge: those that are half dead, and small ones when they have become many."""
    sql = """
    SELECT g.id, COUNT(c.id), (SELECT COUNT(*) FROM dead d WHERE d.segment = g.id),
        (SELECT COUNT(*) FROM shelf s WHERE s.segment = g.id)
    FROM segments g LEFT JOIN shelf s ON s.segment = g.id LEFT JOIN chunks c ON c.document = s.document GROUP BY g.id
    """
    worn, small = set(), set()
    for segment, chunks, dead, living in connection.execute(sql):
        if dead > _DEAD_PART * (dead + living):
            worn.add(segment)
        if chunks < largest / 2:
            small.add(segment)
    return sorted(worn | (small if len(small) > _SMALL_ONES else set()))
