"""Other wordings of the question: the asker's own, or a model's, and the lists that answer them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from waymeet.analysis import normalise_text, query_words
from waymeet.errors import EmbeddingError, ModelError
from waymeet.search.retrieve.dense import nearest
from waymeet.search.retrieve.first_stage import pool_size, vector
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Ranking, Variant, Word

_SHOWN = 200
_LONGEST = 1000
"""Characters of a wording that are read; a model that writes more has not understood what it was asked for."""


def expand(search: Search, tools: Tools, settings: Settings) -> Search:
    """Put the question in other words by a model, unless the asker did, did not want it, or words alone are clear."""
    unneeded = _unneeded(search)
    if unneeded:
        own = tuple(each for each in search.query.variants if each.text.strip())
        return _worded(search, own).skip(unneeded)
    if tools.expander is None:
        return _unavailable(search, "no model is set up that could put the question in other words")
    try:
        given = tools.expander.expand(search.text, settings.expand.variants)
        wordings = tuple(_different(given, search.text))[: settings.expand.variants]
    except ModelError as error:
        return _unavailable(search, f"{error.message} {error.hint}".strip())
    if not wordings:
        return _unavailable(search, f"{tools.expander.name} gave no other wording")
    return _worded(search, wordings)


def _worded(search: Search, wordings: tuple[Variant, ...]) -> Search:
    """Take wordings along and tell of them."""
    notes = tuple(f"asked in other words, too: {each.text[:_SHOWN]}" for each in wordings)
    return replace(search, variants=wordings, notes=(*search.notes, *notes))


def _unneeded(search: Search) -> str:
    """Say why no model is asked, if it is not."""
    reasons = {
        "wordings_given": bool(search.query.variants),
        "user_requested": not search.query.expand,
        "strong_signal_detected": bool(search.strong_signal),
        "empty query": not search.text.strip(),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _unavailable(search: Search, detail: str) -> Search:
    return search.miss("expand", "llm_unavailable", detail)


def _different(given: Iterable[str], question: str) -> Iterator[Variant]:
    """Keep wordings that say something, and say it differently."""
    known = {normalise_text(question)}
    for each in given:
        text = " ".join(str(each).split())[:_LONGEST]
        if normalise_text(text) and normalise_text(text) not in known:
            known.add(normalise_text(text))
            yield Variant(text)


def retrieve_variants(search: Search, tools: Tools, settings: Settings) -> Search:
    """Ask for the question's meaning, then for the words and the meaning of every other wording."""
    search = vector(search, tools, settings)
    by_meaning = "vector" in search.lists
    asked, left = len(search.lists), 0
    for number, wording in enumerate(search.variants, start=2):
        for source in _sources(wording, by_meaning=by_meaning):
            if asked >= settings.deep.lists:
                left += 1
                continue
            asked += 1
            try:
                found = _answers(search, wording, source, tools, settings)
            except EmbeddingError as error:
                search = search.degrade("vector", "embedding_failed", f"wording {number}: {error.message}")
                continue
            search = replace(search, lists={**search.lists, f"{source} {number}": found})
    if left:
        detail = f"{left} lists of other wordings were not asked: {settings.deep.lists} is the most"
        return search.degrade("retrieve_variants", "too_many_wordings", detail)
    return search


def _sources(wording: Variant, *, by_meaning: bool) -> Iterator[str]:
    if wording.kind in {"both", "lex"}:
        yield "lexical"
    if wording.kind != "lex" and by_meaning:
        yield "vector"


def _answers(search: Search, wording: Variant, source: str, tools: Tools, settings: Settings) -> Ranking:
    limit = pool_size(search, settings)
    if source == "lexical":
        wanted = looked_for(wording.text, settings.pool.query_words)
        return tools.store.rank_lexical(wanted, limit, search.filters, settings.bm25) if wanted else ()
    # a passage such as would answer lies where answers lie, so it is embedded as one of them
    return nearest(tools, wording.text, limit, search.filters, passage=wording.kind == "hyde").ranking


def looked_for(text: str, most: int) -> tuple[Word, ...]:
    """List the words of a wording. It has no operators: quotes and dashes of a model mean nothing special.

    >>> [word.terms for word in looked_for('merge "ranked lists" -quickly', 10)]
    [('merg',), ('merge',), ('rank',), ('ranked',), ('list',), ('lists',), ('quick',), ('quickly',)]
    """
    asked = Counter(term for _, each in query_words(text) for term in each)
    return tuple(Word((term,), float(times), term) for term, times in asked.items())[:most]
