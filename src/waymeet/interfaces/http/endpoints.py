"""HTTP endpoints: decode a request, call its operation, encode the answer."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as RoutePath
from starlette.routing import Router

from waymeet.errors import IndexUnavailableError, RequestError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.access import unauthorized
from waymeet.interfaces.http.middleware import AUDIT, ROUTE, TRUSTED
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.http.routes import Route, list_fields_of
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.errors import STARTED, to_failure
from waymeet.interfaces.requests.missing_vectors import add_missing, describe_start
from waymeet.interfaces.requests.operation_table import Operation
from waymeet.interfaces.requests.other_projects import reads_other_projects
from waymeet.project import Project

_LOG = logging.getLogger(__name__)
Endpoint = Callable[[Request], Awaitable[Response]]

_MAX_FIELDS = 1000
_FROM_INDEX = frozenset(
    {"search", "read", "related", "context", "graph", "recall_skills", "why_not", "describe", "problems", "filters"}
)
"""Operations that would answer from an incomplete index during the first run."""


def make_endpoint(
    project: AsyncProject, route: Route, finish: Callable[[Any], Any] = lambda answer: answer
) -> Endpoint:
    """Make the endpoint of a route.

    `finish` adds to an answer what only the server knows.
    """

    async def endpoint(request: Request) -> Response:
        call = project.change if route.needs_token else project.call
        with audited(request, route.name) if route.needs_token else nullcontext():
            operation_request = await read_request(request, route)
            trusted = bool(request.scope[TRUSTED])
            answer = finish(await call(call_operation, route.operation, operation_request, trusted=trusted))
        return json_response(answer, route.status, masked=masks_secrets(project))

    return endpoint


def make_route(path: str, endpoints: Mapping[str, Endpoint]) -> RoutePath:
    """Make one route of all methods of a path, so that the error for a wrong method lists them."""

    async def endpoint(request: Request) -> Response:
        request.scope[ROUTE] = path.replace(":path", "")
        return await endpoints["GET" if request.method == "HEAD" else request.method](request)

    return RoutePath(path, endpoint, methods=list(endpoints))


def make_router(table: Mapping[str, Mapping[str, Endpoint]]) -> Router:
    """Make a router of the endpoints of each path and method."""
    return Router([make_route(path, endpoints) for path, endpoints in table.items()], redirect_slashes=False)


@contextmanager
def audited(request: Request, operation: str) -> Iterator[None]:
    """Record a change in the audit log, before it is made and with its result.

    Raises:
        AuditError: it cannot be recorded, and is not made.
    """
    record: Callable[[str, str], None] = request.scope.get(AUDIT, lambda _operation, _result: None)
    record(operation, STARTED)
    try:
        yield
    except WaymeetError as error:
        record(operation, to_failure(error).code)
        raise
    except RequestRefusedError as error:
        record(operation, error.failure.code)
        raise
    except BaseException:
        record(operation, "unknown")  # it may have been made all the same
        raise
    record(operation, "done")


def refuse_change(request: Request) -> RequestRefusedError:
    """Build the error for a change that its sender may not make."""
    if AUDIT not in request.scope:
        return unauthorized("Changes need the token.")
    return RequestRefusedError(
        403,
        "read_only",
        "This token may not change this project.",
        "Ask for a token that may: waymeet token add --write",
    )


def call_operation(
    project: Project,
    operation: Operation,
    request: Any,  # noqa: ANN401 - each has its types
    *,
    trusted: bool = False,
) -> Any:  # noqa: ANN401
    """Compute the answer of an operation, and start to add what it lacked in the background.

    Raises:
        IndexUnavailableError: the project is being indexed for the first time.
        RequestRefusedError: it reads other projects, and its sender is not `trusted`.
    """
    if not trusted and reads_other_projects(request):
        raise unauthorized("Reading other projects needs the token.")
    if operation.name in _FROM_INDEX and not project.is_indexed:
        detail = "The project is being indexed for the first time."
        raise IndexUnavailableError(detail, "Try again in a moment; see /v1/status.")
    answer = operation.call(project, request)
    start = add_missing(project, answer)
    if start and start.is_first:
        _LOG.warning("%s", describe_start(project, start))
    return answer


async def read_request(request: Request, route: Route) -> Any:  # noqa: ANN401 - each route has its own type
    """Decode the request of a route.

    Raises:
        RequestError: a field is missing or wrong.
        RequestRefusedError: a token is missing, or the body is not JSON.
    """
    if route.needs_token and not request.scope[TRUSTED]:
        raise refuse_change(request)
    fields = body_fields(await request.body(), request, route) if route.has_body else _query_fields(request, route)
    for name in fields.keys() & route.fixed_fields:
        raise RequestError(f"`{name}` is set by the path.", "Remove it from the request.")
    if route.in_path:
        fields["id"] = request.path_params["id"]
    return convert(route.operation.request, {**fields, **route.fixed}, lax=not route.has_body)


def body_fields(raw: bytes, request: Request, route: Route) -> dict[str, Any]:
    """Decode the fields of a JSON body, none if it is empty."""
    if not raw.strip():
        return {}
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise RequestRefusedError(
            415, "no_json", "The body must be application/json.", "Send one JSON object with that Content-Type."
        )
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        names = ", ".join(route.schema()["properties"])
        raise RequestError(f"The body is not a JSON object: {error}", f"Fields: {names}.") from error


def _query_fields(request: Request, route: Route) -> dict[str, Any]:
    """Decode the fields of a query string, where lists are repeated fields."""
    list_fields, fields = list_fields_of(route.operation.request), dict[str, Any]()
    for name, value in _query_pairs(request):
        if name in list_fields:
            fields.setdefault(name, []).append(value)
        elif name in fields:
            raise RequestError(f"`{name}` occurs twice.", "Send it once.")
        else:
            fields[name] = value
    return fields


def _query_pairs(request: Request) -> list[tuple[str, str]]:
    """Split the query string of a request."""
    raw = request.scope["query_string"].decode("latin-1")
    try:
        return parse_qsl(raw, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise RequestError(f"Malformed query string: {error}.", "Send each field once, as name=value.") from error


def json_response(
    answer: object, status: int = 200, headers: Mapping[str, str] | None = None, *, masked: bool
) -> Response:
    """Encode an answer as a JSON response, with secrets masked."""
    body = msgspec.json.encode(mask_outgoing(answer, enabled=masked))
    return Response(body, status, headers, media_type="application/json")


def masks_secrets(project: AsyncProject) -> bool:
    """Tell whether the settings in use mask secrets."""
    return project.project.settings.ingest.mask_secrets
