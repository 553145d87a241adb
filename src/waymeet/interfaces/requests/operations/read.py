"""The read operation: read a section or lines of an indexed file."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.errors import ItemNotFoundError
from waymeet.interfaces.requests.fields import Budget, relative_to_root
from waymeet.project import Project
from waymeet.project.registered.registry import add_project_name, split_project_name
from waymeet.search.lookup.citation import Excerpt

_ITEM_KINDS = frozenset({"notes", "tasks", "skills"})


class ReadRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Read a section by its id, or lines of an indexed file by its path."""

    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="What to read: an id from search (`path#L10-L24`), the path of an indexed file, "
            "`path#heading`, `path:10` from line 10 on, or `path:10:5` for five lines from line 10. In another project "
            "of the user: `tea::path`, with its name.",
        ),
    ]
    start: Annotated[
        int,
        Meta(ge=0, le=999_999_999, description="The first line to read, counted from 1; 0 for where the id points."),
    ] = 0
    lines: Annotated[
        int, Meta(ge=0, le=999_999_999, description="Number of lines to read; 0 for all that the id covers.")
    ] = 0
    budget: Budget = 0


class ReadAnswer(Excerpt, frozen=True, kw_only=True):
    """Lines of a document."""

    version: str = ""
    """Of a note, task or skill: the version that a change must name."""
    cut: tuple[str, ...] = ()
    """Descriptions of what was left out to fit the budget."""
    next_start: int = 0
    """The first line that was left out; 0 if none was."""
    tokens: int = 0


def answer_read(project: Project, request: ReadRequest) -> ReadAnswer:
    """Read the lines that a request names, as many as its budget allows."""
    name, rest = split_project_name(request.id)
    entry = project.others.find(name) if name and project.others else None
    if entry is not None and project.others is not None:
        answer = answer_read(project.others.open(entry), replace(request, id=rest))
        named_id, named_document = (add_project_name(entry.name, each) for each in (answer.id, answer.document))
        return replace(answer, id=named_id, document=named_document)
    excerpt = project.read(relative_to_root(project.root, request.id), start=request.start, lines=request.lines)
    rows, count = excerpt.text.split("\n"), _count_affordable_lines(excerpt.text, request.budget)
    if count >= len(rows):
        return _to_answer(project, excerpt, tokens=estimate_tokens(excerpt.text))
    end = excerpt.start + count - 1
    id_ = f"{excerpt.document}#L{excerpt.start}-L{end}"
    shown = replace(excerpt, id=id_, end=end, text="\n".join(rows[:count]))
    cut = f"lines {end + 1} to {excerpt.end}: continue with `start` {end + 1}"
    return _to_answer(project, shown, cut=(cut,), next_start=end + 1, tokens=estimate_tokens(shown.text))


def _count_affordable_lines(text: str, budget: int) -> int:
    """Count the lines within the budget, at least one."""
    spent, count = 0, 0
    for row in text.split("\n"):
        spent += estimate_tokens(f"{row}\n")
        if budget and spent > budget and count:
            break
        count += 1
    return count


def _to_answer(
    project: Project, excerpt: Excerpt, *, cut: tuple[str, ...] = (), next_start: int = 0, tokens: int
) -> ReadAnswer:
    fields = {name: getattr(excerpt, name) for name in Excerpt.__struct_fields__}
    version = ""
    if excerpt.kind in _ITEM_KINDS:
        try:
            version = project.notebook.load(excerpt.document, excerpt.kind).version
        except ItemNotFoundError:  # a file of that kind outside the notebook's folders
            version = ""
    return ReadAnswer(**fields, version=version, cut=cut, next_start=next_start, tokens=tokens)
