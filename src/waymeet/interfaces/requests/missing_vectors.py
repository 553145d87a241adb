"""Detect answers that lack vectors, and embed the missing ones in the background."""

from waymeet.errors import WaymeetError
from waymeet.project import Project

MISSING_VECTORS = frozenset({"no_vectors", "partial_vectors", "model_change"})
"""Codes of `degraded` that say that sections have no vector."""


def lacks_vectors(answer: object) -> bool:
    """Tell whether vectors were missing when an answer was computed.

    >>> lacks_vectors("anything else")
    False
    """
    return any(each.code in MISSING_VECTORS for each in getattr(answer, "degraded", ()))


def embed_missing(project: Project, answer: object) -> None:
    """Start to embed missing vectors in the background if an answer lacked some."""
    if not lacks_vectors(answer):
        return
    try:
        project.embed_in_background()
    except WaymeetError:  # the answer is complete and lists the missing vectors in `degraded`
        return
