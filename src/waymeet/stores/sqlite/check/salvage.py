"""Saving what can be read of a damaged file: document by document, into a new file that takes its place.

Vectors are what is dear to make anew, so a flipped bit should not cost all of them. Every page has a checksum: what
can be read is as it was written. A document is saved if all that belongs to it can be read; what follows from other
rows (names, tags, where links lead, segments) is not read at all but worked out again.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from waymeet.errors import DamagedIndexError
from waymeet.stores.segments.array_file import sync_folder
from waymeet.stores.shared.filters import folded
from waymeet.stores.sqlite.check import check, tables
from waymeet.stores.sqlite.check.damaged_tables import Scan, both_ways
from waymeet.stores.sqlite.database.connection import connect, opened
from waymeet.stores.sqlite.database.errors import means_damage, translated
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from waymeet.stores.sqlite.check.check import CheckResult

_PARTS = {"chunks": ("document", "chunks_by_document"), "edges": ("source", "edges_by_source")}
"""Tables of what makes up a document, with the column that names the document and an index that knows their numbers."""
_NAMED = {"terms": "term", "spaces": "name"}
"""Tables whose rows stand in the index of a column as well."""
_KNOWN_BY = {"SELECT id FROM documents": "path", "SELECT document FROM document_segments": "document"}
"""Where else the numbers of documents stand, and in which order."""
_BATCH = 1000
_ENDINGS = ("", "-wal", "-shm")
_strings = msgspec.json.Decoder(tuple[str, ...])


class _Saved(NamedTuple):
    documents: int
    """Saved ones."""
    of: int
    """How many there were, as far as can be told."""
    all_else: bool
    """Whether all vectors and remarks were saved, too."""


def renewed(path: Path, timeout: float, verdict: CheckResult) -> CheckResult:
    """Put a file with what can be saved in the place of a damaged one, or an empty one; the damaged one is kept."""
    new = path.with_name(f"{path.name}.saving")
    try:
        with translated(path):
            saved = _saved(path, new, timeout)
            if saved is None:
                return check.move_aside(path, timeout, verdict)
            aside = _swapped(path, new)
    finally:
        _remove(new)
    lost = saved.of - saved.documents
    what = f"{lost:,} of {saved.of:,} documents could not be saved"
    if lost:
        what += f" and {'is' if lost == 1 else 'are'} read again by the next `waymeet index`"
    what += f"; the damaged file is kept as {aside.name}"
    findings = (*verdict.findings, check.Finding("index", what))
    told = tuple(msgspec.structs.replace(each, repaired=True) for each in findings)
    return check.CheckResult(told, lost=True, run_index=lost > 0 or not saved.all_else)


def _saved(path: Path, new: Path, timeout: float) -> _Saved | None:
    """Write a new file of what can be read; None if the layout itself cannot be."""
    _remove(new)
    try:
        with closing(connect(path, timeout)) as old:
            if not check.as_planned(old):
                return None
            with closing(opened(new, timeout, create=True)) as target:
                lost, of, all_else = _copied(old, target)
                _forget(target, lost)
                _worked_out(old, target)
            # What SQLite can read may still contradict itself, if it was damaged before it had a checksum.
            verdict = check.check(new, new.with_name(f"{new.name}.segments"), timeout, repair=True, strays=False)
    except (apsw.Error, UnicodeDecodeError, DamagedIndexError) as error:
        if isinstance(error, apsw.Error) and not means_damage(error):  # a full disk, say
            raise
        return None
    if verdict.damaged:
        return None
    with closing(connect(new, timeout)) as target:
        kept: int = target.execute("SELECT COUNT(*) FROM documents").get
    return _Saved(kept, max(of, kept), all_else and not verdict.run_index)


def _copied(old: apsw.Connection, new: apsw.Connection) -> tuple[set[int], int, bool]:
    """Copy what can be read; tell which documents are not whole, how many there were, and whether all else is here."""
    whole = {table: _copy(old, new, table) for table in ("documents", "chunks", "edges", "vectors")}
    for table, column in _NAMED.items():
        if not _copy(old, new, table):
            _insert(new, table, both_ways(old, f"SELECT id, {column} FROM {table}", column)[0])  # noqa: S608 - constants
    notes, all_notes = both_ways(old, "SELECT key, value FROM metadata", "key")
    _insert(new, "metadata", notes)
    known = _numbers(new, "documents")
    there = known.union(*(numbers for select in _KNOWN_BY.items() for numbers in both_ways(old, *select)[0]))
    lost = _copy_refs(old, new)
    for table, (owner, index) in _PARTS.items():
        if not whole[table]:
            parts, here = Scan(old, table, owner, "id", index), _numbers(new, table)
            lost |= {document for document, part in parts.rows() if part not in here}
            lost |= {document for document in known if parts.doubts(document)}
    return lost, len(there), whole["vectors"] and all_notes


def _copy(old: apsw.Connection, new: apsw.Connection, table: str) -> bool:
    """Copy a table whose rows are numbered, and tell whether all of it could be read."""
    scan = Scan(old, table)
    _insert(new, table, (row for _, *row in scan.rows()))
    return not scan.gaps


def _copy_refs(old: apsw.Connection, new: apsw.Connection) -> set[int]:
    """Copy the keys of links, which stand in an index as well, and name the documents of links that may lack some."""
    scan = Scan(old, "edge_refs", "edge", "key, edge, rank", "edge_refs_by_edge")
    _insert(new, "edge_refs", (row for _, *row in scan.rows()))
    if not scan.gaps:
        return set()
    refs, whole = both_ways(old, "SELECT key, edge, rank FROM edge_refs NOT INDEXED", "key")
    _insert(new, "edge_refs", refs)
    if whole:
        return set()
    return {source for edge, source in new.execute("SELECT id, source FROM edges") if scan.doubts(edge)}


def _insert(new: apsw.Connection, table: str, rows: Iterable[Collection[Any]]) -> None:
    """Insert rows in the order of their columns, leaving out those that are there already."""
    for batch in _batches(rows):
        marks = ", ".join("?" * len(batch[0]))
        with new:
            new.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", batch)  # noqa: S608 - a constant


def _batches(rows: Iterable[Collection[Any]]) -> Iterator[list[tuple[Any, ...]]]:
    batch: list[tuple[Any, ...]] = []
    for row in rows:
        batch.append(tuple(row))
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _numbers(connection: apsw.Connection, table: str) -> set[int]:
    return {number for (number,) in connection.execute(f"SELECT id FROM {table}")}  # noqa: S608 - a constant


def _forget(new: apsw.Connection, documents: Iterable[int]) -> None:
    """Take out documents that are not whole, and what belongs to none."""
    with new:
        new.executemany("DELETE FROM documents WHERE id = ?", ((document,) for document in documents))
        tables.sweep(new)


def _worked_out(old: apsw.Connection, new: apsw.Connection) -> None:
    """Work out what follows from the documents; none of them is on a segment yet."""
    counters, _ = both_ways(old, "SELECT key, value FROM counters", "key")
    versions, _ = both_ways(old, "SELECT version FROM document_segments", "document")
    highest = max((number for (number,) in versions), default=0)
    with new:
        new.executemany("UPDATE counters SET value = ?2 WHERE key = ?1", counters)
        new.execute("UPDATE counters SET value = max(value, ?) WHERE key = 'generation'", (highest,))
        rows = list(new.execute("SELECT id, tags, names FROM documents"))
        new.executemany(
            "INSERT INTO tags VALUES (?, ?)",
            ((tag, number) for number, tags, _ in rows for tag in set(folded(_strings.decode(tags)))),
        )
        new.executemany(
            "INSERT INTO names VALUES (?, ?)",
            ((name, number) for number, _, names in rows for name in set(_strings.decode(names))),
        )
        new.execute("UPDATE edges SET target = NULL")
        edges.lead(new, _numbers(new, "edges"))
        registry.loosen(new, _numbers(new, "documents"))
        registry.shelved(new)
        raise_generation(new)


def _swapped(path: Path, new: Path) -> Path:
    """Put the new file in the place of the damaged one, and say where that is now."""
    aside = check.free_name(path)
    try:  # under both names for a moment: there is an index in its place at any time
        aside.hardlink_to(path)
    except OSError:
        path.rename(aside)
    for ending in _ENDINGS[1:]:
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    new.replace(path)
    sync_folder(path.parent)
    return aside


def _remove(new: Path) -> None:
    for ending in _ENDINGS:
        new.with_name(new.name + ending).unlink(missing_ok=True)
