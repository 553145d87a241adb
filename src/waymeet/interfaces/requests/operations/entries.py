"""Writing, changing, relating and removing notes, tasks and skills."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from waymeet.interfaces.requests.fields import EntryKind, Names, Priority, Relation, Status, Version, relative_to_root
from waymeet.interfaces.requests.operations.search import pair
from waymeet.notebook import Item, Notebook, RemovedItem, SavedItem, skill_steps
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.similar import Contradiction, SimilarItem
from waymeet.project import Project

_KIND = "Notes say what is so, tasks what is to be done, skills how something is done."
Which = Annotated[
    str, Meta(min_length=1, max_length=4096, description="The note, task or skill: its path, its name or its title.")
]
OfKind = Annotated[
    EntryKind | UnsetType, Meta(description="Its kind, if the name alone does not tell. Usually not needed.")
]
Title = Annotated[str, Meta(min_length=1, max_length=1000, description="One line that says what it is about.")]
Text = Annotated[str, Meta(max_length=2_000_000, description="The text, in Markdown, without the title.")]
Tagged = Annotated[Names, Meta(description="Its tags.")]
Due = Annotated[str, Meta(max_length=40, description="Of a task: the day it is due, as 2026-12-31.")]
Assignee = Annotated[str, Meta(max_length=1000, description="Of a task: who does it.")]
Description = Annotated[str, Meta(max_length=2000, description="Of a skill: what it is for, in one sentence.")]
Triggers = Annotated[Names, Meta(description="Of a skill: phrases that call for it.")]
Patterns = Annotated[Names, Meta(description="Of a skill: files it is for, as in *.sql.")]
Steps = Annotated[Names, Meta(description="Of a skill: its steps in order.")]
Properties = Annotated[Names, Meta(description="Any other field, each as `key=value`; relations may be given so, too.")]
OfTask = Annotated[Status, Meta(description="Of a task: how far it is.")]
Urgency = Annotated[Priority, Meta(description="Of a task: how much it matters.")]


class RememberRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A new note, task or skill, kept as a Markdown file of the project."""

    kind: Annotated[EntryKind, Meta(description=_KIND)]
    title: Title
    text: Text = ""
    tags: Tagged = ()
    status: OfTask | UnsetType = UNSET
    priority: Urgency | UnsetType = UNSET
    due: Due = ""
    assignee: Assignee = ""
    description: Description = ""
    triggers: Triggers = ()
    file_patterns: Patterns = ()
    steps: Steps = ()
    properties: Properties = ()


class UpdateRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A change of a note, task or skill. What is not named stays; an empty value removes a field."""

    id: Which
    version: Version
    kind: OfKind = UNSET
    title: Title | UnsetType = UNSET
    text: Text | UnsetType = UNSET
    tags: Tagged | UnsetType = UNSET
    status: OfTask | UnsetType = UNSET
    priority: Urgency | UnsetType = UNSET
    due: Due | UnsetType = UNSET
    assignee: Assignee | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    triggers: Triggers | UnsetType = UNSET
    file_patterns: Patterns | UnsetType = UNSET
    steps: Steps | UnsetType = UNSET
    properties: Properties = ()


class LinkRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A relation of a note, task or skill to another, to a file or to a symbol; or its end."""

    id: Which
    relation: Annotated[Relation, Meta(description="How the first stands to the second.")]
    target: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="What it leads to: an entry by path, name or title, a file by path, a symbol as src/a.py#name.",
        ),
    ]
    remove: Annotated[bool, Meta(description="Take the relation back instead.")] = False
    version: Annotated[
        str, Meta(max_length=200, description="Refuse the change unless this is still the version; empty for any.")
    ] = ""
    kind: OfKind = UNSET


class ForgetRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The removal of a note, task or skill, and of the relations that lead to it; past versions are kept."""

    id: Which
    version: Version
    kind: OfKind = UNSET


class EntryRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One note, task or skill with its version."""

    id: Which
    kind: OfKind = UNSET


class EntriesRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The notes, tasks or skills there are; tasks by urgency, others by name."""

    kind: Annotated[EntryKind, Meta(description=_KIND)]
    tags: Annotated[Names, Meta(description="Only with one of these tags.")] = ()
    statuses: Annotated[
        tuple[Status, ...], Meta(max_length=10, description="Only tasks that are so far. Empty for all.")
    ] = ()
    properties: Annotated[Names, Meta(description="Only with these fields, each as `key=value`.")] = ()
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Most to name.")] = 100


class ItemAnswer(Struct, frozen=True, kw_only=True):
    """A note, task or skill."""

    id: str
    """The path of its file below the root."""
    kind: str
    name: str
    title: str
    version: str
    """Names this very state of it. A change must name the version it builds on."""
    fields: Mapping[str, Any] = {}
    """The front matter."""
    text: str = ""
    """Its body, without the front matter."""
    steps: tuple[str, ...] = ()
    """Of a skill."""
    linked_from: tuple[tuple[str, str], ...] = ()
    """Documents that link to it, with the type of the link, as far as they are indexed."""
    used: int = 0
    """Of a skill: how often it was used."""
    problems: tuple[str, ...] = ()
    """What in it makes no sense."""
    writable: bool = True


class SavedAnswer(Struct, frozen=True, kw_only=True):
    """An entry as it was written, and what its author should know."""

    entry: ItemAnswer
    changed: bool = True
    near: tuple[SimilarItem, ...] = ()
    """Entries of the same kind that resemble it, the likest first."""
    contradictions: tuple[Contradiction, ...] = ()
    notes: tuple[str, ...] = ()


class EntriesAnswer(Struct, frozen=True, kw_only=True):
    """The entries of a kind, without their texts."""

    entries: tuple[ItemAnswer, ...]
    total: int
    cut: tuple[str, ...] = ()


def answer_remember(project: Project, request: RememberRequest) -> SavedAnswer:
    """Write a new note, task or skill."""
    fields = {name: value for name, value in _fields(request).items() if value is not None}
    return _saved(project.notebook.create(request.kind, request.title, request.text, fields, request.steps))


def answer_update(project: Project, request: UpdateRequest) -> SavedAnswer:
    """Change a note, task or skill, if it is still of the version that the change builds on."""
    return _saved(
        project.notebook.update(
            relative_to_root(project.root, request.id),
            version=request.version,
            title=_given(request.title),
            body=_given(request.text),
            fields=_fields(request),
            steps=_given(request.steps),
            kind=_given(request.kind) or "",
        )
    )


def answer_link(project: Project, request: LinkRequest) -> SavedAnswer:
    """Relate an entry to something, or take that back."""
    change = project.notebook.unlink if request.remove else project.notebook.link
    target = relative_to_root(project.root, request.target)
    reference, kind = relative_to_root(project.root, request.id), _given(request.kind) or ""
    return _saved(change(reference, request.relation, target, version=request.version, kind=kind))


def answer_forget(project: Project, request: ForgetRequest) -> RemovedItem:
    """Remove a note, task or skill, if it is still of the version that was seen."""
    reference, kind = relative_to_root(project.root, request.id), _given(request.kind) or ""
    return project.notebook.delete(reference, version=request.version, kind=kind)


def answer_entry(project: Project, request: EntryRequest) -> ItemAnswer:
    """Read a note, task or skill."""
    notebook = project.notebook
    return entry_of(notebook.read(relative_to_root(project.root, request.id), _given(request.kind) or ""), notebook)


def answer_entries(project: Project, request: EntriesRequest) -> EntriesAnswer:
    """List notes, tasks or skills."""
    wanted: dict[str, list[str]] = {"tags": list(request.tags), "status": list(request.statuses)}
    for each in request.properties:
        key, value = pair("properties", each)
        wanted.setdefault(key, []).append(value)
    notebook = project.notebook
    found = notebook.list(request.kind, {key: values for key, values in wanted.items() if values})
    used = notebook.usage() if request.kind == "skills" else {}
    shown = tuple(
        entry_of(item, text=False, used=used[item.id].count if item.id in used else 0)
        for item in found[: request.limit]
    )
    left = len(found) - len(shown)
    return EntriesAnswer(entries=shown, total=len(found), cut=(f"{left} of {len(found)}",) if left else ())


def entry_of(item: Item, notebook: Notebook | None = None, *, text: bool = True, used: int = 0) -> ItemAnswer:
    """Put an entry as a program gets it; with the notebook, also who links to it and how often it was used."""
    known = notebook.usage().get(item.id) if notebook is not None and item.kind == "skills" else None
    return ItemAnswer(
        id=item.id,
        kind=item.kind,
        name=item.name,
        title=item.title,
        version=item.version,
        fields=item.fields,
        text=item.body if text else "",
        steps=skill_steps(item) if item.kind == "skills" else (),
        linked_from=notebook.backlinks(item.id) if notebook is not None else (),
        used=known.count if known else used,
        problems=item.problems,
        writable=item.writable,
    )


def _saved(saved: SavedItem) -> SavedAnswer:
    return SavedAnswer(
        entry=entry_of(saved.item),
        changed=saved.changed,
        near=saved.similar,
        contradictions=saved.contradictions,
        notes=saved.notes,
    )


def _given(value: Any) -> Any:  # noqa: ANN401 - whatever the field holds
    """Give a value, or None if the request does not name it."""
    return None if value is UNSET else value


_FIELDS = ("tags", "status", "priority", "due", "assignee", "description", "triggers", "file_patterns")


def _fields(request: RememberRequest | UpdateRequest) -> dict[str, Value]:
    """Gather the fields of front matter that a request names; None where one is to be removed."""
    found: dict[str, Value] = {}
    for name in _FIELDS:
        value = getattr(request, name)
        if value is not UNSET:
            found[name] = (list(value) if isinstance(value, tuple) else value) or None
    for each in request.properties:
        key, text = pair("properties", each)
        before = found.get(key)
        several = [before] if isinstance(before, str) else before
        found[key] = [*several, text] if isinstance(several, list) else text or None
    return found
