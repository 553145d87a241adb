"""Build hits from candidates, with snippets, reasons, explanations and relevance."""

from collections.abc import Mapping, Sequence
from time import time_ns

from msgspec.structs import replace

from waymeet.analysis import list_terms, normalise_text
from waymeet.search.rank.copies import add_copies
from waymeet.search.rank.translations import add_translations
from waymeet.search.shape.matched_words import matched_words
from waymeet.search.shape.relevance import JUDGED_HITS, RelevanceVerdict, judge_relevance
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

_MAX_NAMED_WORDS = 4
"""Words named in a reason."""
_SOURCE_LABELS = {"graph": "links", "shared": "shared names", "symbol": "definition"}
"""Labels of sources in a reason. Other sources are shown by their own name."""


def shape(search: Search, tools: Tools, settings: Settings) -> tuple[tuple[Hit, ...], RelevanceVerdict]:
    """Build the hits of the best candidates, and judge whether one of them answers the query."""
    leading = search.candidates[: max(search.query.limit, JUDGED_HITS)]
    best = leading[: search.query.limit]
    documents = tools.store.documents({candidate.document for candidate in leading})
    linked = _linked_pages(best, tools, settings) if search.query.include_linked else {}
    verdicts = judge_documents(
        tools.store, {candidate.document: documents[candidate.document] for candidate in best}, settings, time_ns()
    )
    shown = [
        (documents[candidate.document], chunks)
        for candidate, chunks in zip(leading, _shown_chunks(search, leading, tools), strict=True)
    ]
    relevance = judge_relevance(search, tools, settings, _judged_chunks(search, leading, shown, tools))
    hits = []
    for candidate, (document, sections), estimate in zip(best, shown, relevance.estimates, strict=False):
        hit = _hit(search, candidate, document, sections, settings)
        verdict = verdicts[candidate.document]
        hits.append(
            replace(
                hit,
                relevance=estimate.value if estimate else None,
                relevance_explanation=estimate if search.query.explain else None,
                staleness=verdict.state,
                staleness_reason=verdict.reason,
                linked_pages=linked.get(candidate.document, ()),
            )
        )
    return add_copies(add_translations(tuple(hits), tools), search.copies), relevance


def shape_plainly(search: Search, tools: Tools, settings: Settings) -> tuple[Hit, ...]:
    """Build the hits of the best candidates from their texts alone."""
    best = search.candidates[: search.query.limit]
    documents = tools.store.documents({candidate.document for candidate in best})
    shown = zip(best, _shown_chunks(search, best, tools), strict=True)
    return tuple(_hit(search, each, documents[each.document], chunks, settings) for each, chunks in shown)


def _shown_chunks(search: Search, candidates: Sequence[Candidate], tools: Tools) -> list[list[Chunk]]:
    """Fetch the chunks of each candidate, or the first one of its document if it has none."""
    chunks = tools.store.chunks({chunk for candidate in candidates for chunk in candidate.chunks})
    without_chunks = [candidate.document for candidate in candidates if not candidate.chunks]
    first_ids = tools.store.first_passing_chunks(without_chunks, search.filters)
    first_chunks = tools.store.chunks(first_ids.values())
    return [
        [chunks[chunk] for chunk in candidate.chunks] or [first_chunks[first_ids[candidate.document]]]
        for candidate in candidates
    ]


def _judged_chunks(
    search: Search, candidates: Sequence[Candidate], shown: Sequence[tuple[Document, list[Chunk]]], tools: Tools
) -> Sequence[tuple[Document, list[Chunk]]]:
    """Replace a section to show by the copy whose score it has."""
    best = {
        at: copies[0]
        for at, candidate in enumerate(candidates)
        if candidate.chunks
        and (copies := search.copies.get(candidate.chunks[0]))
        and copies[0].score.value >= candidate.score.value
    }
    if not best:
        return shown
    documents = tools.store.documents({copy.document for copy in best.values()})
    chunks = tools.store.chunks({copy.chunks[0] for copy in best.values()})
    return [
        (documents[best[at].document], [chunks[best[at].chunks[0]]]) if at in best else judged
        for at, judged in enumerate(shown)
    ]


def _hit(search: Search, candidate: Candidate, document: Document, chunks: Sequence[Chunk], settings: Settings) -> Hit:
    term_weights = {term: word.weight for word in search.words for term in word.terms}
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
        relevance_reason=_reason(candidate.sources, document, first, term_weights),
        sources=candidate.sources,
        context=contexts_of(document.id, settings.contexts),
        namespace=document.namespace,
        role=document.role,
        sections=tuple(_section(chunk, term_weights, bool(candidate.chunks), settings) for chunk in chunks),
        explanation=candidate.score if search.query.explain else None,
    )


def _section(chunk: Chunk, term_weights: Mapping[str, float], is_matched: bool, settings: Settings) -> Section:
    """Cut a snippet around the matches of a chunk, or the opening of a document without any."""
    if is_matched:
        text, highlights = snippet(chunk.text, term_weights, settings.shape.snippet_chars)
    else:
        text, highlights = chunk.text[: settings.threeway.opening_chars], ()
    whole_text = chunk.text if settings.shape.whole_text else ""
    return Section(chunk.id, chunk.start, chunk.end, _headings(chunk, term_weights), text, highlights, whole_text)


def _headings(chunk: Chunk, term_weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the headings of a chunk, or of its symbols the one that matches the query better."""
    weights = {
        symbol.name: sum(term_weights.get(term, 0.0) for term in list_terms(symbol.name)) for symbol in chunk.symbols
    }
    best = max(weights, key=weights.__getitem__, default="")
    own_weight = sum(term_weights.get(term, 0.0) for term in list_terms(".".join(chunk.headings)))
    if not best or weights[best] <= own_weight or chunk.symbols[0].kind == "code_block":
        return chunk.headings
    return tuple(best.partition("~")[0].split("."))


def _reason(sources: Sequence[SourceRank], document: Document, chunk: Chunk, term_weights: Mapping[str, float]) -> str:
    """Explain in one line which lists and which words found a hit."""
    fields = {
        "title": document.title,
        "headings": " ".join(chunk.headings),
        "path": document.id,
        "tags": " ".join(document.tags),
        "front matter": " ".join(document.properties.values()),
        "text": chunk.text,
    }
    matched: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
    for field, text in fields.items():
        words = matched_words(text, term_weights)
        _, names = matched.setdefault(tuple(map(normalise_text, words)), (words, []))
        names.append(field)
    matches = [
        f"{', '.join(words[:_MAX_NAMED_WORDS])}{'…' if len(words) > _MAX_NAMED_WORDS else ''} in {', '.join(names)}"
        for words, names in matched.values()
        if words
    ]
    if not matches and any(source.source == "lexical" for source in sources):
        matches = ["matched in link text or trigger phrases"]
    ranks = [f"{_source_label(source.source)} #{source.rank}" for source in sources]
    return " · ".join(filter(None, (", ".join(ranks), "; ".join(matches))))


def _source_label(source: str) -> str:
    """Return the label of a source, with its number if it is a list of a query variant.

    >>> _source_label("lexical"), _source_label("vector 2"), _source_label("graph")
    ('lexical', 'vector 2', 'links')
    """
    kind, space, number = source.partition(" ")
    return _SOURCE_LABELS.get(kind, kind) + space + number


def _linked_pages(
    candidates: Sequence[Candidate], tools: Tools, settings: Settings
) -> dict[str, tuple[LinkedPage, ...]]:
    """List the pages linked with each candidate, outgoing links first."""
    documents = [candidate.document for candidate in candidates]
    edges = [
        (edge.source.document, edge.target.document, edge.kind)
        for edge in tools.store.edges(documents)
        if edge.target is not None and edge.source.document != edge.target.document
    ]
    ends = {end for source, target, _ in edges for end in (source, target)}
    titles = {id_: document.title for id_, document in tools.store.documents(ends).items()}
    pages: dict[str, dict[tuple[str, str], LinkedPage]] = {document: {} for document in documents}
    for source, target, kind in edges:
        if source in pages:
            pages[source].setdefault((target, "out"), LinkedPage(target, titles[target], kind, "out"))
        if target in pages:
            pages[target].setdefault((source, "in"), LinkedPage(source, titles[source], kind, "in"))
    return {
        document: tuple(sorted(linked.values(), key=lambda page: (page.direction != "out", page.document)))[
            : settings.shape.linked_pages
        ]
        for document, linked in pages.items()
    }
