"""Expand a query by alternative wordings, and retrieve the lists that belong to them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from waymeet.analysis import normalise_text, query_words
from waymeet.errors import EmbeddingError, ModelError
from waymeet.search.retrieve.dense import rank_by_vector
from waymeet.search.retrieve.first_stage import pool_size, vector
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Ranking, Variant, Word

_SHOWN_CHARS = 200
_MAX_CHARS = 1000
"""Characters of a wording that are used; a longer one is not what the model was prompted for."""


def expand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Generate alternative wordings of the query by a language model, if they are needed."""
    reason = _skip_reason(search)
    if reason:
        own = tuple(variant for variant in search.query.variants if variant.text.strip())
        return _add_variants(search, own).skip(reason)
    if tools.expander is None:
        return _unavailable(search, "no language model configured for query expansion")
    try:
        texts = tools.expander.expand(search.text, settings.expand.variants)
        variants = tuple(_distinct_variants(texts, search.text))[: settings.expand.variants]
    except ModelError as error:
        return _unavailable(search, f"{error.message} {error.hint}".strip())
    if not variants:
        return _unavailable(search, f"{tools.expander.name} returned no alternative wording")
    return _add_variants(search, variants)


def _add_variants(search: Search, variants: tuple[Variant, ...]) -> Search:
    """Add alternative wordings to the search, with a note for each."""
    notes = tuple(f"also searched for: {variant.text[:_SHOWN_CHARS]}" for variant in variants)
    return replace(search, variants=variants, notes=(*search.notes, *notes))


def _skip_reason(search: Search) -> str:
    """Give the reason why no model is needed, or an empty string."""
    reasons = {
        "wordings_given": bool(search.query.variants),
        "user_requested": not search.query.expand,
        "strong_signal_detected": bool(search.strong_signal),
        "empty query": not search.text.strip(),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _unavailable(search: Search, detail: str) -> Search:
    return search.miss("expand", "llm_unavailable", detail)


def _distinct_variants(texts: Iterable[str], query: str) -> Iterator[Variant]:
    """Yield wordings that are neither empty nor repeated nor equal to the query."""
    known = {normalise_text(query)}
    for written in texts:
        text = " ".join(str(written).split())[:_MAX_CHARS]
        if normalise_text(text) and normalise_text(text) not in known:
            known.add(normalise_text(text))
            yield Variant(text)


def retrieve_variants(search: Search, tools: Tools, settings: Settings) -> Search:
    """Retrieve the query's vector list and the lists of every alternative wording."""
    search = vector(search, tools, settings)
    has_vectors = "vector" in search.lists
    retrieved, omitted = len(search.lists), 0
    for number, variant in enumerate(search.variants, start=2):
        for source in _sources(variant, has_vectors=has_vectors):
            if retrieved >= settings.deep.lists:
                omitted += 1
                continue
            retrieved += 1
            try:
                ranking = _retrieve(search, variant, source, tools, settings)
            except EmbeddingError as error:
                search = search.degrade("vector", "embedding_failed", f"wording {number}: {error.message}")
                continue
            search = replace(search, lists={**search.lists, f"{source} {number}": ranking})
    if omitted:
        detail = (
            f"{omitted} lists of alternative wordings were omitted: the limit is {settings.deep.lists} (deep.lists)"
        )
        return search.degrade("retrieve_variants", "too_many_wordings", detail)
    return search


def _sources(variant: Variant, *, has_vectors: bool) -> Iterator[str]:
    if variant.kind in {"both", "lex"}:
        yield "lexical"
    if variant.kind != "lex" and has_vectors:
        yield "vector"


def _retrieve(search: Search, variant: Variant, source: str, tools: Tools, settings: Settings) -> Ranking:
    limit = pool_size(search, tools, settings)
    if source == "lexical":
        words = variant_words(variant.text, settings.pool.query_words)
        return tools.store.rank_lexical(words, limit, search.filters, settings.bm25) if words else ()
    # HyDE (Gao et al., 2022): a hypothetical answer is embedded as a passage, because it resembles real answers.
    is_passage = variant.kind == "hyde"
    return rank_by_vector(
        tools, variant.text, limit, search.filters, student=settings.student, is_passage=is_passage
    ).ranking


def variant_words(text: str, limit: int) -> tuple[Word, ...]:
    """List the words of a wording, in which quotes and dashes are no operators.

    >>> [word.terms for word in variant_words('merge "ranked lists" -quickly', 10)]
    [('merg',), ('merge',), ('rank',), ('ranked',), ('list',), ('lists',), ('quick',), ('quickly',)]
    """
    counts = Counter(term for _, terms in query_words(text) for term in terms)
    return tuple(Word((term,), float(times), term) for term, times in counts.items())[:limit]
