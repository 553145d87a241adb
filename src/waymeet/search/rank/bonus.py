"""Add bonuses to the scores of candidates."""

from collections.abc import Mapping
from math import fsum

from msgspec.structs import replace

from waymeet.formulas.explanation import product, value
from waymeet.formulas.graph import propagated_share
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.types import Candidate, Explanation, SourceRank

_SOURCE_LABELS = {"name": "name match", "shared": "shared names", "graph": "links"}


class BonusSum(Explanation, frozen=True, gc=False):
    """A sum whose parts are bonuses, behind the score that they were added to if there was one.

    The class marks the sums that a further bonus joins as one more part. Other sums, such as a fused score, become
    the first part of a new one.
    """


def add_bonuses(search: Search, tools: Tools, bonuses: Mapping[str, Explanation], source: str) -> Search:
    """Add the bonus of each document to its candidates, and add documents that have none yet.

    Such a document enters with its first chunk that passes the filters.
    """
    missing = bonuses.keys() - {candidate.document for candidate in search.candidates}
    first_chunks = tools.store.first_passing_chunks(missing, search.filters)
    by_value = sorted(bonuses, key=lambda document: (-bonuses[document].value, document))
    ranks = {
        document: SourceRank(source, rank, bonuses[document].value) for rank, document in enumerate(by_value, start=1)
    }
    boosted = [
        add_bonus(candidate, bonuses[candidate.document], ranks[candidate.document])
        for candidate in search.candidates
        if candidate.document in bonuses
    ]
    unchanged = [candidate for candidate in search.candidates if candidate.document not in bonuses]
    added = [
        new_candidate(document, chunk, bonuses[document], ranks[document]) for document, chunk in first_chunks.items()
    ]
    if not boosted and not added:
        return search.skip(f"no documents found by {_SOURCE_LABELS[source]}")
    search_type = "links" if search.search_type == "none" and source != "name" else search.search_type
    return replace(search, candidates=sort_candidates((*unchanged, *boosted, *added)), search_type=search_type)


def share_among_sections(
    bonuses: Mapping[str, Explanation], tools: Tools, named: Mapping[str, float] | None = None
) -> dict[str, Explanation]:
    """Divide the bonus of each document by 1 + ln(sections).

    The more sections a document has, the less its bonus says about each of them. `named` has the share of the query
    that names a document, by which the division is reduced: a query that is a title means the whole document.
    """
    counts, shares = tools.store.chunk_counts(bonuses), named or {}
    return {
        document: _divide(bonus, counts.get(document, 1), shares.get(document, 0.0))
        for document, bonus in bonuses.items()
    }


def _divide(bonus: Explanation, sections: int, named: float) -> Explanation:
    if sections <= 1 or named >= 1.0:
        return bonus
    exponent = f" to the power of 1 − share, share = {named:.3g}" if named else ""
    description = f"1 / (1 + ln(sections)){exponent}, sections = {sections}"
    factor = value(propagated_share(1.0, sections) ** (1.0 - named), description)
    return product(f"{bonus.description}, shared among sections", bonus, factor, group=bonus.group)


def add_bonus(candidate: Candidate, bonus: Explanation, source_rank: SourceRank | None = None) -> Candidate:
    """Add a bonus to a candidate's score, as a part beside earlier bonuses."""
    score = candidate.score
    if isinstance(score, BonusSum):
        score = _sum_bonuses(score.description, *score.parts, bonus)
    else:
        score = _sum_bonuses("score with bonuses", score, bonus)
    sources = candidate.sources if source_rank is None else (*candidate.sources, source_rank)
    return replace(candidate, score=score, sources=sources)


def new_candidate(document: str, chunk: str, bonus: Explanation, source_rank: SourceRank) -> Candidate:
    """Make a candidate whose score is a bonus alone."""
    return Candidate(document, (chunk,), _sum_bonuses("sum of bonuses", bonus), (source_rank,))


def _sum_bonuses(description: str, *parts: Explanation) -> BonusSum:
    return BonusSum(fsum([part.value for part in parts]), description, "sum", parts)
