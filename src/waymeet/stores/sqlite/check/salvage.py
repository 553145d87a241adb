"""Salvage of a corrupt index file.

Readable documents are copied to a new file, which replaces the corrupt one. Vectors are expensive to compute, and the
folders that a user added are stored nowhere else, so a flipped bit should not cost all of them. Every page has a
checksum: what can be read is as it was written. A document is copied if all its rows can be read. What follows from
other rows (names, tags, keys and targets of links, segments, marks of deleted vectors) is computed again.
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
from waymeet.stores.sqlite.database.errors import UnreadableError, means_corruption, translate_errors
from waymeet.stores.sqlite.database.sessions import raise_generation
from waymeet.stores.sqlite.database.text_blocks import unpack_names
from waymeet.stores.sqlite.read.contents import read_link_keys
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import documents, edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from waymeet.stores.sqlite.check.check import CheckResult

_KEYS = {
    "documents": "id",
    "document_terms": "document",
    "chunks": "id",
    "texts": "chunk",
    "edge_kinds": "id",
    "edges": "source",
    "link_texts": "id",
    "spaces": "id",
    "vectors": "chunk",
    "vector_codes": "id",
    "vector_segments": "id",
}
"""Tables that are copied, and the integer by which their rows are ordered."""
_DOCUMENT_IDS = {"SELECT id FROM documents": "path", "SELECT document FROM document_segments": "document"}
"""Further places with the ids of documents, and their order."""
_BATCH = 1000
_SUFFIXES = ("", "-wal", "-shm")
_strings = msgspec.json.Decoder(tuple[str, ...])


class _Copied(NamedTuple):
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
                _derive_rows(old, target)
            # The check drops documents with missing rows. Readable rows may contradict each other, too, if they were
            # damaged before their page had a checksum.
            folder = path.with_name(f"{path.name}.segments")  # the vectors in its files are kept
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
    is_complete = {table: _copy_table(old, new, table, key) for table, key in _KEYS.items()}
    for table, columns, key in (("terms", "term, id", "term"), ("metadata", "key, value", "key")):
        rows, is_complete[table] = read_both_ways(old, f"SELECT {columns} FROM {table}", key)  # noqa: S608 - constants
        _insert(new, table, rows)
    if not is_complete["spaces"]:  # the index of a unique column has all rows, too
        _insert(new, "spaces", read_both_ways(old, "SELECT id, name FROM spaces", "name")[0])
    known = _row_ids(new, "documents")
    known = known.union(*(row for select in _DOCUMENT_IDS.items() for row in read_both_ways(old, *select)[0]))
    needed = ("vectors", "vector_codes", "vector_segments", "metadata")
    return _Copied(len(known), all(is_complete[table] for table in needed))


def _copy_table(old: apsw.Connection, new: apsw.Connection, table: str, key: str) -> bool:
    """Copy a table that is ordered by an integer, and return whether all of it could be read."""
    scan = TableScan(old, table, key)
    _insert(new, table, (row for _, *row in scan.rows()))
    return not scan.gaps


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


def _derive_rows(old: apsw.Connection, new: apsw.Connection) -> None:
    """Compute what follows from the documents. None of them is in a segment yet."""
    counters, _ = read_both_ways(old, "SELECT key, value FROM counters", "key")
    versions, _ = read_both_ways(old, "SELECT version FROM document_segments", "document")
    highest = max((version for (version,) in versions), default=0)
    with new:
        new.executemany("UPDATE counters SET value = ?2 WHERE key = ?1", counters)
        new.execute("UPDATE counters SET value = max(value, ?) WHERE key = 'generation'", (highest,))
        new.execute("UPDATE counters SET value = (SELECT ifnull(max(id), 0) FROM terms) WHERE key = 'last_term'")
        new.execute(tables.RAISE_LAST_VECTOR)
        tables.delete_orphans(new)
        for document, path, tags, names in list(new.execute("SELECT id, path, tags, names FROM documents")):
            try:
                _derive_keys(new, document, tags, unpack_names(path, names))
            except (UnreadableError, msgspec.DecodeError):
                documents.drop_unreadable(new, document)
        tables.resolve_all(new)
        registry.raise_registry_version(new)
        raise_generation(new)


def _derive_keys(new: apsw.Connection, document: int, tags: str, names: tuple[str, ...]) -> None:
    """Insert the tags and names of a document, and the keys that its links look for."""
    links = read_link_keys(new, document)
    rows = [(tag, document) for tag in set(fold_tags(_strings.decode(tags)))]
    new.executemany("INSERT INTO tags VALUES (?, ?)", rows)
    documents.insert_names(new, [(document, names)])
    edges.insert_link_keys(new, [(document, (key for refs in links for key in refs))])


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
