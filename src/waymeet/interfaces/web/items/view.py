"""The page of one note, task or skill: its text, fields, relations and links."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import IndexUnavailableError, NotFoundError, WaymeetError
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.requests.operations.items import ItemAnswer, SavedAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.items.fields import FIELDS, field_text
from waymeet.interfaces.web.items.problems import FieldProblem
from waymeet.interfaces.web.items.response import item_url, respond_with_session
from waymeet.interfaces.web.markdown import Block, Resolve, render_blocks
from waymeet.interfaces.web.pages.read import make_resolver
from waymeet.interfaces.web.pages.sign_in import redirect
from waymeet.interfaces.web.sign_in.sessions import Message
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.interfaces.web.text_language import find_text_language
from waymeet.notebook.fields import REFERENCE_FIELDS, RELATIONS, parse_references
from waymeet.notebook.relations import strip_link
from waymeet.search.explore.graph import Connection

_MAX_LINKS = 200
_SHOWN_ELSEWHERE = frozenset(
    {"title", "name", *REFERENCE_FIELDS, *(name for names in FIELDS.values() for name in names)}
)


class Relation(NamedTuple):
    """A relation of an item to a document."""

    name: str
    target: str
    """As it is written."""
    document: str
    """The document that it refers to, if it is indexed."""


async def show_item(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Show an item."""
    item: ItemAnswer = await asker.ask("entry", id=request.path_params["path"])
    return await _show(asker, visitor, item)


async def relate_item(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """Add a relation of an item to a document, or remove one."""
    visitor.check()
    form, id_ = visitor.form, request.path_params["path"]
    relation, target = form.text("relation"), form.text("target")
    is_removal = form.text("do") == "remove"
    try:
        saved: SavedAnswer = await asker.change(
            "link", id=id_, relation=relation, target=target, version=form.text("version"), remove=is_removal
        )
    except WaymeetError as error:
        failure = asker.mask(to_failure(error))
        problem = FieldProblem("target", f"{failure.message} {failure.next_step}" if target else "Name a document.")
        item: ItemAnswer = await asker.ask("entry", id=id_)
        return await _show(
            asker, visitor, item, problem, target=asker.mask(target), relation=relation, status=failure.status
        )
    if visitor.session:
        text = "The relation was removed." if is_removal else "The relation was added."
        visitor.session.add_message(Message(text if saved.changed else "Nothing was changed."))
    return redirect(item_url(saved.item.id))


async def _show(
    asker: Asker,
    visitor: Visitor,
    item: ItemAnswer,
    problem: FieldProblem | None = None,
    *,
    target: str = "",
    relation: str = "related_to",
    status: int = 200,
) -> Response:
    links = await _load_links(asker, item.id)
    blocks = await asyncio.to_thread(_render, item, make_resolver(links))
    related = list(_list_relations(item, links))
    named = {relation.document for relation in related}
    values = {
        "item": item,
        "blocks": blocks,
        "lang": find_text_language(item.text),
        "has_title": any(block.level == 1 and block.heading == item.title for block in blocks),
        "relations": related,
        "relation_names": RELATIONS,
        "outgoing": [each for each in links if each.id.partition("#")[0] not in {*named, item.id}],
        "other_fields": [(key, field_text(item, key)) for key in item.fields if key not in _SHOWN_ELSEWHERE],
        "problem": problem,
        "target": target,
        "relation": relation,
    }
    return respond_with_session("item.html", values, visitor, status)


async def _load_links(asker: Asker, id_: str) -> Sequence[Connection]:
    """Load the links from an item, none if the index does not have it yet."""
    try:
        related = await asker.ask("related", id=id_, depth=1, limit=_MAX_LINKS, direction="out")
    except (IndexUnavailableError, NotFoundError):
        return ()
    found: Sequence[Connection] = related.links
    return found


def _render(item: ItemAnswer, resolve: Resolve) -> list[Block]:
    return list(render_blocks(item.text, item.id, resolve))


def _list_relations(item: ItemAnswer, links: Sequence[Connection]) -> Iterator[Relation]:
    for name in REFERENCE_FIELDS:
        for target in parse_references(item.fields.get(name)):
            yield Relation(name, target, _find_document(target, name, links))


def _find_document(target: str, name: str, links: Sequence[Connection]) -> str:
    """Find the document of a relation among the links of an item."""
    written = strip_link(target)
    for connection in links:
        document = connection.id.partition("#")[0]
        names = {document, connection.title, PurePosixPath(document).stem, PurePosixPath(document).name}
        if connection.kind == name and not connection.dangling and written in names:
            return document
    return ""
