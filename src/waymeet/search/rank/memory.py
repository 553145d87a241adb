"""The stages of `memory`: whole entries from three lists, weighed by what the asker is up to."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from waymeet.analysis import normalise_text
from waymeet.analysis.intent import INTENT_WORDS, guess_intent
from waymeet.analysis.keys import trigger_key
from waymeet.formulas.explanation import product, value
from waymeet.formulas.fusion import rrf, share_of_best
from waymeet.formulas.memory import boost_converged, final_score, importance, retrievability
from waymeet.search.fuse.fusion import find_search_type, sort_candidates
from waymeet.search.retrieve.first_stage import report_fan_out
from waymeet.search.retrieve.graph_walk import explain_path, find_best_paths
from waymeet.search.state import Search, Tools
from waymeet.settings import Memory, Settings
from waymeet.types import Candidate, Document, Explanation, Ranking, ScoredChunk, SourceRank

HALF_LIVES: Mapping[str, float | None] = {
    "working": 1.0,
    "episodic": 7.0,
    "prospective": 14.0,
    "implicit": 30.0,
    "declarative": 60.0,
    "procedural": 90.0,
    "semantic": 180.0,
    "autobiographical": 365.0,
    "meta-cognitive": None,
}
"""Days after which half is forgotten, by type of memory; None never."""
_BY_TIER = {"constitutional": "meta-cognitive", "temporary": "working"}
_BY_DOC_TYPE = {
    "scratch": "working",
    "meeting": "episodic",
    "handover": "episodic",
    "memory": "episodic",
    "plan": "prospective",
    "tasks": "prospective",
    "todo": "prospective",
    "checklist": "procedural",
    "guide": "procedural",
    "spec": "semantic",
    "design": "semantic",
    "api": "semantic",
    "db-schema": "semantic",
    "decision_record": "autobiographical",
    "implementation_summary": "autobiographical",
    "constitutional": "meta-cognitive",
}
_BY_KIND = {"tasks": "prospective", "skills": "procedural", "notes": "declarative", "code": "semantic"}
_PREFERRED: Mapping[str, frozenset[str]] = {
    "add_feature": frozenset("pattern patterns example examples architecture design".split()),
    "fix_bug": frozenset("error errors bug bugs incident postmortem root-cause root_cause patch patches fix".split()),
    "refactor": frozenset("pattern patterns dependencies dependency design architecture".split()),
    "security_audit": frozenset("security vulnerability vulnerabilities audit audits threat-model".split()),
    "find_spec": frozenset("spec specs specification".split()),
    "find_decision": frozenset("decision_record adr decision decisions".split()),
}


def memory_type(document: Document) -> str:
    """Tell the type: what the front matter says, else by tier, by type of document, by kind of knowledge.

    >>> memory_type(Document("a.md", "docs", "A", "plan")), memory_type(Document("b.md", "notes", "B"))
    ('prospective', 'declarative')
    >>> memory_type(Document("c.md", "docs", "C", properties={"memory_type": "Working"}))
    'working'
    """
    said = document.properties.get("memory_type", "").strip().lower().replace("_", "-")
    if said in HALF_LIVES:
        return said
    tier = document.properties.get("tier", "")
    return _BY_TIER.get(tier) or _BY_DOC_TYPE.get(document.doc_type) or _BY_KIND.get(document.kind) or "declarative"


def half_life(document: Document) -> tuple[str, float | None]:
    """Give the type of memory and after how many days half of it is forgotten."""
    kind = memory_type(document)
    return kind, HALF_LIVES[kind]


def preferred(document: Document, intent: str) -> bool:
    """Tell whether an intent prefers a document, by its type, its tags and the folders it lies in.

    >>> preferred(Document("docs/adr/1.md", "docs", "One", "decision_record"), "find_decision")
    True
    >>> preferred(Document("docs/incidents/errors/1.md", "docs", "One"), "fix_bug")
    True
    """
    wanted = _PREFERRED.get(intent, frozenset())
    folders = document.id.lower().split("/")[:-1]
    return not wanted.isdisjoint((document.doc_type, *(tag.lower() for tag in document.tags), *folders))


_LONGEST_PHRASE = 8
_MOST_WORDS = 200
_DAY_NS = 86_400_000_000_000
_TOLD = 5
"""Entries that came along with others of which an answer tells."""


def classify_intent(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Find out what the asker is up to, unless they said so."""
    if search.query.intent in INTENT_WORDS:
        return replace(search, intent=search.query.intent, notes=(*search.notes, f"intent {search.query.intent}"))
    guess = guess_intent(search.text)
    told = f"intent {guess.intent}" + (f" (confidence {guess.confidence:.2f})" if guess.confidence else " by default")
    search = replace(search, intent=guess.intent, notes=(*search.notes, told))
    if search.query.intent:
        return search.degrade(
            "classify_intent", "unknown_intent", f"{search.query.intent!r} is none of {', '.join(INTENT_WORDS)}"
        )
    return search


def apply_settings_switches(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Leave out lists that are switched off; if lists are not to be fused, the first that found anything decides."""
    lists = dict(search.lists)
    if not settings.memory.lexical:
        lists.pop("lexical", None)
        search = search.degrade("lexical", "no_lexical", "words are switched off (memory.lexical): meaning and links")
    if not settings.memory.rrf:
        one = next((source for source in ("vector", "lexical") if lists.get(source)), "vector")
        lists = {source: ranking for source, ranking in lists.items() if source == one}
        search = search.degrade("fuse", "no_fusion", f"fusion is switched off (memory.rrf): by the {one} list alone")
    if len(lists) == len(search.lists):
        return search.skip("nothing is switched off") if settings.memory.lexical and settings.memory.rrf else search
    return replace(search, lists=lists)


def collapse_to_documents(search: Search, _tools: Tools, _settings: Settings) -> Search:
    """Keep the best section of each document in every list, for an entry is one whole."""
    return replace(search, lists={source: _whole(ranking) for source, ranking in search.lists.items()})


def _whole(ranking: Ranking) -> Ranking:
    best: dict[str, ScoredChunk] = {}
    for each in ranking:
        best.setdefault(each.document, each)
    return tuple(best.values())


def boost_triggers(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift entries to the front of the lexical list whose trigger phrase stands in the query."""
    if not settings.memory.lexical or (not settings.memory.rrf and "lexical" not in search.lists):
        return search.skip("no list of words")
    words = normalise_text(search.text).split()[:_MOST_WORDS]
    phrases = [
        " ".join(words[start : start + length])
        for length in range(min(_LONGEST_PHRASE, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    carrying = tools.store.documents_by_key([trigger_key(phrase) for phrase in phrases])
    called = dict.fromkeys(
        document
        for phrase in phrases
        for document in carrying.get(trigger_key(phrase), ())  # the longest phrase first
    )
    allowed = tools.store.first_passing_chunks(called, search.filters)
    lifted = [document for document in called if document in allowed]
    if not lifted:
        return search.skip("no trigger phrase in the query")
    known = {each.document: each for each in search.ranking("lexical")}
    first = max((each.score for each in known.values()), default=0.0)
    front = [known.get(document) or ScoredChunk(allowed[document], document, first) for document in lifted]
    rest = [each for each in known.values() if each.document not in allowed]
    told = f"called by a trigger phrase: {', '.join(lifted[:3])}"
    lists = {**search.lists, "lexical": (*(replace(each, score=first) for each in front), *rest)}
    return replace(search, lists=lists, notes=(*search.notes, told))


def walk_links(search: Search, tools: Tools, settings: Settings) -> Search:
    """Make the third list: what links lead to from the best of the other two."""
    if search.query.depth == 0 or not settings.memory.rrf:
        return search.skip("depth 0" if search.query.depth == 0 else "one list alone")
    fused = {document: rrf(ranks, {}, settings.rrf.k).value for document, ranks in _ranks(search.lists).items()}
    best = sorted(fused, key=lambda document: (-fused[document], document))
    starts = {document: fused[document] for document in best[: search.query.limit * settings.pool.seeds]}
    if not starts:
        return search.skip("nothing to start from")
    depth = settings.graph.depth if search.query.depth is None else search.query.depth
    ways, cut = find_best_paths(tools, starts, depth, search.query.link_types, settings)
    search = report_fan_out(search, sorted(cut), settings) if cut else search
    allowed = tools.store.first_passing_chunks(ways, search.filters)
    found = sorted((document for document in ways if document in allowed), key=lambda each: (-ways[each].score, each))
    ranking = tuple(
        ScoredChunk(allowed[document], document, ways[document].score) for document in found[: settings.memory.reached]
    )
    if ranking:
        came = [each.document for each in ranking if ways[each.document].has_co_activation][:_TOLD]
        notes = (f"{document} comes with {ways[document].start}: often of use together" for document in came)
        told = {each.document: explain_path(ways[each.document], starts, settings.memory) for each in ranking}
        lists = {**search.lists, "graph": ranking}
        return replace(search, lists=lists, link_explanations=told, notes=(*search.notes, *notes))
    if not tools.store.counts().edges:
        return search.miss(
            "graph", "no_links", "nothing indexed links to anything: answered by words and meaning alone"
        )
    return search.skip("no links lead on")


def _ranks(lists: Mapping[str, Ranking]) -> dict[str, dict[str, int]]:
    ranks: dict[str, dict[str, int]] = {}
    for source, ranking in lists.items():
        for rank, each in enumerate(ranking, start=1):
            ranks.setdefault(each.document, {})[source] = rank
    return ranks


def fuse_memory(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Fuse the lists by rank, links counting more; what several lists found gets a bonus."""
    weights = {"graph": settings.memory.graph, "lexical": settings.rrf.lexical, "vector": settings.rrf.vector}
    rows = {(source, each.document): each for source, ranking in search.lists.items() for each in ranking}
    candidates = []
    for document, ranks in _ranks(search.lists).items():
        here = [rows[source, document] for source in ranks]
        fused = _with_way(rrf(ranks, weights, settings.rrf.k), list(ranks), search.link_explanations.get(document))
        score = (
            boost_converged(fused, len(ranks), settings.memory.convergence)
            if settings.memory.rrf
            else value(here[0].score, "score in the only list")
        )
        found = tuple(SourceRank(source, rank, rows[source, document].score) for source, rank in ranks.items())
        matched = sorted(source for source in ranks if source != "graph")  # words tell best what to show
        shown = rows[matched[0], document].chunk if matched else here[0].chunk
        candidates.append(Candidate(document, (shown,), score, found))
    kind = find_search_type(
        replace(search, lists={source: each for source, each in search.lists.items() if source != "graph"})
    )
    return replace(search, candidates=sort_candidates(candidates), search_type=kind)


def _with_way(fused: Explanation, sources: Sequence[str], way: Explanation | None) -> Explanation:
    """Put beside the rank in the list of links how that came about; it explains the rank, and adds nothing."""
    if way is None:
        return fused
    told = (
        replace(part, parts=(way,)) if source == "graph" else part
        for source, part in zip(sources, fused.parts, strict=True)
    )
    return replace(fused, parts=tuple(told))


def weigh_by_intent(search: Search, tools: Tools, settings: Settings) -> Search:
    """Weigh nearness, recency and importance as the intent asks; entries out of date are left out."""
    if not search.candidates:
        return search.skip("nothing found")
    documents = tools.store.documents({each.document for each in search.candidates})
    wants_old = any(key == "tier" for key, _ in search.filters.properties)
    tiers = {id_: document.properties.get("tier", "normal").strip().lower() for id_, document in documents.items()}
    kept = [each for each in search.candidates if wants_old or tiers[each.document] != "deprecated"]
    best = kept[0].score.value if kept else 0.0
    weights = settings.memory.weights(search.intent)
    now = tools.now()
    weighed = []
    for each in kept:
        document, tier = documents[each.document], tiers[each.document]
        score = final_score(
            share_of_best("fused", each.score, best),
            _recency(document, now, tools),
            value(importance(tier), f"tier {tier}"),
            weights,
            _kind(document, search.intent, settings.memory),
        )
        weighed.append(replace(each, score=score))
    return replace(search, candidates=sort_candidates(weighed))


def _recency(document: Document, now: int, tools: Tools) -> Explanation:
    last = max(document.modified_ns, tools.last_read.get(document.id, 0))
    if not last:
        return value(1.0, "no date")
    kind, life = half_life(document)
    days = max(now - last, 0) / _DAY_NS
    lasts = "never fades" if life is None else f"half-life {life:g} days"
    return value(retrievability(days, life), f"{kind}, {days:.1f} days old, {lasts}")


def _kind(document: Document, intent: str, numbers: Memory) -> Explanation:
    """Say how much a document counts by its type, and a little more if the intent prefers its kind."""
    told = value(numbers.doc_type(document.doc_type), f"doc type {document.doc_type}")
    if not preferred(document, intent):
        return told
    return product("kind of document", told, value(numbers.preferred, f"{intent} prefers it"))


def group_contradictions(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Show entries that contradict each other together, the better one first."""
    documents = [each.document for each in search.candidates[: search.query.limit]]
    around = tools.store.neighbours(documents, ["contradicts"])
    rivals = {document: {near.document for near in around[document]} & set(documents) for document in documents}
    if not any(rivals.values()):
        return search.skip("nothing contradicts anything shown")
    kept = tuple(_together(search.candidates, rivals))
    pairs = {tuple(sorted((one, other))) for one, others in rivals.items() for other in others}
    notes = tuple(f"{one} and {other} contradict each other" for one, other in sorted(pairs))
    return replace(search, candidates=kept, notes=(*search.notes, *notes))


def _together(candidates: Sequence[Candidate], rivals: Mapping[str, set[str]]) -> Iterator[Candidate]:
    left = {each.document: each for each in candidates}
    place = {each.document: at for at, each in enumerate(candidates)}
    for each in candidates:
        if left.pop(each.document, None) is None:
            continue
        yield each
        for other in sorted(rivals.get(each.document, ()), key=place.__getitem__):
            if other in left:
                yield left.pop(other)
