"""Reading the best candidates again: a model sees question and text together. Off unless one is set up."""

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
    """Have the best candidates read together with the question; whatever the model does wrong, the order stays."""
    if tools.reranker is None:
        return search.skip("no reranker is set up")
    question = search.text.strip()
    best = [each.chunks[0] for each in search.candidates[: settings.rerank.candidates] if each.chunks]
    if not question or not best:
        return search.skip("nothing to read again" if question else "empty query")
    chunks = tools.store.chunks(best)
    texts = {each: chunks[each].text[: settings.rerank.text_chars] for each in best if each in chunks}
    key = fingerprint(tools.reranker.name, question, texts)
    known = tools.reranker_cache.get(key) if tools.reranker_cache is not None else None
    try:
        scores = known or usable(tools.reranker.score(question, list(texts.values())), len(texts))
    except CircuitOpenError as error:
        return search.miss("rerank", "rerank_off", f"{error.message} {error.hint}".strip())
    except ModelError as error:
        return search.miss("rerank", "rerank_failed", f"{error.message} {error.hint}".strip())
    if tools.reranker_cache is not None and known is None:
        tools.reranker_cache[key] = scores
    judged = {
        chunk: RerankerScore(score, len(chunks[chunk].text.strip())) for chunk, score in zip(texts, scores, strict=True)
    }
    return replace(search, reranker_scores=judged)


def fingerprint(model: str, question: str, texts: Mapping[str, str]) -> str:
    """Name what a model is asked: by the model, the question, the ids and what they hold.

    >>> one, other = fingerprint("m", "q", {"a#1": "text"}), fingerprint("m", "q", {"a#1": "changed"})
    >>> one == other, len(one)
    (False, 64)
    """
    whole = sha256()
    for part in (model, question, *(part for pair in texts.items() for part in pair)):
        whole.update(sha256(part.encode("utf-8", "surrogatepass")).digest())
    return whole.hexdigest()


def usable(scores: Sequence[float], wanted: int) -> tuple[float, ...]:
    """Take a model's scores only if there is one for each text, and each is a number from 0 to 1.

    >>> usable([0.5, 1], 2)
    (0.5, 1.0)
    """
    hint = "The order is that of the other lists."
    if len(scores) != wanted:
        raise ModelError(f"the reranker gave {len(scores)} scores for {wanted} texts.", hint)
    try:
        given = tuple(float(each) for each in scores)
    except (TypeError, ValueError):
        raise ModelError("the reranker gave something that is no number.", hint) from None
    wrong = next((each for each in given if not isfinite(each) or not 0.0 <= each <= 1.0), None)
    if wrong is not None:
        raise ModelError(f"the reranker gave the score {wrong:g}, which is not from 0 to 1.", hint)
    return given


def sort_by_reranker(search: Search, _tools: Tools, settings: Settings) -> Search:
    """Order what was read again by score, less for little text; the rest follows behind it in its old order."""
    if not search.reranker_scores:
        return search.skip(search.skipped or "not reranked")
    numbers = settings.rerank
    read, rest = [], []
    for each in search.candidates:
        judged = search.reranker_scores.get(each.chunks[0]) if each.chunks else None
        if judged is None:
            rest.append(each)
            continue
        penalty = length_penalty(judged.characters, numbers.full_trust_chars, numbers.min_trust)
        score = product(
            "read again",
            value(judged.score, "reranker"),
            value(penalty, f"trust in {judged.characters} characters"),
        )
        read.append(replace(each, score=score))
    first = sort_candidates(read)
    last = value(first[-1].score.value, "the last that was read again")
    best = value(max((each.score.value for each in rest), default=0.0), "best of the rest")
    behind = (
        replace(each, score=product("behind all that was read again", last, quotient("of the rest", each.score, best)))
        for each in rest
    )
    return replace(search, candidates=(*first, *behind))
