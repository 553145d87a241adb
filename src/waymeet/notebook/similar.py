"""What a saved entry resembles, and what it may contradict.

Likeness is the cosine of the texts' vectors where there is a model, else of their terms. A contradiction is only ever
suspected: two sentences about the same, of which one denies, or in which the numbers differ. What their authors linked
by `contradicts` is known to.
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

_MOST_WORDS = 64
_MOST_SENTENCES = 40
_ALIKE = 0.75
"""Likeness of two sentences, without numbers and denials, from which on they are about the same."""
_FEWEST_TERMS = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b|ない|ません|なし|せず|不|没|無し", re.IGNORECASE
)


class Text(NamedTuple):
    """What is compared of an entry."""

    id: str
    title: str
    body: str


class SimilarItem(Struct, frozen=True):
    """An entry that resembles the saved one."""

    id: str
    title: str
    similarity: float
    method: str
    """`terms` or `meaning`."""
    verdict: str
    """`same`, `update` (one should update or supersede the other) or `related`."""


class Contradiction(Struct, frozen=True):
    """An entry that contradicts the saved one, or may do so."""

    id: str
    title: str
    reason: str
    mine: str = ""
    """The sentence of the saved entry."""
    theirs: str = ""


class Compared(NamedTuple):
    """What came of comparing an entry with others."""

    near: tuple[SimilarItem, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def compared(
    mine: Text, others: Iterable[Text], settings: NotebookSettings, meaning: Mapping[str, float] | None = None
) -> Compared:
    """Compare an entry with others; `meaning` gives their cosine by id, where it is known."""
    own = count_terms(f"{mine.title}\n{mine.body}")
    alike = [(likeness(own, count_terms(f"{other.title}\n{other.body}")), other) for other in others]
    near: list[SimilarItem] = []
    for by_terms, other in alike:
        by_meaning = (meaning or {}).get(other.id, 0.0)
        best = min(max(by_terms, by_meaning), 1.0)
        verdict = _verdict(best, settings)
        if verdict:
            by = "meaning" if by_meaning > by_terms else "terms"
            near.append(SimilarItem(other.id, other.title, round(best, 4), by, verdict))
    said = list(_sentences(mine))
    likest = sorted(alike, key=lambda each: (-each[0], each[1].id))[: settings.max_compared]
    contradictions = (found for _, other in likest for found in _contradictions(said, other))
    return Compared(tuple(sorted(near, key=lambda each: (-each.similarity, each.id))), tuple(contradictions))


def candidates(
    mine: Text, kind: str, store: Store, embedders: Sequence[Embedder], settings: Settings
) -> tuple[list[Text], dict[str, float]]:
    """Find the indexed entries of a kind that a text may resemble, with their cosine to it if there is a model."""
    most = settings.notebook.max_compared
    filters, limit = Filters(kinds=(kind,)), most * 2
    own = count_terms(f"{mine.title}\n{mine.body}")
    frequent = sorted(own, key=lambda term: (-own[term], term))[:_MOST_WORDS]
    asked = [Word((term,), text=term) for term in frequent]
    found = [hit.document for hit in store.rank_lexical(asked, limit, filters, settings.bm25)]
    meaning: dict[str, float] = {}
    text = f"{mine.title}\n{mine.body}"
    embedder = choose_embedder(embedders, detect_language(text)) if embedders else None
    if embedder is not None and embedder.space in store.spaces():
        vector = embedder.embed_passages([text])[0]
        for hit in store.rank_vectors(embedder.space, vector, limit, filters):
            meaning[hit.document] = max(hit.score, meaning.get(hit.document, 0.0))
    ids = [each for each in dict.fromkeys((*meaning, *found)) if each != mine.id][:most]
    documents, chunks = store.documents(ids), store.chunks_of(ids)
    texts = [
        Text(each, documents[each].title, "\n".join(chunk.text for chunk in chunks.get(each, ())))
        for each in ids
        if each in documents
    ]
    return texts, meaning


def linked(id_: str, near: Iterable[SimilarItem], store: Store) -> Iterator[Contradiction]:
    """Yield what is linked to an entry, or to one that resembles it, by `contradicts`."""
    around = {id_, *(each.id for each in near)}
    for edge in store.edges(around, kinds=("contradicts",)):
        if edge.target is None:
            continue
        for other, one in ((edge.target.document, edge.source.document), (edge.source.document, edge.target.document)):
            if one in around and other != id_:
                title = store.documents([other])[other].title
                yield Contradiction(other, title, f"linked by contradicts to {'this' if one == id_ else one}")


def likeness(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Give the cosine of two texts' terms.

    >>> likeness({"a": 1, "b": 1}, {"a": 1, "c": 1})
    0.5
    """
    shared = sum(times * other[term] for term, times in one.items() if term in other)
    if not shared:
        return 0.0
    lengths = sum(times * times for times in one.values()) * sum(times * times for times in other.values())
    return float(round(shared / sqrt(lengths), 12))


def _verdict(value: float, settings: NotebookSettings) -> str:
    levels = (("same", settings.same), ("update", settings.update_similarity), ("related", settings.related_similarity))
    return next((name for name, least in levels if value >= least), "")


class _Sentence(NamedTuple):
    text: str
    terms: Mapping[str, int]
    denies: bool
    numbers: tuple[str, ...]


def _sentences(text: Text) -> Iterator[_Sentence]:
    pieces = [piece.strip(" \t#*->") for piece in _SENTENCE.split(text.body)]
    for piece in [piece for piece in (text.title, *pieces) if piece][:_MOST_SENTENCES]:
        bare = _NUMBER.sub(" ", _DENIAL.sub(" ", piece))
        denials = len(_DENIAL.findall(piece))
        yield _Sentence(piece, count_terms(bare), denials % 2 == 1, tuple(sorted(_NUMBER.findall(piece))))


def _contradictions(mine: list[_Sentence], other: Text) -> Iterator[Contradiction]:
    """Yield at most one suspicion: the pair of sentences that are most alike."""
    best: tuple[float, Contradiction] | None = None
    for theirs in _sentences(other):
        for own in mine:
            reason = _difference(own, theirs)
            if reason and len(own.terms.keys() & theirs.terms.keys()) >= _FEWEST_TERMS:
                alike = likeness(own.terms, theirs.terms)
                if alike >= _ALIKE and (best is None or alike > best[0]):
                    best = alike, Contradiction(other.id, other.title, reason, own.text, theirs.text)
    if best:
        yield best[1]


def _difference(one: _Sentence, other: _Sentence) -> str:
    if one.denies != other.denies:
        return "may contradict: one of them denies it"
    if one.numbers != other.numbers and len(one.numbers) == len(other.numbers):
        return f"may contradict: {', '.join(one.numbers)} against {', '.join(other.numbers)}"
    return ""
