"""What somebody with a task needs to read: the best sections and what lies around them, within a number of tokens."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from math import log
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import normalise_text
from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.ports import Neighbour, Store
from waymeet.search.explore.prose import blanked
from waymeet.search.explore.related import verb
from waymeet.settings import Settings
from waymeet.types import Answer, Chunk, Degraded, Hit

_OVERHEAD = 12
"""Tokens that a piece costs beside its words: marks, names and numbers around them."""
_NAMED = 3
_FEWEST = 4
"""Words that a paragraph must have to sum a page up."""
_ELSEWHERE = frozenset({"contains", "translation"})
"""Links that say where something lies or that it is said again, not what it is about."""
_MARKS = "\"'#/*;- "
"""What comments of code begin and end with."""
_END = re.compile(r"[.!?](?=\s)|[。！？]")


class Piece(Struct, frozen=True):
    """A section to read."""

    id: str
    """Citable: `path#L10-L24`."""
    document: str
    title: str
    kind: str
    headings: tuple[str, ...]
    start: int
    end: int
    text: str
    whole: bool
    """Whether this is all of the section, not just the part that fits the task best."""
    rank: int
    """The place of its document's best section among the results."""
    reason: str
    relevance: float | None = None
    """The estimated chance that it answers, as that of the result it comes from."""
    staleness: str = "unknown"


class Around(Struct, frozen=True):
    """A page that is linked with what is given, in a sentence or two."""

    id: str
    title: str
    kind: str
    summary: str
    reasons: tuple[str, ...]
    """How it is linked with the pieces."""


class Context(Struct, frozen=True):
    """What to read for a task."""

    task: str
    pieces: tuple[Piece, ...]
    """Best document first; within a document in the order of its text."""
    linked: tuple[Around, ...]
    budget: int
    tokens: int
    """What it costs, by a rough estimate."""
    cut: tuple[str, ...] = ()
    """What would have been given, too, if there were room."""
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    generation: int = 0


class _Offered(NamedTuple):
    """A section that could be given, and its part that fits the task best."""

    piece: Piece
    snippet: str


def build_context(answer: Answer, store: Store, budget: int, settings: Settings) -> Context:
    """Choose from an answer what fits a budget: whole sections, else their telling part, then linked pages."""
    offered = _different([hit for hit in answer.hits if _by_itself(hit)], store)
    taken, waiting, spent = _taken(offered, budget - round(budget * settings.context.linked))
    linked, paid = _around(taken, store, budget - spent, settings)
    more, left, also = _taken(waiting, budget - spent - paid)
    pieces, cut = _in_order([*taken, *more]), []
    if left:
        named = ", ".join(each.piece.id for each in left[:_NAMED]) + "…" * (len(left) > _NAMED)
        cut.append(f"{len(left)} more that fit the task: {named}")
    parts = sum(not each.whole for each in pieces)
    if parts:
        cut.append(f"all but the telling part of {parts} of the sections: read them by their ids")
    return Context(
        task=answer.query,
        pieces=pieces,
        linked=linked,
        budget=budget,
        tokens=spent + paid + also,
        cut=tuple(cut),
        degraded=answer.degraded,
        notes=answer.notes,
        generation=answer.generation,
    )


def _by_itself(hit: Hit) -> bool:
    """Tell whether a hit was found by what it says; one found by links alone is summed up among the linked pages."""
    return not hit.sources or any(each.source != "graph" for each in hit.sources)


def _different(hits: Sequence[Hit], store: Store) -> list[_Offered]:
    """Give the sections of an answer, every hit's best before further ones, each text once."""
    shown = [(hit, hit.sections[0]) for hit in hits] + [(hit, each) for hit in hits for each in hit.sections[1:]]
    chunks = store.chunks({section.id for _, section in shown})
    ranks = {hit.document: rank for rank, hit in reversed(list(enumerate(hits, start=1)))}
    found: list[_Offered] = []
    known = set[bytes]()
    for hit, section in shown:
        chunk = chunks.get(section.id)  # it may have gone since the search
        text = section.snippet if chunk is None else chunk.text
        digest = blake2b(normalise_text(text).encode("utf-8", "replace"), digest_size=16).digest()
        if {digest, section.id.encode("utf-8", "replace")}.isdisjoint(known):
            known |= {digest, section.id.encode("utf-8", "replace")}
            piece = Piece(
                id=section.id,
                document=hit.document,
                title=hit.title,
                kind=hit.kind,
                headings=section.headings,
                start=section.start,
                end=section.end,
                text=text,
                whole=chunk is not None,
                rank=ranks[hit.document],
                reason=hit.relevance_reason,
                relevance=hit.relevance,
                staleness=hit.staleness,
            )
            found.append(_Offered(piece, section.snippet))
    return found


def _taken(offered: Sequence[_Offered], room: int) -> tuple[list[Piece], list[_Offered], int]:
    """Take what there is room for, best first; say what has to wait, and what was spent."""
    taken: list[Piece] = []
    waiting: list[_Offered] = []
    spent = 0
    for each in offered:
        part = replace(each.piece, text=each.snippet, whole=False)
        fitting = next((form for form in (each.piece, part) if spent + _cost(form) <= room), None)
        if fitting is None or (not fitting.whole and waiting):  # one part at the end of the room is enough
            waiting.append(each)
            continue
        taken.append(fitting)
        spent += _cost(fitting)
        if not fitting.whole:
            room = spent
    return taken, waiting, spent


def _cost(piece: Piece) -> int:
    named = f"{piece.id}{piece.title}{' '.join(piece.headings)}{piece.reason}"
    return estimate_tokens(piece.text) + estimate_tokens(named) + _OVERHEAD


def _in_order(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Put pieces in the order of reading: the best document first, each from top to bottom."""
    return tuple(sorted(pieces, key=lambda each: (each.rank, each.start, len(each.id), each.id)))


def _around(pieces: Sequence[Piece], store: Store, room: int, settings: Settings) -> tuple[tuple[Around, ...], int]:
    """Sum up the pages that are linked with the pieces, the most closely linked first, as far as there is room."""
    given = {each.document: each.rank for each in reversed(pieces)}
    weights: dict[str, float] = {}
    links: dict[str, list[tuple[str, Neighbour]]] = {}
    for document, neighbours in store.neighbours(sorted(given)).items():
        near = [each for each in neighbours if each.kind not in _ELSEWHERE and each.document not in given]
        share = 1.0 / given[document] / (1.0 + log(max(len({each.document for each in near}), 1)))
        for other in sorted({each.document for each in near}):
            weights[other] = weights.get(other, 0.0) + share
        for each in near:
            links.setdefault(each.document, []).append((document, each))
    best = sorted(weights, key=lambda other: (-weights[other], other))[: settings.context.linked_pages]
    documents, chunks = store.documents(best), store.chunks_of(best)
    found, spent = [], 0
    for other in best:
        if other not in documents:
            continue
        page = Around(
            id=other,
            title=documents[other].title,
            kind=documents[other].kind,
            summary=summary(chunks.get(other, ()), settings.context.summary_chars),
            reasons=tuple(dict.fromkeys(f"{verb(each)} {source}" for source, each in links[other]))[:_NAMED],
        )
        price = estimate_tokens(f"{page.id}{page.title}{page.summary}{' '.join(page.reasons)}") + _OVERHEAD
        if spent + price > room:
            break
        found.append(page)
        spent += price
    return tuple(found), spent


def summary(chunks: Sequence[Chunk], chars: int) -> str:
    """Give the first sentences of a page, or of code the first comments and signatures."""
    for chunk in chunks:
        said = next((symbol.doc or symbol.signature for symbol in chunk.symbols if symbol.doc or symbol.signature), "")
        text = _opening(chunk.text) or said
        if text:
            return _cut(" ".join(text.split()).strip(_MARKS), chars)
    return _cut(" ".join(chunks[0].text.split()), chars) if chunks else ""


def _opening(text: str) -> str:
    """Give the first paragraph of prose, as it is written."""
    at = 0
    for paragraph in blanked(text).split("\n\n"):
        if len(paragraph.split()) >= _FEWEST:
            return text[at : at + len(paragraph)]
        at += len(paragraph) + 2
    return ""


def _cut(text: str, chars: int) -> str:
    """Shorten a text to whole sentences if there are any, else to whole words.

    >>> _cut("One two. Three four. Five", 22), _cut("One two three", 9), _cut("short", 9)
    ('One two. Three four.', 'One two…', 'short')
    """
    if len(text) <= chars:
        return text
    ends = [found.end() for found in _END.finditer(text, 0, chars)]
    if ends and ends[-1] >= chars // 3:
        return text[: ends[-1]].rstrip()
    return (text[: chars - 1].rpartition(" ")[0] or text[: chars - 1]) + "…"
