"""Judging hits by evidence alone: how likely each answers the question, whatever ranked it.

Which words a hit has and how near its meaning is means the same for every recipe; what a fused score means does not.
Nothing is asked of a model here: cosines are those of the list that was made before.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from waymeet.analysis import detect_language, list_terms
from waymeet.formulas.relevance import MAX_MATCHED_IDF, Features, estimate_relevance, is_low_relevance, similarity_steps
from waymeet.ports import word_idfs
from waymeet.search.retrieve.dense import spaces_of
from waymeet.search.state import Search, Tools
from waymeet.settings import Bm25, Settings
from waymeet.types import Chunk, Document, Evidence, Explanation, Word

LOOKED_AT = 10
"""Leading hits of which one must reach the bar, however few are shown."""
_HEADS = frozenset({"title", "headings"})


class _Asked(NamedTuple):
    """What a question asks for."""

    terms: frozenset[str]
    weights: Mapping[str, float]
    """The rarity of each of its words, as written."""
    rarest: float
    """The rarity of a word that nothing holds."""
    held: Mapping[str, tuple[Evidence, ...]]
    """What each chunk has of them."""


class _Meaning(NamedTuple):
    """How near things are in meaning, in steps above what has nothing to do with the question."""

    steps: Mapping[str, float]
    """By chunk, as far as it is known."""
    nearest: float | None
    strange: bool
    """Whether a model was asked whose scale nobody knows."""


class RelevanceVerdict(NamedTuple):
    """What hits are worth, each and all together."""

    chances: list[Explanation | None]
    """How likely each answers; None where nothing tells."""
    doubtful: bool
    """Whether none of the leading ones seems to."""


def judged(
    search: Search, tools: Tools, settings: Settings, shown: Sequence[tuple[Document, Sequence[Chunk]]]
) -> RelevanceVerdict:
    """Say of each hit how likely it answers; of several sections the likeliest counts."""
    chunks = [chunk.id for _, chunks in shown for chunk in chunks]
    asked = _asked(search, tools, settings.bm25, chunks)
    meaning = _meaning(search, tools, chunks)
    chances = []
    for document, sections in shown:
        told = [each for chunk in sections if (each := _judged(search, asked, meaning, document, chunk))]
        chances.append(max(told, key=lambda each: each.value, default=None))
    leading = [each.value if each else None for each in chances[:LOOKED_AT]]
    partial = any(each.code == "partial_vectors" for each in search.degraded)  # what has no vector may yet answer
    return RelevanceVerdict(chances, not partial and is_low_relevance(leading, meaning.nearest, settings.shape.doubt))


def _asked(search: Search, tools: Tools, bm25: Bm25, chunks: Sequence[str]) -> _Asked:
    """Weigh the words that were asked for: not the slips that were put right, nor what was looked for beside them."""
    written = frozenset(list_terms(search.text))
    words = [word for word in search.words if word.text.endswith("*") or not written.isdisjoint(word.terms)]
    *rarities, rarest = word_idfs(tools.store, (*words, Word(())), bm25)
    weights: dict[str, float] = {}
    for word, rarity in zip(words, rarities, strict=True):
        name = word.text or " ".join(word.terms)
        weights[name] = max(rarity, weights.get(name, 0.0))
    return _Asked(written, weights, rarest, tools.store.lexical_evidence(words, chunks, bm25) if words else {})


def _meaning(search: Search, tools: Tools, chunks: Sequence[str]) -> _Meaning:
    """Say how far above nothing each chunk is in meaning.

    What is not among the nearest is no nearer than the last of them, unless it may have no vector yet.
    """
    ranking = search.ranking("vector")
    kept, language = tools.store.spaces(), detect_language(search.vector_text or search.text)
    space = next(
        (each.space for each in tools.embedders if each.space in kept and each.supports_language(language)), ""
    )
    if not ranking or similarity_steps(space, 0.0) is None:
        return _Meaning({}, None, strange=bool(ranking))
    embedded, _ = tools.store.coverage(spaces_of(tools.embedders))
    cosines = {each.chunk: each.score for each in ranking}
    rest = dict.fromkeys(chunks, ranking[-1].score) if (search.vector_coverage or 0.0) >= 1.0 else {}
    near = {**rest, **{chunk: cosines[chunk] for chunk in chunks if chunk in cosines}}
    steps = {chunk: similarity_steps(space, cosine, embedded) or 0.0 for chunk, cosine in near.items()}
    return _Meaning(steps, similarity_steps(space, ranking[0].score, embedded), strange=False)


def _judged(search: Search, asked: _Asked, meaning: _Meaning, document: Document, chunk: Chunk) -> Explanation | None:
    held = {one.word: one.fields for one in asked.held.get(chunk.id, ())}
    steps = meaning.steps.get(chunk.id)
    if steps is None and not held and (meaning.strange or not asked.weights):
        return None  # found by meaning alone, through a model whose scale nobody measured
    weight = sum(asked.weights.values()) or 1.0
    found = sum(asked.weights[word] for word in held)
    heads = sum(asked.weights[word] for word, fields in held.items() if not _HEADS.isdisjoint(fields))
    fits = max(_fits(document.title, asked.terms), _fits(" ".join(chunk.headings), asked.terms)) if heads else 0.0
    return estimate_relevance(
        Features(
            idf_coverage=found / weight,
            matched_idf=min(found / asked.rarest, MAX_MATCHED_IDF),
            title_overlap=heads / weight * fits,
            similarity_steps=steps,
            is_other_language=chunk.id in search.other_language,
        )
    )


def _fits(text: str, asked: frozenset[str]) -> float:
    """Say which part of a title's words was asked for."""
    named = set(list_terms(text))
    return len(named & asked) / len(named) if named else 0.0
