"""Checking an index: the truth with itself, the segments with the truth; and mending what can be mended.

It works on connections of its own and maps files anew, so that nothing a store remembers hides damage.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import apsw
from msgspec import Struct
from msgspec.structs import replace

from waymeet.stores.sqlite.check import derived_files, tables
from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.connection import connect, opened
from waymeet.stores.sqlite.database.errors import translated
from waymeet.stores.sqlite.database.schema import TABLES
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.segments import adjacency, registry, vector_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_ROUNDS = 4
"""Mending one thing may bring another to light: a dropped document leaves links that lead elsewhere now."""
_LISTED = 20
_MAGIC = b"SQLite format 3\x00"
STRAY = "a file that nobody needs; the next `waymeet index` removes it"


class Finding(Struct, frozen=True):
    """One thing that is not as it should be."""

    where: str
    what: str
    repaired: bool = False


class CheckResult(Struct, frozen=True):
    """What a check came to."""

    findings: tuple[Finding, ...]
    lost: bool = False
    """Whether the file itself cannot be read: with `repair`, another stands in its place now."""
    run_index: bool = False
    """Whether files have to be read again by `waymeet index` for all to be as it was."""

    @property
    def damaged(self) -> bool:
        """Tell whether damage is left."""
        return any(not each.repaired for each in self.findings)


class _Found(NamedTuple):
    finding: Finding
    mend: Callable[[apsw.Connection], object]
    reread: bool
    """Whether files have to be read again after mending."""


def check(path: Path, folder: Path, timeout: float, *, repair: bool, strays: bool) -> CheckResult:
    """Look at the whole index at `path` with its segments in `folder`; with `repair`, mend what can be mended.

    `strays` says that nobody else is making segments now, so that unknown files are nobody's.
    """
    with translated(path), closing(connect(path, timeout)) as connection:
        try:
            doubts = _doubts(connection)
            return (
                CheckResult(doubts, lost=True) if doubts else _checked(connection, folder, repair=repair, strays=strays)
            )
        except UnicodeDecodeError as error:
            return CheckResult((Finding("index", str(error)),), lost=True)
        except apsw.Error as error:
            if not errors.means_damage(error):  # a full disk, say: that is no reason to give the file up
                raise
            return CheckResult((Finding("index", errors.said(error)),), lost=True)


def _checked(connection: apsw.Connection, folder: Path, *, repair: bool, strays: bool) -> CheckResult:
    found = _found(connection, folder, strays=strays)
    all_found = dict(found)
    for _ in range(_ROUNDS if repair else 0):
        if found:
            _mend(connection, found)
            found = _found(connection, folder, strays=strays)
            all_found |= found
    told = tuple(replace(each, repaired=repair and each not in found) for each in all_found)
    return CheckResult(told, run_index=repair and any(each.reread for each in all_found.values()))


def move_aside(path: Path, timeout: float, verdict: CheckResult) -> CheckResult:
    """Put a file that cannot be mended out of the way, never deleting it, and begin an empty one in its place."""
    aside = free_name(path)
    with translated(path):
        for ending in ("", "-wal", "-shm"):
            beside = path.with_name(path.name + ending)
            if beside.exists():
                beside.rename(aside.with_name(aside.name + ending))
        opened(path, timeout, create=True).close()
    found = tuple(replace(each, repaired=True) for each in verdict.findings)
    moved = Finding("index", f"moved to {aside.name}; an empty index stands in its place", repaired=True)
    return CheckResult((*found, moved), lost=True, run_index=True)


def free_name(path: Path) -> Path:
    """Find a name under which a damaged file can be kept."""
    return next(place for n in count(1) if not (place := path.with_name(f"{path.name}.damaged-{n}")).exists())


def was_ours(path: Path) -> bool:
    """Tell whether a file that cannot be opened looks like an index all the same, so that it may be moved aside."""
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    return sum(one == other for one, other in zip(start, _MAGIC, strict=False)) > len(_MAGIC) // 2


def _doubts(connection: apsw.Connection) -> tuple[Finding, ...]:
    """Ask SQLite whether it can read its own file, and the file whether it is laid out as it should be."""
    told = [str(line) for (line,) in connection.execute(f"PRAGMA integrity_check({_LISTED})")]
    doubts = [line for line in told if line != "ok"]
    doubts += [f"its {what} is not as it should be" for what in sorted(_layout(connection) ^ _planned())]
    counters = dict(connection.execute("SELECT key, value FROM counters")) if not doubts else {}
    doubts += [f"it does not say its {name}" for name in ("generation", "registry_version") if name not in counters]
    return tuple(Finding("index", doubt) for doubt in doubts[:_LISTED])


def as_planned(connection: apsw.Connection) -> bool:
    """Tell whether the file has the tables and indexes that it should have."""
    return _layout(connection) == _planned()


def _layout(connection: apsw.Connection) -> set[str]:
    """Say how tables and indexes were made."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {f"{kind} {name} ({sql})" for kind, name, sql in rows}


def _planned() -> set[str]:
    with closing(apsw.Connection(":memory:")) as plan:
        plan.execute(TABLES)
        return _layout(plan)


def _found(connection: apsw.Connection, folder: Path, *, strays: bool) -> dict[Finding, _Found]:
    """Look at everything within one generation."""
    connection.execute("BEGIN")
    try:
        found = [*_in_truth(connection), *_in_segments(connection, folder)]
        if strays:
            found += _strays(connection, folder)
        return {each.finding: each for each in found}
    finally:
        connection.execute("ROLLBACK")


def _in_truth(connection: apsw.Connection) -> Iterator[_Found]:
    for where, what, mend in tables.faults(connection):
        yield _Found(Finding(where, what), mend, reread=True)


def _in_segments(connection: apsw.Connection, folder: Path) -> Iterator[_Found]:
    for segment, file, what in derived_files.wrong(connection, folder):
        yield _Found(Finding(file, what), partial(registry.retire, segments=[segment]), reread=False)
    for segment, file, what in derived_files.wrong_vectors(connection, folder):
        yield _Found(Finding(file, what), partial(vector_registry.retire, segment=segment), reread=False)
    for _, file, what in derived_files.wrong_graph(connection, folder):
        yield _Found(Finding(file, what), adjacency.retire, reread=False)


def _strays(connection: apsw.Connection, folder: Path) -> Iterator[_Found]:
    named = registry.files(connection)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in named:
            yield _Found(Finding(path.name, STRAY), partial(_remove, path=path), reread=False)


def _remove(connection: apsw.Connection, path: Path) -> None:
    del connection
    path.unlink(missing_ok=True)


def _mend(connection: apsw.Connection, found: dict[Finding, _Found]) -> None:
    """Mend everything in one change."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for each in found.values():
            each.mend(connection)
        raise_generation(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
