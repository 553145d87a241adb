"""Field types that several requests share, with their descriptions in the schemas."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from waymeet import paths
from waymeet.interfaces.masked_paths import unmask_path


def relative_to_root(root: Path, path: str) -> str:
    """Make a path or id relative to the root, and find the file of a masked one."""
    return paths.relative_to_root(root, unmask_path(root, path.removeprefix("./")))


Kind = Literal["docs", "code", "notes", "tasks", "skills", "files", "folders"]
ItemKind = Literal["notes", "tasks", "skills"]
Intent = Literal["", "add_feature", "fix_bug", "refactor", "security_audit", "find_spec", "find_decision", "understand"]
Relation = Literal[
    "subtask_of",
    "blocks",
    "related_to",
    "belongs_to",
    "depends_on",
    "variant_of",
    "references",
    "implements",
    "extends",
    "conflicts_with",
    "supersedes",
    "caused",
    "enabled",
    "supports",
    "derived_from",
    "contradicts",
]
Status = Literal["backlog", "todo", "in_progress", "review", "done", "cancelled"]
Priority = Literal["low", "medium", "high", "critical"]

MOST_HITS = 1000
"""Maximum results of one query, over all pages."""
_MAX_CHARS = 100_000
_MAX_ITEMS = 100
QueryText = Annotated[str, Meta(max_length=_MAX_CHARS)]
Name = Annotated[str, Meta(max_length=4096)]
Names = Annotated[tuple[Name, ...], Meta(max_length=_MAX_ITEMS)]
Kinds = Annotated[
    tuple[Kind, ...],
    Meta(max_length=_MAX_ITEMS, description="Only documents of one of these kinds. Empty for all but folders."),
]
Paths = Annotated[
    Names, Meta(description="Only these files, or files in these folders; paths relative to the root. Empty for all.")
]
Tags = Annotated[Names, Meta(description="Only documents with one of these tags.")]
LinkTypes = Annotated[
    Names,
    Meta(
        description="Follow only links of these types, such as references, mentions, imports, calls, extends, "
        "implements, embeds, source, contains, depends_on. Empty for all."
    ),
]
Limit = Annotated[int, Meta(ge=0, le=MOST_HITS, description="Maximum results; 0 for the project's setting (10).")]
Budget = Annotated[
    int,
    Meta(
        ge=0,
        le=10_000_000,
        description="Maximum tokens of the answer, estimated; 0 for no limit. Texts are shortened before results are "
        "dropped; `cut` lists what was left out.",
    ),
]
Refresh = Annotated[
    bool, Meta(description="Index changed files first, if there are few. If false, search the index as it is.")
]
Reference = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="A document, section or symbol: an id from search (`path#L10-L24`), a path, `path#heading`, "
        "`path#symbol`, a title, or a unique file name.",
    ),
]
Version = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The version that the change is based on, from the last read or save. If the item has changed "
        "since, nothing is written and both texts are returned.",
    ),
]
