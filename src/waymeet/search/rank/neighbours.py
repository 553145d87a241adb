"""The stages of `neighbours`: fuse to parts of the best, then hand scores on from node to node.

A node is a chunk: a section, or the piece of a file in which a symbol is defined. Links lead from place to place, so
a link that names no place belongs to the first chunk of its document.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import contains_phrase, count_terms, normalise_text
from waymeet.formulas.explanation import product, value
from waymeet.formulas.fusion import rrf, share_of_best
from waymeet.ports import Store
from waymeet.search.fuse.fusion import explain_score, find_search_type, iterate_rows, sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.settings import Neighbours, Settings
from waymeet.types import Candidate, Chunk, Explanation, Filters, Node, SourceRank

_PROXY = "@"
"""How the ids of nodes begin that stand for those of another graph: never results."""


class _Step(NamedTuple):
    """One edge of a way: what it leads to, and what is left of a score behind it."""

    chunk: str
    document: str
    part: float
    told: str


class _Way(NamedTuple):
    """How a node was reached, and what that makes its score."""

    document: str
    score: float
    start: Candidate
    steps: tuple[_Step, ...] = ()


def fuse_normalised(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse by rank, or take the scores of a list that is alone, and express them as parts of the best."""
    kind = find_search_type(search)
    weights = {"lexical": settings.rrf.lexical, "vector": settings.rrf.vector}
    fused: list[tuple[Candidate, Explanation]] = []
    for rows, found in iterate_rows(search):
        if kind == "hybrid":
            score = rrf({each.source: each.rank for each in found}, weights, settings.rrf.k)
        else:
            told = (explain_score(search, source, row) for source, row in rows.items())
            score = max(told, key=lambda each: each.value)
        row = next(iter(rows.values()))
        fused.append((Candidate(row.document, (row.chunk,), score, found), score))
    best = max((score.value for _, score in fused), default=0.0)
    candidates = [replace(each, score=share_of_best("fused", score, best)) for each, score in fused]
    kept = (each for each in candidates if not each.document.startswith(_PROXY))
    return replace(search, candidates=sort_candidates(kept), search_type=kind)


def only_skills(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Answer with skills alone."""
    return replace(search, filters=replace(search.filters, kinds=("skills",)))


def group_by_file(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Keep the best of each file."""
    best: dict[str, Candidate] = {}
    for each in search.candidates:
        best.setdefault(each.document, each)
    return replace(search, candidates=tuple(best.values()))


def select_seeds(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Keep the best candidates that are good enough to start from."""
    enough = [each for each in search.candidates if each.score.value >= settings.neighbours.min_score]
    return replace(search, candidates=tuple(enough[: settings.neighbours.top_k]))


def spread_activation(search: Search, tools: Tools, settings: Settings) -> Search:
    """Walk from every seed in both directions, multiplying by a decay at each edge; the best way to a node counts."""
    numbers = settings.neighbours
    depth = numbers.depth if search.query.depth is None else search.query.depth
    if not search.candidates or not depth:
        return search.skip("nothing to start from" if depth else "depth 0")
    ways = {each.chunks[0]: _Way(each.document, each.score.value, each) for each in search.candidates}
    frontier = dict(ways)
    for _ in range(depth):
        frontier = _further(tools.store, frontier, ways, numbers, search.query.link_types)
        ways |= frontier
        if not frontier:
            break
    allowed = tools.store.first_passing_chunks({way.document for way in ways.values()}, search.filters)
    shown = _passing(tools.store, [chunk for chunk, way in ways.items() if way.document in allowed], search.filters)
    reached = [_candidate(chunk, way) for chunk, way in ways.items() if chunk in shown]
    by_links = [each for each in sort_candidates(reached) if any(found.source == "graph" for found in each.sources)]
    ranks = {each.chunks: rank for rank, each in enumerate(by_links, start=1)}
    placed = [
        replace(each, sources=tuple(replace(one, rank=ranks.get(each.chunks, one.rank)) for one in each.sources))
        if each.chunks in ranks
        else each
        for each in sort_candidates(reached)
    ]
    return replace(search, candidates=tuple(placed))


def cut_off(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Keep as many as are asked for, and no more than the recipe's most."""
    return replace(search, candidates=search.candidates[: min(search.query.limit, settings.neighbours.max_results)])


def _passing(store: Store, chunks: Sequence[str], filters: Filters) -> set[str]:
    """Keep the chunks that have all the phrases and nothing that must not be there."""
    if not filters.phrases and not filters.without:
        return set(chunks)
    found = store.chunks(chunks)
    titles = {id_: each.title for id_, each in store.documents({each.document for each in found.values()}).items()}
    return {chunk for chunk, each in found.items() if _fits(each, titles[each.document], filters)}


def _fits(chunk: Chunk, title: str, filters: Filters) -> bool:
    texts = title, " ".join(chunk.headings), chunk.text
    held = count_terms("\n".join(texts))
    ruled_out = any(group and all(term in held for term in group) for group in filters.without)
    return not ruled_out and all(
        any(contains_phrase(normalise_text(text), phrase) for text in texts) for phrase in filters.phrases
    )


def _further(
    store: Store, frontier: Mapping[str, _Way], known: Mapping[str, _Way], numbers: Neighbours, kinds: Collection[str]
) -> dict[str, _Way]:
    """Take one step from every node of the frontier; what gets too weak or was reached better is left."""
    found: dict[str, _Way] = {}
    around = _around(store, frontier, kinds, numbers)
    for chunk, way in frontier.items():
        for step in around.get(chunk, ()):
            score = way.score * step.part
            better = max((each.score for each in (found.get(step.chunk), known.get(step.chunk)) if each), default=0.0)
            if score >= numbers.min_score and score > better and not step.document.startswith(_PROXY):
                found[step.chunk] = _Way(step.document, score, way.start, (*way.steps, step))
    return found


def _around(
    store: Store, frontier: Mapping[str, _Way], kinds: Collection[str], numbers: Neighbours
) -> dict[str, list[_Step]]:
    """List the steps from every chunk of the frontier."""
    documents = {way.document for way in frontier.values()}
    near = _places(store, documents)
    edges = [
        (edge.kind, edge.source, edge.target)
        for edge in store.edges(sorted(documents), kinds)
        if edge.target is not None and (_place(edge.source, near) in frontier or _place(edge.target, near) in frontier)
    ]
    ends = {node.document for _, *both in edges for node in both}
    places = near | _places(store, ends - documents)
    steps: dict[str, list[_Step]] = {}
    for kind, start, end in edges:
        source, target = _place(start, places), _place(end, places)
        if not source or not target or source == target:
            continue
        part = numbers.part(kind)
        steps.setdefault(source, []).append(_Step(target, end.document, part, f"{kind} {target}"))
        if kind != "imports":  # popular helpers would flood every answer
            steps.setdefault(target, []).append(_Step(source, start.document, part, f"{kind} from {source}"))
    return steps


def _place(node: Node, places: Mapping[Node, str]) -> str:
    """Say which chunk a place is in; one that no chunk knows is in the first of its document."""
    return places.get(node) or places.get(Node(node.document), "")


def _places(store: Store, documents: Collection[str]) -> dict[Node, str]:
    """Say which chunk every place of some documents is in."""
    found: dict[Node, str] = {}
    for document, chunks in store.chunks_of(documents).items():
        for chunk in chunks:
            found.setdefault(Node(document), chunk.id)
            for anchor in chunk.anchors:
                found.setdefault(Node(document, anchor), chunk.id)
    return found


def _candidate(chunk: str, way: _Way) -> Candidate:
    if not way.steps:
        return way.start
    parts = (value(step.part, step.told) for step in way.steps)
    score = product(f"handed on from {way.start.chunks[0]}", way.start.score, *parts)
    return Candidate(way.document, (chunk,), score, (SourceRank("graph", 1, score.value),))
