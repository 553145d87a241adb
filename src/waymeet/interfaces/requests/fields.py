"""Types that the fields of several requests share, with what is said of them in schemas."""

from pathlib import Path, PurePath
from typing import Annotated, Literal

from msgspec import Meta


def relative_to_root(root: Path, path: str) -> str:
    """Read a path or an id as one below the root; what lies elsewhere stays as it is and is not found.

    >>> relative_to_root(Path("/project"), "/project/docs/a.md#L1-L2"), relative_to_root(Path("/a"), "./docs"), relative_to_root(Path("/a"), "b.md")
    ('docs/a.md#L1-L2', 'docs', 'b.md')
    """
    path = path.removeprefix("./")
    found = PurePath(path)
    if not found.is_absolute() or not found.is_relative_to(root):
        return path
    tail = "/" if path.endswith("/") else ""
    return found.relative_to(root).as_posix() + tail if found != root else "."


Kind = Literal["docs", "code", "notes", "tasks", "skills", "files", "folders"]
EntryKind = Literal["notes", "tasks", "skills"]
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
"""Most results of one question, over all of its pages."""
_LONGEST = 100_000
_MOST = 100
Question = Annotated[str, Meta(max_length=_LONGEST)]
Name = Annotated[str, Meta(max_length=4096)]
Names = Annotated[tuple[Name, ...], Meta(max_length=_MOST)]
Kinds = Annotated[
    tuple[Kind, ...],
    Meta(
        max_length=_MOST,
        description="Only these kinds of knowledge; several are alternatives. Empty for all but folders.",
    ),
]
Paths = Annotated[
    Names, Meta(description="Only below these folders or files, as paths below the project's root. Empty for all.")
]
Tags = Annotated[Names, Meta(description="Only documents with one of these tags.")]
LinkTypes = Annotated[
    Names,
    Meta(
        description="Follow only links of these types, such as references, mentions, imports, calls, extends, "
        "implements, embeds, source, contains, depends_on. Empty for all."
    ),
]
Limit = Annotated[int, Meta(ge=0, le=MOST_HITS, description="Most results; 0 for the project's setting (10).")]
Budget = Annotated[
    int,
    Meta(
        ge=0,
        le=10_000_000,
        description="Most tokens that the answer may cost, by a rough estimate; 0 for no bound. Texts are shortened "
        "before results are left out, and the answer says so in `cut`.",
    ),
]
Refresh = Annotated[
    bool, Meta(description="Look for changed files first, if that is quick. Off answers from the index as it is.")
]
Reference = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="What is meant: an id that search shows (`path#L10-L24`), a path, `path#heading`, `path#symbol`, a "
        "title, or a file name that only one file has.",
    ),
]
Version = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The version that this change builds on, as read or saved last. If somebody changed the entry "
        "since, nothing is written and both texts are shown.",
    ),
]
