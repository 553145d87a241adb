"""The HTTP application of several projects.

Each project has the routes of a server of its own below `/projects/NAME`. The right of the sender is checked here,
before a request reaches the routes of a project, and these know no other project. A project that the sender may not
read is as unknown as one that does not exist.
"""

import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Router

from waymeet import __version__
from waymeet.errors import AuditError, NotFoundError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.app import measure_index
from waymeet.interfaces.http.endpoints import (
    Endpoint,
    call_operation,
    json_response,
    make_route,
    masks_secrets,
    read_request,
)
from waymeet.interfaces.http.metrics import MEDIA_TYPE, RequestMetrics, family
from waymeet.interfaces.http.middleware import (
    AUDIT,
    MAY_READ,
    PROJECT,
    REQUEST_ID,
    ROUTE,
    SENDER,
    TRUSTED,
    Middleware,
    Receive,
    Send,
)
from waymeet.interfaces.http.problems import path_not_found
from waymeet.interfaces.http.process import mount_agents
from waymeet.interfaces.http.routes import ROUTES, Route
from waymeet.interfaces.requests.errors import STARTED
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.search import (
    FiltersAnswer,
    FiltersRequest,
    SearchAnswer,
    SearchRequest,
    count_in_projects,
    make_question,
    page_search,
)
from waymeet.interfaces.teams.access import TeamAccess
from waymeet.interfaces.teams.agents import Call, ListedProject, ListedProjects, TeamAgents
from waymeet.interfaces.teams.audit_log import AuditLog
from waymeet.interfaces.teams.description import build_team_description
from waymeet.interfaces.teams.pages import PageSource, TeamPages
from waymeet.interfaces.teams.served_projects import ServedProjects
from waymeet.interfaces.teams.sign_in import is_page_path
from waymeet.interfaces.teams.token_store import Sender
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import (
    ALL,
    RegisteredProject,
    add_project_name,
    find_project,
    split_project_name,
)
from waymeet.settings import Settings, Shape

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from waymeet.interfaces.requests.operations.read import ReadAnswer, ReadRequest

_LOG = logging.getLogger(__name__)
_PROJECT_PATH = re.compile(r"/projects/(?P<name>[^/]+)(?P<path>/.*)", re.DOTALL)
_SEARCH, _READ = (tuple(route for route in ROUTES if route.operation.name == name) for name in ("search", "read"))


class TeamApplication:
    """Checks the rights of a sender, and passes a request to the routes of one project."""

    def __init__(self, served: ServedProjects, projects: Projects, access: TeamAccess, audit: AuditLog) -> None:
        self.metrics = RequestMetrics()
        self._served, self._projects, self._access, self._audit = served, projects, access, audit
        self._openapi_json = msgspec.json.encode(build_team_description())
        self._audit_failures = 0
        self._agents = self._make_agents()
        routes = [make_route(path, methods) for path, methods in self._endpoints().items()]
        self._router = Router([*routes, *self._agents.routes], redirect_slashes=False)
        source = PageSource(
            self._served.readable,
            self.search,
            self.list_filters,
            self._make_check,
            self._make_recorder,
            self._masks_secrets,
        )
        self._pages = TeamPages(self._access.sign_in, source)

    def app(self) -> Middleware:
        """Build the ASGI application."""
        router = Router([], redirect_slashes=False, default=self._dispatch, lifespan=lambda _: self._lifespan())
        return Middleware(router, self._access, self.metrics, lambda: "", self._masks_secrets)

    def _endpoints(self) -> Mapping[str, Mapping[str, Endpoint]]:
        """List the routes that belong to no project."""
        return {
            "/v1/projects": {"GET": self._list_projects},
            "/v1/search": {route.method: partial(self._search, route) for route in _SEARCH},
            "/v1/read": {route.method: partial(self._read, route) for route in _READ},
            "/metrics": {"GET": self._metrics},
            "/healthz": {"GET": self._health},
            "/openapi.json": {"GET": self._openapi},
        }

    def _make_agents(self) -> "Starlette":
        """Make the MCP server over all projects."""
        calls: dict[str, Call] = {"search": self.search, "read": self.read, "projects": self.list_projects}
        settings = next((each.project.project.settings for each in self._served), Settings())
        server = TeamAgents(calls, settings, self._masks_secrets).make_server()
        return mount_agents(server, self._access.settings)

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        async with self._agents.router.lifespan_context(self._agents), self._served.running():
            yield

    def close_streams(self) -> None:
        """End the streams of events, so that the server can end."""
        for each in self._served:
            each.application.close_streams()
        self._pages.close()

    def _masks_secrets(self) -> bool:
        return any(masks_secrets(each.project) for each in self._served)

    async def _dispatch(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on to the routes of its project, if the sender may read it."""
        await self._served.update()
        if is_page_path(scope["path"]):
            await self._pages(scope, receive, send)
            return
        match = _PROJECT_PATH.fullmatch(scope["path"])
        if match is None:
            if scope["path"] == "/mcp":
                scope[ROUTE] = "/mcp"
            await self._router(scope, receive, send)
            return
        sender: Sender = scope[SENDER]
        served = self._served.find(match["name"])
        if served is None or not sender.may_read(served.entry.id):
            raise path_not_found(scope["path"])
        entry = served.entry
        inner = dict(scope)
        inner["path"], inner["raw_path"] = match["path"], match["path"].encode("utf-8", "surrogatepass")
        inner[TRUSTED] = sender.may_write(entry.id)
        inner[AUDIT] = self._make_recorder(sender, entry, scope)
        inner[MAY_READ] = self._make_check(scope, entry.id)
        scope[PROJECT] = entry.name
        try:
            await served.router(inner, receive, send)
        finally:
            scope[ROUTE] = inner.get(ROUTE, "/mcp" if match["path"] == "/mcp" else "other")

    def _make_check(self, scope: MutableMapping[str, Any], project: str) -> Callable[[], bool]:
        """Make the function that tells whether the sender of a stream may still read a project."""
        headers = Request(scope).headers

        def may_read() -> bool:
            reader = self._access.find_reader(headers)
            return any(each.entry.id == project for each in self._served.readable(reader))

        return may_read

    def _make_recorder(
        self, sender: Sender, entry: RegisteredProject, scope: Mapping[str, Any]
    ) -> Callable[[str, str], None]:
        """Make the function that records a change of this request in the audit log.

        A change whose start cannot be recorded is refused. If only its result cannot, the log still has its start.
        """

        def record(operation: str, result: str) -> None:
            try:
                self._audit.record(sender.name, entry.name, operation, result, scope[REQUEST_ID])
            except OSError as error:
                self._audit_failures += 1
                _LOG.error("the audit log cannot be written (%s by %s, %s): %s", operation, sender.name, result, error)
                if result == STARTED:
                    cause = error.strerror or type(error).__name__
                    raise AuditError(f"The change was not made: the audit log cannot be written ({cause}).") from error

        return record

    async def list_projects(self, sender: Sender, _request: object = None) -> ListedProjects:
        """List the projects that a sender may read."""
        readable = self._served.readable(sender)
        return ListedProjects(
            tuple(ListedProject(each.entry.name, sender.may_write(each.entry.id)) for each in readable)
        )

    async def search(self, sender: Sender, request: SearchRequest) -> SearchAnswer:
        """Search the projects that a sender may read, or those of them that the request names.

        Raises:
            NotFoundError: there is none, or none of a name.
        """
        readable = self._served.readable(sender)
        entries = _choose_entries([each.entry for each in readable], request.projects)
        return await readable[0].project.call(lambda _: self._search_entries(entries, request))

    async def list_filters(self, sender: Sender, request: FiltersRequest) -> FiltersAnswer:
        """List the values of filters in the projects that a sender may read.

        The request may name some of them.

        Raises:
            NotFoundError: there is none, or none of a name.
        """
        readable = self._served.readable(sender)
        entries = _choose_entries([each.entry for each in readable], request.projects)
        return await readable[0].project.call(lambda _: count_in_projects(self._projects, entries, request))

    async def read(self, sender: Sender, request: "ReadRequest") -> "ReadAnswer":
        """Read a section or lines of a file by an id with the name of its project.

        Raises:
            NotFoundError: the sender may read no such project or file.
        """
        name, rest = split_project_name(request.id)
        served = {each.entry: each for each in self._served.readable(sender)}
        if not name:
            raise NotFoundError(f"{request.id!r} names no project.", "Write it as NAME::PATH; see /v1/projects.")
        entry = find_project(tuple(served), name)
        inner = replace(request, id=rest)
        answer: ReadAnswer = await served[entry].project.call(call_operation, OPERATIONS["read"], inner)
        return replace(
            answer, id=add_project_name(entry.name, answer.id), document=add_project_name(entry.name, answer.document)
        )

    async def _list_projects(self, request: Request) -> Response:
        return self._respond(await self.list_projects(request.scope[SENDER]))

    async def _search(self, route: Route, request: Request) -> Response:
        return self._respond(await self.search(request.scope[SENDER], await read_request(request, route)))

    async def _read(self, route: Route, request: Request) -> Response:
        return self._respond(await self.read(request.scope[SENDER], await read_request(request, route)))

    def _respond(self, answer: object) -> Response:
        return json_response(answer, masked=self._masks_secrets())

    def _search_entries(self, entries: Sequence[RegisteredProject], request: SearchRequest) -> SearchAnswer:
        limit = request.limit or Shape().limit
        scope = " ".join(entry.id for entry in entries)
        return page_search(
            request,
            scope,
            limit,
            lambda number: self._projects.ask(make_question(request, number), entries),
        )

    async def _metrics(self, request: Request) -> Response:
        sender: Sender = request.scope[SENDER]
        readable = self._served.readable(sender)
        names = {each.entry.name for each in readable}
        lines = [*self.metrics.lines(None if sender.is_owner else names)]
        measured: dict[str, tuple[str, list[tuple[tuple[tuple[str, str], ...], float]]]] = {}
        for each in readable:
            for name, (help_text, value) in (await _measure(each.project)).items():
                measured.setdefault(name, (help_text, []))[1].append(((("project", each.entry.name),), value))
        for name, (help_text, values) in measured.items():
            lines += family(name, "gauge", help_text, values)
        if sender.is_owner:
            help_text = "Lines that could not be written to the audit log."
            lines += family("waymeet_audit_failures_total", "counter", help_text, [((), self._audit_failures)])
        return Response("\n".join(lines) + "\n", media_type=MEDIA_TYPE)

    async def _health(self, _request: Request) -> Response:
        return json_response({"status": "ok", "version": __version__}, masked=False)

    async def _openapi(self, _request: Request) -> Response:
        return Response(self._openapi_json, media_type="application/json")


def _choose_entries(readable: Sequence[RegisteredProject], names: Sequence[str]) -> tuple[RegisteredProject, ...]:
    """Find the projects to search among those that the sender may read.

    Raises:
        NotFoundError: there is none of this name.
    """
    if not readable:
        raise NotFoundError("This token may read no project here.", "See /v1/projects.")
    if not names or ALL in names:
        return tuple(readable)
    return tuple(dict.fromkeys(find_project(readable, name) for name in names))


async def _measure(project: AsyncProject) -> dict[str, tuple[str, float]]:
    try:
        return await project.call(measure_index)
    except WaymeetError:  # the request counters do not need an index
        return {"waymeet_indexed": ("Whether there is a usable index.", 0)}
