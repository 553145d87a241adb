"""Replacing and removing documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from waymeet.stores.postgres.database.encoding import encode_chunk, encode_document, escape_text, hash_key
from waymeet.stores.postgres.segments import registry
from waymeet.stores.postgres.segments.term_rows import join_parts, pack_hashes
from waymeet.stores.postgres.write import edges
from waymeet.stores.postgres.write.terms import insert_terms
from waymeet.stores.postgres.write.vectors import drop_vectors_of
from waymeet.stores.shared.filters import fold_tags
from waymeet.stores.shared.validation import OWN_FIELDS, duplicate_chunk_error, field_length
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from waymeet.stores.postgres.database.session import WriteSession
    from waymeet.types import Document, IndexEntry

_HEADINGS, _BODY, _INBOUND = (FIELDS.index(field) for field in ("headings", "body", "inbound"))
_KNOWN = "SELECT path, id, inbound_length FROM documents WHERE collection_id = %s AND path = ANY(%s)"
_CHUNK_LENGTHS = """
SELECT count(*), coalesce(sum(headings_length), 0), count(*) FILTER (WHERE headings_length > 0),
    coalesce(sum(body_length), 0), count(*) FILTER (WHERE body_length > 0)
FROM chunks WHERE collection_id = %s AND document = ANY(%s)
"""
_OWN_LENGTHS = """
SELECT l.field - 1, sum(l.length), count(*) FILTER (WHERE l.length > 0)
FROM documents d, unnest(d.lengths) WITH ORDINALITY AS l (length, field)
WHERE d.collection_id = %s AND d.id = ANY(%s) GROUP BY l.field
"""
_DELETE = (
    "DELETE FROM chunks WHERE collection_id = %s AND document = ANY(%s)",
    "DELETE FROM names WHERE collection_id = %s AND document = ANY(%s)",
    "DELETE FROM link_keys WHERE collection_id = %s AND source = ANY(%s)",
    "DELETE FROM edges WHERE collection_id = %s AND source = ANY(%s)",
    "DELETE FROM documents WHERE collection_id = %s AND id = ANY(%s)",
)
_NAMES = "SELECT hash, document FROM names WHERE collection_id = %s AND document = ANY(%s)"
_EQUAL_KEYS = "SELECT key FROM chunks WHERE collection_id = %s AND hash = ANY(%s) LIMIT 1"
_SET_DATES = """
UPDATE documents d SET changed_ns = n.changed_ns, changed_by = 'commit'
FROM unnest(%s::text[], %s::bigint[]) AS n (path, changed_ns)
WHERE d.collection_id = %s AND d.path = n.path AND (d.changed_ns <> n.changed_ns OR d.changed_by <> 'commit')
"""
_DOCUMENT_COLUMNS = (
    "id, path, kind, doc_type, language, namespace, role, digest, size, modified_ns, changed_ns, changed_by, tags,"
    " properties, chunks, lengths, inbound_length, content"
)
_DOCUMENT_TYPES = [
    "int4",
    *["text"] * 7,
    *["int8"] * 3,
    "text",
    "text[]",
    "text[]",
    "int4",
    "int4[]",
    "int4",
    "text",
]
_CHUNK_COLUMNS = "id, document, ordinal, hash, is_embedded, headings_length, body_length, key, content"
_CHUNK_TYPES = ["int4", "int4", "int4", "int8", "bool", "int4", "int4", "text", "text"]


def put_documents(session: WriteSession, entries: Mapping[str, IndexEntry], known_terms: Collection[int]) -> set[int]:
    """Replace documents by their entries, and return the hashes of terms that are new."""
    known = {path: (id_, length) for path, id_, length in session.run(_KNOWN, list(map(escape_text, entries)))}
    ids, inbound_lengths = {}, {}
    for path in entries:
        stored = known.get(escape_text(path))
        if stored is None:
            session.last_document += 1
        ids[path], inbound_lengths[path] = stored or (session.last_document, 0)
    replaced = [id_ for id_, _ in known.values()]
    old_names = set(session.run(_NAMES, replaced)) if replaced else set()
    change = edges.LinkChange(session)
    change.remove_links(replaced)
    _delete(session, replaced)
    _insert_documents(session, entries, ids, inbound_lengths)
    terms = insert_terms(session, entries.values(), known_terms)
    _insert_chunks(session, entries, ids)
    new_names = {(hash_key(name), ids[path]) for path, entry in entries.items() for name in entry.document.names}
    session.copy("names", "hash, document", ["int8", "int4"], new_names)
    change.insert_links({ids[path]: (path, entry.links) for path, entry in entries.items()})
    change.resolve_again({name for name, _ in old_names ^ new_names}, own=ids.values())
    change.apply(own=set(ids.values()))
    return terms


def drop_documents(session: WriteSession, documents: Collection[str]) -> int:
    """Remove documents, and return how many there were."""
    rows = session.run(_KNOWN, list(map(escape_text, documents))).fetchall()
    removed = [id_ for _, id_, _ in rows]
    if not removed:
        return 0
    names = {name for name, _ in session.run(_NAMES, removed)}
    for _, _, length in rows:
        session.add_lengths(_INBOUND, -length, -(length > 0))
    change = edges.LinkChange(session)
    change.remove_links(removed)
    _delete(session, removed)
    change.resolve_again(names, own=removed)
    change.apply(removed=set(removed))
    return len(removed)


def set_commit_dates(session: WriteSession, dates: Mapping[str, int]) -> int:
    """Set the dates of documents to those of commits, and return how many changed."""
    parameters = (list(map(escape_text, dates)), list(dates.values()), session.collection)
    return session.connection.execute(_SET_DATES, parameters).rowcount


def _delete(session: WriteSession, documents: list[int]) -> None:
    """Delete all rows of documents, and subtract their lengths."""
    if not documents:
        return
    for field, total, filled in session.run(_OWN_LENGTHS, documents):
        session.add_lengths(field, -total, -filled)
    chunks, *lengths = session.run(_CHUNK_LENGTHS, documents).fetchone() or (0,) * 5
    session.chunks -= chunks
    session.add_lengths(_HEADINGS, -lengths[0], -lengths[1])
    session.add_lengths(_BODY, -lengths[2], -lengths[3])
    drop_vectors_of(session, documents)
    registry.remove(session, documents)
    for statement in _DELETE:
        session.run(statement, documents)


def _insert_documents(
    session: WriteSession, entries: Mapping[str, IndexEntry], ids: Mapping[str, int], inbound: Mapping[str, int]
) -> None:
    rows = []
    for path, entry in entries.items():
        lengths = [field_length(entry.terms.get(field, {})) for field in OWN_FIELDS]
        for field, length in zip(OWN_FIELDS, lengths, strict=True):
            session.add_lengths(FIELDS.index(field), length, int(length > 0))
        rows.append(_document_row(ids[path], entry, lengths, inbound[path]))
    session.copy("documents", _DOCUMENT_COLUMNS, _DOCUMENT_TYPES, rows)


def _document_row(id_: int, entry: IndexEntry, lengths: list[int], inbound_length: int) -> tuple[Any, ...]:
    document = entry.document
    texts = (document.kind, document.doc_type, document.language, document.namespace, document.role, document.digest)
    return (
        id_,
        escape_text(document.id),
        *map(escape_text, texts),
        document.size,
        document.modified_ns,
        document.changed_ns,
        document.changed_by,
        [escape_text(tag) for tag in fold_tags(document.tags)],
        list(property_values(document)),
        len(entry.chunks),
        lengths,
        inbound_length,
        encode_document(document),
    )


def property_values(document: Document) -> Iterator[str]:
    """Yield what a filter on properties may look for.

    The rule is that of `stores.shared.filters.has_properties`.
    """
    values = {key.casefold(): text.casefold() for key, text in document.properties.items()}
    for key, text in values.items():
        for value in {text, *text.split(", ")}:
            yield property_value(key, value)


def property_value(key: str, value: str) -> str:
    """Join a folded key and value of a property for comparison."""
    return escape_text(f"{len(key)} {key} {value}")


def _insert_chunks(session: WriteSession, entries: Mapping[str, IndexEntry], ids: Mapping[str, int]) -> None:
    hashes = [hash_key(chunk.id) for entry in entries.values() for chunk in entry.chunks]
    for (key,) in session.run(_EQUAL_KEYS, hashes):
        raise duplicate_chunk_error(key)
    rows, term_rows = [], []
    for path, entry in entries.items():
        packed: list[tuple[int, int, bytes]] = []
        for chunk, terms in zip(entry.chunks, entry.chunk_terms, strict=True):
            session.last_chunk += 1
            id_, document = session.last_chunk, ids[path]
            headings, body = (field_length(terms.get(field, {})) for field in ("headings", "body"))
            session.add_lengths(_HEADINGS, headings, int(headings > 0))
            session.add_lengths(_BODY, body, int(body > 0))
            columns = (id_, document, chunk.ordinal, hash_key(chunk.id), chunk.is_embedded, headings, body)
            rows.append((*columns, escape_text(chunk.id), encode_chunk(chunk)))
            packed.append((chunk.ordinal, id_, pack_hashes(terms)))
        packed.sort()
        own = pack_hashes({field: entry.terms[field] for field in OWN_FIELDS if field in entry.terms})
        sizes, content = join_parts([own, *(part for *_, part in packed)])
        term_rows.append((ids[path], [id_ for _, id_, _ in packed], sizes, content))
    session.chunks += len(rows)
    session.copy("chunks", _CHUNK_COLUMNS, _CHUNK_TYPES, rows)
    registry.insert_terms(session, term_rows)
