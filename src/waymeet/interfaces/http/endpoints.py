"""From a request of HTTP to an answer."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import IndexUnavailableError, RequestError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.access import unauthorized
from waymeet.interfaces.http.middleware import TRUSTED
from waymeet.interfaces.http.problems import Refused
from waymeet.interfaces.http.routes import Route, lists
from waymeet.interfaces.requests.decode import converted
from waymeet.interfaces.requests.missing_vectors import embed_missing
from waymeet.project import Project

Endpoint = Callable[[Request], Awaitable[Response]]

_MOST_FIELDS = 1000
_FROM_INDEX = frozenset({"search", "read", "related", "context", "graph", "recall_skills"})
"""What would answer from half an index while the first run goes on, as if there were no more."""


def answers(held: AsyncProject, way: Route, also: Callable[[Any], Any] = lambda answer: answer) -> Endpoint:
    """Make what answers at one way; `also` adds to an answer what only the server knows."""

    async def endpoint(request: Request) -> Response:
        asked = await requested(request, way)
        work = held.change if way.needs_token else held.call
        return sent(also(await work(_answered, way, asked)), way.status)

    return endpoint


def _answered(project: Project, way: Route, asked: Any) -> Any:  # noqa: ANN401 - each way has its own types
    if way.operation.name in _FROM_INDEX and not project.indexed:
        detail = "The project is being read for the first time."
        raise IndexUnavailableError(detail, "Ask again in a moment; /v1/status tells when it is done.")
    answer = way.operation.call(project, asked)
    embed_missing(project, answer)
    return answer


async def requested(request: Request, way: Route) -> Any:  # noqa: ANN401 - each way has its own type
    """Read the request that a way takes.

    Raises:
        RequestError: it is not understood.
        Refused: it is not allowed, or not JSON.
    """
    if way.needs_token and not request.scope[TRUSTED]:
        raise unauthorized("Changes need the user's token.")
    given = fields_of(await request.body(), request, way) if way.has_body else _asked(request, way)
    for name in given.keys() & way.told:
        raise RequestError(f"The path says what `{name}` is already.", "Leave it out.")
    if way.in_path:
        given["id"] = request.path_params["id"]
    return converted(way.operation.request, {**given, **way.fixed}, lax=not way.has_body)


def fields_of(raw: bytes, request: Request, way: Route) -> dict[str, Any]:
    """Read the fields of a body; no body at all stands for one without fields."""
    if not raw.strip():
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "no_json", "The body must be application/json.", "Send one JSON object, with its type.")
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        names = ", ".join(way.schema()["properties"])
        raise RequestError(f"The body is no JSON object: {error}", f"It takes: {names}.") from error


def _asked(request: Request, way: Route) -> dict[str, Any]:
    """Read the fields of a query; those that hold several values are repeated."""
    several, found = lists(way.operation.request), dict[str, Any]()
    for name, value in pairs(request):
        if name in several:
            found.setdefault(name, []).append(value)
        elif name in found:
            raise RequestError(f"`{name}` is given twice.", "Give it once.")
        else:
            found[name] = value
    return found


def pairs(request: Request) -> list[tuple[str, str]]:
    """Read the query of a request."""
    raw = request.scope["query_string"].decode("latin-1")
    try:
        return parse_qsl(raw, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise RequestError(f"The query is not understood: {error}.", "Give each field once, as name=value.") from error


def sent(answer: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Put an answer as JSON."""
    return Response(msgspec.json.encode(answer), status, headers, media_type="application/json")
