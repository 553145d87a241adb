"""Writing documents to the tables and removing them."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, count
from typing import TYPE_CHECKING, Any

from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.shared.validation import duplicate_chunk_error
from waymeet.stores.sqlite.database.key_hashes import hash_link_key, hash_name
from waymeet.stores.sqlite.database.rows import chunk_row, document_row
from waymeet.stores.sqlite.database.term_codec import pack_document_terms
from waymeet.stores.sqlite.database.text_blocks import pack_chunks, unpack_names
from waymeet.stores.sqlite.read.contents import link_block_id, read_link_keys
from waymeet.stores.sqlite.read.queries import find_chunk_ids
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import apsw

    from waymeet.stores.sqlite.database.term_ids import TermIdCache
    from waymeet.types import Chunk, IndexEntry

    Ids = Mapping[str, int]
    Names = set[tuple[str, int]]
    """Names with the ids of their documents."""

_DELETE_CONTENT = (
    "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM texts WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunks WHERE document = ?",
    "DELETE FROM document_terms WHERE document = ?",
    "DELETE FROM edges WHERE source = ?",
    "DELETE FROM tags WHERE document = ?",
)
_LINK_TERMS = "SELECT target, terms FROM edges WHERE source = ? AND target IS NOT NULL AND length(terms) > 0"
_INSERT_DOCUMENT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_LAST_DOCUMENT = "SELECT ifnull(max(id), 0) FROM documents"
_LAST_CHUNK = "SELECT ifnull(max(id), 0) FROM chunks"


def put_documents(connection: apsw.Connection, entries: Mapping[str, IndexEntry], cache: TermIdCache) -> dict[str, int]:
    """Replace documents by their entries, and return the ids of the terms in them."""
    known = find_document_ids(connection, entries)
    old_names, link_terms = _read_names(connection, known.values()), _read_link_terms(connection, known.values())
    _delete_content(connection, known.values(), old_names)
    new = sorted(entries.keys() - known.keys())
    documents = known | dict(zip(new, _free_ids(connection, _LAST_DOCUMENT), strict=False))
    terms = cache.assign(connection, set().union(*map(_terms, entries.values())))
    _insert_documents(connection, entries, documents, terms)
    _insert_chunks(connection, entries, documents)
    edges.insert_edges(connection, {documents[id_]: (id_, entry.links) for id_, entry in entries.items()}, terms)
    new_names = {(key, documents[document]) for document, entry in entries.items() for key in entry.document.names}
    changed_keys = {key for key, _ in old_names ^ new_names}
    own = set(documents.values())
    others = {edge: refs for edge, refs in edges.find_by_key(connection, changed_keys).items() if edge[0] not in own}
    retargeted = edges.resolve_edges(connection, others)
    link_terms.subtract(_read_link_terms(connection, documents.values()))
    with_other_links = {target for (target, _), difference in link_terms.items() if difference}
    registry.unassign(connection, {*documents.values(), *with_other_links, *retargeted})
    return terms


def drop_documents(connection: apsw.Connection, documents: Collection[str]) -> int:
    """Remove documents, and return how many there were."""
    ids = find_document_ids(connection, documents)
    names, link_terms = _read_names(connection, ids.values()), _read_link_terms(connection, ids.values())
    _delete_content(connection, ids.values(), names)
    connection.executemany("DELETE FROM documents WHERE id = ?", _bindings(ids.values()))
    retargeted = edges.resolve_edges(connection, edges.find_by_key(connection, {key for key, _ in names}))
    registry.unassign(connection, ({target for target, _ in link_terms} | retargeted) - set(ids.values()))
    registry.remove(connection, ids.values())
    return len(ids)


def drop_unreadable(connection: apsw.Connection, document: int) -> None:
    """Remove a document whose rows may be unreadable. The links to it keep their target.

    Rows without an index by document are looked for in whole tables.
    """
    targets = {target for target, _ in _read_link_terms(connection, [document])} - {document}
    connection.execute("DELETE FROM names WHERE document = ?", (document,))
    connection.execute("DELETE FROM link_keys WHERE source = ?", (document,))
    _delete_rows(connection, [document])
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))
    registry.unassign(connection, targets)
    registry.remove(connection, [document])


def set_commit_dates(connection: apsw.Connection, dates: Mapping[str, int]) -> int:
    """Set the dates of documents to those of commits, and return how many changed."""
    before = connection.total_changes()
    sql = "UPDATE documents SET changed_ns = ?2, changed_by = 'commit' WHERE path = ?1"
    connection.executemany(f"{sql} AND (changed_ns <> ?2 OR changed_by <> 'commit')", dates.items())
    return connection.total_changes() - before


def find_document_ids(connection: apsw.Connection, documents: Iterable[str]) -> dict[str, int]:
    """Return the row ids of the known documents by path."""
    return dict(connection.executemany("SELECT path, id FROM documents WHERE path = ?", _bindings(set(documents))))


def insert_names(connection: apsw.Connection, names: Iterable[tuple[int, Iterable[str]]]) -> None:
    """Insert the hashes of the names of documents, given by id."""
    rows = ((number, document) for document, keys in names for number in {hash_name(key) for key in keys})
    connection.executemany("INSERT INTO names VALUES (?, ?)", rows)


def insert_texts(connection: apsw.Connection, chunks: Iterable[tuple[int, Sequence[Chunk]]]) -> None:
    """Insert the content of the chunks of documents, given with the id of the first one of each."""
    blocks = ((first + position, data) for first, own in chunks for position, data in pack_chunks(own))
    connection.executemany("INSERT INTO texts VALUES (?, ?)", blocks)


def _read_link_terms(connection: apsw.Connection, documents: Iterable[int]) -> Counter[tuple[int, bytes]]:
    """Count the links of documents by target and packed terms."""
    return Counter(connection.executemany(_LINK_TERMS, _bindings(documents)))


def _read_names(connection: apsw.Connection, documents: Iterable[int]) -> Names:
    rows = connection.executemany("SELECT id, path, names FROM documents WHERE id = ?", _bindings(documents))
    return {(key, document) for document, path, packed in rows for key in unpack_names(path, packed)}


def _delete_content(connection: apsw.Connection, documents: Collection[int], names: Names) -> None:
    """Delete all rows that belong to documents, except for their own."""
    # There is no index of hashes by document: they follow from the texts.
    hashes = ((hash_name(key), document) for key, document in names)
    connection.executemany("DELETE FROM names WHERE hash = ? AND document = ?", hashes)
    for document in documents:
        keys = {hash_link_key(key) for refs in read_link_keys(connection, document) for key in refs}
        pairs = ((number, document) for number in keys)
        connection.executemany("DELETE FROM link_keys WHERE hash = ? AND source = ?", pairs)
    _delete_rows(connection, documents)


def _delete_rows(connection: apsw.Connection, documents: Collection[int]) -> None:
    """Delete all rows that can be found by document."""
    bounds = ((link_block_id(document, 0), link_block_id(document + 1, 0)) for document in documents)
    connection.executemany("DELETE FROM link_texts WHERE id >= ? AND id < ?", bounds)
    for statement in _DELETE_CONTENT:
        connection.executemany(statement, _bindings(documents))


def _free_ids(connection: apsw.Connection, last: str) -> Iterator[int]:
    """Yield ids above the highest one in use."""
    return count(1 + connection.execute(last).get)


def _insert_documents(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Ids, terms: Ids
) -> None:
    connection.executemany(
        _INSERT_DOCUMENT,
        (
            document_row(documents[id_], entry.document, len(entry.chunks), len(entry.links))
            for id_, entry in entries.items()
        ),
    )
    connection.executemany(
        "INSERT INTO document_terms VALUES (?, ?)",
        (
            (documents[id_], pack_document_terms((entry.terms, *entry.chunk_terms), terms))
            for id_, entry in entries.items()
        ),
    )
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?)",
        ((tag, documents[id_]) for id_, entry in entries.items() for tag in set(fold_tags(entry.document.tags))),
    )
    insert_names(connection, ((documents[id_], entry.document.names) for id_, entry in entries.items()))


def _insert_chunks(connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Ids) -> None:
    chunks = [chunk for entry in entries.values() for chunk in entry.chunks]
    free = _free_ids(connection, _LAST_CHUNK)
    rows = [chunk_row(next(free), documents[chunk.document], chunk) for chunk in chunks]
    _check_keys(connection, [chunk.id for chunk in chunks], [key for *_, key, _ in rows if key is not None])
    connection.executemany(_INSERT_CHUNK, rows)
    first = accumulate((len(entry.chunks) for entry in entries.values()), initial=rows[0][0] if rows else 0)
    insert_texts(connection, zip(first, (entry.chunks for entry in entries.values()), strict=False))


def _check_keys(connection: apsw.Connection, keys: Sequence[str], irregular: Sequence[str]) -> None:
    """Check that no other document has chunks with the same keys.

    Keys of the usual form begin with the path of their document, so only other ones can be equal.
    """
    same = connection.executemany("SELECT key FROM chunks WHERE key = ?", _bindings(keys))
    for key in (*(key for (key,) in same), *find_chunk_ids(connection, irregular)):
        raise duplicate_chunk_error(key)


def _terms(entry: IndexEntry) -> set[str]:
    fields = [terms for owner in (entry.terms, *entry.chunk_terms) for terms in owner.values()]
    return set().union(*fields, *(link.terms for link in entry.links))


def _bindings(values: Iterable[Any]) -> Iterator[tuple[Any]]:
    return ((value,) for value in values)
