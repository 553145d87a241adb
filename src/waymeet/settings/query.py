"""The settings of how a question is read, of what people said about answers, and of their own recipes."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from waymeet.settings.constraints import Number, Part


class Understand(Struct, frozen=True, forbid_unknown_fields=True):
    """How a question is read."""

    fuzzy: bool = True
    """Whether words that nothing indexed contains are taken for slips of words that something does."""
    repaired: Part = 1.0
    """Weight of a word that was put in the place of a misspelt one."""
    expand_acronyms: bool = True
    """Whether acronyms are also looked for by what they stand for, and the other way round."""
    acronym: Part = 0.5
    """Weight of what an acronym adds, divided among the words that it adds."""
    acronyms: Mapping[str, str] = {}
    """Acronyms and what they stand for, beside those that the indexed texts explain."""


class Feedback(Struct, frozen=True, forbid_unknown_fields=True):
    """How far feedback on a question (`waymeet feedback`) moves answers to like ones."""

    max_bonus: Part = 0.15
    """The largest bonus or penalty, as a part of the best score."""
    min_similarity: Part = 0.6
    """From which part of common words on two questions count as alike."""
    saturation_votes: Number = 3
    """Votes, counted by likeness, that give three quarters of the most there is to give."""


class CustomRecipe(Struct, frozen=True, forbid_unknown_fields=True):
    """A ranking that a user wrote down."""

    base: str = ""
    """The recipe whose stages, numbers and modes it starts from."""
    stages: tuple[str, ...] = ()
    """Its stages in order, in place of the base's."""
    description: str = ""
    """What `waymeet recipes` says about it."""
    modes: tuple[str, ...] = ()
    """The names of modes that `--mode` may choose from."""
    settings: Mapping[str, Any] = {}
    """The numbers in which it differs from the defaults, or from its base."""
