"""Filters as conditions of a query, and phrases by reading the text of what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.stores.postgres.database.encoding import decode_chunk, decode_document, escape_text, hash_key
from waymeet.stores.postgres.write.documents import property_value
from waymeet.stores.shared.filters import contains_phrases, fold_tags, normalise_paths, required_words
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from waymeet.stores.postgres.database.session import Session
    from waymeet.types import Filters

_TITLE = FIELDS.index("title")
_WITH_TERM = f"""
SELECT p.chunk FROM chunk_postings p WHERE p.collection_id = %(collection)s AND p.term = {{term}}
UNION SELECT c.id FROM document_postings p
    JOIN chunks c ON c.collection_id = p.collection_id AND c.document = p.document
WHERE p.collection_id = %(collection)s AND p.term = {{term}} AND p.field = {_TITLE}
"""  # noqa: S608 - our own constants
_BELOW = """
EXISTS (SELECT FROM unnest({value}::text[]) AS allowed (path)
    WHERE d.path = allowed.path OR starts_with(d.path, allowed.path || '/'))
"""
_TEXTS = """
SELECT c.id, c.key, d.path, c.ordinal, c.is_embedded, c.content, d.content, d.changed_ns, d.changed_by FROM chunks c
    JOIN documents d ON d.collection_id = c.collection_id AND d.id = c.document
WHERE c.collection_id = %s AND c.id = ANY(%s)
"""


class Condition(NamedTuple):
    """A condition on the columns `document` and `chunk` of a row, with its named parameters."""

    sql: str
    """`TRUE` if everything passes."""
    parameters: dict[str, Any]

    @property
    def is_empty(self) -> bool:
        """Return whether everything passes."""
        return self.sql == "TRUE"


def filter_condition(filters: Filters, row: str) -> Condition:
    """Return the condition of all filters except for the phrases themselves.

    `row` is the alias of the table or query with the columns `document` and `chunk`.
    """
    conditions: list[str] = []
    parameters: dict[str, Any] = {}
    on_documents = []
    for number, (sql, value) in enumerate(_document_conditions(filters)):
        on_documents.append(sql.format(value=f"%(filter{number})s"))
        parameters[f"filter{number}"] = value
    if on_documents:
        conditions.append(f"{row}.document IN ({_documents(' AND '.join(on_documents))})")
    if filters.without_kinds:
        conditions.append(f"{row}.document NOT IN ({_documents('d.kind = ANY(%(without_kinds)s)')})")
        parameters["without_kinds"] = list(filters.without_kinds)
    for number, group in enumerate(group for group in filters.without if group):
        conditions.append(f"{row}.chunk NOT IN ({_with_all(dict.fromkeys(group), f'without{number}', parameters)})")
    for number, terms in enumerate(required_words(filters.phrases)):
        name = f"required{number}"
        parameters[name] = list(map(hash_key, terms))
        conditions.append(f"{row}.chunk IN ({_WITH_TERM.format(term=f'ANY(%({name})s)')})")
    return Condition(" AND ".join(conditions) or "TRUE", parameters)


def _documents(condition: str) -> str:
    return f"SELECT d.id FROM documents d WHERE d.collection_id = %(collection)s AND {condition}"  # noqa: S608 - values are bound


def _with_all(terms: Collection[str], name: str, parameters: dict[str, Any]) -> str:
    """Return a query for the chunks that have all terms in title, headings or body."""
    parts = []
    for number, term in enumerate(terms):
        parameters[f"{name}_{number}"] = hash_key(term)
        parts.append(f"({_WITH_TERM.format(term=f'%({name}_{number})s')})")
    return " INTERSECT ".join(parts)


def _document_conditions(filters: Filters) -> Iterator[tuple[str, Any]]:
    """Yield conditions on a document `d`, each with its value."""
    paths = normalise_paths(filters.paths)
    if paths:
        yield _BELOW, [escape_text(path) for path in paths]
    for column in ("kind", "doc_type", "language", "namespace"):
        values = getattr(filters, f"{column}s")
        if values:
            yield f"d.{column} = ANY({{value}})", [escape_text(value) for value in values]
    if filters.changed_from:
        yield "d.changed_ns >= {value}", filters.changed_from
    if filters.changed_before:
        yield "d.changed_ns < {value}", filters.changed_before
    if filters.tags:
        yield "d.tags && {value}", [escape_text(tag) for tag in fold_tags(filters.tags)]
    alternatives: dict[str, list[str]] = {}
    for key, value in filters.properties:
        folded = key.casefold()
        alternatives.setdefault(folded, []).append(property_value(folded, value.casefold()))
    for values in alternatives.values():
        yield "d.properties && {value}", values


def select_with_phrases(session: Session, chunks: Iterable[int], phrases: tuple[str, ...]) -> set[int]:
    """Return those of the chunks that contain all phrases."""
    found = set()
    for id_, key, path, ordinal, is_embedded, content, document, *dates in session.rows(_TEXTS, list(chunks)):
        chunk = decode_chunk(key, path, ordinal, is_embedded, content)
        if contains_phrases(phrases, chunk, decode_document(document, *dates).title):
            found.add(id_)
    return found
