"""The stage that heeds what people said: answers to a like question move up or down, visibly and within bounds."""

from msgspec.structs import replace

from waymeet.formulas.explanation import product, total, value
from waymeet.search.feedback.votes import Likely
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.settings import Feedback, Settings
from waymeet.types import Candidate, Explanation, SourceRank

_SHOWN = 60
_NAMED = 3


def apply_feedback(search: Search, tools: Tools, settings: Settings) -> Search:
    """Move documents that were right or wrong for a like question, by a part of the best score at most."""
    if tools.feedback.error:
        return search.miss("apply_feedback", "feedback_unreadable", tools.feedback.error)
    if not tools.feedback.votes or not search.query.text.strip():
        return search.skip("no feedback")
    known = tools.feedback.for_query(search.query.text, settings.feedback.min_similarity)
    known = {document: each for document, each in known.items() if each.support}
    if not known:
        return search.skip("no feedback on a like query")
    # Cosines may be negative, and all scores 0: a vote counts there, too, and in the direction that was meant.
    best = max((abs(each.score.value) for each in search.candidates), default=0.0) or 1.0
    gifts = {document: _gift(each, best, settings.feedback) for document, each in known.items()}
    there = {each.document for each in search.candidates}
    missed = [document for document in gifts if document not in there and known[document].support > 0]
    allowed = tools.store.first_passing_chunks(missed, search.filters)
    moved = [_moved(each, gifts.get(each.document)) for each in search.candidates]
    entered = [
        Candidate(document, (chunk,), total("with feedback", gifts[document]), (SourceRank("feedback", rank, 0.0),))
        for rank, (document, chunk) in enumerate(sorted(allowed.items()), start=1)
    ]
    touched = [document for document in gifts if document in there or document in allowed]
    if not touched:
        return search.skip("feedback concerns nothing that was found")
    told = f"feedback on a like query moved {', '.join(sorted(touched)[:_NAMED])}" + "…" * (len(touched) > _NAMED)
    return replace(search, candidates=sort_candidates((*moved, *entered)), notes=(*search.notes, told))


def _gift(likely: Likely, best: float, numbers: Feedback) -> Explanation:
    """Say how far a document moves: nearer to the most with every vote, never beyond it."""
    size = abs(likely.support)
    part = 1.0 - 0.25 ** (size / numbers.saturation_votes)
    asked = likely.query if len(likely.query) <= _SHOWN else f"{likely.query[:_SHOWN]}…"
    return product(
        f"feedback on a like query: “{asked}”",
        value(part if likely.support > 0 else -part, f"{likely.votes} vote{'s' * (likely.votes > 1)}, by likeness"),
        value(numbers.max_bonus, "most that feedback moves"),
        value(best, "best score"),
    )


def _moved(candidate: Candidate, gift: Explanation | None) -> Candidate:
    return candidate if gift is None else replace(candidate, score=total("with feedback", candidate.score, gift))
