"""Staleness of a document, by its change date and those of the files it refers to.

- *stale*: a source that the document names changed after it, or does not exist.
- *possibly stale*: only code that the document mentions changed after it, or lacks the symbol it mentions, or no code
  defines a name any more that it mentions; or a source
  was renamed without a change more than `threshold_days` ago, and the document still has the old path.
- *fresh*: the document refers to something, and nothing of that changed after it.
- *unknown*: the document refers to nothing.

If a document names only a symbol of a file, only changes of that symbol count.
"""

from collections.abc import Sequence
from time import gmtime, strftime
from typing import Literal

from msgspec import Struct

State = Literal["fresh", "possibly_stale", "stale", "unknown"]
DateSource = Literal["commit", "edit", "file"]

WORST_FIRST: tuple[State, ...] = ("stale", "possibly_stale", "unknown", "fresh")
NO_REFERENCES = "names no source and mentions no code"
"""Reason for the state of a document that refers to nothing."""
_SECOND = 1_000_000_000
_DAY = 86_400 * _SECOND
_UNITS = (("day", _DAY), ("hour", 3600 * _SECOND), ("minute", 60 * _SECOND), ("second", _SECOND))
_COPY_TOLERANCE = 60 * _SECOND
"""Smaller differences between two file times are ignored: the files may have been copied one after the other."""
_MAX_NAMED = 3
"""Number of causes that a reason names in addition to the first."""


class ChangeTime(Struct, frozen=True, array_like=True):
    """Time at which a file or symbol got its present content."""

    time_ns: int
    """Nanoseconds since 1970."""
    source: DateSource = "file"
    """Origin of the time: a commit, an edit noticed while indexing, or the file's own time (it may be a copy)."""


class ReferenceState(Struct, frozen=True):
    """State of a file or symbol that a document refers to."""

    path: str
    changed: ChangeTime | None
    """Time of the last change; None if it does not exist."""
    is_mention: bool = False
    """Whether the document only mentions it and does not name it as a source."""
    moved_to: str = ""
    """Path that has the same content now, if the path itself does not exist any more."""
    gone: ChangeTime | None = None
    """Time at which it was removed or renamed, if known."""
    symbol: str = ""
    """The symbol of the file that is referred to; empty for the whole file."""
    is_name: bool = False
    """Whether the document mentions the symbol by name alone, which the code no longer defines."""
    removed_by: str = ""
    """Commit that removed the symbol, if known."""
    similar: str = ""
    """A symbol that may replace it."""

    @property
    def name(self) -> str:
        """`path#symbol`, or the path alone."""
        return f"{self.path}#{self.symbol}" if self.symbol else self.path


class Cause(Struct, frozen=True):
    """One reference that makes a document stale or possibly stale."""

    path: str
    state: State
    reason: str


class Verdict(Struct, frozen=True):
    """Staleness of a document, with the reason."""

    state: State
    reason: str
    causes: tuple[Cause, ...] = ()


def judge_staleness(own: ChangeTime, references: Sequence[ReferenceState], now: int, threshold_days: float) -> Verdict:
    """Judge a document by its own change time and by the state of its references.

    >>> day = 86_400 * 10**9
    >>> judge_staleness(ChangeTime(2 * day), [ReferenceState("src/auth.py", ChangeTime(9 * day))], 9 * day, 7).reason
    'out of date with src/auth.py, which changed 7 days later (1970-01-10)'
    """
    if not references:
        return Verdict("unknown", NO_REFERENCES)
    # What does not exist any more comes first, because a change may be harmless.
    missing_first = sorted(references, key=lambda each: (each.changed is not None, each.name))
    causes = [cause for each in missing_first if (cause := _find_cause(own, each, now, threshold_days))]
    causes.sort(key=lambda cause: WORST_FIRST.index(cause.state))
    worst = causes[0].state if causes else "fresh"
    if worst == "fresh":
        renamed = "; ".join(cause.reason for cause in causes[:_MAX_NAMED])
        return Verdict("fresh", renamed or _explain_fresh(own, len({each.path for each in references})))
    first, *others = [cause for cause in causes if cause.state == worst]
    more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
    also = f"; also {', '.join(cause.path for cause in others[:_MAX_NAMED])}{more}" if others else ""
    return Verdict(worst, first.reason + also, tuple(cause for cause in causes if cause.state != "fresh"))


def is_after(later: ChangeTime, earlier: ChangeTime) -> bool:
    """Decide whether one change came after another, as far as their sources allow.

    Commits and noticed edits are compared exactly. Two file times are not: in a copy or a checkout they only show the
    order of copying.

    >>> (is_after(ChangeTime(10**9, "edit"), ChangeTime(0)), is_after(ChangeTime(10**9), ChangeTime(0)),
    ...  is_after(ChangeTime(10**12), ChangeTime(0)))
    (True, False, True)
    """
    tolerance = _COPY_TOLERANCE if later.source == earlier.source == "file" else 0
    return later.time_ns - earlier.time_ns > tolerance


def _find_cause(own: ChangeTime, reference: ReferenceState, now: int, threshold_days: float) -> Cause | None:
    """Return the cause of staleness that a reference gives, if any."""
    state: State = "possibly_stale" if reference.is_mention else "stale"
    if reference.changed is None and (reference.symbol or not reference.moved_to):
        return Cause(reference.name, state, _explain_missing(reference))
    if reference.changed is not None and is_after(reference.changed, own):
        return Cause(reference.name, state, _explain_change(own, reference, reference.changed))
    if reference.moved_to:
        renamed_ns = reference.gone.time_ns if reference.gone else now
        is_overdue = now - renamed_ns > threshold_days * _DAY
        reason = f"{_name_role(reference, reference.path)} was renamed to {reference.moved_to} on {_day(renamed_ns)}"
        return Cause(reference.path, "possibly_stale" if is_overdue else "fresh", reason)
    return None


def _name_role(reference: ReferenceState, name: str) -> str:
    return f"{name}, which it mentions," if reference.is_mention else f"its source {name}"


def _explain_missing(reference: ReferenceState) -> str:
    if reference.is_name:
        return _explain_gone_name(reference)
    if reference.gone and not reference.symbol:
        return f"{_name_role(reference, reference.name)} has been missing since {_day(reference.gone.time_ns)}"
    return f"{_name_role(reference, reference.name)} does not exist"


def _explain_gone_name(reference: ReferenceState) -> str:
    """Describe a name that the code no longer defines, with the evidence.

    >>> state = ReferenceState("src/a.py", None, is_name=True, symbol="get_attribute", gone=ChangeTime(0, "commit"),
    ...                        removed_by="0a1b2c3d4e", similar="get_attr")
    >>> _explain_gone_name(state)
    'mentions get_attribute, which src/a.py had until 1970-01-01 (commit 0a1b2c3d4e); similar name now: get_attr'
    """
    commit = f" (commit {reference.removed_by})" if reference.removed_by else ""
    until = f" until {_day(reference.gone.time_ns)}" if reference.gone else " before"
    now = f"similar name now: {reference.similar}" if reference.similar else "no code defines it now"
    return f"mentions {reference.symbol}, which {reference.path} had{until}{commit}; {now}"


def _explain_change(own: ChangeTime, reference: ReferenceState, changed: ChangeTime) -> str:
    name = f"{reference.name} (now {reference.moved_to})" if reference.moved_to else reference.name
    later = f"changed {_write_duration(changed.time_ns - own.time_ns)} later ({_day(changed.time_ns)})"
    if reference.is_mention:
        return f"may be out of date with {name}, which it mentions and which {later}"
    return f"out of date with {name}, which {later}"


def _explain_fresh(own: ChangeTime, files: int) -> str:
    what = "the file it refers to has not" if files == 1 else f"none of the {files} files it refers to has"
    return f"up to date: {what} changed since {_day(own.time_ns)}"


def _write_duration(nanoseconds: int) -> str:
    """Write a duration in its largest whole unit.

    >>> _write_duration(3 * _DAY + 5), _write_duration(90 * 60 * _SECOND), _write_duration(1)
    ('3 days', '1 hour', 'less than a second')
    """
    for unit, length in _UNITS:
        if nanoseconds >= length:
            number = nanoseconds // length
            return f"{number} {unit}{'s' * (number != 1)}"
    return "less than a second"


def _day(time_ns: int) -> str:
    """Write the day of a time, or its seconds if it lies outside of the calendar."""
    try:
        return strftime("%Y-%m-%d", gmtime(time_ns // _SECOND))
    except (ValueError, OverflowError, OSError):
        return f"second {time_ns // _SECOND}"
