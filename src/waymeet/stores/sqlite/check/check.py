"""Check and repair of an index.

The tables are checked against each other, the segments against the tables. The check uses a connection of its own and
maps files anew, so that no cache of a store hides corruption.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import apsw
from msgspec import Struct
from msgspec.structs import replace

from waymeet.stores.sqlite.check import derived_files, tables, vector_places
from waymeet.stores.sqlite.database import errors
from waymeet.stores.sqlite.database.connection import connect, open_index
from waymeet.stores.sqlite.database.errors import translate_errors
from waymeet.stores.sqlite.database.schema import TABLES
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.segments import adjacency, lost_vectors, registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_MAX_ROUNDS = 4
"""Repairing one thing may reveal another: a dropped document leaves links that have another target now."""
_MAX_LISTED = 20
_SQLITE_MAGIC = b"SQLite format 3\x00"
_COUNTERS = ("generation", "last_term", "last_vector", "registry_version")
STRAY = "not in use, left by an interrupted run or a power failure; the next `waymeet index` removes it"


class Finding(Struct, frozen=True):
    """One problem."""

    where: str
    what: str
    repaired: bool = False
    leftover: bool = False
    """Whether it is only an unused file, which harms nothing."""


class CheckResult(Struct, frozen=True):
    """The result of a check."""

    findings: tuple[Finding, ...]
    lost: bool = False
    """Whether SQLite cannot read the file. With `repair`, another one has replaced it."""
    run_index: bool = False
    """Whether `waymeet index` has to index files again to complete the repair."""

    @property
    def damaged(self) -> bool:
        """Return whether any problem is not repaired."""
        return any(not (finding.repaired or finding.leftover) for finding in self.findings)


class _Problem(NamedTuple):
    finding: Finding
    repair: Callable[[apsw.Connection], object]
    needs_index: bool
    """Whether files have to be indexed again after the repair."""


def check_files(path: Path, folder: Path, timeout: float, *, repair: bool, find_strays: bool) -> CheckResult:
    """Check the index at `path` with its segments in `folder`, and repair it on request.

    `find_strays` requires that no other process writes segments: then files that are not registered are unused.
    """
    with translate_errors(path), closing(connect(path, timeout)) as connection:
        try:
            findings = _check_integrity(connection)
            if findings:
                return CheckResult(findings, lost=True)
            return _check_content(connection, folder, repair=repair, find_strays=find_strays)
        except UnicodeDecodeError as error:
            return CheckResult((Finding("index", str(error)),), lost=True)
        except apsw.Error as error:
            if not errors.means_corruption(error):  # a full disk, for example, is no reason to give up the file
                raise
            return CheckResult((Finding("index", errors.describe(error)),), lost=True)


def _check_content(connection: apsw.Connection, folder: Path, *, repair: bool, find_strays: bool) -> CheckResult:
    remaining = _find_problems(connection, folder, find_strays=find_strays)
    problems = dict(remaining)
    for _ in range(_MAX_ROUNDS if repair else 0):
        if remaining:
            _repair(connection, remaining)
            remaining = _find_problems(connection, folder, find_strays=find_strays)
            problems |= remaining
    findings = tuple(replace(finding, repaired=repair and finding not in remaining) for finding in problems)
    return CheckResult(findings, run_index=repair and any(problem.needs_index for problem in problems.values()))


def move_aside(path: Path, timeout: float, result: CheckResult) -> CheckResult:
    """Rename a file that cannot be repaired, and create an empty index in its place."""
    aside = free_name(path)
    with translate_errors(path):
        for suffix in ("", "-wal", "-shm"):
            file = path.with_name(path.name + suffix)
            if file.exists():
                file.rename(aside.with_name(aside.name + suffix))
        open_index(path, timeout, create=True).close()
    findings = tuple(replace(finding, repaired=True) for finding in result.findings)
    moved = Finding("index", f"moved to {aside.name} and replaced by an empty index", repaired=True)
    return CheckResult((*findings, moved), lost=True, run_index=True)


def free_name(path: Path) -> Path:
    """Find a free name for keeping a corrupt file."""
    return next(free for n in count(1) if not (free := path.with_name(f"{path.name}.damaged-{n}")).exists())


def looks_like_index(path: Path) -> bool:
    """Return whether a file begins like a SQLite file, except for a few changed bytes."""
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_MAGIC))
    return sum(one == other for one, other in zip(start, _SQLITE_MAGIC, strict=False)) > len(_SQLITE_MAGIC) // 2


def _check_integrity(connection: apsw.Connection) -> tuple[Finding, ...]:
    """Check that SQLite can read the file and that it has the expected tables."""
    rows = connection.execute(f"PRAGMA integrity_check({_MAX_LISTED})")
    problems = [str(line) for (line,) in rows if line != "ok"]
    problems += [f"missing or unexpected: {entry}" for entry in sorted(_layout(connection) ^ _expected_layout())]
    if not problems:
        counters = dict(connection.execute("SELECT key, value FROM counters"))
        problems = [f"the counter {name} is missing" for name in _COUNTERS if name not in counters]
    return tuple(Finding("index", problem) for problem in problems[:_MAX_LISTED])


def has_expected_layout(connection: apsw.Connection) -> bool:
    """Return whether the file has the expected tables, indexes and triggers."""
    return _layout(connection) == _expected_layout()


def _layout(connection: apsw.Connection) -> set[str]:
    """Describe tables, indexes and triggers."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {f"{kind} {name} ({sql})" for kind, name, sql in rows}


def _expected_layout() -> set[str]:
    with closing(apsw.Connection(":memory:")) as empty:
        empty.execute(TABLES)
        return _layout(empty)


def _find_problems(connection: apsw.Connection, folder: Path, *, find_strays: bool) -> dict[Finding, _Problem]:
    """Check everything within one generation."""
    connection.execute("BEGIN")
    try:
        problems = [*_check_tables(connection), *_check_segments(connection, folder)]
        if find_strays:
            problems += _find_strays(connection, folder)
        return {problem.finding: problem for problem in problems}
    finally:
        connection.execute("ROLLBACK")


def _check_tables(connection: apsw.Connection) -> Iterator[_Problem]:
    for fault in tables.find_faults(connection):
        yield _Problem(Finding(fault.where, fault.what), fault.repair, needs_index=True)


def _check_segments(connection: apsw.Connection, folder: Path) -> Iterator[_Problem]:
    for id_, file, what in derived_files.check_segments(connection, folder):
        yield _Problem(Finding(file, what), partial(registry.drop_segments, segments=[id_]), needs_index=False)
    yield from _check_vectors(connection, folder)
    for _, file, what in derived_files.check_links(connection, folder):
        yield _Problem(Finding(file, what), adjacency.drop_file, needs_index=False)


def _check_vectors(connection: apsw.Connection, folder: Path) -> Iterator[_Problem]:
    corrupt = set()
    for id_, file, what in derived_files.check_vectors(connection, folder):
        corrupt.add(id_)
        drop = partial(lost_vectors.drop_files, folder=folder, lost=[id_])
        yield _Problem(Finding(file, f"{what}; its vectors are lost"), drop, needs_index=True)
    for where, what, repair, has_lost_vectors in vector_places.find_misplaced(connection, folder, corrupt):
        yield _Problem(Finding(where, what), repair, needs_index=has_lost_vectors)


def _find_strays(connection: apsw.Connection, folder: Path) -> Iterator[_Problem]:
    registered = registry.registered_files(connection)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in registered:
            finding = Finding(path.name, STRAY, leftover=True)
            yield _Problem(finding, partial(_remove_file, path=path), needs_index=False)


def _remove_file(connection: apsw.Connection, path: Path) -> None:
    del connection
    path.unlink(missing_ok=True)


def _repair(connection: apsw.Connection, problems: dict[Finding, _Problem]) -> None:
    """Repair all problems in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for problem in problems.values():
            problem.repair(connection)
        raise_generation(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
