"""The paths of the pages of notes, tasks and skills, by method."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.items.board import move_task, show_board
from waymeet.interfaces.web.items.edit import create_item, save_item, show_edit, show_new
from waymeet.interfaces.web.items.lists import show_notes, show_skills, show_task_list
from waymeet.interfaces.web.items.picker import show_documents
from waymeet.interfaces.web.items.versions import delete_item, restore_version, show_deletion, show_history
from waymeet.interfaces.web.items.view import relate_item, show_item
from waymeet.interfaces.web.sign_in.visitor import Visitor

ItemPage = Callable[[Asker, Request, Visitor], Awaitable[Response]]
ITEM_PAGES: Mapping[str, Mapping[str, ItemPage]] = {
    "/notes": {"GET": show_notes},
    "/skills": {"GET": show_skills},
    "/tasks": {"GET": show_board},
    "/tasks/list": {"GET": show_task_list},
    "/pick": {"GET": show_documents},
    "/new/{kind}": {"GET": show_new, "POST": create_item},
    "/item/{path:path}": {"GET": show_item},
    "/edit/{path:path}": {"GET": show_edit, "POST": save_item},
    "/move/{path:path}": {"POST": move_task},
    "/relate/{path:path}": {"POST": relate_item},
    "/delete/{path:path}": {"GET": show_deletion, "POST": delete_item},
    "/history/{path:path}": {"GET": show_history, "POST": restore_version},
}
"""Every page that writes calls `visitor.check()`, or shows the form again if the visitor is refused."""
CHANGES: Mapping[str, str] = {
    "new": "remember",
    "edit": "update",
    "move": "update",
    "relate": "link",
    "delete": "forget",
    "history": "restore_version",
}
"""The operation that a form of each page calls, by the first part of its path."""
