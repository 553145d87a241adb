"""Stage that moves documents up or down by users' feedback on similar queries."""

from msgspec.structs import replace

from waymeet.formulas.explanation import product, total, value
from waymeet.search.feedback.votes import DocumentFeedback
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.settings import Feedback, Settings
from waymeet.types import Candidate, Explanation, SourceRank

_MAX_QUERY_CHARS = 60
"""Characters of an earlier query shown in an explanation."""
_MAX_NAMED = 3
"""Documents named in the note."""
_WITH_FEEDBACK = "score with feedback"


def apply_feedback(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a bonus or penalty to documents marked relevant or not for a similar query.

    It is at most `feedback.max_bonus` of the best score.
    """
    if tools.feedback.error:
        return search.miss("apply_feedback", "feedback_unreadable", tools.feedback.error)
    if not tools.feedback.votes or not search.query.text.strip():
        return search.skip("no feedback")
    by_document = tools.feedback.for_query(search.query.text, settings.feedback.min_similarity)
    by_document = {document: feedback for document, feedback in by_document.items() if feedback.support}
    if not by_document:
        return search.skip("no feedback on a similar query")
    # The absolute value, since cosines may be negative. 1 if all scores are 0, so that votes still count.
    best = max((abs(candidate.score.value) for candidate in search.candidates), default=0.0) or 1.0
    bonuses = {document: _bonus(feedback, best, settings.feedback) for document, feedback in by_document.items()}
    present = {candidate.document for candidate in search.candidates}
    missing = [document for document in bonuses if document not in present and by_document[document].support > 0]
    first_chunks = tools.store.first_passing_chunks(missing, search.filters)
    adjusted = [_add_feedback(candidate, bonuses.get(candidate.document)) for candidate in search.candidates]
    added = [
        Candidate(document, (chunk,), total(_WITH_FEEDBACK, bonuses[document]), (SourceRank("feedback", rank, 0.0),))
        for rank, (document, chunk) in enumerate(sorted(first_chunks.items()), start=1)
    ]
    affected = sorted(document for document in bonuses if document in present or document in first_chunks)
    if not affected:
        return search.skip("feedback concerns no candidate")
    names = ", ".join(affected[:_MAX_NAMED]) + "…" * (len(affected) > _MAX_NAMED)
    note = f"ranking of {names} adjusted by feedback on a similar query"
    return replace(search, candidates=sort_candidates((*adjusted, *added)), notes=(*search.notes, note))


def _bonus(feedback: DocumentFeedback, best: float, numbers: Feedback) -> Explanation:
    """Compute a bonus or penalty that approaches its maximum as votes accumulate."""
    support = abs(feedback.support)
    share = 1.0 - 0.25 ** (support / numbers.saturation_votes)
    is_long = len(feedback.query) > _MAX_QUERY_CHARS
    query = f"{feedback.query[:_MAX_QUERY_CHARS]}…" if is_long else feedback.query
    sign = "" if feedback.support > 0 else "−"
    formula = f"{sign}(1 − 0.25^(support / {numbers.saturation_votes}))"
    votes = f"{feedback.votes} vote{'s' * (feedback.votes > 1)}"
    return product(
        f"feedback on a similar query: “{query}”",
        value(
            share if feedback.support > 0 else -share,
            f"{formula}, support = {support:.3g} ({votes} × query similarity)",
        ),
        value(numbers.max_bonus, "maximum bonus (feedback.max_bonus)"),
        value(best, "best score"),
        group="bonuses",
    )


def _add_feedback(candidate: Candidate, bonus: Explanation | None) -> Candidate:
    return candidate if bonus is None else replace(candidate, score=total(_WITH_FEEDBACK, candidate.score, bonus))
