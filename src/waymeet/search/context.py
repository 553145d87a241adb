"""Collect what to read for a task: the best sections and linked pages within a token budget."""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import log
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import normalise_text
from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.ports import Neighbour, Store
from waymeet.search.explore.prose import blank_non_prose
from waymeet.search.explore.related import describe_link
from waymeet.settings import Settings
from waymeet.types import Answer, Chunk, Degraded, Hit

_OVERHEAD_TOKENS = 12
"""Tokens of the markup, names and numbers around a section."""
_MAX_NAMED = 3
_MIN_SUMMARY_WORDS = 4
"""Words of the shortest paragraph that can be a summary."""
_UNRELATED_KINDS = frozenset({"contains", "translation"})
"""Kinds of links that do not show what a page is about."""
_COMMENT_MARKS = "\"'#/*;- "
"""Characters at both ends of comments in code."""
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
    """Whether this is the whole section, not only its best part."""
    rank: int
    """Rank of its document's best section among the results."""
    reason: str
    relevance: float | None = None
    """Estimated relevance of the result that it comes from."""
    staleness: str = "unknown"


class LinkedSummary(Struct, frozen=True):
    """A page linked with the pieces, summarised in a sentence or two."""

    id: str
    title: str
    kind: str
    summary: str
    reasons: tuple[str, ...]
    """Its links with the pieces."""


class Context(Struct, frozen=True):
    """Sections and summaries to read for a task."""

    task: str
    pieces: tuple[Piece, ...]
    """Best document first; within a document in the order of its text."""
    linked: tuple[LinkedSummary, ...]
    budget: int
    tokens: int
    """Estimated tokens of all pieces and summaries."""
    cut: tuple[str, ...] = ()
    """Notes on what the budget left out."""
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    generation: int = 0


class _Section(NamedTuple):
    """A section that may be selected, and its best part."""

    piece: Piece
    snippet: str


def build_context(answer: Answer, store: Store, budget: int, settings: Settings) -> Context:
    """Select sections and linked pages of an answer that fit a token budget."""
    sections = _distinct_sections([hit for hit in answer.hits if _is_text_match(hit)], store)
    reserved = round(budget * settings.context.linked)
    pieces, waiting, section_tokens = _select_pieces(sections, budget - reserved)
    linked, linked_tokens = _summarise_linked(pieces, store, budget - section_tokens, settings)
    more, omitted, more_tokens = _select_pieces(waiting, budget - section_tokens - linked_tokens)
    ordered_pieces = _reading_order([*pieces, *more])
    return Context(
        task=answer.query,
        pieces=ordered_pieces,
        linked=linked,
        budget=budget,
        tokens=section_tokens + linked_tokens + more_tokens,
        cut=tuple(_describe_cut(ordered_pieces, omitted)),
        degraded=answer.degraded,
        notes=answer.notes,
        generation=answer.generation,
    )


def _describe_cut(pieces: Sequence[Piece], omitted: Sequence[_Section]) -> Iterator[str]:
    """Yield notes on the sections that were omitted or shortened."""
    if omitted:
        ids = ", ".join(section.piece.id for section in omitted[:_MAX_NAMED]) + "…" * (len(omitted) > _MAX_NAMED)
        yield f"{len(omitted)} more matching sections: {ids}"
    shortened = sum(not piece.whole for piece in pieces)
    if shortened:
        yield f"sections shortened to their best part: {shortened}; read them by their ids"


def _is_text_match(hit: Hit) -> bool:
    """Return whether a hit was found by its text.

    Hits found by links alone are summarised among the linked pages.
    """
    return not hit.sources or any(source.source != "graph" for source in hit.sources)


def _distinct_sections(hits: Sequence[Hit], store: Store) -> list[_Section]:
    """List the sections of an answer, each text once and the best of every hit first."""
    shown = [(hit, hit.sections[0]) for hit in hits]
    shown += [(hit, section) for hit in hits for section in hit.sections[1:]]
    chunks = store.chunks({section.id for _, section in shown})
    ranks = {hit.document: rank for rank, hit in reversed(list(enumerate(hits, start=1)))}
    sections: list[_Section] = []
    known = set[bytes]()
    for hit, section in shown:
        chunk = chunks.get(section.id)  # None if it was removed since the search
        text = section.snippet if chunk is None else chunk.text
        digest = blake2b(normalise_text(text).encode("utf-8", "replace"), digest_size=16).digest()
        keys = {digest, section.id.encode("utf-8", "replace")}
        if not keys.isdisjoint(known):
            continue
        known |= keys
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
        sections.append(_Section(piece, section.snippet))
    return sections


def _select_pieces(sections: Sequence[_Section], budget: int) -> tuple[list[Piece], list[_Section], int]:
    """Select sections within a budget, and return them, the others and the tokens spent.

    The first section that is too long is shortened to its best part if that fits, which ends the selection.
    """
    selected: list[Piece] = []
    waiting: list[_Section] = []
    spent = 0
    for section in sections:
        shortened = replace(section.piece, text=section.snippet, whole=False)
        piece = next((form for form in (section.piece, shortened) if spent + _tokens(form) <= budget), None)
        if piece is None or (not piece.whole and waiting):
            waiting.append(section)
            continue
        selected.append(piece)
        spent += _tokens(piece)
        if not piece.whole:
            budget = spent
    return selected, waiting, spent


def _tokens(piece: Piece) -> int:
    header = f"{piece.id}{piece.title}{' '.join(piece.headings)}{piece.reason}"
    return estimate_tokens(piece.text) + estimate_tokens(header) + _OVERHEAD_TOKENS


def _reading_order(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Sort pieces by the rank of their document, then by their position in it."""
    return tuple(sorted(pieces, key=lambda piece: (piece.rank, piece.start, len(piece.id), piece.id)))


def _summarise_linked(
    pieces: Sequence[Piece], store: Store, budget: int, settings: Settings
) -> tuple[tuple[LinkedSummary, ...], int]:
    """Summarise the pages linked with the pieces within a budget, the closest first."""
    best, links = _rank_linked(pieces, store, settings.context.linked_pages)
    documents, chunks = store.documents(best), store.chunks_of(best)
    summaries, spent = [], 0
    for other in best:
        if other not in documents:
            continue
        reasons = dict.fromkeys(f"{describe_link(link)} {document}" for document, link in links[other])
        page = LinkedSummary(
            id=other,
            title=documents[other].title,
            kind=documents[other].kind,
            summary=summarise_page(chunks.get(other, ()), settings.context.summary_chars),
            reasons=tuple(reasons)[:_MAX_NAMED],
        )
        tokens = estimate_tokens(f"{page.id}{page.title}{page.summary}{' '.join(page.reasons)}") + _OVERHEAD_TOKENS
        if spent + tokens > budget:
            break
        summaries.append(page)
        spent += tokens
    return tuple(summaries), spent


def _rank_linked(
    pieces: Sequence[Piece], store: Store, limit: int
) -> tuple[list[str], dict[str, list[tuple[str, Neighbour]]]]:
    """Rank the pages linked with the pieces, and list the links of each.

    A page scores the sum of 1 / rank / (1 + ln(degree)) over the documents that it is linked with.
    """
    ranks = {piece.document: piece.rank for piece in reversed(pieces)}
    scores: dict[str, float] = {}
    links: dict[str, list[tuple[str, Neighbour]]] = {}
    for document, neighbours in store.neighbours(sorted(ranks)).items():
        near = [link for link in neighbours if link.kind not in _UNRELATED_KINDS and link.document not in ranks]
        others = sorted({link.document for link in near})
        share = 1.0 / ranks[document] / (1.0 + log(max(len(others), 1)))
        for other in others:
            scores[other] = scores.get(other, 0.0) + share
        for link in near:
            links.setdefault(link.document, []).append((document, link))
    return sorted(scores, key=lambda other: (-scores[other], other))[:limit], links


def summarise_page(chunks: Sequence[Chunk], chars: int) -> str:
    """Return the first sentences of a page, or the first comment or signature of code."""
    for chunk in chunks:
        comments = (symbol.doc or symbol.signature for symbol in chunk.symbols if symbol.doc or symbol.signature)
        text = _first_paragraph(chunk.text) or next(comments, "")
        if text:
            return _shorten(" ".join(text.split()).strip(_COMMENT_MARKS), chars)
    return _shorten(" ".join(chunks[0].text.split()), chars) if chunks else ""


def _first_paragraph(text: str) -> str:
    """Return the first paragraph of prose, as it is written."""
    start = 0
    for paragraph in blank_non_prose(text).split("\n\n"):
        if len(paragraph.split()) >= _MIN_SUMMARY_WORDS:
            return text[start : start + len(paragraph)]
        start += len(paragraph) + 2
    return ""


def _shorten(text: str, chars: int) -> str:
    """Shorten a text to whole sentences if there are any, else to whole words.

    >>> _shorten("One two. Three four. Five", 22), _shorten("One two three", 9), _shorten("short", 9)
    ('One two. Three four.', 'One two…', 'short')
    """
    if len(text) <= chars:
        return text
    ends = [match.end() for match in _END.finditer(text, 0, chars)]
    if ends and ends[-1] >= chars // 3:
        return text[: ends[-1]].rstrip()
    return (text[: chars - 1].rpartition(" ")[0] or text[: chars - 1]) + "…"
