"""Whether a document still tells the truth about what it describes, judged by when each last changed.

- *stale*: a source it names changed after it, or is not there (any more).
- *possibly stale*: only code that it mentions changed after it, or has not the symbol it mentions; or a source moved on
  without changing, that is, has another path now, and for `threshold_days` nobody has corrected the document.
- *fresh*: it refers to something, and nothing of that changed after it.
- *unknown*: it refers to nothing.

Of a file of which only a symbol is named, only that symbol counts.
"""

from collections.abc import Sequence
from time import gmtime, strftime
from typing import Literal

from msgspec import Struct

State = Literal["fresh", "possibly_stale", "stale", "unknown"]
Known = Literal["commit", "edit", "file"]

WORST_FIRST: tuple[State, ...] = ("stale", "possibly_stale", "unknown", "fresh")
_SECOND = 1_000_000_000
_DAY = 86_400 * _SECOND
_COPYING = 60 * _SECOND
"""File times that lie no further apart say nothing: the files may have been copied one after the other."""
_NAMED = 3
"""Causes that a reason names beside the first."""


class ChangeTime(Struct, frozen=True, array_like=True):
    """When something got the content it has."""

    time_ns: int
    """In nanoseconds."""
    source: Known = "file"
    """From what: the commit that made it so, an edit that was noticed, or the time of a file that may be a copy."""


class ReferenceState(Struct, frozen=True):
    """Something that a document refers to."""

    path: str
    changed: ChangeTime | None
    """When it last changed; None if it is not there."""
    is_mention: bool = False
    """Whether the document only mentions it, rather than naming it as its source."""
    moved_to: str = ""
    """Where something of the same content is now, if it is not there any more."""
    gone: ChangeTime | None = None
    """When it vanished or moved, if anybody knows."""
    symbol: str = ""
    """What is meant in the file, if not all of it."""

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.path}#{self.symbol}" if self.symbol else self.path


class Cause(Struct, frozen=True):
    """One thing that makes a document stale or possibly stale."""

    path: str
    state: State
    reason: str


class Verdict(Struct, frozen=True):
    """How a document stands to what it refers to, and why."""

    state: State
    reason: str
    causes: tuple[Cause, ...] = ()


def judge_staleness(own: ChangeTime, referred: Sequence[ReferenceState], now: int, threshold_days: float) -> Verdict:
    """Judge a document that was last changed at a moment by what it refers to.

    >>> day = 86_400 * 10**9
    >>> judge_staleness(ChangeTime(2 * day), [ReferenceState("src/auth.py", ChangeTime(9 * day))], 9 * day, 7).reason
    'src/auth.py changed on 1970-01-10, after this page (1970-01-03)'
    """
    if not referred:
        return Verdict("unknown", "it names no source and mentions no code")
    found = [cause for each in referred if (cause := _cause(own, each, now, threshold_days))]
    causes = tuple(sorted(found, key=lambda each: (WORST_FIRST.index(each.state), each.path)))
    worst = causes[0].state if causes else "fresh"
    if worst == "fresh":
        moved = "; ".join(cause.reason for cause in causes[:_NAMED])
        number = len({each.path for each in referred})
        what = "what it refers to is" if number == 1 else f"none of the {number} files it refers to is"
        return Verdict("fresh", moved or f"{what} {'not ' * (number == 1)}newer than this page ({_day(own.time_ns)})")
    guilty = tuple(cause for cause in causes if cause.state != "fresh")
    first, *others = [cause for cause in guilty if cause.state == worst]
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    also = f"; also {', '.join(cause.path for cause in others[:_NAMED])}{more}" if others else ""
    return Verdict(worst, first.reason + also, guilty)


def is_after(later: ChangeTime, earlier: ChangeTime) -> bool:
    """Tell whether something changed after something else, as far as the evidence goes.

    Commits and noticed edits are compared to the moment. Two mere file times are not: in a copy or a checkout they tell
    the order of copying.

    >>> is_after(ChangeTime(10**9, "edit"), ChangeTime(0)), is_after(ChangeTime(10**9), ChangeTime(0)), is_after(ChangeTime(10**12), ChangeTime(0))
    (True, False, True)
    """
    least = _COPYING if later.source == earlier.source == "file" else 0
    return later.time_ns - earlier.time_ns > least


def _cause(own: ChangeTime, each: ReferenceState, now: int, threshold_days: float) -> Cause | None:
    """Say how something that a document refers to tells against it, if it does."""
    guilty: State = "possibly_stale" if each.is_mention else "stale"
    if each.changed is None and (each.symbol or not each.moved_to):
        when = " any more" if each.symbol else f" since {_day(each.gone.time_ns)}" if each.gone else ""
        what = ", mentioned here," if each.is_mention else ""
        return Cause(each.name, guilty, f"{each.name}{what} is not there{when}")
    if each.changed is not None and is_after(each.changed, own):
        called = f"{each.name}, now {each.moved_to}," if each.moved_to else each.name
        changed, written = _days(each.changed.time_ns, own.time_ns)
        what = "mentioned here, changed" if each.is_mention else "changed"
        return Cause(each.name, guilty, f"{called} {what} on {changed}, after this page ({written})")
    if each.moved_to:
        since = each.gone.time_ns if each.gone else now
        late = now - since > threshold_days * _DAY
        said = f"{each.path} is called {each.moved_to} since {_day(since)}"
        return Cause(each.path, "possibly_stale" if late else "fresh", said)
    return None


def _days(one: int, other: int) -> tuple[str, str]:
    """Write two moments so that they can be told apart: by day, else with the time of day."""
    if _day(one) != _day(other):
        return _day(one), _day(other)
    form = "%Y-%m-%d %H:%M:%S UTC"
    return _written(one, form), _written(other, form)


def _day(at: int) -> str:
    return _written(at, "%Y-%m-%d")


def _written(at: int, form: str) -> str:
    """Write a moment; a time that no calendar has is written as seconds."""
    try:
        return strftime(form, gmtime(at // _SECOND))
    except (ValueError, OverflowError, OSError):
        return f"second {at // _SECOND}"
