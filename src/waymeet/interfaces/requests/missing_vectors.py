"""Detect answers that lack vectors or changed files, and add these in the background."""

from typing import TYPE_CHECKING

from waymeet.errors import WaymeetError
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.project.embedding.background import BackgroundStart

MISSING_VECTORS = frozenset({"no_vectors", "partial_vectors", "model_change"})
"""Codes of `degraded` that say that sections have no vector."""
_MISSING_FILES = frozenset({"behind", "not_checked"})
"""Codes of `degraded` that say that changed files are missing, or may be."""


def lacks_vectors(answer: object) -> bool:
    """Tell whether vectors were missing when an answer was computed.

    >>> lacks_vectors("anything else")
    False
    """
    return any(each.code in MISSING_VECTORS for each in getattr(answer, "degraded", ()))


def add_missing(project: Project, answer: object) -> "BackgroundStart | None":
    """Start to add missing vectors and files in the background if an answer lacked some."""
    codes = {each.code for each in getattr(answer, "degraded", ())}
    if codes.isdisjoint(MISSING_VECTORS | _MISSING_FILES):
        return None
    try:
        return project.start_background()
    except WaymeetError:  # the answer is complete and lists in `degraded` what is missing
        return None


def describe_start(project: Project, start: "BackgroundStart") -> str:
    """Describe a background job that was started or queued, and how to stop and forbid it."""
    turn = "after another project's" if start.is_queued else "now"
    work = f"Semantic search of {project.root} is being refined in the background"
    work += f": {start.embedded:,} of {start.sections:,} sections."
    if start.embedded == start.sections:
        work = f"Changed files of {project.root} are being indexed in the background."
    return (
        f"{work} One process at low priority does the rest {turn}, then ends. "
        "Progress: waymeet jobs. Stop: waymeet jobs --stop. Never again: --no-background, or "
        "background = false below [embedding] in your settings file (waymeet settings shows its path)."
    )
