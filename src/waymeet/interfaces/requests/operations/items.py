"""Operations on notes, tasks and skills: create, change, link, remove, read, list, history."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from waymeet.errors import ItemNotFoundError
from waymeet.interfaces.requests.fields import ItemKind, Names, Priority, Relation, Status, Version, relative_to_root
from waymeet.interfaces.requests.operations.search import parse_pair
from waymeet.notebook import Item, Notebook, PastVersion, RemovedItem, SavedItem, skill_steps
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.review.state import ReviewState
from waymeet.notebook.similar import Contradiction, SimilarItem
from waymeet.project import Project

_KIND = "notes record facts and decisions, tasks work to do, skills how to do something."
ItemReference = Annotated[
    str, Meta(min_length=1, max_length=4096, description="The note, task or skill: its path, name or title.")
]
OptionalKind = Annotated[
    ItemKind | UnsetType, Meta(description="The kind, if the name is ambiguous. Usually not needed.")
]
Title = Annotated[str, Meta(min_length=1, max_length=1000, description="The title, one line.")]
Text = Annotated[str, Meta(max_length=2_000_000, description="The text in Markdown, without the title.")]
ItemTags = Annotated[Names, Meta(description="Tags.")]
Due = Annotated[str, Meta(max_length=40, description="Of a task: due date, such as 2026-12-31.")]
Assignee = Annotated[str, Meta(max_length=1000, description="Of a task: assignee.")]
Description = Annotated[str, Meta(max_length=2000, description="Of a skill: its purpose, in one sentence.")]
Triggers = Annotated[Names, Meta(description="Of a skill: phrases in a task that call for it.")]
FilePatterns = Annotated[Names, Meta(description="Of a skill: files it applies to, such as *.sql.")]
Steps = Annotated[Names, Meta(description="Of a skill: its steps in order.")]
Properties = Annotated[Names, Meta(description="Other front matter fields, including relations, each as `key=value`.")]
TaskStatus = Annotated[Status, Meta(description="Of a task: status.")]
TaskPriority = Annotated[Priority, Meta(description="Of a task: priority.")]


class RememberRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Create a note, task or skill as a Markdown file of the project."""

    kind: Annotated[ItemKind, Meta(description=_KIND)]
    title: Title
    text: Text = ""
    tags: ItemTags = ()
    status: TaskStatus | UnsetType = UNSET
    priority: TaskPriority | UnsetType = UNSET
    due: Due = ""
    assignee: Assignee = ""
    description: Description = ""
    triggers: Triggers = ()
    file_patterns: FilePatterns = ()
    steps: Steps = ()
    properties: Properties = ()


class UpdateRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Change a note, task or skill. Omitted fields stay, an empty value removes a field."""

    id: ItemReference
    version: Version
    kind: OptionalKind = UNSET
    title: Title | UnsetType = UNSET
    text: Text | UnsetType = UNSET
    tags: ItemTags | UnsetType = UNSET
    status: TaskStatus | UnsetType = UNSET
    priority: TaskPriority | UnsetType = UNSET
    due: Due | UnsetType = UNSET
    assignee: Assignee | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    triggers: Triggers | UnsetType = UNSET
    file_patterns: FilePatterns | UnsetType = UNSET
    steps: Steps | UnsetType = UNSET
    properties: Properties = ()
    confirm: Annotated[bool, Meta(description="Record that it is still right; needs no other change.")] = False
    resolutions: Annotated[
        Names,
        Meta(
            description="Conflicts of `status` that this settles, each as `id=keep_both`, `id=merged`, or "
            "`id=superseded` if this item replaces the other."
        ),
    ] = ()


class LinkRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Add or remove a relation of a note, task or skill to another item, a file or a symbol."""

    id: ItemReference
    relation: Annotated[Relation, Meta(description="The relation of the item to the target.")]
    target: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="The target: an item by path, name or title, a file by path, or a symbol as src/a.py#name.",
        ),
    ]
    remove: Annotated[bool, Meta(description="Remove the relation instead of adding it.")] = False
    version: Annotated[
        str, Meta(max_length=200, description="Refuse the change if the item has another version. Empty for any.")
    ] = ""
    kind: OptionalKind = UNSET


class ForgetRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Remove a note, task or skill and the relations to it. Past versions are kept."""

    id: ItemReference
    version: Version
    kind: OptionalKind = UNSET


class ItemRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Read a note, task or skill with its version."""

    id: ItemReference
    kind: OptionalKind = UNSET


class ItemsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List notes and skills by name, or tasks by urgency."""

    kind: Annotated[ItemKind, Meta(description=_KIND)]
    tags: Annotated[Names, Meta(description="Only items with one of these tags.")] = ()
    statuses: Annotated[
        tuple[Status, ...], Meta(max_length=10, description="Only tasks with one of these statuses. Empty for all.")
    ] = ()
    properties: Annotated[
        Names, Meta(description="Only items with these front matter fields, each as `key=value`.")
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum items.")] = 100


class ItemAnswer(Struct, frozen=True, kw_only=True):
    """A note, task or skill."""

    id: str
    """Path of its file, relative to the root."""
    kind: str
    name: str
    title: str
    version: str
    """The version of its content; a change must name the version it is based on."""
    fields: Mapping[str, Any] = {}
    """The front matter."""
    text: str = ""
    """The body, without the front matter."""
    steps: tuple[str, ...] = ()
    """Of a skill."""
    linked_from: tuple[tuple[str, str], ...] = ()
    """Indexed documents that link to it, with the link type."""
    used: int = 0
    """Of a skill: number of uses."""
    problems: tuple[str, ...] = ()
    """Invalid values of the front matter."""
    writable: bool = True
    review: ReviewState | None = None
    """How often it was read and confirmed, its recency and a suggested tier, in answers that read or confirm it."""


class SavedAnswer(Struct, frozen=True, kw_only=True):
    """A saved item, with similar and contradicting ones."""

    item: ItemAnswer
    changed: bool = True
    similar: tuple[SimilarItem, ...] = ()
    """Similar items of the same kind, the most similar first."""
    contradictions: tuple[Contradiction, ...] = ()
    notes: tuple[str, ...] = ()
    """Warnings."""


class ItemsAnswer(Struct, frozen=True, kw_only=True):
    """The items of a kind, without their texts."""

    items: tuple[ItemAnswer, ...]
    total: int
    cut: tuple[str, ...] = ()


class HistoryRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the past versions of a note, task or skill, also of a removed one."""

    id: ItemReference
    kind: OptionalKind = UNSET
    past_version: Annotated[
        str, Meta(max_length=200, description="Also give the text of this version. Empty for none.")
    ] = ""


class RestoreVersionRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Restore a past version of a note, task or skill, also of a removed one."""

    id: ItemReference
    past_version: Annotated[str, Meta(min_length=1, max_length=200, description="The version to restore.")]
    version: Annotated[str, Meta(max_length=200, description="The current version. Empty if the item was removed.")]
    kind: OptionalKind = UNSET


class HistoryAnswer(Struct, frozen=True, kw_only=True):
    """The past versions of an item, the newest first."""

    id: str
    version: str
    """The current version; empty if the item was removed."""
    versions: tuple[PastVersion, ...]
    text: str = ""
    """The text of the version that was asked for, with front matter."""
    current: str = ""
    """The current text, if a version was asked for."""


def answer_remember(project: Project, request: RememberRequest) -> SavedAnswer:
    """Create a note, task or skill."""
    fields = {name: value for name, value in _front_matter(request).items() if value is not None}
    notebook = project.notebook
    saved = notebook.create(request.kind, request.title, request.text, fields, request.steps)
    return _to_saved_answer(notebook, saved)


def answer_update(project: Project, request: UpdateRequest) -> SavedAnswer:
    """Change a note, task or skill if it still has the version that the change is based on."""
    notebook = project.notebook
    resolutions = notebook.review.parse_resolutions(
        parse_pair("resolutions", written) for written in request.resolutions
    )
    saved = notebook.update(
        relative_to_root(project.root, request.id),
        version=request.version,
        title=_value_or_none(request.title),
        body=_value_or_none(request.text),
        fields=_front_matter(request),
        steps=_value_or_none(request.steps),
        kind=_value_or_none(request.kind) or "",
    )
    if resolutions:
        notebook.review.resolve_all(resolutions, saved.item.id)
        saved = replace(saved, item=notebook.load(saved.item.id))  # a relation may have been written
    answer = _to_saved_answer(notebook, saved)
    if not request.confirm:
        return answer
    state = notebook.review.confirm(saved.item.id)[1]
    return replace(answer, item=replace(answer.item, review=state))


def answer_link(project: Project, request: LinkRequest) -> SavedAnswer:
    """Add or remove a relation of an item."""
    notebook = project.notebook
    change = notebook.unlink if request.remove else notebook.link
    target = relative_to_root(project.root, request.target)
    reference, kind = relative_to_root(project.root, request.id), _value_or_none(request.kind) or ""
    saved = change(reference, request.relation, target, version=request.version, kind=kind)
    return _to_saved_answer(notebook, saved)


def answer_forget(project: Project, request: ForgetRequest) -> RemovedItem:
    """Remove a note, task or skill if it still has the version of the request."""
    reference, kind = relative_to_root(project.root, request.id), _value_or_none(request.kind) or ""
    return project.notebook.delete(reference, version=request.version, kind=kind)


def answer_item(project: Project, request: ItemRequest) -> ItemAnswer:
    """Read a note, task or skill."""
    notebook = project.notebook
    reference, kind = relative_to_root(project.root, request.id), _value_or_none(request.kind) or ""
    return to_item_answer(notebook.masked(notebook.read(reference, kind)), notebook)


def answer_items(project: Project, request: ItemsRequest) -> ItemsAnswer:
    """List notes, tasks or skills."""
    filters: dict[str, list[str]] = {"tags": list(request.tags), "status": list(request.statuses)}
    for written in request.properties:
        key, value = parse_pair("properties", written)
        filters.setdefault(key, []).append(value)
    notebook = project.notebook
    items = notebook.list(request.kind, {key: values for key, values in filters.items() if values})
    usage = notebook.usage() if request.kind == "skills" else {}
    states = notebook.review.states(items[: request.limit])
    shown = tuple(
        replace(
            to_item_answer(notebook.masked(item), text=False, used=usage[item.id].count if item.id in usage else 0),
            review=states[item.id],
        )
        for item in items[: request.limit]
    )
    left = len(items) - len(shown)
    return ItemsAnswer(items=shown, total=len(items), cut=(f"{left} of {len(items)}",) if left else ())


def answer_history(project: Project, request: HistoryRequest) -> HistoryAnswer:
    """List the past versions of an item."""
    notebook, reference = project.notebook, relative_to_root(project.root, request.id)
    kind = _value_or_none(request.kind) or ""
    versions = notebook.history(reference, kind)
    try:
        item = notebook.masked(notebook.load(reference, kind))
    except ItemNotFoundError:  # it was removed
        item = None
    past = request.past_version
    return HistoryAnswer(
        id=item.id if item else request.id,
        version=item.version if item else "",
        versions=versions,
        text=notebook.past_text(reference, past, kind) if past else "",
        current=item.text if item and past else "",
    )


def answer_restore_version(project: Project, request: RestoreVersionRequest) -> SavedAnswer:
    """Restore a past version of an item."""
    notebook, reference = project.notebook, relative_to_root(project.root, request.id)
    kind = _value_or_none(request.kind) or ""
    saved = notebook.restore(reference, request.past_version, version=request.version, kind=kind)
    return _to_saved_answer(notebook, saved)


def to_item_answer(item: Item, notebook: Notebook | None = None, *, text: bool = True, used: int = 0) -> ItemAnswer:
    """Convert a masked item to its answer, with backlinks and uses if the notebook is given."""
    usage = notebook.usage().get(item.id) if notebook is not None and item.kind == "skills" else None
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
        used=usage.count if usage else used,
        problems=item.problems,
        writable=item.writable,
        review=notebook.review.states([item])[item.id] if notebook is not None else None,
    )


def _to_saved_answer(notebook: Notebook, saved: SavedItem) -> SavedAnswer:
    """Convert a saved item to its answer, with secrets masked."""
    return SavedAnswer(
        item=to_item_answer(notebook.masked(saved.item)),
        changed=saved.changed,
        similar=saved.similar,
        contradictions=saved.contradictions,
        notes=saved.notes,
    )


def _value_or_none(value: Any) -> Any:  # noqa: ANN401 - the type of the field
    """Replace UNSET by None."""
    return None if value is UNSET else value


_FIELDS = ("tags", "status", "priority", "due", "assignee", "description", "triggers", "file_patterns")


def _front_matter(request: RememberRequest | UpdateRequest) -> dict[str, Value]:
    """Collect the front matter fields of a request, with None for those to remove."""
    fields: dict[str, Value] = {}
    for name in _FIELDS:
        value = getattr(request, name)
        if value is not UNSET:
            fields[name] = (list(value) if isinstance(value, tuple) else value) or None
    for written in request.properties:
        key, text = parse_pair("properties", written)
        before = fields.get(key)
        values = [before] if isinstance(before, str) else before  # a repeated key becomes a list
        fields[key] = [*values, text] if isinstance(values, list) else text or None
    return fields
