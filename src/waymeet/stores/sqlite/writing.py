"""Putting documents into the file and taking them out."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from waymeet.stores.entries import length, twice
from waymeet.stores.filters import folded
from waymeet.stores.sqlite import links
from waymeet.stores.sqlite.records import chunk_row, document_row, edge_row
from waymeet.stores.sqlite.schema import FIELD_CODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import apsw

    from waymeet.stores.sqlite.terms import Glossary
    from waymeet.types import Entry, Link, Terms

    Numbered = Mapping[str, int]
    Fields = Mapping[int, Mapping[str, Terms]]
    Rows = Iterable[tuple[Any, ...]]

_EMPTY = (
    "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunk_terms WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunk_lengths WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)",
    "DELETE FROM chunks WHERE document = ?",
    "DELETE FROM edge_terms WHERE edge IN (SELECT id FROM edges WHERE source = ?)",
    "DELETE FROM edge_refs WHERE edge IN (SELECT id FROM edges WHERE source = ?)",
    "DELETE FROM edges WHERE source = ?",
    "DELETE FROM document_terms WHERE document = ?",
    "DELETE FROM document_lengths WHERE document = ?",
    "DELETE FROM tags WHERE document = ?",
    "DELETE FROM names WHERE document = ?",
)
_LAST_DOCUMENT = "SELECT ifnull(max(id), 0) FROM documents"
_LAST_CHUNK = "SELECT ifnull(max(id), 0) FROM chunks"
_LAST_EDGE = "SELECT ifnull(max(id), 0) FROM edges"


def put(connection: apsw.Connection, entries: Mapping[str, Entry], glossary: Glossary) -> dict[str, int]:
    """Replace documents by their entries and give the numbers of the terms in them."""
    old = numbers(connection, entries)
    before = _names(connection, old.values())
    _empty(connection, old.values())
    documents = old | dict(zip(sorted(entries.keys() - old.keys()), _free(connection, _LAST_DOCUMENT), strict=False))
    terms = glossary.numbered(connection, {term for entry in entries.values() for term in _terms(entry)})
    _insert_documents(connection, entries, documents, terms)
    _insert_chunks(connection, entries, documents, terms)
    new_edges = _insert_edges(connection, entries, documents, terms)
    after = {(key, documents[document]) for document, entry in entries.items() for key in entry.document.names}
    links.lead(connection, new_edges | links.asking(connection, {key for key, _ in before ^ after}))
    return terms


def drop(connection: apsw.Connection, documents: Collection[str]) -> int:
    """Remove documents and say how many there were."""
    gone = numbers(connection, documents)
    before = _names(connection, gone.values())
    _empty(connection, gone.values())
    connection.executemany("DELETE FROM documents WHERE id = ?", _ones(gone.values()))
    links.lead(connection, links.asking(connection, {key for key, _ in before}))
    return len(gone)


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
    connection: apsw.Connection, entries: Mapping[str, Entry], documents: Numbered, terms: Numbered
) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (document_row(documents[document], entry.document) for document, entry in entries.items()),
    )
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?)",
        ((tag, documents[id_]) for id_, entry in entries.items() for tag in set(folded(entry.document.tags))),
    )
    connection.executemany(
        "INSERT INTO names VALUES (?, ?)",
        ((key, documents[id_]) for id_, entry in entries.items() for key in set(entry.document.names)),
    )
    fields = {documents[id_]: entry.terms for id_, entry in entries.items()}
    connection.executemany("INSERT INTO document_terms VALUES (?, ?, ?, ?)", _postings(fields, terms))
    connection.executemany("INSERT INTO document_lengths VALUES (?, ?, ?)", _lengths(fields))


def _insert_chunks(
    connection: apsw.Connection, entries: Mapping[str, Entry], documents: Numbered, terms: Numbered
) -> None:
    chunks = [chunk for entry in entries.values() for chunk in entry.chunks]
    for (taken,) in connection.executemany("SELECT key FROM chunks WHERE key = ?", ((each.id,) for each in chunks)):
        raise twice(taken)
    numbered = dict(zip((chunk.id for chunk in chunks), _free(connection, _LAST_CHUNK), strict=False))
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (chunk_row(numbered[chunk.id], documents[chunk.document], chunk) for chunk in chunks),
    )
    fields = {
        numbered[chunk.id]: found
        for entry in entries.values()
        for chunk, found in zip(entry.chunks, entry.chunk_terms, strict=True)
    }
    connection.executemany("INSERT INTO chunk_terms VALUES (?, ?, ?, ?)", _postings(fields, terms))
    connection.executemany("INSERT INTO chunk_lengths VALUES (?, ?, ?)", _lengths(fields))


def _postings(fields: Fields, terms: Numbered) -> Rows:
    """List term, owner, field and frequency in the order of the table, which is where inserting is quick."""
    return sorted(
        (terms[term], owner, FIELD_CODES[field], times)
        for owner, by_field in fields.items()
        for field, found in by_field.items()
        for term, times in found.items()
    )


def _lengths(fields: Fields) -> Rows:
    """List owner, field and length of the fields that are not empty."""
    return [
        (owner, FIELD_CODES[field], length(found))
        for owner, by_field in fields.items()
        for field, found in by_field.items()
        if found
    ]


def _insert_edges(
    connection: apsw.Connection, entries: Mapping[str, Entry], documents: Numbered, terms: Numbered
) -> set[int]:
    """Insert links that lead nowhere yet, and give their numbers."""
    found: list[tuple[int, int, int, Link]] = []
    free = _free(connection, _LAST_EDGE)
    for id_, entry in entries.items():
        found.extend((next(free), documents[id_], at, link) for at, link in enumerate(entry.links))
    connection.executemany(
        "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", (edge_row(*each) for each in found)
    )
    connection.executemany(
        "INSERT INTO edge_refs VALUES (?, ?, ?)",
        ((key, edge, rank) for edge, _, _, link in found for rank, key in enumerate(dict.fromkeys(link.refs))),
    )
    connection.executemany(
        "INSERT INTO edge_terms VALUES (?, ?, ?)",
        sorted((terms[term], edge, times) for edge, _, _, link in found for term, times in link.terms.items()),
    )
    return {edge for edge, *_ in found}


def _terms(entry: Entry) -> Iterator[str]:
    for fields in (entry.terms, *entry.chunk_terms):
        for terms in fields.values():
            yield from terms
    for link in entry.links:
        yield from link.terms


def _ones(values: Iterable[Any]) -> Iterator[tuple[Any]]:
    return ((value,) for value in values)
