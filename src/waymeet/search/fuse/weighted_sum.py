"""The stages of `auto` that make scores: words and meaning by score, a document's sections together, diversity."""

from collections import defaultdict

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.formulas.explanation import product, quotient, total, value, weighted
from waymeet.formulas.fusion import share_of_best
from waymeet.formulas.vector_weight import code_vector_weight, similarity_trust
from waymeet.ports import choose_embedder
from waymeet.search.fuse.fusion import kind_of, made_of, ordered, rows_of, scored
from waymeet.search.retrieve.dense import spaces_of
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Candidate, Explanation, ScoredChunk


def weighted_sum(search: Search, tools: Tools, settings: Settings) -> Search:
    """Mix words and meaning by score; with one list alone, its share of the best decides."""
    kind = made_of(search)
    meaning = _weight(search, tools, settings.auto) * _trust(search, settings.auto) if kind == "hybrid" else 0.0
    weight = {"vector": meaning, "lexical": 1.0 - meaning}
    candidates = []
    for rows, found in rows_of(search):
        row = next(iter(rows.values()))
        parts = {source: _part(search, source, row) for source, row in rows.items()}
        if kind == "hybrid":
            told = (weighted(weight.get(kind_of(each), 0.0), each, part) for each, part in parts.items())
            score = total("words and meaning", *told)
        else:
            score = max(parts.values(), key=lambda part: part.value)
        candidates.append(Candidate(row.document, (row.chunk,), score, found))
    return replace(search, candidates=ordered(candidates), search_type=kind)


def _weight(search: Search, tools: Tools, auto: Auto) -> float:
    """Weigh meaning beside words, the more the larger a part of all is in another language than the question.

    The weight is one for all, so that no page is ahead because of its language.
    """
    if not tools.embedders:
        return _own_weight(tools, auto, main=True)
    home = choose_embedder(tools.embedders, detect_language(search.vector_text or search.text))
    own = _own_weight(tools, auto, main=home is tools.embedders[0])
    if not search.other_language:
        return own
    at_home, _ = tools.store.coverage([home.space])
    everywhere, _ = tools.store.coverage(spaces_of(tools.embedders))
    return own + (auto.vector_weight_cross_lingual - own) * (1.0 - at_home / max(everywhere, 1)) ** 2


def _trust(search: Search, auto: Auto) -> float:
    """Say how much of its weight meaning deserves: as much as has a vector, and less if nothing is near."""
    known = search.similarity_steps is not None and auto.min_similarity_steps
    return search.vector_share * (
        similarity_trust(search.similarity_steps or 0.0, auto.min_similarity_steps) if known else 1.0
    )


def _own_weight(tools: Tools, auto: Auto, *, main: bool) -> float:
    """Weigh meaning by the kind of texts there are; code and prose by how many documents are which."""
    if auto.vector_weight is not None:
        return auto.vector_weight
    if not main:
        return auto.vector_weight_non_english
    texture = tools.store.corpus_profile()
    prose = (
        auto.vector_weight_short_text + (auto.vector_weight_prose - auto.vector_weight_short_text) * texture.text_length
    )
    code = code_vector_weight(
        texture.chunks / max(texture.documents, 1), auto.vector_weight_single_function, auto.vector_weight_prose
    )
    return prose + (code - prose) * texture.code_share


def _part(search: Search, source: str, row: ScoredChunk) -> Explanation:
    """Express a score as a part of the best in its list.

    A cosine is measured from the last of its list, for every model has a zero of its own.
    """
    score, best = scored(search, source, row), search.ranking(source)[0].score
    if kind_of(source) == "lexical":
        return share_of_best("words", score, best)
    floor = search.ranking(source)[-1].score
    if best <= floor:
        return value(1.0, "as near as anything")
    lifted = total("above the list's last", score, value(-floor, "the list's last"))
    return quotient("meaning / best meaning", lifted, value(best - floor, "best above the last"))


def aggregate_sections(search: Search, tools: Tools, settings: Settings) -> Search:
    """Let a document's best section speak for it, less if it stands alone there; the others speak for themselves."""
    most, part = settings.auto.document_sections, settings.auto.document_share
    best: defaultdict[str, list[Candidate]] = defaultdict(list)
    for each in search.candidates:
        best[each.document].append(each)
    several = {document: number for document, number in tools.store.chunk_counts(best).items() if number > 1}
    if not several or not part:
        return search.skip("no document has several sections" if part else "switched off")
    gathered = [each for each in search.candidates if each.document not in several]
    for document, number in several.items():
        among = min(number, most)
        first, *others = best[document]
        scores = [each.score.value for each in best[document][:among]]
        together = sum(scores) / scores[0] if scores[0] > 0.0 else 1.0
        gathered.append(_with_part(first, together / among, among, part))
        gathered.extend(_with_part(each, 1.0 / among, among, part) for each in others)
    return replace(search, candidates=ordered(gathered))


def _with_part(section: Candidate, mean: float, among: int, part: float) -> Candidate:
    """Let a part of a section's score depend on how good its document's best sections are beside it."""
    document = weighted(part, f"the {among} best of its document", value(mean, "mean, as a part of this one"))
    factor = total("with its document", value(1.0 - part, "the section alone"), document)
    return replace(section, score=product("the section in its document", section.score, factor))


def limit_per_document(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Show at most a few sections of one document."""
    seen: defaultdict[str, int] = defaultdict(int)
    kept = []
    for each in search.candidates:
        seen[each.document] += 1
        if seen[each.document] <= settings.auto.per_document:
            kept.append(each)
    return replace(search, candidates=tuple(kept))
