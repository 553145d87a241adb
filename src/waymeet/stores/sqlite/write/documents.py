"""Writing documents to the tables and removing them."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Any

from waymeet.stores.segments.posting_codec import pack_terms
from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.shared.validation import duplicate_chunk_error
from waymeet.stores.sqlite.database.rows import chunk_row, document_row, edge_row
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

    from waymeet.stores.sqlite.database.term_ids import TermIdCache
    from waymeet.types import IndexEntry, Link

    Ids = Mapping[str, int]

_DELETE_CONTENT = (
    "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunks WHERE document = ?",
    "DELETE FROM edge_refs WHERE edge IN (SELECT id FROM edges WHERE source = ?)",
    "DELETE FROM edges WHERE source = ?",
    "DELETE FROM tags WHERE document = ?",
    "DELETE FROM names WHERE document = ?",
)
_LINK_TERMS = "SELECT target, terms FROM edges WHERE source = ? AND target IS NOT NULL AND length(terms) > 0"
_INSERT_DOCUMENT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_EDGE = "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
_LAST_DOCUMENT = "SELECT ifnull(max(id), 0) FROM documents"
_LAST_CHUNK = "SELECT ifnull(max(id), 0) FROM chunks"
_LAST_EDGE = "SELECT ifnull(max(id), 0) FROM edges"


def put_documents(connection: apsw.Connection, entries: Mapping[str, IndexEntry], cache: TermIdCache) -> dict[str, int]:
    """Replace documents by their entries, and return the ids of the terms in them."""
    known = find_document_ids(connection, entries)
    old_names, link_terms = _read_names(connection, known.values()), _read_link_terms(connection, known.values())
    _delete_content(connection, known.values())
    new = sorted(entries.keys() - known.keys())
    documents = known | dict(zip(new, _free_ids(connection, _LAST_DOCUMENT), strict=False))
    terms = cache.assign(connection, set().union(*map(_terms, entries.values())))
    _insert_documents(connection, entries, documents, terms)
    _insert_chunks(connection, entries, documents, terms)
    new_edges = _insert_edges(connection, entries, documents, terms)
    new_names = {(key, documents[document]) for document, entry in entries.items() for key in entry.document.names}
    edges.resolve_edges(connection, new_edges)
    changed_keys = {key for key, _ in old_names ^ new_names}
    retargeted = edges.resolve_edges(connection, edges.find_by_key(connection, changed_keys) - new_edges)
    link_terms.subtract(_read_link_terms(connection, documents.values()))
    with_other_links = {target for (target, _), difference in link_terms.items() if difference}
    registry.unassign(connection, {*documents.values(), *with_other_links, *retargeted})
    return terms


def drop_documents(connection: apsw.Connection, documents: Collection[str]) -> int:
    """Remove documents, and return how many there were."""
    ids = find_document_ids(connection, documents)
    names, link_terms = _read_names(connection, ids.values()), _read_link_terms(connection, ids.values())
    _delete_content(connection, ids.values())
    connection.executemany("DELETE FROM documents WHERE id = ?", _bindings(ids.values()))
    retargeted = edges.resolve_edges(connection, edges.find_by_key(connection, {key for key, _ in names}))
    registry.unassign(connection, {target for target, _ in link_terms} | retargeted)
    registry.remove(connection, ids.values())
    return len(ids)


def set_commit_dates(connection: apsw.Connection, dates: Mapping[str, int]) -> int:
    """Set the dates of documents to those of commits, and return how many changed."""
    before = connection.total_changes()
    sql = "UPDATE documents SET changed_ns = ?2, changed_by = 'commit' WHERE path = ?1"
    connection.executemany(f"{sql} AND (changed_ns <> ?2 OR changed_by <> 'commit')", dates.items())
    return connection.total_changes() - before


def find_document_ids(connection: apsw.Connection, documents: Iterable[str]) -> dict[str, int]:
    """Return the row ids of the known documents by path."""
    return dict(connection.executemany("SELECT path, id FROM documents WHERE path = ?", _bindings(set(documents))))


def _read_link_terms(connection: apsw.Connection, documents: Iterable[int]) -> Counter[tuple[int, bytes]]:
    """Count the links of documents by target and packed terms."""
    return Counter(connection.executemany(_LINK_TERMS, _bindings(documents)))


def _read_names(connection: apsw.Connection, documents: Iterable[int]) -> set[tuple[str, int]]:
    return set(connection.executemany("SELECT key, document FROM names WHERE document = ?", _bindings(documents)))


def _delete_content(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Delete all rows that belong to documents, except for their own."""
    bindings = list(_bindings(documents))
    for statement in _DELETE_CONTENT:
        connection.executemany(statement, bindings)


def _free_ids(connection: apsw.Connection, last: str) -> Iterator[int]:
    """Yield ids above the highest one in use."""
    return count(1 + connection.execute(last).get)


def _insert_documents(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Ids, terms: Ids
) -> None:
    connection.executemany(
        _INSERT_DOCUMENT,
        (
            document_row(documents[id_], entry.document, pack_terms(entry.terms, terms))
            for id_, entry in entries.items()
        ),
    )
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?)",
        ((tag, documents[id_]) for id_, entry in entries.items() for tag in set(fold_tags(entry.document.tags))),
    )
    connection.executemany(
        "INSERT INTO names VALUES (?, ?)",
        ((key, documents[id_]) for id_, entry in entries.items() for key in set(entry.document.names)),
    )


def _insert_chunks(connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Ids, terms: Ids) -> None:
    chunks = [
        (chunk, fields)
        for entry in entries.values()
        for chunk, fields in zip(entry.chunks, entry.chunk_terms, strict=True)
    ]
    keys = ((chunk.id,) for chunk, _ in chunks)
    for (key,) in connection.executemany("SELECT key FROM chunks WHERE key = ?", keys):
        raise duplicate_chunk_error(key)
    free = _free_ids(connection, _LAST_CHUNK)
    connection.executemany(
        _INSERT_CHUNK,
        (
            chunk_row(next(free), documents[chunk.document], chunk, pack_terms(fields, terms))
            for chunk, fields in chunks
        ),
    )


def _insert_edges(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Ids, terms: Ids
) -> set[int]:
    """Insert links without a target, and return their ids."""
    links: list[tuple[int, int, int, Link]] = []
    free = _free_ids(connection, _LAST_EDGE)
    for id_, entry in entries.items():
        links.extend((next(free), documents[id_], ordinal, link) for ordinal, link in enumerate(entry.links))
    connection.executemany(
        _INSERT_EDGE,
        (
            edge_row(edge, source, ordinal, link, pack_terms({"inbound": link.terms}, terms))
            for edge, source, ordinal, link in links
        ),
    )
    connection.executemany(
        "INSERT INTO edge_refs VALUES (?, ?, ?)",
        ((key, edge, rank) for edge, _, _, link in links for rank, key in enumerate(dict.fromkeys(link.refs))),
    )
    return {edge for edge, *_ in links}


def _terms(entry: IndexEntry) -> set[str]:
    fields = [terms for owner in (entry.terms, *entry.chunk_terms) for terms in owner.values()]
    return set().union(*fields, *(link.terms for link in entry.links))


def _bindings(values: Iterable[Any]) -> Iterator[tuple[Any]]:
    return ((value,) for value in values)
