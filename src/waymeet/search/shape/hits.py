"""The end of the road: candidates become hits with text, lines, reasons and explanations."""

from collections.abc import Mapping, Sequence
from time import time_ns

from msgspec.structs import replace

from waymeet.analysis import list_terms, normalise_text, token_spans
from waymeet.search.rank.translations import with_translations
from waymeet.search.shape.relevance import LOOKED_AT, judged
from waymeet.search.shape.snippet import snippet
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.settings.path_contexts import contexts_of
from waymeet.staleness.verdicts import judge_documents
from waymeet.types import (
    Candidate,
    Chunk,
    Document,
    Hit,
    LinkedPage,
    Section,
    SourceRank,
)

_NAMED = 4
"""Words named in a reason."""


def shape(search: Search, tools: Tools, settings: Settings) -> tuple[tuple[Hit, ...], bool]:
    """Fetch what the best candidates show, and say whether it is doubtful that any of them answers."""
    leading = search.candidates[: max(search.query.limit, LOOKED_AT)]
    best = leading[: search.query.limit]
    documents = tools.store.documents({each.document for each in leading})
    chunks = tools.store.chunks({chunk for each in leading for chunk in each.chunks})
    opening = tools.store.first_passing_chunks([each.document for each in leading if not each.chunks], search.filters)
    openings = tools.store.chunks(opening.values())
    linked = _linked(best, tools, settings) if search.query.include_linked else {}
    verdicts = judge_documents(
        tools.store, {each.document: documents[each.document] for each in best}, settings, time_ns()
    )
    shown = [
        (documents[each.document], [chunks[chunk] for chunk in each.chunks] or [openings[opening[each.document]]])
        for each in leading
    ]
    judgement = judged(search, tools, settings, shown)
    hits = []
    for each, (document, sections), chance in zip(best, shown, judgement.chances, strict=False):
        hit = _hit(search, each, document, sections, settings)
        verdict = verdicts[each.document]
        hits.append(
            replace(
                hit,
                relevance=chance.value if chance else None,
                relevance_explanation=chance if search.query.explain else None,
                staleness=verdict.state,
                staleness_reason=verdict.reason,
                linked_pages=linked.get(each.document, ()),
            )
        )
    return with_translations(tuple(hits), tools), judgement.doubtful


def _hit(search: Search, candidate: Candidate, document: Document, chunks: Sequence[Chunk], settings: Settings) -> Hit:
    wanted = {term: word.weight for word in search.words for term in word.terms}
    first = chunks[0]
    return Hit(
        id=first.id,
        document=document.id,
        title=document.title,
        kind=document.kind,
        doc_type=document.doc_type,
        start=first.start,
        end=first.end,
        score=candidate.score.value,
        relevance_reason=_reason(candidate.sources, document, first, wanted),
        sources=candidate.sources,
        context=contexts_of(document.id, settings.contexts),
        namespace=document.namespace,
        sections=tuple(_section(chunk, wanted, bool(candidate.chunks), settings) for chunk in chunks),
        explanation=candidate.score if search.query.explain else None,
    )


def _section(chunk: Chunk, wanted: Mapping[str, float], matched: bool, settings: Settings) -> Section:
    """Show the telling part of a chunk, or the opening of a document that no chunk was found in."""
    if matched:
        text, highlights = snippet(chunk.text, wanted, settings.shape.snippet_chars)
    else:
        text, highlights = chunk.text[: settings.threeway.opening_chars], ()
    whole = chunk.text if settings.shape.whole_text else ""
    return Section(chunk.id, chunk.start, chunk.end, _headings(chunk, wanted), text, highlights, whole)


def _headings(chunk: Chunk, wanted: Mapping[str, float]) -> tuple[str, ...]:
    """Name the symbol that is asked for where several small ones share a chunk."""
    named = {symbol.name: sum(wanted.get(term, 0.0) for term in list_terms(symbol.name)) for symbol in chunk.symbols}
    best = max(named, key=named.__getitem__, default="")
    own = sum(wanted.get(term, 0.0) for term in list_terms(".".join(chunk.headings)))
    if not best or named[best] <= own or chunk.symbols[0].kind == "code_block":
        return chunk.headings
    return tuple(best.partition("~")[0].split("."))


def _reason(found: Sequence[SourceRank], document: Document, chunk: Chunk, wanted: Mapping[str, float]) -> str:
    """Say in one line why this is an answer."""
    places = {
        "title": document.title,
        "headings": " ".join(chunk.headings),
        "path": document.id,
        "tags": " ".join(document.tags),
        "front matter": " ".join(document.properties.values()),
        "text": chunk.text,
    }
    said: dict[tuple[str, ...], list[str]] = {}
    for place, text in places.items():
        said.setdefault(tuple(_words(text, wanted)), []).append(place)
    told = [
        f"{', '.join(words[:_NAMED])}{'…' if len(words) > _NAMED else ''} in {', '.join(where)}"
        for words, where in said.items()
        if words
    ]
    ranks = [f"{_called(each.source)} #{each.rank}" for each in found]
    if not told and any(each.source == "lexical" for each in found):
        told = ["by what links or trigger phrases say of it"]
    return " · ".join(filter(None, (", ".join(ranks), "; ".join(told))))


def _called(source: str) -> str:
    """Name a list for people; the lists of another wording carry its number."""
    kind, space, number = source.partition(" ")
    return {"lexical": "words", "vector": "meaning", "graph": "links"}.get(kind, kind) + space + number


def _words(text: str, wanted: Mapping[str, float]) -> dict[str, None]:
    """List the words of a text that the query asks for, as written, each once."""
    here = {
        normalise_text(text[start:end]): None
        for start, end, terms in token_spans(text)
        if any(term in wanted for term in terms)
    }
    here.pop("", None)
    return here


def _linked(best: Sequence[Candidate], tools: Tools, settings: Settings) -> dict[str, tuple[LinkedPage, ...]]:
    """Name the pages around each hit, those it links to first."""
    wanted = [each.document for each in best]
    edges = [edge for edge in tools.store.edges(wanted) if edge.target is not None]
    ends = {end for edge in edges for end in (edge.source.document, edge.target.document if edge.target else "")}
    titles = {id_: document.title for id_, document in tools.store.documents(ends).items()}
    around: dict[str, dict[tuple[str, str], LinkedPage]] = {document: {} for document in wanted}
    for edge in edges:
        source, target = edge.source.document, edge.target.document if edge.target else ""
        if source != target and source in around:
            around[source].setdefault((target, "out"), LinkedPage(target, titles[target], edge.kind, "out"))
        if source != target and target in around:
            around[target].setdefault((source, "in"), LinkedPage(source, titles[source], edge.kind, "in"))
    return {
        document: tuple(sorted(pages.values(), key=lambda page: (page.direction != "out", page.document)))[
            : settings.shape.linked_pages
        ]
        for document, pages in around.items()
    }
