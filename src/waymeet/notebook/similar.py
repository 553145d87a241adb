"""Items that are similar to a saved one, or may contradict it.

Similarity is the cosine of the texts' vectors if there is an embedding model, else of their term counts. A
contradiction is only suspected: two sentences with the same terms, of which one is negated, or which have other
numbers. Items linked by `contradicts` are known to contradict each other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from msgspec import Struct

from waymeet.analysis import count_terms, detect_language
from waymeet.ports import Embedder, Store, choose_embedder
from waymeet.settings import NotebookSettings, Settings
from waymeet.types import Filters, Word

_MAX_WORDS = 64
_MAX_SENTENCES = 40
_MIN_SENTENCE_COSINE = 0.75
"""Cosine of two sentences, without numbers and negations, from which they are about the same."""
_MIN_SHARED_TERMS = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b|ない|ません|なし|せず|不|没|無し", re.IGNORECASE
)


class Text(NamedTuple):
    """The text of an item to compare."""

    id: str
    title: str
    body: str


class SimilarItem(Struct, frozen=True):
    """An item that is similar to the saved one."""

    id: str
    title: str
    similarity: float
    method: str
    """`terms` or `vectors`, from which the similarity was computed."""
    verdict: str
    """`same`, `update` (one should update or supersede the other) or `related`."""


class Contradiction(Struct, frozen=True):
    """An item that contradicts the saved one, or may do so."""

    id: str
    title: str
    reason: str
    mine: str = ""
    """The sentence of the saved item."""
    theirs: str = ""
    """The sentence of the other item."""


class ItemComparison(NamedTuple):
    """The result of comparing an item with others."""

    similar: tuple[SimilarItem, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def compare_texts(
    text: Text, others: Iterable[Text], settings: NotebookSettings, cosines: Mapping[str, float] | None = None
) -> ItemComparison:
    """Compare an item with others, by terms and by the cosines of vectors that are given by id."""
    own_terms = count_terms(f"{text.title}\n{text.body}")
    by_terms = [(term_cosine(own_terms, count_terms(f"{other.title}\n{other.body}")), other) for other in others]
    similar: list[SimilarItem] = []
    for from_terms, other in by_terms:
        from_vectors = (cosines or {}).get(other.id, 0.0)
        similarity = min(max(from_terms, from_vectors), 1.0)
        verdict = _similarity_verdict(similarity, settings)
        if verdict:
            method = "vectors" if from_vectors > from_terms else "terms"
            similar.append(SimilarItem(other.id, other.title, round(similarity, 4), method, verdict))
    sentences = list(_split_sentences(text))
    most_similar = sorted(by_terms, key=lambda pair: (-pair[0], pair[1].id))[: settings.max_compared]
    contradictions = (each for _, other in most_similar for each in _find_contradiction(sentences, other))
    similar.sort(key=lambda item: (-item.similarity, item.id))
    return ItemComparison(tuple(similar), tuple(contradictions))


def find_candidates(
    text: Text, kind: str, store: Store, embedders: Sequence[Embedder], settings: Settings
) -> tuple[list[Text], dict[str, float]]:
    """Search for items of a kind that may be similar, with cosines if there is a model."""
    max_candidates = settings.notebook.max_compared
    filters, limit = Filters(kinds=(kind,)), max_candidates * 2
    full_text = f"{text.title}\n{text.body}"
    counts = count_terms(full_text)
    frequent = sorted(counts, key=lambda term: (-counts[term], term))[:_MAX_WORDS]
    words = [Word((term,), text=term) for term in frequent]
    lexical = [hit.document for hit in store.rank_lexical(words, limit, filters, settings.bm25)]
    cosines: dict[str, float] = {}
    embedder = choose_embedder(embedders, detect_language(full_text)) if embedders else None
    if embedder is not None and embedder.space in store.spaces():
        vector = embedder.embed_passages([full_text])[0]
        for hit in store.rank_vectors(embedder.space, vector, limit, filters):
            cosines[hit.document] = max(hit.score, cosines.get(hit.document, 0.0))
    ids = [id_ for id_ in dict.fromkeys((*cosines, *lexical)) if id_ != text.id][:max_candidates]
    documents, chunks = store.documents(ids), store.chunks_of(ids)
    texts = [
        Text(id_, documents[id_].title, "\n".join(chunk.text for chunk in chunks.get(id_, ())))
        for id_ in ids
        if id_ in documents
    ]
    return texts, cosines


def find_linked_contradictions(id_: str, similar: Iterable[SimilarItem], store: Store) -> Iterator[Contradiction]:
    """Yield the items that are linked to an item, or to a similar one, by `contradicts`."""
    linked_ids = {id_, *(item.id for item in similar)}
    for edge in store.edges(linked_ids, kinds=("contradicts",)):
        if edge.target is None:
            continue
        source, target = edge.source.document, edge.target.document
        for other, one in ((target, source), (source, target)):
            if one in linked_ids and other != id_:
                title = store.documents([other])[other].title
                yield Contradiction(other, title, f"linked by contradicts to {'this' if one == id_ else one}")


def term_cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Compute the cosine of the term counts of two texts.

    >>> term_cosine({"a": 1, "b": 1}, {"a": 1, "c": 1})
    0.5
    """
    product = sum(count * other[term] for term, count in one.items() if term in other)
    if not product:
        return 0.0
    squares = sum(count * count for count in one.values()) * sum(count * count for count in other.values())
    return float(round(product / sqrt(squares), 12))


def _similarity_verdict(similarity: float, settings: NotebookSettings) -> str:
    levels = (("same", settings.same), ("update", settings.update_similarity), ("related", settings.related_similarity))
    return next((name for name, minimum in levels if similarity >= minimum), "")


class _Sentence(NamedTuple):
    text: str
    terms: Mapping[str, int]
    is_negated: bool
    numbers: tuple[str, ...]


def _split_sentences(text: Text) -> Iterator[_Sentence]:
    pieces = [piece.strip(" \t#*->") for piece in _SENTENCE.split(text.body)]
    for piece in [piece for piece in (text.title, *pieces) if piece][:_MAX_SENTENCES]:
        statement = _NUMBER.sub(" ", _NEGATION.sub(" ", piece))
        negations = len(_NEGATION.findall(piece))
        yield _Sentence(piece, count_terms(statement), negations % 2 == 1, tuple(sorted(_NUMBER.findall(piece))))


def _find_contradiction(sentences: list[_Sentence], other: Text) -> Iterator[Contradiction]:
    """Yield at most one suspected contradiction: the most similar pair of differing sentences."""
    best: tuple[float, Contradiction] | None = None
    for their_sentence in _split_sentences(other):
        for own_sentence in sentences:
            reason = _describe_difference(own_sentence, their_sentence)
            if reason and len(own_sentence.terms.keys() & their_sentence.terms.keys()) >= _MIN_SHARED_TERMS:
                cosine = term_cosine(own_sentence.terms, their_sentence.terms)
                if cosine >= _MIN_SENTENCE_COSINE and (best is None or cosine > best[0]):
                    texts = own_sentence.text, their_sentence.text
                    best = cosine, Contradiction(other.id, other.title, reason, *texts)
    if best:
        yield best[1]


def _describe_difference(one: _Sentence, other: _Sentence) -> str:
    if one.is_negated != other.is_negated:
        return "may contradict: one of them is negated"
    if one.numbers != other.numbers and len(one.numbers) == len(other.numbers):
        return f"may contradict: {', '.join(one.numbers)} against {', '.join(other.numbers)}"
    return ""
