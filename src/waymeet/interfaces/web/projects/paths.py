"""The paths of the pages of one project among several: `/p/NAME/…`."""

import re
from collections.abc import MutableMapping
from typing import Any, NamedTuple

from starlette.routing import Router

from waymeet.interfaces.http.middleware import PROJECT, ROUTE, Receive, Send
from waymeet.interfaces.http.problems import RequestRefusedError, path_not_found
from waymeet.interfaces.web.frame import PROJECTS

_PATH = re.compile(rf"{PROJECTS}/(?P<name>[^/]+)(?P<path>/.*)?", re.DOTALL)


class ProjectPath(NamedTuple):
    """A path, split into the name of a project and the path of one of its pages."""

    name: str
    page: str
    """Empty if the slash after the name is missing."""


def split_path(path: str) -> ProjectPath:
    """Split the path of a request.

    >>> split_path("/p/tea/read/docs/water.md"), split_path("/p/tea")
    (ProjectPath(name='tea', page='/read/docs/water.md'), ProjectPath(name='tea', page=''))

    Raises:
        RequestRefusedError: it names no project.
    """
    match = _PATH.fullmatch(path)
    if match is None:
        raise path_not_found(path)
    return ProjectPath(match["name"], match["path"] or "")


def project_not_found(path: str) -> RequestRefusedError:
    """Build the error for a project that does not exist, or that the sender may not read."""
    failure = path_not_found(path).failure
    hint = "The list of projects at the top has all that you can read."
    return RequestRefusedError(failure.status, failure.code, failure.message, hint)


def add_query(path: str, scope: MutableMapping[str, Any]) -> str:
    """Add the query string of a request to a path."""
    query = scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


async def pass_on(
    router: Router, target: ProjectPath, scope: MutableMapping[str, Any], receive: Receive, send: Send
) -> None:
    """Answer a request by the pages of a project, which see the paths of a server of its own."""
    scope[PROJECT] = target.name
    inner = {**scope, "path": target.page, "raw_path": target.page.encode("utf-8", "surrogatepass"), "root_path": ""}
    try:
        await router(inner, receive, send)
    finally:
        scope[ROUTE] = f"{PROJECTS}/{{project}}{inner.get(ROUTE, '/other')}"
