"""Stages of the recipe `memory`: documents from three lists, weighted by the query's intent."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from waymeet.analysis import normalise_text
from waymeet.analysis.intent import INTENT_WORDS, guess_intent
from waymeet.analysis.keys import trigger_key
from waymeet.formulas.explanation import group_of_source, product, value
from waymeet.formulas.fusion import rrf, share_of_best
from waymeet.formulas.memory import boost_converged, final_score, importance
from waymeet.search.feedback.half_life import HalfLife, half_life_of
from waymeet.search.feedback.reviews import compute_recency
from waymeet.search.fuse.fusion import find_search_type, sort_candidates
from waymeet.search.retrieve.dense import best_of_each_document
from waymeet.search.retrieve.first_stage import report_fan_out
from waymeet.search.retrieve.graph_walk import LinkPath, LinkPaths, explain_path, find_best_paths
from waymeet.search.state import Search, Tools
from waymeet.settings import Memory, Settings
from waymeet.types import Candidate, Document, Explanation, Ranking, ScoredChunk, SourceRank

_PREFERRED: Mapping[str, frozenset[str]] = {
    "add_feature": frozenset("pattern patterns example examples architecture design".split()),
    "fix_bug": frozenset("error errors bug bugs incident postmortem root-cause root_cause patch patches fix".split()),
    "refactor": frozenset("pattern patterns dependencies dependency design architecture".split()),
    "security_audit": frozenset("security vulnerability vulnerabilities audit audits threat-model".split()),
    "find_spec": frozenset("spec specs specification".split()),
    "find_decision": frozenset("decision_record adr decision decisions".split()),
}


def is_preferred(document: Document, intent: str) -> bool:
    """Return whether an intent prefers a document, by its type, tags and folders.

    >>> is_preferred(Document("docs/adr/1.md", "docs", "One", "decision_record"), "find_decision")
    True
    >>> is_preferred(Document("docs/incidents/errors/1.md", "docs", "One"), "fix_bug")
    True
    """
    preferred = _PREFERRED.get(intent, frozenset())
    folders = document.id.lower().split("/")[:-1]
    return not preferred.isdisjoint((document.doc_type, *(tag.lower() for tag in document.tags), *folders))


_MAX_PHRASE_WORDS = 8
_MAX_QUERY_WORDS = 200
_MAX_NOTES = 5
"""Documents that get a note of one kind."""
_ROUNDING = 1e-9
"""Bound of the relative error of a product of weights."""


def classify_intent(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Guess the intent of a query, unless the request names one."""
    if search.query.intent in INTENT_WORDS:
        return replace(search, intent=search.query.intent, notes=(*search.notes, f"intent {search.query.intent}"))
    guess = guess_intent(search.text)
    note = f"intent {guess.intent}" + (f" (confidence {guess.confidence:.2f})" if guess.confidence else " by default")
    search = replace(search, intent=guess.intent, notes=(*search.notes, note))
    if search.query.intent:
        detail = f"unknown intent {search.query.intent!r}; use one of {', '.join(INTENT_WORDS)}"
        return search.degrade("classify_intent", "unknown_intent", detail)
    return search


def apply_settings_switches(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Remove the lists that the settings disable.

    Without fusion only one list is left: the vector list, or the lexical one if that is empty.
    """
    lists = dict(search.lists)
    if not settings.memory.lexical:
        lists.pop("lexical", None)
        detail = "lexical search is disabled (memory.lexical = false); using vectors and links"
        search = search.degrade("lexical", "no_lexical", detail)
    if not settings.memory.rrf:
        only = next((source for source in ("vector", "lexical") if lists.get(source)), "vector")
        lists = {source: ranking for source, ranking in lists.items() if source == only}
        detail = f"fusion is disabled (memory.rrf = false); using only the {only} list"
        search = search.degrade("fuse", "no_fusion", detail)
    if len(lists) == len(search.lists):
        return search.skip("no list is disabled") if settings.memory.lexical and settings.memory.rrf else search
    return replace(search, lists=lists)


def collapse_to_documents(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Keep the best section of each document in every list."""
    lists = {source: tuple(best_of_each_document(ranking)) for source, ranking in search.lists.items()}
    return replace(search, lists=lists)


def boost_triggers(search: Search, tools: Tools, settings: Settings) -> Search:
    """Move documents with a trigger phrase in the query to the front of the lexical list."""
    if not settings.memory.lexical or (not settings.memory.rrf and "lexical" not in search.lists):
        return search.skip("no lexical list")
    keys = [trigger_key(phrase) for phrase in _phrases(search.text)]
    documents_by_key = tools.store.documents_by_key(keys)
    # The documents of the longest phrase come first.
    triggered = dict.fromkeys(document for key in keys for document in documents_by_key.get(key, ()))
    allowed = tools.store.first_passing_chunks(triggered, search.filters)
    documents = [document for document in triggered if document in allowed]
    if not documents:
        return search.skip("no trigger phrase in the query")
    rows = {row.document: row for row in search.ranking("lexical")}
    best = max((row.score for row in rows.values()), default=0.0)
    front = [rows.get(document) or ScoredChunk(allowed[document], document, best) for document in documents]
    others = [row for row in rows.values() if row.document not in allowed]
    note = f"matched a trigger phrase: {', '.join(documents[:3])}"
    lists = {**search.lists, "lexical": (*(replace(row, score=best) for row in front), *others)}
    return replace(search, lists=lists, notes=(*search.notes, note))


def _phrases(text: str) -> list[str]:
    """List the runs of words in a query, the longest first."""
    words = normalise_text(text).split()[:_MAX_QUERY_WORDS]
    return [
        " ".join(words[start : start + length])
        for length in range(min(_MAX_PHRASE_WORDS, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]


def walk_links(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a third list: documents linked with the best ones of the other lists."""
    if search.query.depth == 0 or not settings.memory.rrf:
        return search.skip("depth 0" if search.query.depth == 0 else "fusion is disabled")
    ranks_of = _ranks(search.lists)
    fused = {document: rrf(ranks, {}, settings.rrf.k).value for document, ranks in ranks_of.items()}
    best = sorted(fused, key=lambda document: (-fused[document], document))
    starts = {document: fused[document] for document in best[: search.pool_results * settings.pool.seeds]}
    if not starts:
        return search.skip("no documents to start from")
    depth = settings.graph.depth if search.query.depth is None else search.query.depth
    least_path = settings.memory.min_path * fused[best[0]] * (1.0 - _ROUNDING)
    found = find_best_paths(tools, starts, depth, search.query.link_types, settings, min_score=least_path)
    search = report_fan_out(search, sorted(found.truncated), settings) if found.truncated else search
    least = settings.memory.strong * fused[best[0]]
    strong = {document for document, ranks in ranks_of.items() if len(ranks) > 1 and fused[document] >= least}
    paths = _keep_evidence(found, strong, best[0], least_path)
    allowed = tools.store.first_passing_chunks(paths, search.filters)
    documents = sorted(paths.keys() & allowed.keys(), key=lambda document: (-paths[document].score, document))
    ranking = tuple(
        ScoredChunk(allowed[document], document, paths[document].score)
        for document in documents[: settings.memory.reached]
    )
    if ranking:
        return _add_graph_list(search, ranking, paths, starts, settings.memory)
    if not tools.store.counts().edges:
        detail = "no links are indexed; results come from lexical and vector search only"
        return search.miss("graph", "no_links", detail)
    return search.skip("no links between strong hits" if found.relations or found.links else "no further links")


def _keep_evidence(found: LinkPaths, strong: Collection[str], best: str, least: float) -> dict[str, LinkPath]:
    """Keep the paths that are strong enough.

    A rank does not show how weak a path is, and the list has more weight than the others. A relation leads to any
    document. An ordinary link counts only if it leads to a strong hit. Such links are left out altogether if none leads
    to the best hit: otherwise hits that are linked would overtake a better one that is not.
    """
    relations = {document: path for document, path in found.relations.items() if path.score >= least}
    links = {document: path for document, path in found.links.items() if path.score >= least and document in strong}
    if best not in links and best not in relations:
        return relations
    better = {
        document: path
        for document, path in links.items()
        if document not in relations or path.score > relations[document].score
    }
    return relations | better


def _add_graph_list(
    search: Search, ranking: Ranking, paths: Mapping[str, LinkPath], starts: Mapping[str, float], numbers: Memory
) -> Search:
    """Add the list `graph` with the explanation of each path."""
    co_activated = [row.document for row in ranking if paths[row.document].has_co_activation][:_MAX_NOTES]
    notes = (
        f"{document} added because it is often read together with {paths[document].start}" for document in co_activated
    )
    explanations = {row.document: explain_path(paths[row.document], starts, numbers) for row in ranking}
    lists = {**search.lists, "graph": ranking}
    return replace(search, lists=lists, link_explanations=explanations, notes=(*search.notes, *notes))


def _ranks(lists: Mapping[str, Ranking]) -> dict[str, dict[str, int]]:
    """Return the rank of each document in every list."""
    ranks: dict[str, dict[str, int]] = {}
    for source, ranking in lists.items():
        for rank, row in enumerate(ranking, start=1):
            ranks.setdefault(row.document, {})[source] = rank
    return ranks


def fuse_memory(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse the lists by reciprocal rank, with a bonus for documents found by several lists."""
    weights = {"graph": settings.memory.graph, "lexical": settings.rrf.lexical, "vector": settings.rrf.vector}
    rows = {(source, row.document): row for source, ranking in search.lists.items() for row in ranking}
    candidates = []
    for document, ranks in _ranks(search.lists).items():
        first = rows[next(iter(ranks)), document]
        fused = rrf(ranks, weights, settings.rrf.k)
        fused = _with_path(fused, list(ranks), search.link_explanations.get(document))
        score = (
            boost_converged(fused, len(ranks), settings.memory.convergence)
            if settings.memory.rrf
            else value(first.score, "score in the only list", group_of_source(next(iter(ranks))))
        )
        sources = tuple(SourceRank(source, rank, rows[source, document].score) for source, rank in ranks.items())
        matched = sorted(source for source in ranks if source != "graph")  # show the lexical section if there is one
        shown = rows[matched[0], document].chunk if matched else first.chunk
        candidates.append(Candidate(document, (shown,), score, sources))
    text_lists = {source: ranking for source, ranking in search.lists.items() if source != "graph"}
    search_type = find_search_type(replace(search, lists=text_lists))
    return replace(search, candidates=sort_candidates(candidates), search_type=search_type)


def _with_path(fused: Explanation, sources: Sequence[str], path: Explanation | None) -> Explanation:
    """Attach the explanation of a path to the rank in the list `graph`.

    The value of the rank stays as it is.
    """
    if path is None:
        return fused
    parts = (
        replace(part, parts=(path,)) if source == "graph" else part
        for source, part in zip(sources, fused.parts, strict=True)
    )
    return replace(fused, parts=tuple(parts))


def weigh_by_intent(search: Search, tools: Tools, settings: Settings) -> Search:
    """Weight similarity, recency and importance by intent, and drop deprecated documents."""
    if not search.candidates:
        return search.skip("no candidates")
    documents = tools.store.documents({candidate.document for candidate in search.candidates})
    has_tier_filter = any(key == "tier" for key, _ in search.filters.properties)
    tiers = {id_: document.properties.get("tier", "normal").strip().lower() for id_, document in documents.items()}
    current = [
        candidate for candidate in search.candidates if has_tier_filter or tiers[candidate.document] != "deprecated"
    ]
    best = current[0].score.value if current else 0.0
    weights = settings.memory.weights(search.intent)
    now = tools.now()
    weighted: list[Candidate] = []
    problems: list[str] = []
    for candidate in current:
        document, tier = documents[candidate.document], tiers[candidate.document]
        half_life = half_life_of(document)
        if half_life.problem and len(problems) < _MAX_NOTES:
            problems.append(f"{document.id}: {half_life.problem}; the default is used")
        score = final_score(
            share_of_best("fused", candidate.score, best),
            _recency(document, half_life, now, tools, settings.memory),
            value(importance(tier), f"importance of tier {tier}"),
            weights,
            _document_factor(document, search.intent, settings.memory),
        )
        weighted.append(replace(candidate, score=score))
    return replace(search, candidates=sort_candidates(weighted), notes=(*search.notes, *problems))


def _recency(document: Document, half_life: HalfLife, now: int, tools: Tools, numbers: Memory) -> Explanation:
    """Explain the retrievability of a document by its last change or review and its stability."""
    review = tools.reviews.get(document.id)
    recency = compute_recency(half_life, document.changed_ns, review, now, spaced_repetition=numbers.spaced_repetition)
    if recency is None:
        return value(1.0, "no date")
    subject = f"recency of {half_life.memory_type} memory"
    since = f"{recency.days:.4g} days since the last {'review' if recency.is_since_review else 'change'}"
    if recency.stability is None:
        return value(recency.value, f"{subject}, {since}, no decay")
    source = f"half-life {half_life.days:g} days"
    if review and numbers.spaced_repetition:
        source += f", {review.reviews} review{'s' * (review.reviews != 1)}"
        source += f", difficulty {review.difficulty:.2f}" if review.difficulty else ""
    inputs = f"t = {since}, S = {recency.stability:.4g} days ({source})"
    return value(recency.value, f"{subject}: (1 + 19/81·t/S)^-0.5, {inputs}")


def _document_factor(document: Document, intent: str, numbers: Memory) -> Explanation:
    """Return the factor of a document's type, raised if the intent prefers the document."""
    type_factor = value(numbers.doc_type(document.doc_type), f"doc type {document.doc_type}")
    if not is_preferred(document, intent):
        return type_factor
    return product(
        "doc type × preference of the intent", type_factor, value(numbers.preferred, f"preferred for intent {intent}")
    )


def group_contradictions(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Show documents that contradict each other next to each other, the better one first."""
    documents = [candidate.document for candidate in search.candidates[: search.query.limit]]
    neighbours = tools.store.neighbours(documents, ["contradicts"])
    contradicting = {
        document: {neighbour.document for neighbour in neighbours[document]} & set(documents) for document in documents
    }
    if not any(contradicting.values()):
        return search.skip("no contradicting documents")
    grouped = tuple(_group(search.candidates, contradicting))
    pairs = {tuple(sorted((one, other))) for one, others in contradicting.items() for other in others}
    notes = tuple(f"{one} and {other} contradict each other" for one, other in sorted(pairs))
    return replace(search, candidates=grouped, notes=(*search.notes, *notes))


def _group(candidates: Sequence[Candidate], contradicting: Mapping[str, set[str]]) -> Iterator[Candidate]:
    remaining = {candidate.document: candidate for candidate in candidates}
    positions = {candidate.document: position for position, candidate in enumerate(candidates)}
    for candidate in candidates:
        if remaining.pop(candidate.document, None) is None:
            continue
        yield candidate
        for other in sorted(contradicting.get(candidate.document, ()), key=positions.__getitem__):
            if other in remaining:
                yield remaining.pop(other)
