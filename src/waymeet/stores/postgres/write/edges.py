"""Inserting links, resolving their targets, and the terms that links add to their targets."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from waymeet.stores.postgres.database.encoding import (
    decode_link,
    encode_link,
    escape_text,
    hash_key,
    unescape_text,
)
from waymeet.stores.postgres.segments import registry
from waymeet.stores.shared.link_resolution import LinkResolver
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from waymeet.stores.postgres.database.session import WriteSession
    from waymeet.types import Link

_INBOUND = FIELDS.index("inbound")
_OLD_TERMS = """
SELECT target, terms, frequencies FROM edges WHERE collection_id = %s AND source = ANY(%s) AND target IS NOT NULL
"""
_BY_KEY = """
SELECT e.source, e.ordinal, e.target, d.path, e.content, e.terms, e.frequencies
FROM edges e JOIN documents d ON d.collection_id = e.collection_id AND d.id = e.source
WHERE e.collection_id = %s AND e.source = ANY(ARRAY(
    SELECT source FROM link_keys WHERE collection_id = %s AND hash = ANY(%s) AND source <> ALL(%s)))
"""
_DOCUMENTS_BY_NAME = """
SELECT n.hash, d.path, d.id FROM names n JOIN documents d ON d.collection_id = n.collection_id AND d.id = n.document
WHERE n.collection_id = %s AND n.hash = ANY(%s)
"""
_RETARGET = """
UPDATE edges e SET target = n.target FROM unnest(%s::int[], %s::int[], %s::int[]) AS n (source, ordinal, target)
WHERE e.collection_id = %s AND e.source = n.source AND e.ordinal = n.ordinal
"""
_ADD_LENGTHS = """
UPDATE documents d SET inbound_length = d.inbound_length + n.length
FROM unnest(%s::int[], %s::int[]) AS n (document, length)
WHERE d.collection_id = %s AND d.id = n.document RETURNING d.inbound_length, n.length
"""


class LinkChange:
    """The changes of links in one transaction, and what they add to the terms of their targets."""

    def __init__(self, session: WriteSession) -> None:
        self._session = session
        self._terms: Counter[tuple[int, int]] = Counter()
        """Difference of the frequency of each term in the links to each document."""

    def _count(self, target: int, terms: Iterable[int], frequencies: Iterable[int], sign: int) -> None:
        for term, frequency in zip(terms, frequencies, strict=True):
            self._terms[target, term] += sign * frequency

    def remove_links(self, sources: list[int]) -> None:
        """Subtract the terms of the links of documents, whose rows are deleted afterwards."""
        for target, terms, frequencies in self._session.run(_OLD_TERMS, sources) if sources else ():
            self._count(target, terms, frequencies, -1)

    def insert_links(self, links: Mapping[int, tuple[str, Sequence[Link]]]) -> None:
        """Insert the links of documents, given with their paths by id, with their targets.

        The names of all documents must be in their table.
        """
        resolver, ids = self._load_resolver({key for _, own in links.values() for link in own for key in link.refs})
        rows: list[tuple[Any, ...]] = []
        keys: set[tuple[int, int]] = set()
        for source, (path, own) in links.items():
            for ordinal, link in enumerate(own):
                resolved = resolver.resolve(path, link.refs)
                target = None if resolved is None else ids[resolved]
                terms, frequencies = list(map(hash_key, link.terms)), list(link.terms.values())
                if target is not None:
                    self._count(target, terms, frequencies, 1)
                rows.append((source, ordinal, target, escape_text(link.kind), terms, frequencies, encode_link(link)))
                keys.update((hash_key(key), source) for key in link.refs)
        types = ["int4", "int4", "int4", "text", "int8[]", "int4[]", "text"]
        self._session.copy("edges", "source, ordinal, target, kind, terms, frequencies, content", types, rows)
        self._session.copy("link_keys", "hash, source", ["int8", "int4"], keys)

    def resolve_again(self, names: set[int], own: Collection[int]) -> None:
        """Resolve the links of other documents that look for any of the names, given by hash."""
        session = self._session
        if not names:
            return
        rows = session.run(_BY_KEY, session.collection, list(names), list(own)).fetchall()
        links = [(row, refs) for row in rows if not names.isdisjoint(map(hash_key, refs := decode_link(row[4]).refs))]
        resolver, ids = self._load_resolver({key for _, refs in links for key in refs})
        changed: list[tuple[int, int, int | None]] = []
        for (source, ordinal, stored, path, _, terms, frequencies), refs in links:
            resolved = resolver.resolve(unescape_text(path), refs)
            target = None if resolved is None else ids[resolved]
            if target == stored:
                continue
            changed.append((source, ordinal, target))
            for document, sign in ((stored, -1), (target, 1)):
                if document is not None:
                    self._count(document, terms, frequencies, sign)
        if changed:
            session.connection.execute(_RETARGET, (*map(list, zip(*changed, strict=True)), session.collection))

    def apply(self, own: Collection[int] = (), removed: Collection[int] = ()) -> None:
        """Write the differences of link terms to the targets, except to documents that are removed.

        `own` are documents that this transaction inserts, which are in no segment yet.
        """
        changes = {key: number for key, number in self._terms.items() if number and key[0] not in removed}
        if not changes:
            return
        session = self._session
        lengths: defaultdict[int, int] = defaultdict(int)
        for (document, _), number in changes.items():
            lengths[document] += number
        others = sorted(lengths.keys() - set(own))
        if others:
            registry.unassign(session, others)
        parameters = (list(lengths), list(lengths.values()), session.collection)
        for length, difference in session.connection.execute(_ADD_LENGTHS, parameters):
            session.add_lengths(_INBOUND, difference, int(length > 0) - int(length - difference > 0))

    def _load_resolver(self, keys: set[str]) -> tuple[LinkResolver, dict[str, int]]:
        """Load the documents with any of the keys, and return a resolver and their ids by path."""
        key_by_hash = {hash_key(key): key for key in keys}
        paths: defaultdict[str, list[str]] = defaultdict(list)
        ids: dict[str, int] = {}
        for number, escaped, id_ in self._session.run(_DOCUMENTS_BY_NAME, list(key_by_hash)) if key_by_hash else ():
            path = unescape_text(escaped)
            paths[key_by_hash[number]].append(path)
            ids[path] = id_
        return LinkResolver(paths), ids
