"""Stages that rerank the best candidates by a model, if one is configured."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import isfinite

from msgspec.structs import replace

from waymeet.errors import CircuitOpenError, ModelError
from waymeet.formulas.explanation import product, quotient, value
from waymeet.formulas.rerank import length_penalty
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import RerankerScore, Search, Tools
from waymeet.settings import Settings


def rerank(search: Search, tools: Tools, settings: Settings) -> Search:
    """Score the best candidates by the reranker.

    If the model fails, the order stays and the answer is marked as degraded.
    """
    if tools.reranker is None:
        return search.skip("no reranker configured")
    query = search.text.strip()
    best = [candidate.chunks[0] for candidate in search.candidates[: settings.rerank.candidates] if candidate.chunks]
    if not query or not best:
        return search.skip("no candidates to rerank" if query else "empty query")
    chunks = tools.store.chunks(best)
    texts = {id_: chunks[id_].text[: settings.rerank.text_chars] for id_ in best if id_ in chunks}
    key = cache_key(tools.reranker.name, query, texts)
    cached = tools.reranker_cache.get(key) if tools.reranker_cache is not None else None
    try:
        scores = cached or check_scores(tools.reranker.score(query, list(texts.values())), len(texts))
    except CircuitOpenError as error:
        return search.miss("rerank", "rerank_off", f"{error.message} {error.hint}".strip())
    except ModelError as error:
        return search.miss("rerank", "rerank_failed", f"{error.message} {error.hint}".strip())
    if tools.reranker_cache is not None and cached is None:
        tools.reranker_cache[key] = scores
    by_chunk = {
        chunk: RerankerScore(score, len(chunks[chunk].text.strip())) for chunk, score in zip(texts, scores, strict=True)
    }
    return replace(search, reranker_scores=by_chunk)


def cache_key(model: str, query: str, texts: Mapping[str, str]) -> str:
    """Hash a request to the reranker: the model, the query, the chunk ids and their texts.

    >>> one, other = cache_key("m", "q", {"a#1": "text"}), cache_key("m", "q", {"a#1": "changed"})
    >>> one == other, len(one)
    (False, 64)
    """
    digest = sha256()
    for part in (model, query, *(part for pair in texts.items() for part in pair)):
        # Each part is hashed by itself, so that moving its end to the next part changes the key.
        digest.update(sha256(part.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()


def check_scores(scores: Sequence[float], expected: int) -> tuple[float, ...]:
    """Check that there is one score for each text, a number from 0 to 1.

    >>> check_scores([0.5, 1], 2)
    (0.5, 1.0)
    """
    hint = "Results are shown in their order before reranking."
    if len(scores) != expected:
        raise ModelError(f"The reranker returned {len(scores)} scores for {expected} texts.", hint)
    try:
        numbers = tuple(float(score) for score in scores)
    except (TypeError, ValueError):
        raise ModelError("The reranker returned a score that is not a number.", hint) from None
    invalid = next((number for number in numbers if not isfinite(number) or not 0.0 <= number <= 1.0), None)
    if invalid is not None:
        raise ModelError(f"The reranker returned the score {invalid:g}, which is not between 0 and 1.", hint)
    return numbers


def sort_by_reranker(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Sort reranked candidates by the reranker's score, and append the others in their order.

    A score counts less if its text is short.
    """
    if not search.reranker_scores:
        return search.skip(search.skipped or "not reranked")
    numbers = settings.rerank
    reranked, others = [], []
    for candidate in search.candidates:
        scored = search.reranker_scores.get(candidate.chunks[0]) if candidate.chunks else None
        if scored is None:
            others.append(candidate)
            continue
        penalty = length_penalty(scored.characters, numbers.full_trust_chars, numbers.min_trust)
        score = product(
            "reranker score × length penalty",
            value(scored.score, "reranker score"),
            value(penalty, f"length penalty of {scored.characters} characters"),
        )
        reranked.append(replace(candidate, score=score))
    first = sort_candidates(reranked)
    lowest = value(first[-1].score.value, "lowest reranked score")
    best = value(max((candidate.score.value for candidate in others), default=0.0), "best score of those not reranked")
    behind = (
        replace(
            candidate,
            score=product(
                "not reranked: placed after reranked results",
                lowest,
                quotient("score / best score of those not reranked", candidate.score, best),
            ),
        )
        for candidate in others
    )
    return replace(search, candidates=(*first, *behind))
