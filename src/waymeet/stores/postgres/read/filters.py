"""Filters as conditions of a query, and phrases by reading the text of what is left."""

from __future__ import annotations

import sys
from array import array
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from waymeet.stores.postgres.database.encoding import decode_chunk, decode_document, escape_text, hash_key
from waymeet.stores.postgres.segments.registry import locate_chunks
from waymeet.stores.postgres.write.documents import property_value
from waymeet.stores.shared.filters import contains_phrases, fold_tags, normalise_paths, required_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from waymeet.stores.lexical.lexicon import Lexicon
    from waymeet.stores.postgres.database.session import Session
    from waymeet.types import Filters

_WORD_FIELDS = ("title", "headings", "body")
"""Fields in which an excluded word is looked for."""
_PASSING = "SELECT string_agg(int4send(d.id), ''::bytea) FROM documents d WHERE d.collection_id = %(collection)s AND "
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


class WordFilter(NamedTuple):
    """The chunks that pass by their words."""

    required: frozenset[int] | None = None
    """Chunks with every word of the phrases; None for all."""
    excluded: frozenset[int] = frozenset()
    """Chunks with an excluded word."""


def has_words(filters: Filters) -> bool:
    """Return whether filters need posting lists."""
    return bool(filters.without or filters.phrases)


def filter_terms(filters: Filters) -> Iterator[str]:
    """Yield the terms whose posting lists filters need."""
    for group in (*filters.without, *required_words(filters.phrases)):
        yield from group


def filter_by_words(session: Session, filters: Filters, lexicon: Lexicon) -> WordFilter:
    """Find the chunks that pass by their words. The lexicon has the lists of `filter_terms`."""
    groups = [[hash_key(term) for term in dict.fromkeys(group)] for group in filters.without if group]
    excluded = frozenset[int]().union(*(lexicon.chunks_with_all(group, _WORD_FIELDS) for group in groups))
    words = [[hash_key(term) for term in dict.fromkeys(terms)] for terms in required_words(filters.phrases)]
    if not words:
        return WordFilter(None, excluded)
    locate = partial(locate_chunks, session)
    return WordFilter(frozenset(lexicon.chunks_with_words(words, _WORD_FIELDS, locate)), excluded)


def read_passing_documents(session: Session, filters: Filters) -> array[int] | None:
    """Read the ids of the documents that pass the filters on whole documents, or None for all."""
    condition = _on_documents(filters)
    if condition.is_empty:
        return None
    ((content,),) = session.named(_PASSING + condition.sql, condition.parameters)
    ids = array("i", content or b"")
    if sys.byteorder == "little":
        ids.byteswap()
    return ids


def filter_condition(filters: Filters, row: str, words: WordFilter) -> Condition:
    """Return the condition of all filters except for the phrases themselves.

    `row` is the alias of the table or query with the columns `document` and `chunk`.
    """
    on_documents = _on_documents(filters)
    conditions, parameters = [], on_documents.parameters
    if not on_documents.is_empty:
        documents = f"SELECT d.id FROM documents d WHERE d.collection_id = %(collection)s AND {on_documents.sql}"  # noqa: S608 - values are bound
        conditions.append(f"{row}.document IN ({documents})")
    if words.excluded:
        conditions.append(f"{row}.chunk NOT IN (SELECT unnest(%(excluded)s::int[]))")
        parameters["excluded"] = list(words.excluded)
    if words.required is not None:
        conditions.append(f"{row}.chunk IN (SELECT unnest(%(required)s::int[]))")
        parameters["required"] = list(words.required)
    return Condition(" AND ".join(conditions) or "TRUE", parameters)


def _on_documents(filters: Filters) -> Condition:
    """Return the condition on a document `d`."""
    conditions: list[str] = []
    parameters: dict[str, Any] = {}
    for number, (sql, value) in enumerate(_document_conditions(filters)):
        conditions.append(sql.format(value=f"%(filter{number})s"))
        parameters[f"filter{number}"] = value
    return Condition(" AND ".join(conditions) or "TRUE", parameters)


def _document_conditions(filters: Filters) -> Iterator[tuple[str, Any]]:
    """Yield conditions on a document `d`, each with its value."""
    paths = normalise_paths(filters.paths)
    if paths:
        yield _BELOW, [escape_text(path) for path in paths]
    for column in ("kind", "doc_type", "language", "namespace"):
        values = getattr(filters, f"{column}s")
        if values:
            yield f"d.{column} = ANY({{value}})", [escape_text(value) for value in values]
    if filters.without_kinds:
        yield "d.kind <> ALL({value})", [escape_text(kind) for kind in filters.without_kinds]
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
