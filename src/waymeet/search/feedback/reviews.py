"""Reviews of documents: readings and confirmations, as spaced repetition counts them (FSRS).

An entry starts with the stability of its half-life at the date of its last change. Each review changes stability and
difficulty by the formulas of FSRS 6 (Ye, 2022, "A Stochastic Shortest Path Algorithm for Optimizing Spaced Repetition
Scheduling"), as the package `fsrs` has them. FSRS is made for people who learn by heart, and a review after a long time
may multiply the stability by 30. Here a text was only opened, so the growth of one review is limited.
"""

from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from waymeet.formulas.memory import retrievability, stability_of
from waymeet.search.feedback.half_life import HALF_LIVES, HalfLife

if TYPE_CHECKING:
    from datetime import datetime

    from fsrs import Scheduler

DAY_NS = 86_400_000_000_000
_MAX_GROWTH_READ = 2.0
_MAX_GROWTH_CONFIRMED = 4.0
"""Maximum factor of the stability in one review."""
_DECAY = 0.5
"""Exponent of the forgetting curve, that of `formulas.memory.retrievability`."""
_LONGEST = max(days for days in HALF_LIVES.values() if days)


class Review(Struct, frozen=True, omit_defaults=True):
    """The state of spaced repetition of one document."""

    last_review_ns: int
    """Time of the last reading or confirmation, in nanoseconds since 1970."""
    reviews: int = 1
    """Number of readings and confirmations."""
    confirmations: int = 0
    stability: float = 0.0
    """Days until retrievability falls to 0.9; 0 if an earlier version recorded only the time."""
    difficulty: float = 0.0
    """From 1 (easy) to 10; 0 if unknown."""
    half_life_days: float = 0.0
    """The half-life that the first stability was computed from."""
    confirmed_ns: int = 0
    """Time of the last confirmation; 0 if there was none."""

    def stability_for(self, half_life: float) -> float:
        """Return the stability for the present half-life, which may have changed since the review.

        >>> Review(0, stability=9.0, half_life_days=60.0).stability_for(30.0)
        4.5
        """
        if not self.stability or not self.half_life_days:
            return stability_of(half_life)
        return self.stability * half_life / self.half_life_days


class Recency(Struct, frozen=True):
    """The retrievability of a document, with its inputs."""

    value: float
    days: float
    """Days since the last change or review."""
    is_since_review: bool
    stability: float | None
    """In days; None if the document never decays."""


def compute_recency(
    half_life: HalfLife, changed_ns: int, review: Review | None, now: int, *, spaced_repetition: bool = True
) -> Recency | None:
    """Compute the retrievability since the last change or review, or None without a date.

    Without spaced repetition, reviews renew the date but do not change the stability.

    >>> recency = compute_recency(HalfLife("episodic", 7.0), 1, None, 7 * DAY_NS + 1)
    >>> round(recency.value, 4), recency.days
    (0.5, 7.0)
    """
    last_review = review.last_review_ns if review else 0
    last_used = max(changed_ns, last_review)
    if not last_used:
        return None
    days = max(now - last_used, 0) / DAY_NS
    stability = None
    if half_life.days is not None:
        is_grown = review is not None and spaced_repetition
        stability = review.stability_for(half_life.days) if review and is_grown else stability_of(half_life.days)
    return Recency(retrievability(days, stability), days, last_review == last_used, stability)


def add_review(before: Review | None, half_life: HalfLife, changed_ns: int, now: int, *, confirmed: bool) -> Review:
    """Compute the state after a reading or a confirmation.

    A reading is rated Good, a confirmation Easy. A second confirmation within a day only renews the time.
    """
    days = half_life.days or _LONGEST  # an entry that never decays has a state, too, in case that changes
    stability = before.stability_for(days) if before else stability_of(days)
    difficulty = before.difficulty if before and before.difficulty else _first_difficulty()
    since = max(before.last_review_ns if before else 0, changed_ns) or now
    is_repeated = confirmed and before is not None and 0 <= now - before.confirmed_ns < DAY_NS
    if not is_repeated:
        grown, difficulty = _review(stability, difficulty, min(since, now), now, confirmed=confirmed)
        stability = min(grown, stability * (_MAX_GROWTH_CONFIRMED if confirmed else _MAX_GROWTH_READ))
    return Review(
        last_review_ns=now,
        reviews=(before.reviews if before else 0) + (not is_repeated),
        confirmations=(before.confirmations if before else 0) + (confirmed and not is_repeated),
        stability=round(stability, 6),
        difficulty=round(difficulty, 6),
        half_life_days=days,
        confirmed_ns=now if confirmed and not is_repeated else before.confirmed_ns if before else 0,
    )


def _review(stability: float, difficulty: float, since: int, now: int, *, confirmed: bool) -> tuple[float, float]:
    """Compute stability and difficulty after a review by FSRS."""
    from fsrs import Card, Rating, State  # noqa: PLC0415 - only recording a review needs it

    last = _to_datetime(since)
    card = Card(card_id=1, state=State.Review, stability=stability, difficulty=difficulty, due=last, last_review=last)
    reviewed, _ = _scheduler().review_card(card, Rating.Easy if confirmed else Rating.Good, _to_datetime(now))
    return reviewed.stability or stability, reviewed.difficulty or difficulty


def _first_difficulty() -> float:
    from fsrs import Card, Rating  # noqa: PLC0415 - only recording a review needs it

    reviewed, _ = _scheduler().review_card(Card(card_id=1), Rating.Good, _to_datetime(0))
    return reviewed.difficulty or 1.0


@cache
def _scheduler() -> "Scheduler":
    from fsrs import Scheduler  # noqa: PLC0415 - only recording a review needs it

    standard = Scheduler()
    parameters = (*standard.parameters[:-1], _DECAY)
    return Scheduler(parameters, learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def _to_datetime(time_ns: int) -> "datetime":
    from datetime import UTC, datetime  # noqa: PLC0415 - every search imports this module

    return datetime.fromtimestamp(time_ns / 1e9, UTC)
