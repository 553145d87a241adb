"""Levels: whether a collection is measured by sections or by files.

By section, every section of an answer has a rank of its own. By file, a document has the rank of its best section.
"""

from collections.abc import Iterable, Iterator, Mapping
from re import compile as pattern
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.evaluate.collection import Collection, Place
from waymeet.formulas.metrics import Judgements
from waymeet.types import Candidate

FILE, SECTION, BOTH = "file", "section", "both"
AS_JUDGED = ""
"""By section for queries whose relevant items are places, by file for the others."""
_LINES = pattern(r"(?s)(?P<document>.*)#L(?P<start>\d+)-L(?P<end>\d+)(?:~\d+)?")


class RankedSection(NamedTuple):
    """A section of a ranking."""

    document: str
    section: str
    """The id of the section, or empty if only the document is ranked."""
    score: float
    is_copy: bool = False
    """Whether it is only named at a hit of the same content, and so counts only if it is relevant."""


def list_levels(level: str) -> tuple[str, ...]:
    """List the levels that an option names."""
    return (FILE, SECTION) if level == BOTH else (level,)


def at_level(collection: Collection, level: str) -> Collection:
    """Give a collection with judgements for a level.

    By file, the judgements of places count for their documents. A document with several has the highest.
    """
    if level != FILE:
        return replace(collection, level=level)
    qrels = {query: _judge_documents(judgements, collection.places) for query, judgements in collection.qrels.items()}
    return replace(collection, level=level, qrels=qrels)


def _judge_documents(judgements: Judgements, places: Mapping[str, Place]) -> dict[str, int]:
    documents: dict[str, int] = {}
    for item, relevance in judgements.items():
        document = places[item].document if item in places else item
        documents[document] = max(relevance, documents.get(document, relevance))
    return documents


def list_sections(candidates: Iterable[Candidate]) -> Iterator[RankedSection]:
    """Yield the sections of all candidates, of which some have several."""
    for candidate in candidates:
        for section in candidate.chunks or ("",):
            yield RankedSection(candidate.document, section, candidate.score.value)


def parse_section(item: str, collection: Collection, score: float) -> RankedSection:
    """Find the section or document that an item of another program's run names.

    It is a judged place, lines of a file, or a document.
    """
    if item in collection.places:
        place = collection.places[item]
        return RankedSection(place.document, place.id, score)
    lines = _LINES.fullmatch(item) if collection.files or collection.places else None
    return RankedSection(lines["document"], item, score) if lines else RankedSection(item, "", score)


def rank_items(
    sections: Iterable[RankedSection], collection: Collection, judgements: Judgements
) -> dict[str, RankedSection]:
    """Rank the items that judgements can name, each at its first section.

    By section, items are the relevant places and documents, each counted once, and all sections outside of them.
    """
    relevant = [item for item, relevance in judgements.items() if relevance > 0]
    places = {item: collection.places[item] for item in relevant if item in collection.places}
    by_section = bool(places) if collection.level == AS_JUDGED else collection.level == SECTION
    ranked: dict[str, RankedSection] = {}
    for section in sections:
        items = _items_of(section, places, frozenset(relevant)) if by_section else (section.document,)
        for item in items:
            if item in relevant or not section.is_copy:
                ranked.setdefault(item, section)
    return ranked


def _items_of(section: RankedSection, places: Mapping[str, Place], relevant: frozenset[str]) -> Iterable[str]:
    """List the items that a section counts for.

    These are the relevant places that share a line with it, else its document if that is relevant, else the section.
    """
    overlapping = [item for item, place in places.items() if _overlaps(section, place)]
    is_relevant = section.document in relevant
    return overlapping or [section.document if is_relevant or not section.section else section.section]


def _overlaps(section: RankedSection, place: Place) -> bool:
    lines = _LINES.fullmatch(section.section) if section.document == place.document else None
    return lines is not None and int(lines["start"]) <= place.end and int(lines["end"]) >= place.start
