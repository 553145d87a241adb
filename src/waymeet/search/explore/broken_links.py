"""Where the graph has gaps: links that lead nowhere, and documents that nothing leads to."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from waymeet.analysis import path_key
from waymeet.ports import Store
from waymeet.search.lookup.did_you_mean import similar_paths
from waymeet.staleness.dates import SOURCE
from waymeet.staleness.scope import DESCRIBED, batches, is_below
from waymeet.types import INFERRED_KINDS, Chunk, Document, Edge

_CONTAINS = "contains"
_TRANSLATION = "translation"
_ENTRANCES = frozenset(
    """
    readme index _index home start contents toc summary _sidebar changelog changes history news license licence copying
    notice authors contributors contributing code_of_conduct security support governance agents claude skill robots
    humans
    """.split()
)
"""Pages that are found without a link, by their place or their name."""
_LINES = re.compile(r"l(\d{1,9})(?:-l?(\d{1,9}))?")
_COMPARISONS = 1_000_000
"""Names that are compared in order to say what broken links may mean; the links beyond are listed without."""


class Orphan(Struct, frozen=True):
    """A document that nothing links to."""

    document: str
    title: str
    kind: str
    links: int
    """How many links it has itself."""


class BrokenLink(Struct, frozen=True):
    """A link that does not lead where its author meant."""

    document: str
    line: int
    kind: str
    target: str
    """What it looks for, as far as that is missing: a name, or `path#anchor`."""
    text: str
    sentence: str
    problem: Literal["missing", "anchor", "renamed"]
    suggestions: tuple[str, ...] = ()
    """What may be meant."""


def find_orphans(store: Store, kinds: Collection[str], *, entrances: bool = False) -> tuple[Orphan, ...]:
    """List documents of some kinds that no other document links to; pages at the entrance only on demand."""
    found: dict[str, Orphan] = {}
    twins: dict[str, set[str]] = {}
    for batch in batches(store.fingerprints()):
        around = store.neighbours(batch)
        for id_, each in store.documents(batch).items():
            links = [other for other in around[id_] if other.kind not in {_CONTAINS, _TRANSLATION}]
            if each.kind in kinds and all(other.outward for other in links):
                found[id_] = Orphan(id_, each.title, each.kind, sum(other.links for other in links))
                twins[id_] = {other.document for other in around[id_] if other.kind == _TRANSLATION}
    return tuple(
        found[id_]
        for id_ in sorted(found)
        if twins[id_] <= found.keys() and (entrances or not _entrance(id_))  # who finds a page finds its translations
    )


def find_broken_links(
    store: Store,
    former: Mapping[str, str],
    there: Callable[[str], bool] = lambda _: False,
    paths: Collection[str] = (),
) -> tuple[BrokenLink, ...]:
    """List links that people wrote and that lead nowhere, to no such heading, or to a page by a name it had once.

    `former` gives the present path of documents by the path they had; `there` tells whether something that is not
    indexed, such as a folder or an ignored file, is there all the same.
    """
    ids = list(store.fingerprints())
    names = _Names(ids, former)
    found: list[BrokenLink] = []
    for batch in batches([id_ for id_ in ids if is_below(id_, paths)]):
        writing = {id_ for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED}
        leading = (edge for edge in store.edges(writing) if edge.source.document in writing)
        edges = [edge for edge in leading if edge.kind not in INFERRED_KINDS]
        dangling = [edge for edge in edges if edge.target is None and not any(map(there, _written(edge)))]
        found.extend(map(names.missing, dangling))
        found.extend(_astray(store, [edge for edge in edges if edge.target is not None and edge.target.anchor]))
        found.extend(names.renamed(edge) for edge in edges if edge.target is not None and names.was(edge))
    return tuple(sorted(found, key=lambda each: (each.document, each.line, each.target)))


class _Names:
    """The names there are and were, to guess which one a broken link meant."""

    def __init__(self, ids: Sequence[str], former: Mapping[str, str]) -> None:
        self._ids = list(ids)
        self._former = {_folded(old): new for old, new in former.items()}
        self._guessed: dict[str, tuple[str, ...]] = {}

    def missing(self, edge: Edge) -> BrokenLink:
        """Report a link that leads nowhere."""
        names = _written(edge)
        name = next((name for name in names if name in self._former), "")
        if name:
            return _broken(edge, name, "renamed", (self._former[name],))
        return _broken(edge, names[0], "missing", self._guesses(names[-1]))

    def was(self, edge: Edge) -> str:
        """Give the former path by which a link leads to a document, if it does so."""
        target = edge.target.document if edge.target else ""
        return next((name for name in _written(edge) if self._former.get(name) == target), "")

    def renamed(self, edge: Edge) -> BrokenLink:
        """Report a link that still finds its target, but by a path that it had."""
        name = self.was(edge)
        return _broken(edge, name, "renamed", (self._former[name],))

    def _guesses(self, name: str) -> tuple[str, ...]:
        if name not in self._guessed:
            few = len(self._guessed) * len(self._ids) < _COMPARISONS
            self._guessed[name] = tuple(similar_paths(name, self._ids, 2)) if few else ()
        return self._guessed[name]


def _astray(store: Store, edges: Sequence[Edge]) -> Iterator[BrokenLink]:
    """Find links to places that their targets do not have."""
    targets = {edge.target.document for edge in edges if edge.target is not None}
    documents, chunks = store.documents(targets), store.chunks_of(targets)
    anchors = {id_: _anchors(pieces) for id_, pieces in chunks.items()}
    for edge in edges:
        if edge.target is None or _has(documents[edge.target.document], edge.target.anchor, chunks, anchors):
            continue
        id_, anchor = edge.target
        close = similar_paths(anchor, list(anchors[id_]), 2)
        yield _broken(edge, f"{id_}#{anchor}", "anchor", [f"{id_}#{each}" for each in close])


def _has(
    document: Document, anchor: str, chunks: Mapping[str, Sequence[Chunk]], anchors: Mapping[str, Collection[str]]
) -> bool:
    """Tell whether a document has a place that a link may mean: a heading, symbol, line, block or mark in the text."""
    lines = _LINES.fullmatch(anchor.casefold())
    if lines and document.kind in DESCRIBED:
        return int(lines[1]) <= document.lines
    if anchor in anchors[document.id] or anchor == "top" or anchor.startswith(":~:"):
        return True
    marks = (f'"{anchor}"', f"'{anchor}'", f"{{#{anchor}}}", f" {anchor}" if anchor.startswith("^") else f'="{anchor}"')
    return any(mark in piece.text.casefold() for mark in marks for piece in chunks[document.id])


def _anchors(chunks: Iterable[Chunk]) -> dict[str, None]:
    """List what can be written behind `#`; of symbols also the last part, and all without regard to case."""
    named = [name for chunk in chunks for name in (*chunk.anchors, *(symbol.name for symbol in chunk.symbols))]
    return dict.fromkeys(form for name in named for form in (name, name.casefold(), name.rpartition(".")[2]))


def _broken(
    edge: Edge, target: str, problem: Literal["missing", "anchor", "renamed"], meant: Sequence[str]
) -> BrokenLink:
    return BrokenLink(
        edge.source.document, edge.line, edge.kind, target, edge.text, edge.sentence, problem, tuple(meant)
    )


def _entrance(id_: str) -> bool:
    """Tell whether a page is found without a link.

    >>> _entrance("docs/README.ja.md"), _entrance("requirements-dev.txt"), _entrance("docs/setup.md")
    (True, True, False)
    """
    stem = id_.rpartition("/")[2].partition(".")[0].casefold().replace("-", "_")
    return stem in _ENTRANCES or stem.startswith("requirements")


def _folded(path: str) -> str:
    return path_key(path).partition(":")[2]


def _written(edge: Edge) -> tuple[str, ...]:
    """Give the names that a link may have been written with, the likeliest first: from its own folder, from the root.

    >>> from waymeet.types import Node
    >>> _written(Edge(Node("docs/a.md"), None, "references", ref="p:docs/guide/b.md"))
    ('guide/b.md', 'docs/guide/b.md')
    """
    name = edge.ref.partition(":")[2]
    if edge.kind == SOURCE:
        return (name,)
    folder, slash, _ = _folded(edge.source.document).rpartition("/")
    return tuple(dict.fromkeys((name.removeprefix(folder + slash), name)))
