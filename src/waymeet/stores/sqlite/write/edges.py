"""Edges in the table: inserting links and resolving their targets."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from waymeet.stores.shared.link_resolution import LinkResolver
from waymeet.stores.sqlite.database.key_hashes import hash_link_key, hash_name
from waymeet.stores.sqlite.database.term_codec import pack_link_terms
from waymeet.stores.sqlite.database.text_blocks import pack_links
from waymeet.stores.sqlite.read.contents import link_block_id, read_link_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

    from waymeet.types import Link

    EdgeRefs = Mapping[tuple[int, int], Sequence[str]]
    """The keys of edges, given by source and ordinal."""

_SOURCES_BY_KEY = "SELECT DISTINCT source FROM link_keys WHERE hash = ?"
_EDGE = """
SELECT e.source, e.ordinal, d.path, e.target FROM edges e JOIN documents d ON d.id = e.source
WHERE e.source = ? AND e.ordinal = ?
"""
_DOCUMENTS_BY_HASH = """
SELECT n.hash, d.path, d.id FROM names n JOIN documents d ON d.id = n.document WHERE n.hash = ?
"""
_BATCH = 500


class WrongTarget(NamedTuple):
    """An edge whose stored target is not the one that its keys select."""

    source: int
    ordinal: int
    stored: int | None
    resolved: int | None


def insert_edges(
    connection: apsw.Connection, links: Mapping[int, tuple[str, Sequence[Link]]], term_ids: Mapping[str, int]
) -> None:
    """Insert the links of documents, given with their paths by id, with their targets.

    The names of all documents must be in their table.
    """
    kinds = _kind_ids(connection, {link.kind for _, own in links.values() for link in own})
    resolver, ids = _load_resolver(connection, {key for _, own in links.values() for link in own for key in link.refs})
    connection.executemany(
        "INSERT INTO edges (source, ordinal, kind, terms, target) VALUES (?, ?, ?, ?, ?)",
        (
            (
                source,
                ordinal,
                kinds[link.kind],
                pack_link_terms((term_ids[term], number) for term, number in link.terms.items()) if link.terms else b"",
                _target(resolver.resolve(path, link.refs), ids),
            )
            for source, (path, own) in links.items()
            for ordinal, link in enumerate(own)
        ),
    )
    insert_link_texts(connection, ((source, own) for source, (_, own) in links.items()))


def insert_link_texts(connection: apsw.Connection, links: Iterable[tuple[int, Sequence[Link]]]) -> None:
    """Insert what the links of documents say, and the keys that they look for."""
    by_source = list(links)
    blocks = ((link_block_id(source, first), data) for source, own in by_source for first, data in pack_links(own))
    connection.executemany("INSERT INTO link_texts VALUES (?, ?)", blocks)
    insert_link_keys(connection, ((source, (key for link in own for key in link.refs)) for source, own in by_source))


def insert_link_keys(connection: apsw.Connection, keys: Iterable[tuple[int, Iterable[str]]]) -> None:
    """Insert the hashes of the keys that the links of documents look for, given by document."""
    rows = ((number, source) for source, own in keys for number in set(map(hash_link_key, own)))
    connection.executemany("INSERT INTO link_keys VALUES (?, ?)", rows)


def _kind_ids(connection: apsw.Connection, kinds: set[str]) -> dict[str, int]:
    """Return the ids of kinds of edges, inserting new ones."""
    sql = "INSERT INTO edge_kinds (name) VALUES (?) ON CONFLICT DO NOTHING"
    connection.executemany(sql, ((kind,) for kind in sorted(kinds)))
    return dict(connection.execute("SELECT name, id FROM edge_kinds"))


def find_by_key(connection: apsw.Connection, keys: set[str]) -> dict[tuple[int, int], Sequence[str]]:
    """Find the edges that have any of the keys, with all their keys."""
    hashes = ((hash_link_key(key),) for key in keys)
    sources = sorted({source for (source,) in connection.executemany(_SOURCES_BY_KEY, hashes)})
    return {
        (source, ordinal): refs
        for source in sources
        for ordinal, refs in enumerate(read_link_keys(connection, source))
        if not keys.isdisjoint(refs)
    }


def read_refs(connection: apsw.Connection, documents: Iterable[int]) -> Iterator[EdgeRefs]:
    """Read the keys of all edges of documents, in portions."""
    sources = iter(documents)
    while portion := list(islice(sources, _BATCH)):
        yield {
            (source, ordinal): refs
            for source in portion
            for ordinal, refs in enumerate(read_link_keys(connection, source))
        }


def resolve_edges(connection: apsw.Connection, refs: EdgeRefs) -> set[int]:
    """Set the targets of edges, and return the documents that gained or lost a link.

    Edges whose target is right are not written.
    """
    wrong = find_wrong_targets(connection, refs)
    connection.executemany(
        "UPDATE edges SET target = ? WHERE source = ? AND ordinal = ?",
        [(target.resolved, target.source, target.ordinal) for target in wrong],
    )
    return {document for *_, stored, resolved in wrong for document in (stored, resolved) if document is not None}


def find_wrong_targets(connection: apsw.Connection, refs: EdgeRefs) -> list[WrongTarget]:
    """Find the edges whose target is not the one that their keys select now."""
    resolver, ids = _load_resolver(connection, {key for keys in refs.values() for key in keys})
    wrong = []
    for source, ordinal, path, stored in connection.executemany(_EDGE, sorted(refs)):
        resolved = _target(resolver.resolve(path, refs[source, ordinal]), ids)
        if resolved != stored:
            wrong.append(WrongTarget(source, ordinal, stored, resolved))
    return wrong


def _target(path: str | None, ids: Mapping[str, int]) -> int | None:
    return None if path is None else ids[path]


def _load_resolver(connection: apsw.Connection, keys: set[str]) -> tuple[LinkResolver, dict[str, int]]:
    """Load the documents with any of the keys, and return a resolver and their ids by path."""
    key_by_hash = {hash_name(key): key for key in keys}
    paths: dict[str, list[str]] = defaultdict(list)
    ids: dict[str, int] = {}
    bindings = ((number,) for number in sorted(key_by_hash))
    for number, path, id_ in connection.executemany(_DOCUMENTS_BY_HASH, bindings):
        paths[key_by_hash[number]].append(path)
        ids[path] = id_
    return LinkResolver(paths), ids
