"""Find broken links, and documents without incoming links."""

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
_ENTRY_PAGES = frozenset(
    """
    readme index _index home start contents toc summary _sidebar changelog changes history news license licence copying
    notice authors contributors contributing code_of_conduct security support governance agents claude skill robots
    humans
    """.split()
)
"""File names of pages that are found without a link."""
_LINES = re.compile(r"l(\d{1,9})(?:-l?(\d{1,9}))?")
_MAX_COMPARISONS = 1_000_000
"""Paths that are compared to suggest targets of broken links. Further links get no suggestion."""


class Orphan(Struct, frozen=True):
    """A document without incoming links."""

    document: str
    title: str
    kind: str
    links: int
    """Number of its own links."""


class BrokenLink(Struct, frozen=True):
    """A link whose target is missing or was renamed."""

    document: str
    line: int
    kind: str
    target: str
    """The missing name, or `path#anchor`."""
    text: str
    sentence: str
    problem: Literal["missing", "anchor", "renamed"]
    suggestions: tuple[str, ...] = ()
    """Similar targets."""


def find_orphans(
    store: Store, kinds: Collection[str], paths: Collection[str] = (), *, entrances: bool = False
) -> tuple[Orphan, ...]:
    """List documents of some kinds, of all or some paths, without incoming links.

    A page with a translation that has incoming links is no orphan. Entry pages are listed only on request.
    """
    orphans: dict[str, Orphan] = {}
    translations: dict[str, set[str]] = {}
    for batch in batches(store.fingerprints()):
        neighbours = store.neighbours(batch)
        for id_, document in store.documents(batch).items():
            links = [link for link in neighbours[id_] if link.kind not in {_CONTAINS, _TRANSLATION}]
            if document.kind in kinds and all(link.outward for link in links):
                orphans[id_] = Orphan(id_, document.title, document.kind, sum(link.links for link in links))
                translations[id_] = {link.document for link in neighbours[id_] if link.kind == _TRANSLATION}
    return tuple(
        orphans[id_]
        for id_ in sorted(orphans)
        if translations[id_] <= orphans.keys() and (entrances or not _is_entry_page(id_)) and is_below(id_, paths)
    )


def find_broken_links(
    store: Store,
    former: Mapping[str, str],
    exists: Callable[[str], bool] = lambda _: False,
    paths: Collection[str] = (),
) -> tuple[BrokenLink, ...]:
    """List written links to missing documents, missing headings and former paths.

    `former` maps former paths of documents to the present ones. `exists` returns whether a path that is not indexed
    exists all the same, such as a folder or an ignored file.
    """
    ids = list(store.fingerprints())
    targets = _Targets(ids, former)
    broken: list[BrokenLink] = []
    for batch in batches([id_ for id_ in ids if is_below(id_, paths)]):
        pages = {id_ for id_, document in store.documents(batch).items() if document.kind not in DESCRIBED}
        outgoing = (edge for edge in store.edges(pages) if edge.source.document in pages)
        edges = [edge for edge in outgoing if edge.kind not in INFERRED_KINDS]
        dangling = [edge for edge in edges if edge.target is None and not any(map(exists, _written_names(edge)))]
        broken.extend(map(targets.report_missing, dangling))
        broken.extend(_missing_anchors(store, [edge for edge in edges if edge.target and edge.target.anchor]))
        resolved = (edge for edge in edges if edge.target is not None)
        broken.extend(targets.report_renamed(edge) for edge in resolved if targets.former_path(edge))
    return tuple(sorted(broken, key=lambda link: (link.document, link.line, link.target)))


class _Targets:
    """Present and former paths, to suggest the target of a broken link."""

    def __init__(self, ids: Sequence[str], former: Mapping[str, str]) -> None:
        self._ids = list(ids)
        self._former = {_normalise_path(old): new for old, new in former.items()}
        self._suggestions: dict[str, tuple[str, ...]] = {}

    def report_missing(self, edge: Edge) -> BrokenLink:
        """Report a link without target."""
        names = _written_names(edge)
        former = next((name for name in names if name in self._former), "")
        if former:
            return _broken_link(edge, former, "renamed", (self._former[former],))
        return _broken_link(edge, names[0], "missing", self._suggest(names[-1]))

    def former_path(self, edge: Edge) -> str:
        """Return the former path by which a link names its target, or an empty string."""
        target = edge.target.document if edge.target else ""
        return next((name for name in _written_names(edge) if self._former.get(name) == target), "")

    def report_renamed(self, edge: Edge) -> BrokenLink:
        """Report a link that names its target by a former path."""
        former = self.former_path(edge)
        return _broken_link(edge, former, "renamed", (self._former[former],))

    def _suggest(self, name: str) -> tuple[str, ...]:
        if name not in self._suggestions:
            is_affordable = len(self._suggestions) * len(self._ids) < _MAX_COMPARISONS
            self._suggestions[name] = tuple(similar_paths(name, self._ids, 2)) if is_affordable else ()
        return self._suggestions[name]


def _missing_anchors(store: Store, edges: Sequence[Edge]) -> Iterator[BrokenLink]:
    """Find links to headings or symbols that their targets do not have."""
    targets = {edge.target.document for edge in edges if edge.target is not None}
    documents, chunks = store.documents(targets), store.chunks_of(targets)
    anchors = {id_: _link_anchors(target_chunks) for id_, target_chunks in chunks.items()}
    for edge in edges:
        if edge.target is None or _has_anchor(documents[edge.target.document], edge.target.anchor, chunks, anchors):
            continue
        id_, anchor = edge.target
        similar = similar_paths(anchor, list(anchors[id_]), 2)
        yield _broken_link(edge, f"{id_}#{anchor}", "anchor", [f"{id_}#{suggestion}" for suggestion in similar])


def _has_anchor(
    document: Document, anchor: str, chunks: Mapping[str, Sequence[Chunk]], anchors: Mapping[str, Collection[str]]
) -> bool:
    """Return whether a document has an anchor: a heading, symbol, line, block or HTML id."""
    lines = _LINES.fullmatch(anchor.casefold())
    if lines and document.kind in DESCRIBED:
        return int(lines[1]) <= document.lines
    if anchor in anchors[document.id] or anchor == "top" or anchor.startswith(":~:"):
        return True
    definitions = (
        f'"{anchor}"',
        f"'{anchor}'",
        f"{{#{anchor}}}",
        f" {anchor}" if anchor.startswith("^") else f'="{anchor}"',
    )
    return any(definition in chunk.text.casefold() for definition in definitions for chunk in chunks[document.id])


def _link_anchors(chunks: Iterable[Chunk]) -> dict[str, None]:
    """List the anchors that a link may use, also in lower case and without the scope of symbols."""
    names = [name for chunk in chunks for name in (*chunk.anchors, *(symbol.name for symbol in chunk.symbols))]
    return dict.fromkeys(form for name in names for form in (name, name.casefold(), name.rpartition(".")[2]))


def _broken_link(
    edge: Edge, target: str, problem: Literal["missing", "anchor", "renamed"], suggestions: Sequence[str]
) -> BrokenLink:
    return BrokenLink(
        edge.source.document, edge.line, edge.kind, target, edge.text, edge.sentence, problem, tuple(suggestions)
    )


def _is_entry_page(id_: str) -> bool:
    """Return whether a page is found without a link.

    >>> _is_entry_page("docs/README.ja.md"), _is_entry_page("requirements-dev.txt"), _is_entry_page("docs/setup.md")
    (True, True, False)
    """
    stem = id_.rpartition("/")[2].partition(".")[0].casefold().replace("-", "_")
    return stem in _ENTRY_PAGES or stem.startswith("requirements")


def _normalise_path(path: str) -> str:
    return path_key(path).partition(":")[2]


def _written_names(edge: Edge) -> tuple[str, ...]:
    """List the paths that a link may contain: relative to its own folder, then to the root.

    >>> from waymeet.types import Node
    >>> _written_names(Edge(Node("docs/a.md"), None, "references", ref="p:docs/guide/b.md"))
    ('guide/b.md', 'docs/guide/b.md')
    """
    name = edge.ref.partition(":")[2]
    if edge.kind == SOURCE:
        return (name,)
    folder, slash, _ = _normalise_path(edge.source.document).rpartition("/")
    return tuple(dict.fromkeys((name.removeprefix(folder + slash), name)))
