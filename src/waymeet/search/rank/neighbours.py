"""Stages of the recipe `neighbours`: fuse, normalise and spread scores along links.

A node is a chunk: a section, or the piece of a file in which a symbol is defined. Links connect places, so a link that
names no place belongs to the first chunk of its document.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import contains_phrase, count_terms, normalise_text
from waymeet.formulas.explanation import product, value
from waymeet.formulas.fusion import rrf, share_of_best
from waymeet.ports import Store
from waymeet.search.fuse.fusion import explain_score, find_search_type, iterate_rows
from waymeet.search.retrieve.dense import best_of_each_document
from waymeet.search.state import Search, Tools
from waymeet.settings import Neighbours, Settings
from waymeet.types import Candidate, Chunk, Explanation, Filters, Node, SourceRank


class _Step(NamedTuple):
    """One edge of a path."""

    chunk: str
    """The chunk that it leads to."""
    document: str
    decay: float
    """Factor of the score."""
    description: str


class _Path(NamedTuple):
    """The best path from a seed to a chunk, and the chunk's score by it."""

    document: str
    score: float
    seed: Candidate
    steps: tuple[_Step, ...] = ()


def fuse_normalised(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse lists by reciprocal rank, or take the scores of a single list, and normalise them."""
    search_type = find_search_type(search)
    weights = {"lexical": settings.rrf.lexical, "vector": settings.rrf.vector}
    fused: list[tuple[Candidate, Explanation]] = []
    for rows, sources in iterate_rows(search):
        if search_type == "hybrid":
            score = rrf({source.source: source.rank for source in sources}, weights, settings.rrf.k)
        else:
            scores = (explain_score(search, source, row) for source, row in rows.items())
            score = max(scores, key=lambda explanation: explanation.value)
        row = next(iter(rows.values()))
        fused.append((Candidate(row.document, (row.chunk,), score, sources), score))
    best = max((score.value for _, score in fused), default=0.0)
    candidates = (replace(candidate, score=share_of_best("fused", score, best)) for candidate, score in fused)
    return replace(search, candidates=_sort_candidates(search, candidates), search_type=search_type)


def _sort_candidates(search: Search, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Sort candidates by falling score, ties by the rank in the more reliable list.

    The first of one list and the first of the other often have the same score. Words are more reliable, unless the
    texts are in another language than the query.
    """
    reliable = "vector" if search.is_cross_lingual else "lexical"

    def order(candidate: Candidate) -> tuple[float, float, str, tuple[str, ...]]:
        rank = min((each.rank for each in candidate.sources if each.source == reliable), default=inf)
        return -candidate.score.value, rank, candidate.document, candidate.chunks

    return tuple(sorted(candidates, key=order))


def collapse_to_files(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Keep the best section of each file in every list, the same section in all lists."""
    lists = {source: best_of_each_document(ranking) for source, ranking in search.lists.items()}
    shown: dict[str, str] = {}
    for ranking in lists.values():
        for row in ranking:
            shown.setdefault(row.document, row.chunk)
    return replace(
        search,
        lists={
            source: tuple(replace(row, chunk=shown[row.document]) for row in ranking)
            for source, ranking in lists.items()
        },
    )


def only_skills(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Restrict the results to skills."""
    return replace(search, filters=replace(search.filters, kinds=("skills",)))


def group_by_file(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Keep the best candidate of each file."""
    best: dict[str, Candidate] = {}
    for candidate in search.candidates:
        best.setdefault(candidate.document, candidate)
    return replace(search, candidates=tuple(best.values()))


def select_seeds(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Keep the best candidates above the minimum score as seeds, a few of each document."""
    counts: Counter[str] = Counter()
    seeds: list[Candidate] = []
    for candidate in search.candidates:
        counts[candidate.document] += 1
        is_strong = candidate.score.value >= settings.neighbours.min_score
        if is_strong and counts[candidate.document] <= settings.neighbours.per_document:
            seeds.append(candidate)
    return replace(search, candidates=tuple(seeds[: settings.neighbours.top_k]))


def spread_activation(search: Search, tools: Tools, settings: Settings) -> Search:
    """Spread scores from every seed along links in both directions, with a decay at each edge.

    The best path to a chunk counts. Chunks that only links lead to take the places that seeds leave. Folders take no
    part: all files of a folder would be two hops apart.
    """
    numbers = settings.neighbours
    depth = numbers.depth if search.query.depth is None else search.query.depth
    if not search.candidates or not depth:
        return search.skip("no seeds to start from" if depth else "depth 0")
    paths = {seed.chunks[0]: _Path(seed.document, seed.score.value, seed) for seed in search.candidates}
    frontier = dict(paths)
    for _ in range(depth):
        frontier = _next_frontier(tools.store, frontier, paths, numbers, search.query.link_types)
        paths |= frontier
        if not frontier:
            break
    allowed = tools.store.first_passing_chunks({path.document for path in paths.values()}, search.filters)
    chunks = [chunk for chunk, path in paths.items() if path.document in allowed]
    passing = _filter_by_text(tools.store, chunks, search.filters)
    reached = (_candidate(chunk, path) for chunk, path in paths.items() if chunk in passing)
    candidates = _sort_candidates(search, reached)
    if not numbers.displace:
        seeds = {seed.chunks for seed in search.candidates}
        candidates = _leave_out_displacing(candidates, seeds, numbers.max_results)
    return replace(search, candidates=_number_graph_ranks(candidates))


def _leave_out_displacing(
    candidates: Sequence[Candidate], seeds: Collection[tuple[str, ...]], places: int
) -> tuple[Candidate, ...]:
    """Leave out candidates found by links for which the seeds leave no place."""
    free = places - sum(candidate.chunks in seeds for candidate in candidates)
    by_links = [candidate.chunks for candidate in candidates if candidate.chunks not in seeds]
    kept = {*seeds, *by_links[: max(free, 0)]}
    return tuple(candidate for candidate in candidates if candidate.chunks in kept)


def cut_off(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Keep as many candidates as requested, at most `neighbours.max_results`."""
    return replace(search, candidates=search.candidates[: min(search.query.limit, settings.neighbours.max_results)])


def _number_graph_ranks(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Set the rank of candidates found by links to their position among all such candidates."""
    by_links = (candidate for candidate in candidates if any(each.source == "graph" for each in candidate.sources))
    ranks = {candidate.chunks: rank for rank, candidate in enumerate(by_links, start=1)}
    return tuple(
        replace(candidate, sources=tuple(replace(each, rank=ranks[candidate.chunks]) for each in candidate.sources))
        if candidate.chunks in ranks
        else candidate
        for candidate in candidates
    )


def _filter_by_text(store: Store, ids: Sequence[str], filters: Filters) -> set[str]:
    """Keep the chunks that contain all phrases and none of the excluded terms."""
    if not filters.phrases and not filters.without:
        return set(ids)
    chunks = store.chunks(ids)
    documents = store.documents({chunk.document for chunk in chunks.values()})
    return {id_ for id_, chunk in chunks.items() if _passes(chunk, documents[chunk.document].title, filters)}


def _passes(chunk: Chunk, title: str, filters: Filters) -> bool:
    texts = title, " ".join(chunk.headings), chunk.text
    terms = count_terms("\n".join(texts))
    is_excluded = any(group and all(term in terms for term in group) for group in filters.without)
    return not is_excluded and all(
        any(contains_phrase(normalise_text(text), phrase) for text in texts) for phrase in filters.phrases
    )


def _next_frontier(
    store: Store, frontier: Mapping[str, _Path], known: Mapping[str, _Path], numbers: Neighbours, kinds: Collection[str]
) -> dict[str, _Path]:
    """Take one step from the frontier, and keep paths above the minimum that beat known ones."""
    reached: dict[str, _Path] = {}
    steps = _steps(store, frontier, kinds, numbers)
    for chunk, path in frontier.items():
        for step in steps.get(chunk, ()):
            score = path.score * step.decay
            earlier = (reached.get(step.chunk), known.get(step.chunk))
            best = max((each.score for each in earlier if each), default=0.0)
            if score >= numbers.min_score and score > best:
                reached[step.chunk] = _Path(step.document, score, path.seed, (*path.steps, step))
    return reached


def _steps(
    store: Store, frontier: Mapping[str, _Path], kinds: Collection[str], numbers: Neighbours
) -> dict[str, list[_Step]]:
    """List the steps from every chunk of the frontier."""
    documents = {path.document for path in frontier.values()}
    own_chunks = _chunks_by_node(store, documents)
    edges = [
        (edge.kind, edge.source, edge.target)
        for edge in store.edges(sorted(documents), kinds)
        if edge.target is not None
        and not (edge.source.is_folder or edge.target.is_folder)
        and (_chunk_of(edge.source, own_chunks) in frontier or _chunk_of(edge.target, own_chunks) in frontier)
    ]
    ends = {node.document for _, *both in edges for node in both}
    chunks = own_chunks | _chunks_by_node(store, ends - documents)
    steps: dict[str, list[_Step]] = {}
    for kind, start, end in edges:
        source, target = _chunk_of(start, chunks), _chunk_of(end, chunks)
        if not source or not target or source == target:
            continue
        decay = numbers.part(kind)
        steps.setdefault(source, []).append(_Step(target, end.document, decay, f"{kind} {target}"))
        if kind != "imports":  # importers of popular modules would flood every answer
            steps.setdefault(target, []).append(_Step(source, start.document, decay, f"{kind} from {source}"))
    return steps


def _chunk_of(node: Node, chunks: Mapping[Node, str]) -> str:
    """Return the chunk of a node, by default the first of its document."""
    return chunks.get(node) or chunks.get(Node(node.document), "")


def _chunks_by_node(store: Store, documents: Collection[str]) -> dict[Node, str]:
    """Map every node of some documents to its chunk."""
    by_node: dict[Node, str] = {}
    for document, chunks in store.chunks_of(documents).items():
        for chunk in chunks:
            by_node.setdefault(Node(document), chunk.id)
            for anchor in chunk.anchors:
                by_node.setdefault(Node(document, anchor), chunk.id)
    return by_node


def _candidate(chunk: str, path: _Path) -> Candidate:
    if not path.steps:
        return path.seed
    decays = (value(step.decay, f"decay of the link: {step.description}") for step in path.steps)
    score = product(f"score of {path.seed.chunks[0]} × decay of each link", path.seed.score, *decays, group="links")
    return Candidate(path.document, (chunk,), score, (SourceRank("graph", 1, score.value),))
