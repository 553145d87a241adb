"""Putting documents into the file and taking them out."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Any

from waymeet.stores.segments.posting_codec import packed
from waymeet.stores.shared.filters import folded
from waymeet.stores.shared.validation import twice
from waymeet.stores.sqlite.database.rows import chunk_row, document_row, edge_row
from waymeet.stores.sqlite.segments import registry
from waymeet.stores.sqlite.write import edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

    from waymeet.stores.sqlite.database.term_ids import Glossary
    from waymeet.types import IndexEntry, Link

    Numbered = Mapping[str, int]

_EMPTY = (
    "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunks WHERE document = ?",
    "DELETE FROM edge_refs WHERE edge IN (SELECT id FROM edges WHERE source = ?)",
    "DELETE FROM edges WHERE source = ?",
    "DELETE FROM tags WHERE document = ?",
    "DELETE FROM names WHERE document = ?",
)
_SAID = "SELECT target, terms FROM edges WHERE source = ? AND target IS NOT NULL AND length(terms) > 0"
_DOCUMENT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_EDGE = "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
_LAST_DOCUMENT = "SELECT ifnull(max(id), 0) FROM documents"
_LAST_CHUNK = "SELECT ifnull(max(id), 0) FROM chunks"
_LAST_EDGE = "SELECT ifnull(max(id), 0) FROM edges"


def put(connection: apsw.Connection, entries: Mapping[str, IndexEntry], glossary: Glossary) -> dict[str, int]:
    """Replace documents by their entries and give the numbers of the terms in them."""
    old = numbers(connection, entries)
    before, said = _names(connection, old.values()), _said(connection, old.values())
    _empty(connection, old.values())
    documents = old | dict(zip(sorted(entries.keys() - old.keys()), _free(connection, _LAST_DOCUMENT), strict=False))
    terms = glossary.numbered(connection, set().union(*map(_terms, entries.values())))
    _insert_documents(connection, entries, documents, terms)
    _insert_chunks(connection, entries, documents, terms)
    new_edges = _insert_edges(connection, entries, documents, terms)
    after = {(key, documents[document]) for document, entry in entries.items() for key in entry.document.names}
    edges.lead(connection, new_edges)
    moved = edges.lead(connection, edges.asking(connection, {key for key, _ in before ^ after}) - new_edges)
    said.subtract(_said(connection, documents.values()))
    spoken_of = {target for (target, _), difference in said.items() if difference}
    registry.loosen(connection, {*documents.values(), *spoken_of, *moved})
    return terms


def drop(connection: apsw.Connection, documents: Collection[str]) -> int:
    """Remove documents and say how many there were."""
    gone = numbers(connection, documents)
    before, said = _names(connection, gone.values()), _said(connection, gone.values())
    _empty(connection, gone.values())
    connection.executemany("DELETE FROM documents WHERE id = ?", _ones(gone.values()))
    moved = edges.lead(connection, edges.asking(connection, {key for key, _ in before}))
    registry.loosen(connection, {target for target, _ in said} | moved)
    registry.remove(connection, gone.values())
    return len(gone)


def _said(connection: apsw.Connection, documents: Iterable[int]) -> Counter[tuple[int, bytes]]:
    """Count what the links of some documents say of their targets."""
    return Counter(connection.executemany(_SAID, _ones(documents)))


def numbers(connection: apsw.Connection, documents: Iterable[str]) -> dict[str, int]:
    """Give the numbers of those documents that are there."""
    return dict(connection.executemany("SELECT path, id FROM documents WHERE path = ?", _ones(set(documents))))


def _names(connection: apsw.Connection, documents: Iterable[int]) -> set[tuple[str, int]]:
    return set(connection.executemany("SELECT key, document FROM names WHERE document = ?", _ones(documents)))


def _empty(connection: apsw.Connection, documents: Iterable[int]) -> None:
    """Remove all that belongs to some documents, but not their own rows."""
    bindings = list(_ones(documents))
    for statement in _EMPTY:
        connection.executemany(statement, bindings)


def _free(connection: apsw.Connection, last: str) -> Iterator[int]:
    """Count on from the highest number in use."""
    return count(1 + connection.execute(last).get)


def _insert_documents(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Numbered, terms: Numbered
) -> None:
    connection.executemany(
        _DOCUMENT,
        (document_row(documents[id_], entry.document, packed(entry.terms, terms)) for id_, entry in entries.items()),
    )
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?)",
        ((tag, documents[id_]) for id_, entry in entries.items() for tag in set(folded(entry.document.tags))),
    )
    connection.executemany(
        "INSERT INTO names VALUES (?, ?)",
        ((key, documents[id_]) for id_, entry in entries.items() for key in set(entry.document.names)),
    )


def _insert_chunks(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Numbered, terms: Numbered
) -> None:
    found = [
        (chunk, fields)
        for entry in entries.values()
        for chunk, fields in zip(entry.chunks, entry.chunk_terms, strict=True)
    ]
    for (taken,) in connection.executemany("SELECT key FROM chunks WHERE key = ?", ((each.id,) for each, _ in found)):
        raise twice(taken)
    free = _free(connection, _LAST_CHUNK)
    connection.executemany(
        _CHUNK,
        (chunk_row(next(free), documents[chunk.document], chunk, packed(fields, terms)) for chunk, fields in found),
    )


def _insert_edges(
    connection: apsw.Connection, entries: Mapping[str, IndexEntry], documents: Numbered, terms: Numbered
) -> set[int]:
    """Insert links that lead nowhere yet, and give their numbers."""
    found: list[tuple[int, int, int, Link]] = []
    free = _free(connection, _LAST_EDGE)
    for id_, entry in entries.items():
        found.extend((next(free), documents[id_], at, link) for at, link in enumerate(entry.links))
    connection.executemany(
        _EDGE,
        (edge_row(*each, packed({"inbound": each[-1].terms}, terms)) for each in found),
    )
    connection.executemany(
        "INSERT INTO edge_refs VALUES (?, ?, ?)",
        ((key, edge, rank) for edge, _, _, link in found for rank, key in enumerate(dict.fromkeys(link.refs))),
    )
    return {edge for edge, *_ in found}


def _terms(entry: IndexEntry) -> set[str]:
    fields = [terms for each in (entry.terms, *entry.chunk_terms) for terms in each.values()]
    return set().union(*fields, *(link.terms for link in entry.links))


def _ones(values: Iterable[Any]) -> Iterator[tuple[Any]]:
    return ((value,) for value in values)
