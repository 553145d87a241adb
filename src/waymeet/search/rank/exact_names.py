"""Stage that ranks the definition of a name in the query first."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import file_name_key, list_terms, title_key
from waymeet.formulas.explanation import total, value
from waymeet.ports import Store
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.rank.bonus import add_bonus, new_candidate
from waymeet.search.rank.definitions import Definition, find_definitions, find_description
from waymeet.search.state import Search, Tools
from waymeet.search.understand.query_names import QueryName, find_names
from waymeet.settings import Settings
from waymeet.types import Candidate, Explanation, SourceRank


class _Place(NamedTuple):
    """A section to be raised, with the reason."""

    document: str
    chunk: str
    reason: str
    source: str
    """Name of the source in the hit."""


def raise_definitions(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank the definition of a rare name in the query first.

    The section that describes it is second, and other definitions follow.
    """
    names = find_names(search.text)
    if not names:
        return search.skip("no symbol in the query")
    if not settings.auto.raised_lead:
        return search.skip("setting auto.raised_lead")
    min_share = settings.auto.raised_min_share
    names = [name for name in names if name.is_whole or _is_main_part(name, search.text, min_share)]
    scores = {chunk: candidate.score.value for candidate in search.candidates for chunk in candidate.chunks[:1]}
    for name in names:
        places = _find_places(name, tools.store, scores, settings.auto.raised_definitions)
        places = _keep_allowed(places, search, tools)
        if places:
            return replace(search, candidates=_raise(search.candidates, places, settings.auto.raised_lead))
    return search.skip(
        "no definition of this symbol is indexed" if names else "the symbol is a small part of the query"
    )


def _is_main_part(name: QueryName, text: str, min_share: float) -> bool:
    """Check whether a name has a given share of the terms of the query."""
    terms = set(list_terms(text))
    return len(terms.intersection(list_terms(name.name))) >= min_share * len(terms)


def _find_places(name: QueryName, store: Store, scores: Mapping[str, float], limit: int) -> list[_Place]:
    """List the sections to raise in their order: a definition, a description, other definitions."""
    description = find_description(name.name, store, scores)
    definitions = find_definitions(name, description.name if description else name.name, store, scores)
    is_word = not name.is_code and name.name.islower()
    if is_word and definitions and _is_file_or_title(name.name, definitions, store):
        return []
    places = [_Place(found.document, found.chunk, f"defines {name.name}", "symbol") for found in definitions[:limit]]
    if description and (definitions or name.is_code):
        is_option = bool(definitions) and definitions[0].is_value
        place = _Place(description.document, description.chunk, f"describes {name.name}", "name")
        places.insert(0 if is_option else 1, place)
    return list({place.chunk: place for place in reversed(places)}.values())[::-1]


def _is_file_or_title(word: str, definitions: Sequence[Definition], store: Store) -> bool:
    """Check whether a word is the title or file name of a document other than the definition's."""
    named = store.documents_by_key([title_key(word), file_name_key(word)])
    documents = {document for documents in named.values() for document in documents}
    return bool(documents) and definitions[0].document not in documents


def _keep_allowed(places: Sequence[_Place], search: Search, tools: Tools) -> list[_Place]:
    """Keep the sections that are candidates already or pass the filters."""
    present = {chunk for candidate in search.candidates for chunk in candidate.chunks[:1]}
    # Phrases and exclusions depend on the text of a chunk, which is not checked for new ones.
    has_text_filter = search.filters.phrases or search.filters.without
    new = {place.document for place in places if place.chunk not in present and not has_text_filter}
    allowed = tools.store.first_passing_chunks(new, search.filters)
    return [place for place in places if place.chunk in present or place.document in allowed]


def _raise(candidates: Sequence[Candidate], places: Sequence[_Place], lead: float) -> tuple[Candidate, ...]:
    """Raise the score of each place above the next one, that of the last above all others."""
    raised = {place.chunk for place in places}
    by_chunk = {candidate.chunks[0]: candidate for candidate in candidates if candidate.chunks}
    others = [candidate for candidate in candidates if not candidate.chunks or candidate.chunks[0] not in raised]
    below = max((candidate.score.value for candidate in others), default=0.0)
    for rank, place in reversed(list(enumerate(places, start=1))):
        candidate = by_chunk.get(place.chunk)
        own = candidate.score.value if candidate else 0.0
        bonus = _bonus(place, rank, own, below, lead)
        source = SourceRank(place.source, rank, bonus.value)
        if candidate is None:
            candidate = new_candidate(place.document, place.chunk, bonus, source)
        elif bonus.value > 0.0:
            sources = tuple(each for each in candidate.sources if each.source != place.source)
            candidate = add_bonus(replace(candidate, sources=sources), bonus, source)
        others.append(candidate)
        below = candidate.score.value
    return sort_candidates(others)


def _bonus(place: _Place, rank: int, own: float, below: float, lead: float) -> Explanation:
    """Compute what a section needs to be above the next one by the lead, 0 if it is."""
    if own >= below + lead:
        return value(0.0, place.reason, "bonuses")
    return total(
        f"{place.reason}: raised to place {rank}",
        value(below - own, f"score of the next place ({below:.4g}) − own score ({own:.4g})"),
        value(lead, "lead (auto.raised_lead)"),
        group="bonuses",
    )
