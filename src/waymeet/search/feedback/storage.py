"""Store feedback in JSON files beside the index, which survive a rebuild of it.

There is one file each for votes, for reviews (readings and confirmations) of documents, and for documents read
together. A file is written under a temporary name and renamed, while a lock keeps other writers out, so that nothing
is lost.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from waymeet.errors import UsageError
from waymeet.search.feedback.half_life import half_life_of
from waymeet.search.feedback.json_file import lock_file, write_json
from waymeet.search.feedback.reviews import Review, add_review
from waymeet.search.feedback.votes import Feedback, Pair, Vote, add_read_pairs
from waymeet.types import Document

_LOCK_SECONDS = 10.0
_LOCK_SECONDS_READ = 0.2
"""Time that reading a document may wait for another process that records one."""
_MAX_REVIEWS = 5000
_MAX_VOTES = 5000
_MAX_PAIRS = 5000
_RECORDED_KINDS = frozenset({"docs", "notes", "tasks", "skills"})
_REREAD_NS = 600_000_000_000
"""Time after reading a document in which reading it again is not recorded."""


def read_feedback(index: Path) -> Feedback:
    """Read the votes.

    Raises:
        UsageError: the file is unreadable or damaged.
    """
    file = _votes_file(index)
    try:
        return Feedback(tuple(msgspec.json.decode(file.read_bytes(), type=list[Vote])))
    except FileNotFoundError:
        return Feedback()
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Move it away to start without feedback.") from error


def read_feedback_or_warn(index: Path) -> Feedback:
    """Read votes and pairs for a search, which reports an unreadable file and continues without."""
    try:
        return replace(read_feedback(index), read_together=read_pairs(index))
    except UsageError as error:
        return Feedback(error=error.message)


def change_votes(index: Path, change: Callable[[tuple[Vote, ...]], Iterable[Vote]]) -> tuple[Vote, ...]:
    """Change the stored votes and return them. Only the most recent ones are kept.

    Raises:
        UsageError: the file cannot be read or written.
    """
    file = _votes_file(index)
    try:
        with lock_file(file, _LOCK_SECONDS):
            votes = tuple(change(read_feedback(index).votes))[-_MAX_VOTES:]
            write_json(file, votes)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error}.", "No vote was changed. Try again.") from error
    return votes


def read_reviews(index: Path) -> dict[str, Review]:
    """Read when and how often documents were read or confirmed, by id."""
    try:
        stored = msgspec.json.decode(_reviews_file(index).read_bytes(), type=dict[str, Review | int])
    except (OSError, msgspec.MsgspecError):
        return {}  # optional data: recency then counts from the last change of a document
    # Earlier versions stored only the time of the last reading.
    return {id_: Review(review) if isinstance(review, int) else review for id_, review in stored.items()}


def read_pairs(index: Path) -> tuple[Pair, ...]:
    """Read which documents were read together."""
    try:
        return tuple(msgspec.json.decode(_pairs_file(index).read_bytes(), type=list[Pair]))
    except (OSError, msgspec.MsgspecError):
        return ()  # optional data, too


def record_read(index: Path, document: Document, now: int) -> bool:
    """Record that a document was read, and return whether it was recorded.

    Nothing is recorded for code and plain files, shortly after the last review, and while another process writes for
    longer than a moment.
    """
    review = read_reviews(index).get(document.id)
    if document.kind not in _RECORDED_KINDS or (review and now - review.last_review_ns < _REREAD_NS):
        return False
    try:
        _record_review(index, document, now, _LOCK_SECONDS_READ)
    except OSError:
        return False  # reading a document must not fail because of this record
    return True


def record_confirmation(index: Path, document: Document, now: int) -> Review:
    """Record that a user or agent found a document to be right, and return its state.

    Raises:
        UsageError: the file cannot be written, or the document is not one that people write.
    """
    if document.kind not in _RECORDED_KINDS:
        kinds = ", ".join(sorted(_RECORDED_KINDS))
        raise UsageError(f"{document.id} cannot be confirmed: it is one of {document.kind}.", f"Confirm {kinds}.")
    file = _reviews_file(index)
    try:
        return _record_review(index, document, now, _LOCK_SECONDS, confirmed=True)
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error}.",
            "Nothing was confirmed. Check the permissions of the folder and the free disk space.",
        ) from error


def _record_review(
    index: Path, document: Document, now: int, lock_seconds: float, *, confirmed: bool = False
) -> Review:
    file = _reviews_file(index)
    with lock_file(file, lock_seconds):
        reviews, earlier = read_reviews(index), read_pairs(index)
        before = reviews.get(document.id)
        review = add_review(before, half_life_of(document), document.changed_ns, now, confirmed=confirmed)
        read_times = {id_: each.last_review_ns for id_, each in reviews.items()}
        pairs = add_read_pairs(earlier, document.id, read_times, now)
        write_json(file, _most_recent({**reviews, document.id: review}))
        if pairs != earlier:
            write_json(_pairs_file(index), pairs[-_MAX_PAIRS:])
    return review


def rename_documents(index: Path, renamed: Mapping[str, str]) -> None:
    """Move votes, reviews and pairs of renamed documents to their new paths.

    Raises:
        OSError: a file cannot be written.
    """
    if read_reviews(index).keys() & renamed.keys():
        with lock_file(_reviews_file(index), _LOCK_SECONDS):
            reviews, pairs = read_reviews(index), read_pairs(index)
            # A review at the new path is newer than the rename.
            write_json(
                _reviews_file(index),
                {renamed.get(id_, id_): reviews[id_] for id_ in sorted(reviews)}
                | {id_: review for id_, review in reviews.items() if id_ not in renamed},
            )
            moved = [_rename_pair(pair, renamed) for pair in pairs]
            if list(pairs) != moved:
                write_json(_pairs_file(index), moved)
    if any(vote.document in renamed for vote in read_feedback_or_warn(index).votes):
        change_votes(
            index, lambda votes: [replace(vote, document=renamed.get(vote.document, vote.document)) for vote in votes]
        )


def _rename_pair(pair: Pair, renamed: Mapping[str, str]) -> Pair:
    one, other = sorted((renamed.get(pair.one, pair.one), renamed.get(pair.other, pair.other)))
    return replace(pair, one=one, other=other)


def _most_recent(reviews: Mapping[str, Review]) -> dict[str, Review]:
    documents = sorted(reviews, key=lambda document: (-reviews[document].last_review_ns, document))[:_MAX_REVIEWS]
    return {document: reviews[document] for document in sorted(documents)}


def _votes_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.feedback.json")


def _reviews_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.read.json")


def _pairs_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.together.json")
