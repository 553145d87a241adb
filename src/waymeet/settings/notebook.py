"""Settings of notes, tasks and skills, and of staleness."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Part, Weight


class NotebookSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Notes, tasks and skills, stored as Markdown files."""

    notes: str = ".waymeet/notes"
    """Folder of notes, relative to the project's root."""
    tasks: str = ".waymeet/tasks"
    """Folder of tasks."""
    skills: str = ".waymeet/skills"
    """Folder of skills. Files named SKILL.md are skills in any folder."""
    max_bytes: Number = 500_000
    """Maximum size of a note, task or skill."""
    history: Count = 20
    """Number of past versions kept of each item, next to the index."""
    same: Part = 0.95
    """Similarity (of vectors or terms) from which two notes count as duplicates."""
    update_similarity: Part = 0.85
    """Similarity from which one note should probably update or supersede the other."""
    related_similarity: Part = 0.70
    """Similarity from which notes are reported as related."""
    max_compared: Number = 20
    """Maximum number of items that a saved note is compared with, the most similar first."""


class Staleness(Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions under which a document is stale."""

    threshold_days: Weight = 7.0
    """Days for which a document stays fresh after a source it names was only moved."""
    git_seconds: Annotated[float, Meta(ge=0.1, le=3600.0)] = 10.0
    """Time limit for reading change dates from git; after that, file dates are used."""
