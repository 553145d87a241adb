"""Count results by kind, folder, tag, language and type."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os.path import commonprefix

from waymeet.ports import Store
from waymeet.types import Candidate, Document, Facet, FacetValue

_OTHER = "other"
"""The type of documents without one, which is no value to choose."""
_MAX_VALUES = 12
"""Values listed for each facet."""


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
