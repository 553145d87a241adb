"""Failed stages: report them in the answer, and rank by full text if nothing is left."""

import os
from pathlib import PurePath
from traceback import extract_tb

from msgspec.structs import replace

from waymeet.errors import IndexUnavailableError, SearchFailedError, UsageError, WaymeetError
from waymeet.search.fuse.fusion import explain_score, sort_candidates
from waymeet.search.retrieve.dense import best_of_each_document
from waymeet.search.retrieve.expansion import variant_words
from waymeet.search.retrieve.first_stage import pool_size
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.settings.sources import RAISE_ERRORS
from waymeet.types import Candidate, Ranking, SourceRank

STAGE_FAILED = "stage_failed"
"""Code of the `degraded` entry of a stage that failed."""
_MAX_DETAIL_CHARS = 300


def report_failure(search: Search, stage: str, error: Exception) -> Search:
    """Skip a stage that failed, and note it in the answer.

    An invalid request and an unusable index stay errors. So does every error if `WAYMEET_RAISE_ERRORS` is set, for
    tests and to see the traceback.
    """
    if isinstance(error, UsageError | IndexUnavailableError) or os.environ.get(RAISE_ERRORS):
        raise error
    import logging  # noqa: PLC0415 - only failures need it

    logging.getLogger(__name__).debug("the stage %s failed", stage, exc_info=error)
    detail = f"the stage {stage} failed and was skipped: {_describe(error)}"
    return _use_lists(search).miss(stage, STAGE_FAILED, detail)


def _describe(error: Exception) -> str:
    """Describe an error in one line: our own by its message, others by type, message and place."""
    if isinstance(error, WaymeetError):
        return " ".join(f"{error.message} {error.hint}".split())[:_MAX_DETAIL_CHARS]
    frames = extract_tb(error.__traceback__)
    place = f" ({PurePath(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    message = " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_DETAIL_CHARS]
    return f"{message}{place}. Please report it; {RAISE_ERRORS}=1 shows the traceback"


def fall_back(search: Search, tools: Tools, settings: Settings) -> Search:
    """Rank documents by full text, or else by vectors, if failed stages left no candidates.

    Raises:
        SearchFailedError: full-text search fails, too.
    """
    failed = [entry for entry in search.degraded if entry.code == STAGE_FAILED]
    if search.candidates or not failed:
        return search
    try:
        ranking = search.ranking("lexical") or _rank_words(search, tools, settings)
    except Exception as error:
        raise SearchFailedError(
            f"The search failed: {failed[0].detail}; full-text search failed, too: {_describe(error)}.",
            "Run: waymeet check",
        ) from error
    return _use_lists(replace(search, lists={**search.lists, "lexical": ranking}))


def _use_lists(search: Search) -> Search:
    """Make candidates of the lexical list or, if that is empty, of the vector list.

    A later stage that fuses the lists replaces them.
    """
    source = "lexical" if search.ranking("lexical") else "vector"
    best = best_of_each_document(search.ranking(source))
    if search.candidates or not best:
        return search
    candidates = (
        Candidate(
            row.document, (row.chunk,), explain_score(search, source, row), (SourceRank(source, rank, row.score),)
        )
        for rank, row in enumerate(best, start=1)
    )
    return replace(search, candidates=sort_candidates(candidates), search_type="fulltext_fallback")


def _rank_words(search: Search, tools: Tools, settings: Settings) -> Ranking:
    """Rank chunks by the words of the query as it is written."""
    words = search.words or variant_words(search.query.text, settings.pool.query_words)
    return (
        tools.store.rank_lexical(words, pool_size(search, tools, settings), search.filters, settings.bm25)
        if words
        else ()
    )
