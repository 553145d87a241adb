"""Salvage of a corrupt index file.

Readable documents are copied to a new file, which replaces the corrupt one. Vectors are expensive to compute, and the
folders that a user added are stored nowhere else, so a flipped bit should not cost all of them. Every page has a
checksum: what can be read is as it was written. A document is copied if all its rows can be read. What follows from
other rows (names, tags, targets of links, segments) is computed again.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from waymeet.errors import DamagedIndexError
from waymeet.stores.segments.array_file import sync_folder
from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.sqlite.check import check, tables
from waymeet.stores.sqlite.check.damaged_tables import TableScan, read_both_ways
from waymeet.stores.sqlite.database.connection import connect, open_index
from waymeet.stores.sqlite.database.errors import means_corruption, translate_errors
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from waymeet.stores.sqlite.check.check import CheckResult

_DOCUMENT_PARTS = {"chunks": ("document", "chunks_by_document"), "edges": ("source", "edges_by_source")}
"""Tables with the rows of a document, the column with its id, and an index of that column."""
_UNIQUE_COLUMNS = {"terms": "term", "spaces": "name"}
"""Tables whose rows can be read from the index of a unique column, too."""
_DOCUMENT_IDS = {"SELECT id FROM documents": "path", "SELECT document FROM document_segments": "document"}
"""Further places with the ids of documents, and their order."""
_BATCH = 1000
_SUFFIXES = ("", "-wal", "-shm")
_strings = msgspec.json.Decoder(tuple[str, ...])


class _Copied(NamedTuple):
    incomplete: set[int]
    """Documents of which some rows may be missing."""
    documents: int
    """Documents in the corrupt file, as far as they can be counted."""
    is_rest_complete: bool
    """Whether all vectors and metadata were copied."""


class _Salvaged(NamedTuple):
    documents: int
    """Copied documents."""
    total: int
    """Documents in the corrupt file, as far as they can be counted."""
    is_rest_complete: bool


def salvage_index(path: Path, timeout: float, result: CheckResult) -> CheckResult:
    """Replace a corrupt file by one with its readable documents, or an empty one.

    The corrupt file is kept under another name.
    """
    new = path.with_name(f"{path.name}.saving")
    try:
        with translate_errors(path):
            salvaged = _write_salvaged(path, new, timeout)
            if salvaged is None:
                return check.move_aside(path, timeout, result)
            aside = _replace_file(path, new)
    finally:
        _remove_file(new)
    lost = salvaged.total - salvaged.documents
    what = f"{lost:,} of {salvaged.total:,} documents could not be saved"
    if lost:
        what += f" and {'is' if lost == 1 else 'are'} indexed again by the next `waymeet index`"
    what += f"; the corrupt file is kept as {aside.name}"
    findings = (*result.findings, check.Finding("index", what))
    repaired = tuple(msgspec.structs.replace(finding, repaired=True) for finding in findings)
    return check.CheckResult(repaired, lost=True, run_index=lost > 0 or not salvaged.is_rest_complete)


def _write_salvaged(path: Path, new: Path, timeout: float) -> _Salvaged | None:
    """Write a new file with all that can be read, or return None if the schema cannot be read."""
    _remove_file(new)
    try:
        with closing(connect(path, timeout)) as old:
            if not check.has_expected_layout(old):
                return None
            with closing(open_index(new, timeout, create=True)) as target:
                copied = _copy_tables(old, target)
                _delete_incomplete(target, copied.incomplete)
                _derive_rows(old, target)
            # Readable rows may still contradict each other, if they were damaged before their page had a checksum.
            folder = new.with_name(f"{new.name}.segments")
            result = check.check_files(new, folder, timeout, repair=True, find_strays=False)
    except (apsw.Error, UnicodeDecodeError, DamagedIndexError) as error:
        if isinstance(error, apsw.Error) and not means_corruption(error):  # a full disk, for example
            raise
        return None
    if result.damaged:
        return None
    with closing(connect(new, timeout)) as target:
        documents: int = target.execute("SELECT COUNT(*) FROM documents").get
    is_rest_complete = copied.is_rest_complete and not result.run_index
    return _Salvaged(documents, max(copied.documents, documents), is_rest_complete)


def _copy_tables(old: apsw.Connection, new: apsw.Connection) -> _Copied:
    """Copy all readable rows."""
    is_complete = {table: _copy_table(old, new, table) for table in ("documents", "chunks", "edges", "vectors")}
    for table, column in _UNIQUE_COLUMNS.items():
        if not _copy_table(old, new, table):
            _insert(new, table, read_both_ways(old, f"SELECT id, {column} FROM {table}", column)[0])  # noqa: S608 - constants
    metadata, is_metadata_complete = read_both_ways(old, "SELECT key, value FROM metadata", "key")
    _insert(new, "metadata", metadata)
    copied = _row_ids(new, "documents")
    known = copied.union(*(row for select in _DOCUMENT_IDS.items() for row in read_both_ways(old, *select)[0]))
    incomplete = _copy_refs(old, new)
    for table, (owner, index) in _DOCUMENT_PARTS.items():
        if not is_complete[table]:
            scan, copied_parts = TableScan(old, table, owner, "id", index), _row_ids(new, table)
            incomplete |= {document for document, part in scan.rows() if part not in copied_parts}
            incomplete |= {document for document in copied if scan.may_miss(document)}
    return _Copied(incomplete, len(known), is_complete["vectors"] and is_metadata_complete)


def _copy_table(old: apsw.Connection, new: apsw.Connection, table: str) -> bool:
    """Copy a table with integer ids, and return whether all of it could be read."""
    scan = TableScan(old, table)
    _insert(new, table, (row for _, *row in scan.rows()))
    return not scan.gaps


def _copy_refs(old: apsw.Connection, new: apsw.Connection) -> set[int]:
    """Copy the keys of links, and return the documents whose links may lack some."""
    scan = TableScan(old, "edge_refs", "edge", "key, edge, rank", "edge_refs_by_edge")
    _insert(new, "edge_refs", (row for _, *row in scan.rows()))
    if not scan.gaps:
        return set()
    refs, is_complete = read_both_ways(old, "SELECT key, edge, rank FROM edge_refs NOT INDEXED", "key")
    _insert(new, "edge_refs", refs)
    if is_complete:
        return set()
    return {source for edge, source in new.execute("SELECT id, source FROM edges") if scan.may_miss(edge)}


def _insert(new: apsw.Connection, table: str, rows: Iterable[Collection[Any]]) -> None:
    """Insert rows, leaving out those that exist already."""
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


def _row_ids(connection: apsw.Connection, table: str) -> set[int]:
    return {id_ for (id_,) in connection.execute(f"SELECT id FROM {table}")}  # noqa: S608 - a constant


def _delete_incomplete(new: apsw.Connection, documents: Iterable[int]) -> None:
    """Delete incomplete documents, and rows without an owner."""
    with new:
        new.executemany("DELETE FROM documents WHERE id = ?", ((document,) for document in documents))
        tables.delete_orphans(new)


def _derive_rows(old: apsw.Connection, new: apsw.Connection) -> None:
    """Compute what follows from the documents. None of them is in a segment yet."""
    counters, _ = read_both_ways(old, "SELECT key, value FROM counters", "key")
    versions, _ = read_both_ways(old, "SELECT version FROM document_segments", "document")
    highest = max((version for (version,) in versions), default=0)
    with new:
        new.executemany("UPDATE counters SET value = ?2 WHERE key = ?1", counters)
        new.execute("UPDATE counters SET value = max(value, ?) WHERE key = 'generation'", (highest,))
        rows = list(new.execute("SELECT id, tags, names FROM documents"))
        new.executemany(
            "INSERT INTO tags VALUES (?, ?)",
            ((tag, document) for document, tags, _ in rows for tag in set(fold_tags(_strings.decode(tags)))),
        )
        new.executemany(
            "INSERT INTO names VALUES (?, ?)",
            ((name, document) for document, _, names in rows for name in set(_strings.decode(names))),
        )
        new.execute("UPDATE edges SET target = NULL")
        edges.resolve_edges(new, _row_ids(new, "edges"))
        registry.unassign(new, _row_ids(new, "documents"))
        registry.raise_registry_version(new)
        raise_generation(new)


def _replace_file(path: Path, new: Path) -> Path:
    """Replace the corrupt file by the new one, and return the path under which it is kept."""
    aside = check.free_name(path)
    try:  # both names for a moment: at any time there is an index at the path
        aside.hardlink_to(path)
    except OSError:
        path.rename(aside)
    for suffix in _SUFFIXES[1:]:
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.rename(aside.with_name(aside.name + suffix))
    new.replace(path)
    sync_folder(path.parent)
    return aside


def _remove_file(new: Path) -> None:
    for suffix in _SUFFIXES:
        new.with_name(new.name + suffix).unlink(missing_ok=True)
