"""Adding a bonus to what was found, and letting in what only the bonus found."""

from collections.abc import Mapping

from msgspec.structs import replace

from waymeet.formulas.explanation import total
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.types import Candidate, Explanation, SourceRank

_FOUND_BY = {"name": "name", "shared": "shared names", "graph": "links"}
_SUMS = {"with what its name and links add", *_FOUND_BY.values()}


def lifted_by(search: Search, tools: Tools, bonus: Mapping[str, Explanation], source: str) -> Search:
    """Add a bonus to every candidate of a document; one without any enters with its first chunk that may be shown."""
    new = tools.store.first_passing_chunks(bonus.keys() - {each.document for each in search.candidates}, search.filters)
    by_worth = sorted(bonus, key=lambda document: (-bonus[document].value, document))
    found = {
        document: SourceRank(source, rank, bonus[document].value) for rank, document in enumerate(by_worth, start=1)
    }
    lifted = [
        with_bonus(each, bonus[each.document], found[each.document])
        for each in search.candidates
        if each.document in bonus
    ]
    kept = [each for each in search.candidates if each.document not in bonus]
    entered = [
        Candidate(document, (chunk,), total(_FOUND_BY[source], bonus[document]), (found[document],))
        for document, chunk in new.items()
    ]
    if not lifted and not entered:
        return search.skip(f"nothing found by {_FOUND_BY[source]}")
    kind = "links" if search.search_type == "none" and source != "name" else search.search_type
    return replace(search, candidates=sort_candidates((*kept, *lifted, *entered)), search_type=kind)


def with_bonus(candidate: Candidate, gift: Explanation, found: SourceRank) -> Candidate:
    """Add a bonus to a candidate's score; bonuses stand side by side in its explanation."""
    score = candidate.score
    if score.description in _SUMS:
        score = total(score.description, *score.parts, gift)
    else:
        score = total("with what its name and links add", score, gift)
    return replace(candidate, score=score, sources=(*candidate.sources, found))
