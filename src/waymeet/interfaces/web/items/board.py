"""The board of tasks: one column for each status, and moving a task to another one."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import ConflictError, WaymeetError
from waymeet.interfaces.requests.operations.items import ItemAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.items.fields import STATUS_LABELS, field_text
from waymeet.interfaces.web.items.lists import Filters, choose_tags, load_items, read_filters
from waymeet.interfaces.web.items.response import respond_with_session
from waymeet.interfaces.web.pages.sign_in import find_own_path, redirect
from waymeet.interfaces.web.sign_in.sessions import Message
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.notebook.fields import OPEN, PRIORITIES, STATUSES

COLUMN_TASKS = 100
"""Tasks of one column; the list has all."""
_OTHER = "other"


class Column(NamedTuple):
    """The tasks of one status."""

    status: str
    label: str
    tasks: Sequence[ItemAnswer]
    number: int
    more: str
    """The address of all of them, if some are not shown."""


async def show_board(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Show the tasks as columns."""
    return await _show(asker, visitor, read_filters(request.query_params))


async def move_task(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Give a task another status, if it still has the version that the board showed."""
    visitor.check()
    form, id_ = visitor.form, request.path_params["path"]
    status, to = form.text("status"), find_own_path(form.text("to") or page_url("/tasks"))
    filters = read_filters(dict(parse_qsl(urlsplit(to).query)))
    try:
        saved = await asker.change("update", id=id_, kind="tasks", version=form.text("version"), status=status)
    except ConflictError:
        message = Message(
            "The task was changed meanwhile, so it was not moved. The board shows it as it is now.", "error"
        )
        return await _show(asker, visitor, filters, [message], 409)
    except WaymeetError as error:
        message = Message(asker.mask(f"The task was not moved. {error.message} {error.hint}".strip()), "error")
        return await _show(asker, visitor, filters, [message], 400)
    label = STATUS_LABELS[field_text(saved.item, "status")]
    if visitor.session:
        visitor.session.add_message(Message(f"“{saved.item.title}” is now in {label}."))
    return redirect(to)


async def _show(
    asker: Asker, visitor: Visitor, filters: Filters, problems: Sequence[Message] = (), status: int = 200
) -> Response:
    tasks, total = await load_items(asker, "tasks", filters)
    shown = asker.mask(filters)
    values = {
        "kind": "tasks",
        "columns": make_columns(tasks, shown),
        "found": len(tasks),
        "total": total,
        "filters": shown,
        "tags": choose_tags(tasks, shown, "/tasks"),
        "priorities": PRIORITIES,
        "problems": problems,
        "open_statuses": OPEN,
        "today": datetime.now(UTC).date().isoformat(),
        "to": shown.url("/tasks"),
    }
    return respond_with_session("board.html", values, visitor, status)


def make_columns(tasks: Sequence[ItemAnswer], filters: Filters) -> list[Column]:
    """Sort tasks into columns, with one more for unknown statuses."""
    columns = []
    for name in (*STATUSES, _OTHER):
        inside = [task for task in tasks if _column_of(task) == name]
        if inside or name != _OTHER:
            more = filters._replace(status=name).url("/tasks/list") if len(inside) > COLUMN_TASKS else ""
            label = STATUS_LABELS.get(name, "Other")
            columns.append(Column(name, label, inside[:COLUMN_TASKS], len(inside), more))
    return columns


def _column_of(task: ItemAnswer) -> str:
    """Name the column of a task. A task without a status is to do."""
    status = field_text(task, "status").strip().lower().replace(" ", "_").replace("-", "_")
    return status if status in STATUSES else _OTHER if status else "todo"
