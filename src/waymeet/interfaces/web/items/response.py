"""Responses of the pages of notes, tasks and skills: with the session and its messages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.items.fields import PRIORITY_LABELS, STATUS_LABELS, field_list, field_text
from waymeet.interfaces.web.pages.sign_in import allow_own_referrer
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.notebook.fields import SINGULAR

LIST_PATHS = {"notes": "/notes", "tasks": "/tasks", "skills": "/skills"}


def respond_with_session(template: str, values: Mapping[str, Any], visitor: Visitor, status: int = 200) -> Response:
    """Make the response of a page that has forms."""
    shared = {
        "section": find_section(values),
        "query": "",
        "session": visitor.session,
        "messages": visitor.session.take_messages() if visitor.session else [],
        "how": visitor.how,
        "singular": SINGULAR,
        "statuses": STATUS_LABELS,
        "priority_labels": PRIORITY_LABELS,
        "list_paths": {kind: page_url(path) for kind, path in LIST_PATHS.items()},
        "field_text": field_text,
        "field_list": field_list,
        "item_url": item_url,
    }
    return allow_own_referrer(respond(template, {**shared, **values}, status))


def find_section(values: Mapping[str, Any]) -> str:
    """Name the entry of the navigation that a page belongs to, or an empty text."""
    for name in ("item", "draft"):
        if name in values:
            return str(values[name].kind)
    return str(values.get("kind", ""))


def item_url(id_: str, page: str = "item") -> str:
    """Give the address of an item.

    >>> item_url(".waymeet/notes/a b.md"), item_url("a.md", "edit")
    ('/item/.waymeet/notes/a%20b.md', '/edit/a.md')
    """
    return page_url(f"/{page}/{quote(id_)}")
