"""The fields of notes, tasks and skills in forms, and the requests that they become."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.interfaces.requests.operations.items import ItemAnswer
from waymeet.interfaces.web.sign_in.visitor import Form
from waymeet.notebook.fields import PRIORITIES, STATUSES, parse_list

FIELDS: Mapping[str, tuple[str, ...]] = {
    "notes": ("title", "tags", "text"),
    "tasks": ("title", "status", "priority", "due", "assignee", "tags", "text"),
    "skills": ("title", "description", "triggers", "file_patterns", "tags", "text"),
}
"""The fields of each kind, in the order of the form."""
_LINES = frozenset({"text", "triggers", "file_patterns"})
"""Fields of several lines."""
STATUS_LABELS = {status: status.replace("_", " ").capitalize().replace("Todo", "To do") for status in STATUSES}
PRIORITY_LABELS = {priority: priority.capitalize() for priority in PRIORITIES}
_NEW_SKILL = "## Steps\n\n1. \n"


class ItemForm(NamedTuple):
    """The values of a form, as they are written in it."""

    title: str = ""
    text: str = ""
    tags: str = ""
    status: str = ""
    priority: str = ""
    due: str = ""
    assignee: str = ""
    description: str = ""
    triggers: str = ""
    file_patterns: str = ""

    def to_request(self, kind: str, before: "ItemForm | None" = None) -> dict[str, Any]:
        """Give the fields of a request: all that are filled in, or all that differ from before."""
        request: dict[str, Any] = {}
        for name in FIELDS[kind]:
            value = getattr(self, name)
            if value == (getattr(before, name) if before else ""):
                continue
            if name == "priority" and not value:
                request["properties"] = ["priority="]  # removes it
            elif name != "status" or value:
                request[name] = _split(name, value)
        return request


def read_form(form: Form) -> ItemForm:
    """Read the values of a form that was sent."""
    values = {name: (form.lines if name in _LINES else form.text)(name) for name in ItemForm._fields}
    return ItemForm(**{name: value.strip("\n") if name in _LINES else value for name, value in values.items()})


def fill_form(item: ItemAnswer) -> ItemForm:
    """Fill a form with the values of an item."""
    status, priority = field_text(item, "status"), field_text(item, "priority")
    return ItemForm(
        title=item.title,
        text=item.text.replace("\r\n", "\n").strip("\n"),
        tags=", ".join(field_list(item, "tags")),
        status=status if status in STATUSES else "",
        priority=priority if priority in PRIORITIES else "",
        due=field_text(item, "due"),
        assignee=field_text(item, "assignee"),
        description=field_text(item, "description"),
        triggers="\n".join(field_list(item, "triggers")),
        file_patterns="\n".join(field_list(item, "file_patterns")),
    )


def start_form(kind: str, status: str = "") -> ItemForm:
    """Give the form of a new item."""
    if kind == "tasks":
        return ItemForm(status=status if status in STATUSES else "todo")
    return ItemForm(text=_NEW_SKILL.strip("\n")) if kind == "skills" else ItemForm()


def field_text(item: ItemAnswer, name: str) -> str:
    """Give a field of the front matter as one text."""
    return " ".join(iterate_texts(item.fields.get(name)))


def field_list(item: ItemAnswer, name: str) -> tuple[str, ...]:
    """Give a field of the front matter as a list."""
    value = item.fields.get(name)
    return tuple(iterate_texts(value)) if isinstance(value, list) else parse_list(value)


def _split(name: str, value: str) -> str | list[str]:
    """Split the value of a list: tags by commas, others by lines."""
    if name == "tags":
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    if name in _LINES - {"text"}:
        return [line.strip() for line in value.splitlines() if line.strip()]
    return value
