"""Store feedback in JSON files beside the index, which survive a rebuild of it.

There is one file each for votes, for the time when documents were last read, and for documents read together. A file
is written under a temporary name and renamed, while a lock keeps other writers out, so that no vote is lost.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from waymeet.errors import UsageError
from waymeet.search.feedback.votes import Feedback, Pair, Vote, add_read_pairs
from waymeet.types import Document

_LOCK_SECONDS = 10.0
_MAX_READ_TIMES = 5000
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
        with _lock_file(file, _LOCK_SECONDS):
            votes = tuple(change(read_feedback(index).votes))[-_MAX_VOTES:]
            _write(file, votes)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error}.", "No vote was changed. Try again.") from error
    return votes


def last_read_times(index: Path) -> dict[str, int]:
    """Read when documents were last read or confirmed, in nanoseconds since 1970."""
    try:
        return msgspec.json.decode(_read_times_file(index).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.MsgspecError):
        return {}  # optional data: recency then counts from the last change of a document


def read_pairs(index: Path) -> tuple[Pair, ...]:
    """Read which documents were read together."""
    try:
        return tuple(msgspec.json.decode(_pairs_file(index).read_bytes(), type=list[Pair]))
    except (OSError, msgspec.MsgspecError):
        return ()  # optional data, too


def record_read(index: Path, document: Document, now: int) -> bool:
    """Record that a document was read or confirmed, and return whether it was recorded.

    Nothing is recorded for code and plain files, shortly after the last reading, and while another process writes.
    """
    if document.kind not in _RECORDED_KINDS or now - last_read_times(index).get(document.id, 0) < _REREAD_NS:
        return False
    file = _read_times_file(index)
    try:
        with _lock_file(file, 0.0):
            read_times = last_read_times(index)
            earlier = read_pairs(index)
            pairs = add_read_pairs(earlier, document.id, read_times, now)
            _write(file, _most_recent({**read_times, document.id: now}))
            if pairs != earlier:
                _write(_pairs_file(index), pairs[-_MAX_PAIRS:])
    except OSError:
        return False  # reading a document must not fail because of this record
    return True


def _most_recent(read_times: Mapping[str, int]) -> dict[str, int]:
    documents = sorted(read_times, key=lambda document: (-read_times[document], document))[:_MAX_READ_TIMES]
    return {document: read_times[document] for document in sorted(documents)}


def _votes_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.feedback.json")


def _read_times_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.read.json")


def _pairs_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.together.json")


@contextmanager
def _lock_file(file: Path, timeout: float) -> Iterator[None]:
    """Lock a file for writing. A timeout is an OSError."""
    from filelock import FileLock  # noqa: PLC0415 - every search reads these files, few write them

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock"), timeout=timeout, mode=0o600):
        yield


def _write(file: Path, content: object) -> None:
    from tempfile import mkstemp  # noqa: PLC0415 - only writers need it

    handle, name = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as draft:
            draft.write(msgspec.json.encode(content, order="deterministic"))
            draft.flush()
            os.fsync(draft.fileno())
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
