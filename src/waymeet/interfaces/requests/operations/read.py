"""Reading a section or some lines of an indexed file."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.errors import ItemNotFoundError
from waymeet.interfaces.requests.fields import Budget, relative_to_root
from waymeet.project import Project
from waymeet.search.lookup.citation import Excerpt

_ENTRIES = frozenset({"notes", "tasks", "skills"})


class ReadRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A section by its id, or lines of an indexed file by its path."""

    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="What to read: an id that search shows (`path#L10-L24`), the path of an indexed file, "
            "`path#heading`, `path:10` from line 10 on, or `path:10:5` for five lines from there.",
        ),
    ]
    start: Annotated[
        int,
        Meta(ge=0, le=999_999_999, description="The first line to read, counted from 1; 0 for where the id points."),
    ] = 0
    lines: Annotated[
        int, Meta(ge=0, le=999_999_999, description="How many lines to read; 0 for all that the id means.")
    ] = 0
    budget: Budget = 0


class ReadAnswer(Excerpt, frozen=True, kw_only=True):
    """Some lines of a document with their text, and where to go on."""

    version: str = ""
    """Of a note, task or skill: the version that a change must name."""
    cut: tuple[str, ...] = ()
    """What was left out to keep the answer within its budget."""
    next_start: int = 0
    """The line to go on with; 0 if nothing was left out."""
    tokens: int = 0


def answer_read(project: Project, request: ReadRequest) -> ReadAnswer:
    """Read what a request names, as much of it as its budget allows."""
    found = project.read(relative_to_root(project.root, request.id), start=request.start, lines=request.lines)
    rows, kept = found.text.split("\n"), _affordable(found.text, request.budget)
    if kept >= len(rows):
        return _answered(project, found, tokens=estimate_tokens(found.text))
    end = found.start + kept - 1
    shown = replace(found, id=f"{found.document}#L{found.start}-L{end}", end=end, text="\n".join(rows[:kept]))
    left = f"lines {end + 1} to {found.end}: go on with `start` {end + 1}"
    return _answered(project, shown, cut=(left,), next_start=end + 1, tokens=estimate_tokens(shown.text))


def _affordable(text: str, budget: int) -> int:
    """Count the lines that a budget pays for, at least one."""
    spent, kept = 0, 0
    for row in text.split("\n"):
        spent += estimate_tokens(f"{row}\n")
        if budget and spent > budget and kept:
            break
        kept += 1
    return kept


def _answered(
    project: Project, shown: Excerpt, *, cut: tuple[str, ...] = (), next_start: int = 0, tokens: int
) -> ReadAnswer:
    fields = {name: getattr(shown, name) for name in Excerpt.__struct_fields__}
    version = ""
    if shown.kind in _ENTRIES:
        try:
            version = project.notebook.read(shown.document, shown.kind).version
        except ItemNotFoundError:  # a file of that kind which is not kept where entries are written
            version = ""
    return ReadAnswer(**fields, version=version, cut=cut, next_start=next_start, tokens=tokens)
