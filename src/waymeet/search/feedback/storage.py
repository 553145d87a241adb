"""Small files beside the index that outlive it: what people said about answers, what they read when, and what together.

Each is written whole under another name and then renamed; who writes holds a lock, so that nobody's words are lost.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from waymeet.errors import UsageError
from waymeet.search.feedback.votes import Feedback, Pair, Vote, read_with
from waymeet.types import Document

_PATIENCE = 10.0
_MOST_READ = 5000
_MOST_VOTES = 5000
_MOST_PAIRS = 5000
_REMEMBERED = frozenset({"docs", "notes", "tasks", "skills"})
_AGAIN_NS = 600_000_000_000
"""How long after a reading another one is not worth writing down."""


def read_feedback(index: Path) -> Feedback:
    """Read what people said about answers."""
    file = _feedback(index)
    try:
        return Feedback(tuple(msgspec.json.decode(file.read_bytes(), type=list[Vote])))
    except FileNotFoundError:
        return Feedback()
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Move it away to start without feedback.") from error


def read_feedback_or_warn(index: Path) -> Feedback:
    """Read what people said and read, for an answer; if what they said is illegible, it goes on without and says so."""
    try:
        return replace(read_feedback(index), read_together=pairs(index))
    except UsageError as error:
        return Feedback(error=error.message)


def change_votes(index: Path, changed: Callable[[tuple[Vote, ...]], Iterable[Vote]]) -> tuple[Vote, ...]:
    """Change what is kept of what people said, and give what is kept then; of very many votes the last ones."""
    file = _feedback(index)
    try:
        with _locked(file, _PATIENCE):
            votes = tuple(changed(read_feedback(index).votes))[-_MOST_VOTES:]
            _write(file, votes)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error}.", "Nothing was changed; try again.") from error
    return votes


def last_read_times(index: Path) -> dict[str, int]:
    """Read when documents were last read or confirmed, in nanoseconds since 1970; nothing if that cannot be told."""
    try:
        return msgspec.json.decode(_read(index).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.MsgspecError):
        return {}  # a convenience: an entry then counts from its last change


def pairs(index: Path) -> tuple[Pair, ...]:
    """Read which documents were read together; nothing if that cannot be told."""
    try:
        return tuple(msgspec.json.decode(_together(index).read_bytes(), type=list[Pair]))
    except (OSError, msgspec.MsgspecError):
        return ()  # likewise


def record_read(index: Path, document: Document, now: int) -> bool:
    """Note that a document was read or confirmed, and together with which, if that can be done at once; says whether.

    Code and plain files are not remembered: they are read all the time, and nothing is made of it.
    """
    if document.kind not in _REMEMBERED or now - last_read_times(index).get(document.id, 0) < _AGAIN_NS:
        return False
    file = _read(index)
    try:
        with _locked(file, 0.0):
            moments = last_read_times(index)
            known = pairs(index)
            met = read_with(known, document.id, moments, now)
            _write(file, _latest({**moments, document.id: now}))
            if met != known:
                _write(_together(index), met[-_MOST_PAIRS:])
    except OSError:
        return False  # never worth failing for
    return True


def _latest(moments: Mapping[str, int]) -> dict[str, int]:
    kept = sorted(moments, key=lambda each: (-moments[each], each))[:_MOST_READ]
    return {each: moments[each] for each in sorted(kept)}


def _feedback(index: Path) -> Path:
    return index.with_name(f"{index.name}.feedback.json")


def _read(index: Path) -> Path:
    return index.with_name(f"{index.name}.read.json")


def _together(index: Path) -> Path:
    return index.with_name(f"{index.name}.together.json")


@contextmanager
def _locked(file: Path, patience: float) -> Iterator[None]:
    """Hold the right to write a file; somebody else's holding it too long is an OSError like any other."""
    from filelock import FileLock  # noqa: PLC0415 - every search reads these files, few write them

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock"), timeout=patience, mode=0o600):
        yield


def _write(file: Path, content: object) -> None:
    from tempfile import mkstemp  # noqa: PLC0415 - likewise

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
