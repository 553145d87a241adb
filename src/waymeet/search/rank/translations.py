"""Translations: an answer shows one of the twins, the one in the asker's language if it is nearly as good."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from waymeet.analysis.languages import detect_cjk_language, is_english
from waymeet.ports import Store
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Chunk, Document, Hit, Translation

TRANSLATION = "translation"
_PAGES = 2
"""How many times the number of wanted results is looked through for twins."""
_MOST = 8
"""Twins named for one hit."""
_ENOUGH = 0.5
"""Part of the best twin's score that one in the query's own language needs to be shown instead of it."""
_CJK = frozenset({"ja", "ko", "zh"})


def collapse_translations(search: Search, tools: Tools, _settings: Settings) -> Search:
    """Leave out the translations of what is shown."""
    first = list(dict.fromkeys(each.document for each in search.candidates))[: search.query.limit * _PAGES + _MOST]
    groups = translation_groups(tools.store, first)
    best: dict[str, float] = {}
    for each in search.candidates:
        best[each.document] = max(best.get(each.document, 0.0), each.score.value)
    rivals = {tuple(sorted(other for other in group if other in best)) for group in groups.values()}
    rivals = {group for group in rivals if len(group) > 1}
    if not rivals:
        return search.skip("no translations among the results")
    documents = tools.store.documents({document for group in rivals for document in group})
    tongue = detect_cjk_language(search.text)
    left_out: set[str] = set()
    for group in rivals:
        shown = _chosen([documents[each] for each in group if each in documents], best, tongue)
        left_out.update(each for each in group if each != shown)
    kept = tuple(each for each in search.candidates if each.document not in left_out)
    return replace(search, candidates=kept)


def translation_groups(store: Store, documents: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Give, for each document that has any, all documents that say the same in other languages, and itself.

    Translations point at their original, so two translations meet there: two steps along the edges find all.
    """
    pairs = _pairs(store, documents)
    if not pairs:
        return {}
    further = {end for pair in pairs for end in pair} - set(documents)
    near: dict[str, set[str]] = {}
    for one, other in pairs | _pairs(store, sorted(further)):
        near.setdefault(one, {one}).add(other)
        near.setdefault(other, {other}).add(one)
    return {
        document: frozenset(twin for close in near[document] for twin in near[close])
        for document in documents
        if document in near
    }


def shown_translations(document: str, groups: Mapping[str, frozenset[str]]) -> list[str]:
    """List the translations that an answer names for a document."""
    return sorted(groups.get(document, frozenset()) - {document})[:_MOST]


def _pairs(store: Store, documents: Collection[str]) -> set[tuple[str, str]]:
    around = store.neighbours(documents, (TRANSLATION,)) if documents else {}
    return {(document, near.document) for document, twins in around.items() for near in twins}


def _chosen(group: Sequence[Document], best: Mapping[str, float], tongue: str) -> str:
    """Choose the best of those that speak the query's language, unless another is better by far."""
    top = max(best[each.id] for each in group)
    able = [each for each in group if best[each.id] >= _ENOUGH * top]
    return min(able, key=lambda each: (-_fits(tongue, each), -best[each.id], each.id)).id


def _fits(tongue: str, document: Document) -> int:
    """Say how well a document's language fits the query's, as far as scripts tell.

    Han characters alone may be Japanese as well as Chinese.
    """
    spoken = lang_of(document).partition("-")[0]
    if spoken == tongue and tongue:
        return 2
    return int((tongue in _CJK) == (spoken in _CJK))


def lang_of(document: Document) -> str:
    """Give the language a document is written in, as far as it is known."""
    return document.properties.get("lang", "")


def with_translations(hits: tuple[Hit, ...], tools: Tools) -> tuple[Hit, ...]:
    """Name for each hit the same section in other languages."""
    groups = translation_groups(tools.store, list(dict.fromkeys(hit.document for hit in hits)))
    if not groups:
        return hits
    wanted = {document for group in groups.values() for document in group}
    documents, chunks = tools.store.documents(wanted), tools.store.chunks_of(wanted)
    named = []
    for hit in hits:
        others = shown_translations(hit.document, groups)
        found = tuple(
            Translation(
                id=counterpart(hit.id, chunks[hit.document], chunks[other]),
                document=other,
                title=document.title,
                lang=lang_of(document) or ("en" if is_english(chunks[other][0].text) else ""),
            )
            for other in others
            if (document := documents.get(other)) and chunks.get(other)
        )
        named.append(replace(hit, translations=found))
    return tuple(named)


def counterpart(shown: str, chunks: Sequence[Chunk], others: Sequence[Chunk]) -> str:
    """Find the section of a translation that answers to a section: the one under the heading at the same place.

    What holds several sections answers to as many. If the two pages have different numbers of headings, the place among
    the headings of the same depth decides, and at last how far down the page it stands.
    """
    at = next((chunk for chunk in chunks if chunk.id == shown), chunks[0])
    ours, theirs = _anchors(chunks), _anchors(others)
    own = _own_anchors(at)
    if own and len(ours) == len(theirs):
        first, last = theirs[ours.index(own[0])], theirs[ours.index(own[-1])]
        begin = [chunk for chunk in others if first in _own_anchors(chunk)]
        if first == last:
            part = [chunk for chunk in chunks if own[0] in _own_anchors(chunk)].index(at)
            return begin[min(part, len(begin) - 1)].id
        end = [chunk for chunk in others if last in _own_anchors(chunk)][-1]
        return f"{end.document}#L{begin[0].start}-L{end.end}"
    places = _places(others)
    place = _places(chunks).get(at.id, ())
    while place:
        found = next((chunk for chunk in others if places[chunk.id] == place), None)
        if found:
            return found.id
        place = place[:-1]
    return others[at.ordinal * len(others) // max(len(chunks), 1)].id


def _own_anchors(chunk: Chunk) -> list[str]:
    """List the anchors of a chunk's headings, without those of blocks of code."""
    blocks = {symbol.name for symbol in chunk.symbols}
    return [anchor for anchor in chunk.anchors if anchor not in blocks]


def _anchors(chunks: Sequence[Chunk]) -> list[str]:
    return list(dict.fromkeys(anchor for chunk in chunks for anchor in _own_anchors(chunk)))


def _places(chunks: Sequence[Chunk]) -> dict[str, tuple[int, ...]]:
    """Number the sections: (2, 1) is the first below the second."""
    seen: dict[tuple[str, ...], dict[str, int]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for chunk in chunks:
        place = []
        for depth, heading in enumerate(chunk.headings):
            siblings = seen.setdefault(chunk.headings[:depth], {})
            place.append(siblings.setdefault(heading, len(siblings)))
        places[chunk.id] = tuple(place)
    return places
