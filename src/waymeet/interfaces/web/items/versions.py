"""Past versions of an item: listing, comparing and restoring them, and deleting an item."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import ConflictError
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.html import link
from waymeet.interfaces.web.items.comparison import compare_lines
from waymeet.interfaces.web.items.response import LIST_PATHS, item_url, respond_with_session
from waymeet.interfaces.web.pages.sign_in import redirect
from waymeet.interfaces.web.sign_in.sessions import Message
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.notebook.fields import SINGULAR

if TYPE_CHECKING:
    from waymeet.interfaces.requests.operations.items import HistoryAnswer, ItemAnswer, SavedAnswer
    from waymeet.notebook import RemovedItem


async def show_history(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """List the past versions of an item, and compare one with the present text."""
    return await _show_history(asker, request, visitor, request.query_params.get("version", ""))


async def restore_version(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Restore a past version, if the item still has the version that the page showed."""
    visitor.check()
    form, past = visitor.form, visitor.form.text("past_version")
    try:
        saved: SavedAnswer = await asker.change(
            "restore_version", id=request.path_params["path"], past_version=past, version=form.text("version")
        )
    except ConflictError:
        problem = "It was changed meanwhile, so nothing was restored. The comparison is with its present text."
        return await _show_history(asker, request, visitor, past, problem=problem, status=409)
    if visitor.session:
        visitor.session.add_message(Message("The version was restored."))
    return redirect(item_url(saved.item.id))


async def show_deletion(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Show what would be deleted, for confirmation."""
    item: ItemAnswer = await asker.ask("entry", id=request.path_params["path"])
    return respond_with_session("delete.html", {"item": item, "problem": ""}, visitor)


async def delete_item(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Delete an item, if it still has the version that the page showed."""
    visitor.check()
    path = request.path_params["path"]
    try:
        removed: RemovedItem = await asker.change("forget", id=path, version=visitor.form.text("version"))
    except ConflictError:
        item: ItemAnswer = await asker.ask("entry", id=path)
        problem = f"Someone changed this {SINGULAR[item.kind]} meanwhile, so it was not deleted."
        return respond_with_session("delete.html", {"item": item, "problem": problem}, visitor, 409)
    kind = visitor.form.text("kind")
    if visitor.session:
        url = link(item_url(removed.id, "history"), version=removed.version)
        visitor.session.add_message(Message(f"{removed.id} was deleted. Restore it", "done", url))
        for document in removed.dangling:
            visitor.session.add_message(Message(f"{document} still links to it.", "warning"))
    return redirect(page_url(LIST_PATHS.get(kind, "/notes")))


async def _show_history(
    asker: Asker, request: Request, visitor: Visitor, past: str, *, problem: str = "", status: int = 200
) -> Response:
    answer: HistoryAnswer = await asker.ask("history", id=request.path_params["path"], past_version=past)
    values = {
        "answer": answer,
        "versions": [
            (version.version, datetime.fromtimestamp(version.kept_ns / 1e9, UTC), version.size)
            for version in answer.versions
        ],
        "past": past,
        "rows": compare_lines(answer.current, answer.text) if past else [],
        "problem": problem,
    }
    return respond_with_session("history.html", values, visitor, status)
