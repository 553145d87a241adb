"""Creating and editing a note, task or skill: the form, its preview, errors and conflicts."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import ConflictError, ItemNotFoundError, WaymeetError
from waymeet.ingest.discover.entry_kind import kind_folder
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.requests.operations.items import ItemAnswer, SavedAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.items.comparison import Row, compare_lines
from waymeet.interfaces.web.items.fields import FIELDS, ItemForm, fill_form, read_form, start_form
from waymeet.interfaces.web.items.problems import FieldProblem, describe_problem
from waymeet.interfaces.web.items.response import item_url, respond_with_session
from waymeet.interfaces.web.markdown import Block, render_blocks
from waymeet.interfaces.web.pages.sign_in import redirect
from waymeet.interfaces.web.sign_in.sessions import Message, Session
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.notebook.fields import SINGULAR

_REFUSED = 403


class Draft(NamedTuple):
    """A form of an item, with what is shown around it."""

    kind: str
    form: ItemForm
    id: str = ""
    """Empty for a new item."""
    version: str = ""
    problem: FieldProblem | None = None
    conflict: Sequence[Row] = ()
    """Both texts, if the item was changed meanwhile."""
    preview: Sequence[Block] | None = None
    has_unknown_status: bool = False


async def show_new(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Show the form of a new item."""
    kind = _find_kind(request)
    form = start_form(kind, request.query_params.get("status", ""))
    return _respond(asker, visitor, Draft(kind, form))


async def create_item(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Create an item from the form."""
    draft = Draft(_find_kind(request), read_form(visitor.form))
    early = await _answer_early(asker, visitor, draft)
    if early:
        return early
    try:
        saved: SavedAnswer = await asker.change("remember", kind=draft.kind, **draft.form.to_request(draft.kind))
    except WaymeetError as error:
        return _respond_error(asker, visitor, draft, error)
    _add_messages(visitor.session, saved, f"The {SINGULAR[draft.kind]} was created.")
    return redirect(item_url(saved.item.id))


async def show_edit(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Show the form of an item."""
    item: ItemAnswer = await asker.ask("entry", id=request.path_params["path"])
    form = fill_form(item)
    unknown = bool(item.fields.get("status")) and not form.status
    return _respond(asker, visitor, Draft(item.kind, form, item.id, item.version, has_unknown_status=unknown))


async def save_item(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Save an item, if it still has the version that the form was made of."""
    kind = visitor.form.text("kind")
    draft = Draft(
        kind if kind in FIELDS else "notes",
        read_form(visitor.form),
        request.path_params["path"],
        visitor.form.text("version"),
    )
    early = await _answer_early(asker, visitor, draft)
    if early:
        return early
    try:
        item: ItemAnswer = await asker.ask("entry", id=draft.id)
        draft = draft._replace(kind=item.kind)
        before = fill_form(item) if item.version == draft.version else None
        changes = draft.form.to_request(draft.kind, before)
        saved: SavedAnswer = await asker.change("update", id=draft.id, version=draft.version, **changes)
    except WaymeetError as error:
        return _respond_error(asker, visitor, draft, error)
    _add_messages(visitor.session, saved, "Saved." if saved.changed else "Nothing was changed.")
    return redirect(item_url(saved.item.id))


async def _answer_early(asker: Asker, visitor: Visitor, draft: Draft) -> Response | None:
    """Show the form again for a refusal, a preview or a missing title."""
    if visitor.refusal:
        failure = visitor.refusal.failure
        problem = FieldProblem("", f"Nothing was saved. {failure.message} {failure.next_step}")
        return _respond(asker, visitor, draft._replace(problem=problem), _REFUSED)
    if visitor.form.text("do") == "preview":
        path = draft.id or find_new_path(asker, draft.kind)
        blocks = await asyncio.to_thread(_render, asker.mask(draft.form.text), path)
        return _respond(asker, visitor, draft._replace(preview=blocks))
    if not draft.form.title:
        return _respond(asker, visitor, draft._replace(problem=FieldProblem("title", "Enter a title.")), 400)
    return None


def _respond_error(asker: Asker, visitor: Visitor, draft: Draft, error: WaymeetError) -> Response:
    """Show the form with its values, and what is wrong."""
    failure = asker.mask(to_failure(error))
    noun = SINGULAR[draft.kind]
    if isinstance(error, ConflictError) and failure.version:
        message = f"Someone changed this {noun} after you had opened it. Nothing was saved, and your text is below."
        conflict = compare_lines(failure.current, failure.refused)
        draft = draft._replace(version=failure.version, conflict=conflict, problem=FieldProblem("", message))
    elif draft.id and isinstance(error, ConflictError | ItemNotFoundError):
        message = (
            f"Someone removed this {noun} after you had opened it. Your text is below: saving it creates a new {noun}."
        )
        draft = draft._replace(id="", version="", problem=FieldProblem("", message))
    else:
        draft = draft._replace(problem=asker.mask(describe_problem(error)))
    return _respond(asker, visitor, draft, failure.status)


def _respond(asker: Asker, visitor: Visitor, draft: Draft, status: int = 200) -> Response:
    is_allowed = visitor.session is not None
    values = {
        "draft": draft,
        "fields": FIELDS[draft.kind],
        "from_path": draft.id or find_new_path(asker, draft.kind),
        "is_allowed": is_allowed,
    }
    return respond_with_session("edit.html", values, visitor, status)


def find_new_path(asker: Asker, kind: str) -> str:
    """Give a path in the folder of a kind, which relative links of a new item start from."""
    return f"{kind_folder(kind, asker.project.settings.notebook)}/new.md"


def _render(text: str, path: str) -> list[Block]:
    return list(render_blocks(text, path, lambda _: ""))


def _find_kind(request: Request) -> str:
    kind: str = request.path_params["kind"]
    if kind not in FIELDS:
        raise HTTPException(404)
    return kind


def _add_messages(session: Session | None, saved: SavedAnswer, text: str) -> None:
    """Keep for the next page what a save has found."""
    if session is None:
        return
    session.add_message(Message(text))
    for note in saved.notes:
        session.add_message(Message(note[:1].upper() + note[1:], "warning"))
    for other in saved.contradictions:
        session.add_message(Message(f"It may contradict {other.id}.", "warning", item_url(other.id)))
    known = {other.id for other in saved.contradictions}
    for similar in [other for other in saved.similar if other.id not in known][:3]:
        session.add_message(Message(f"Similar: {similar.title or similar.id}", "warning", item_url(similar.id)))
