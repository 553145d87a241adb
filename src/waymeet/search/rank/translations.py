"""Translations: show one document of each group, and name the others at the hit."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from waymeet.analysis.languages import detect_language, is_english
from waymeet.ports import Store
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Chunk, Document, Hit, Translation

TRANSLATION = "translation"
_MAX_TRANSLATIONS = 8
"""Translations named for one hit."""
_MIN_SCORE_SHARE = 0.5
"""Share of the best translation's score that one in the query's language needs to be shown instead."""
_CJK = frozenset({"ja", "ko", "zh"})
_ENGLISH = "en"


def collapse_translations(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Keep one document of each group of translations."""
    scores: dict[str, float] = {}
    for candidate in search.candidates:
        scores[candidate.document] = max(scores.get(candidate.document, 0.0), candidate.score.value)
    groups = {
        tuple(sorted(document for document in group if document in scores))
        for group in translation_groups(tools.store, list(scores)).values()
    }
    groups = {group for group in groups if len(group) > 1}
    if not groups:
        return search.skip("no translations among the results")
    by_id = tools.store.documents({document for group in groups for document in group})
    language = detect_language(search.text) or _ENGLISH
    replaced: dict[str, str] = {}
    for group in groups:
        shown = _select_translation([by_id[document] for document in group if document in by_id], scores, language)
        replaced |= {document: shown for document in group if document != shown}
    visible = tuple(candidate for candidate in search.candidates if candidate.document not in replaced)
    return replace(search, candidates=visible, replaced=replaced)


def translation_groups(store: Store, documents: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return, for each document that has translations, these and itself.

    Translations link to their original, so two steps along these links reach all translations of one page.
    """
    pairs = _translation_pairs(store, documents)
    if not pairs:
        return {}
    further = {end for pair in pairs for end in pair} - set(documents)
    linked: dict[str, set[str]] = {}
    for one, other in pairs | _translation_pairs(store, sorted(further)):
        linked.setdefault(one, {one}).add(other)
        linked.setdefault(other, {other}).add(one)
    return {
        document: frozenset(translation for near in linked[document] for translation in linked[near])
        for document in documents
        if document in linked
    }


def shown_translations(document: str, groups: Mapping[str, frozenset[str]]) -> list[str]:
    """List the translations that an answer names for a document."""
    return sorted(groups.get(document, frozenset()) - {document})[:_MAX_TRANSLATIONS]


def _translation_pairs(store: Store, documents: Collection[str]) -> set[tuple[str, str]]:
    neighbours = store.neighbours(documents, (TRANSLATION,)) if documents else {}
    return {(document, link.document) for document, links in neighbours.items() for link in links}


def _select_translation(group: Sequence[Document], scores: Mapping[str, float], language: str) -> str:
    """Select the best document in the query's language, unless another has a much better score."""
    best = max(scores[document.id] for document in group)
    eligible = [document for document in group if scores[document.id] >= _MIN_SCORE_SHARE * best]
    return min(
        eligible,
        key=lambda document: (-_language_match(language, document), -scores[document.id], document.id),
    ).id


def _language_match(language: str, document: Document) -> int:
    """Rate how well languages match: 2 the same, 1 both CJK or both not, 0 otherwise.

    Han characters alone may be Japanese as well as Chinese. A document that declares no language counts as English,
    unless the file name or the text of its translations says otherwise.
    """
    document_language = _language_of(document).partition("-")[0] or _ENGLISH
    if document_language == language:
        return 2
    return int((language in _CJK) == (document_language in _CJK))


def _language_of(document: Document) -> str:
    """Return the language that a document declares, or an empty string."""
    return document.properties.get("lang", "")


def add_translations(hits: tuple[Hit, ...], tools: Tools) -> tuple[Hit, ...]:
    """Add to each hit the same section in other languages."""
    groups = translation_groups(tools.store, list(dict.fromkeys(hit.document for hit in hits)))
    if not groups:
        return hits
    ids = {document for group in groups.values() for document in group}
    documents, chunks = tools.store.documents(ids), tools.store.chunks_of(ids)
    return tuple(
        replace(
            hit,
            translations=tuple(
                _translation(hit.id, chunks[hit.document], documents[other], chunks[other])
                for other in shown_translations(hit.document, groups)
                if other in documents and chunks.get(other)
            ),
        )
        for hit in hits
    )


def list_translations(store: Store, document: str) -> tuple[Translation, ...]:
    """List the translations of a document."""
    others = shown_translations(document, translation_groups(store, [document]))
    documents, chunks = store.documents(others), store.chunks_of([document, *others])
    return tuple(
        _translation("", chunks[document], documents[other], chunks[other])
        for other in others
        if other in documents and chunks.get(other) and chunks.get(document)
    )


def _translation(shown: str, chunks: Sequence[Chunk], other: Document, others: Sequence[Chunk]) -> Translation:
    """Describe the section of a translation that corresponds to a section."""
    return Translation(
        id=find_counterpart(shown, chunks, others),
        document=other.id,
        title=other.title,
        lang=_language_of(other) or ("en" if is_english(others[0].text) else ""),
    )


def find_counterpart(shown: str, chunks: Sequence[Chunk], others: Sequence[Chunk]) -> str:
    """Find the section of a translation with the same position among its headings.

    A chunk of several sections corresponds to as many sections. If the two pages have different numbers of headings,
    the position among headings of the same depth decides, and at last the relative position in the page.
    """
    chunk = next((chunk for chunk in chunks if chunk.id == shown), chunks[0])
    anchors, other_anchors = _page_anchors(chunks), _page_anchors(others)
    if _heading_anchors(chunk) and len(anchors) == len(other_anchors):
        return _counterpart_by_anchor(chunk, chunks, others, dict(zip(anchors, other_anchors, strict=True)))
    other_positions = _heading_positions(others)
    position = _heading_positions(chunks).get(chunk.id, ())
    while position:
        counterpart = next((other for other in others if other_positions[other.id] == position), None)
        if counterpart:
            return counterpart.id
        position = position[:-1]
    return others[chunk.ordinal * len(others) // max(len(chunks), 1)].id


def _counterpart_by_anchor(
    chunk: Chunk, chunks: Sequence[Chunk], others: Sequence[Chunk], other_anchors: Mapping[str, str]
) -> str:
    """Find the lines of a translation under the same headings as a chunk."""
    anchors = _heading_anchors(chunk)
    first, last = other_anchors[anchors[0]], other_anchors[anchors[-1]]
    first_chunks = [other for other in others if first in _heading_anchors(other)]
    if first == last:  # one section, which may be divided into several chunks
        part = [other for other in chunks if anchors[0] in _heading_anchors(other)].index(chunk)
        return first_chunks[min(part, len(first_chunks) - 1)].id
    last_chunk = [other for other in others if last in _heading_anchors(other)][-1]
    return f"{last_chunk.document}#L{first_chunks[0].start}-L{last_chunk.end}"


def _heading_anchors(chunk: Chunk) -> list[str]:
    """List the anchors of a chunk's headings, without those of code blocks."""
    blocks = {symbol.name for symbol in chunk.symbols}
    return [anchor for anchor in chunk.anchors if anchor not in blocks]


def _page_anchors(chunks: Sequence[Chunk]) -> list[str]:
    return list(dict.fromkeys(anchor for chunk in chunks for anchor in _heading_anchors(chunk)))


def _heading_positions(chunks: Sequence[Chunk]) -> dict[str, tuple[int, ...]]:
    """Return the position of each chunk's heading among its siblings, at every depth from 0."""
    numbers: dict[tuple[str, ...], dict[str, int]] = {}
    positions: dict[str, tuple[int, ...]] = {}
    for chunk in chunks:
        position = []
        for depth, heading in enumerate(chunk.headings):
            siblings = numbers.setdefault(chunk.headings[:depth], {})
            position.append(siblings.setdefault(heading, len(siblings)))
        positions[chunk.id] = tuple(position)
    return positions
