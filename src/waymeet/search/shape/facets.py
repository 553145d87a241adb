"""Count results, or all documents, by kind, folder, tag, language and type."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import commonprefix
from threading import Lock
from typing import get_args
from weakref import WeakKeyDictionary

from waymeet.ports import Store
from waymeet.staleness.scope import batches
from waymeet.types import Candidate, Document, Facet, FacetName, FacetValue

_OTHER = "other"
"""The type of documents without one, which is no value to choose."""
_MAX_VALUES = 12
"""Values listed for each facet."""
_HIDDEN_KINDS = frozenset({"folders", "proxies"})
_lock = Lock()
_counted: "WeakKeyDictionary[Store, tuple[int, tuple[Facet, ...]]]" = WeakKeyDictionary()
"""The counts of each open store, with their generation."""


def count_facets(candidates: Sequence[Candidate], store: Store) -> tuple[Facet, ...]:
    """Count all results of a query by the properties of their documents.

    A facet without values is left out.
    """
    results = Counter(candidate.document for candidate in candidates)
    documents = store.documents(results.keys())
    facets = (
        Facet("kind", _count(results, {id_: (each.kind,) for id_, each in documents.items()})),
        Facet("folder", _count(results, _folders(documents))),
        Facet("tag", _count(results, {id_: each.tags for id_, each in documents.items()})),
        Facet("language", _count(results, {id_: (each.language,) for id_, each in documents.items()})),
        Facet(
            "type",
            _count(results, {id_: (each.doc_type,) for id_, each in documents.items() if each.doc_type != _OTHER}),
        ),
    )
    return tuple(facet for facet in facets if facet.values)


def _count(results: Mapping[str, int], values: Mapping[str, Iterable[str]]) -> tuple[FacetValue, ...]:
    counts: Counter[str] = Counter()
    for document, names in values.items():
        for name in dict.fromkeys(names):
            if name:
                counts[name] += results[document]
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(FacetValue(*entry) for entry in ordered[:_MAX_VALUES])


def _folders(documents: Mapping[str, Document]) -> dict[str, tuple[str, ...]]:
    """Give the folder of each document below the one that all have in common.

    >>> document = lambda id_: Document(id=id_, kind="docs", title="")
    >>> _folders({id_: document(id_) for id_ in ("a/b/c.md", "a/d/e/f.md", "a/g.md")})
    {'a/b/c.md': ('a/b/',), 'a/d/e/f.md': ('a/d/',), 'a/g.md': ()}
    """
    shared = commonprefix(list(documents))  # noqa: RUF071 - cut at a slash below
    start = shared.rfind("/") + 1
    return {id_: (id_[: end + 1],) if (end := id_.find("/", start)) >= 0 else () for id_ in documents}


def count_documents(store: Store) -> tuple[Facet, ...]:
    """Count all documents by the values that filters can have, the most frequent first.

    A document counts in each folder above it. The counts are kept until the index changes.
    """
    with _lock:
        generation, facets = _counted.get(store, (-1, ()))
        if generation != store.generation:
            with store.snapshot() as generation:
                facets = tuple(_count_values(store))
            _counted[store] = generation, facets
        return facets


def _count_values(store: Store) -> Iterator[Facet]:
    counts: dict[FacetName, Counter[str]] = {name: Counter() for name in get_args(FacetName)}
    for batch in batches(store.fingerprints()):
        for document in store.documents(batch).values():
            if document.kind in _HIDDEN_KINDS:
                continue
            counts["kind"][document.kind] += 1
            counts["folder"].update(_list_folders(document.id))
            counts["tag"].update(set(document.tags))
            counts["language"].update({document.language, document.properties.get("lang", "")} - {""})
            counts["type"].update({document.doc_type} - {_OTHER, ""})
    for name, values in counts.items():
        ordered = sorted(values.items(), key=lambda entry: (-entry[1], entry[0]))
        yield Facet(name, tuple(FacetValue(*entry) for entry in ordered))


def _list_folders(id_: str) -> list[str]:
    """List the folders of a document, from the root on.

    >>> _list_folders("a/b/c.md")
    ['a/', 'a/b/']
    """
    return [id_[: position + 1] for position, letter in enumerate(id_) if letter == "/"]
