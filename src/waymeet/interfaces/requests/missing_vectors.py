"""Answers that not all vectors took part in: which they are, and having the rest made for the next one."""

from waymeet.errors import WaymeetError
from waymeet.project import Project

UNFINISHED = frozenset({"no_vectors", "partial_vectors", "model_change"})
"""What an answer is called that not all vectors took part in."""


def unfinished(answer: object) -> bool:
    """Tell whether an answer lacked vectors.

    >>> unfinished("anything else")
    False
    """
    return any(each.code in UNFINISHED for each in getattr(answer, "degraded", ()))


def embed_missing(project: Project, answer: object) -> None:
    """After an answer that lacked vectors, have them made for the next one."""
    if not unfinished(answer):
        return
    try:
        project.embed_in_background()
    except WaymeetError:  # the answer is there, and says what it lacks
        return
