"""Copies: show one section of each content, and name the others at the hit."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis.file_roles import (
    BENCHMARK,
    BUILD_OUTPUT,
    CHANGELOG,
    DATA,
    DOCUMENTATION,
    EXAMPLE,
    GENERATED,
    IMAGE,
    LICENCE,
    LOCALE,
    LOCK,
    MINIFIED,
    RELEASE_NOTES,
    SOURCE,
    TEST,
    VENDORED,
)
from waymeet.formulas.explanation import largest
from waymeet.search.rank.repeated_text import Comparison, Section, copy_similarity, may_have_copies
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Document, Hit

MAX_COPIES = 8
"""Copies named for one hit."""
_LATER_ROLES = (EXAMPLE, BENCHMARK, RELEASE_NOTES, CHANGELOG, LICENCE, TEST, DATA, LOCALE)
_DERIVED_ROLES = (VENDORED, GENERATED, BUILD_OUTPUT, MINIFIED, LOCK, IMAGE)
_ROLE_ORDER = {
    SOURCE: 0,
    DOCUMENTATION: 0,
    **{role: order for order, role in enumerate((*_LATER_ROLES, *_DERIVED_ROLES), start=1)},
}
"""Order in which the roles of files are preferred. Parts of pages in HTML are sources, too."""


class _Group(NamedTuple):
    """A section to show, and its copies."""

    shown: Section
    copies: list[Section]


def collapse_copies(search: Search, tools: Tools, settings: Settings) -> Search:
    """Keep one section of each content.

    The one in the preferred file is shown, such as the source of a compiled module, with the best score of its copies.
    It is selected among a fixed number of leading candidates. Further candidates are only compared until there are
    enough results. So the limit of a query never changes their order.
    """
    size = settings.copies.candidates
    if not size:
        return search.skip("setting copies.candidates is 0")
    groups: list[_Group] = []
    for first in range(0, len(search.candidates), size):
        sections = _read_sections(search.candidates, range(first, first + size), tools)
        if _may_have_copies(sections, groups):
            groups = _group_sections(sections, groups, search, tools, settings)
        else:
            groups += [_Group(section, []) for section in sections]
        visible = _merge_groups(search.candidates[: first + size], groups)
        if _count_results(visible, settings.auto.per_document) >= max(search.query.limit, search.pool_results):
            break
    groups = [group for group in groups if group.copies]
    if not groups:
        return search.skip("no copies among the leading candidates")
    copies = {
        group.shown.chunk.id: tuple(
            copy.candidate for copy in sorted(group.copies, key=lambda section: section.position)
        )
        for group in groups
    }
    return replace(search, candidates=_merge_groups(search.candidates, groups), copies=copies)


def _read_sections(candidates: Sequence[Candidate], positions: range, tools: Tools) -> list[Section]:
    """Read the texts of candidates that are one section each."""
    single = {at: candidates[at] for at in positions if at < len(candidates) and len(candidates[at].chunks) == 1}
    chunks = tools.store.chunks({candidate.chunks[0] for candidate in single.values()})
    return [Section(candidate, at, chunks[candidate.chunks[0]]) for at, candidate in single.items()]


def _may_have_copies(sections: Sequence[Section], groups: Sequence[_Group]) -> bool:
    """Check quickly whether any section may be a copy of another one or of an earlier one."""
    earlier = [group.shown for group in groups]
    return any(may_have_copies(section, [*earlier, *sections[:at]]) for at, section in enumerate(sections))


def _group_sections(
    sections: list[Section], groups: list[_Group], search: Search, tools: Tools, settings: Settings
) -> list[_Group]:
    """Add sections to the groups that they are copies of, or begin new ones.

    The first sections of all are added in the order of preference, and so are shown before those added later.
    """
    shown = (group.shown for group in groups)
    documents = tools.store.documents({section.candidate.document for section in (*sections, *shown)})
    query_terms = {term for word in search.words for term in word.terms}
    comparison = Comparison(settings.copies, query_terms, documents)
    if not groups:
        voted, text = _voted_documents(search, tools, settings), search.query.text.lower()
        sections = sorted(sections, key=lambda each: _preference(each, documents[each.candidate.document], voted, text))
    groups = list(groups)
    for section in sections:
        _add_section(section, groups, comparison)
    return groups


def _voted_documents(search: Search, tools: Tools, settings: Settings) -> frozenset[str]:
    """List the documents that were marked as relevant for a similar query."""
    if not tools.feedback.votes or not search.query.text.strip():
        return frozenset()
    by_document = tools.feedback.for_query(search.query.text, settings.feedback.min_similarity)
    return frozenset(document for document, feedback in by_document.items() if feedback.support > 0)


def _preference(
    section: Section, document: Document, voted: Collection[str], query: str
) -> tuple[bool, bool, int, int, bool, int]:
    """Return the sort key of sections that have the same content, the one to show first.

    First is one that was marked as relevant or whose file is named in the query.
    """
    return (
        document.id not in voted,
        document.id.rpartition("/")[2].lower() not in query,
        _ROLE_ORDER.get(document.role, len(_ROLE_ORDER)),
        section.format.order,
        section.format.is_output,
        section.position,
    )


def _add_section(section: Section, groups: list[_Group], comparison: Comparison) -> None:
    """Add a section to the group that it is the nearest copy of, or begin a new one."""
    needed = comparison.numbers.score_share * section.candidate.score.value
    nearest, best = None, 0.0
    for group in groups:
        similarity = copy_similarity(group.shown, section, comparison)
        if similarity > best and group.shown.candidate.score.value >= needed:
            nearest, best = group, similarity
    if nearest is None:
        groups.append(_Group(section, []))
    else:
        nearest.copies.append(section)


def _merge_groups(candidates: Sequence[Candidate], groups: Iterable[_Group]) -> tuple[Candidate, ...]:
    """Replace the best candidate of each group by the one to show, and leave out the others."""
    merged: dict[int, Candidate | None] = {}
    for group in groups:
        if group.copies:
            sections = (group.shown, *group.copies)
            best = min(sections, key=lambda section: section.position)
            merged |= dict.fromkeys(section.position for section in sections)
            merged[best.position] = _with_score_of(group.shown.candidate, best.candidate)
    placed = (merged.get(at, candidate) for at, candidate in enumerate(candidates))
    return tuple(candidate for candidate in placed if candidate is not None)


def _with_score_of(shown: Candidate, best: Candidate) -> Candidate:
    """Give a candidate the score of its best copy."""
    if shown is best:
        return shown
    return replace(shown, score=largest(f"best score of its copies: {best.chunks[0]}", best.score))


def _count_results(candidates: Iterable[Candidate], per_document: int) -> int:
    """Count the candidates that remain if each document may have only so many."""
    return sum(min(number, per_document) for number in Counter(each.document for each in candidates).values())


def add_copies(hits: tuple[Hit, ...], copies: Mapping[str, tuple[Candidate, ...]]) -> tuple[Hit, ...]:
    """Add to each hit the ids of its copies."""
    return tuple(
        replace(
            hit, copies=tuple(copy.chunks[0] for copy in copies[hit.id][:MAX_COPIES]), copy_count=len(copies[hit.id])
        )
        if hit.id in copies
        else hit
        for hit in hits
    )
