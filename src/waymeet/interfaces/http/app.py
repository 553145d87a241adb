"""The HTTP application: routes, middleware, and the MCP server mounted beside them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Router

from waymeet import __version__
from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import settings_digest
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.endpoints import (
    Endpoint,
    audited,
    json_response,
    make_endpoint,
    make_route,
    masks_secrets,
    read_request,
    refuse_change,
)
from waymeet.interfaces.http.index_jobs import Jobs
from waymeet.interfaces.http.metrics import MEDIA_TYPE, RequestMetrics, gauges
from waymeet.interfaces.http.middleware import MAY_READ, TRUSTED, Middleware
from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.http.routes import INDEX, ROUTES
from waymeet.interfaces.requests.operations.status import StatusAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.assets import send_asset
from waymeet.interfaces.web.frame import PROJECTS
from waymeet.interfaces.web.pages.sign_in import SIGN_IN, SIGN_OUT, show_sign_in, sign_out
from waymeet.interfaces.web.projects.own import OwnProjects
from waymeet.interfaces.web.routes import MakeFrame, Web
from waymeet.interfaces.web.sign_in.visitor import SignIn
from waymeet.project import Project
from waymeet.types import Degraded

if TYPE_CHECKING:
    from starlette.applications import Starlette

ReportErrors = Callable[[], tuple[Degraded, ...]]


class Application:
    """The HTTP interface of one project."""

    def __init__(
        self,
        project: AsyncProject,
        access: AccessPolicy,
        errors: ReportErrors,
        stop: Callable[[], None],
        prefix: str = "",
    ) -> None:
        """Serve a project.

        `errors` reports background errors, `stop` ends the server. `prefix` is put before paths in answers.
        """
        self.prefix = prefix
        self.metrics = RequestMetrics()
        self.jobs = Jobs(project, access.settings.kept_jobs)
        self._project = project
        self._errors = errors
        self._sign_in = SignIn(access)
        self._own = OwnProjects(Asker(project, self._add_errors), self._sign_in)
        self._web = self.make_web(self._sign_in, self._own.make_frame)
        self._stop = stop
        self._openapi_json = msgspec.json.encode(build_description())
        self._digest = (project.project.settings, settings_digest(project.project.settings))
        self._access = access

    def app(self, agents: "Starlette | None" = None) -> Middleware:
        """Build the ASGI application, with the MCP server if there is one."""
        table = self._project_endpoints()
        table["/metrics"] = {"GET": self._metrics}
        table["/healthz"] = {"GET": self._health}
        table["/openapi.json"] = {"GET": self._openapi}
        table["/daemon/stop"] = {"POST": self._stop_server}
        table["/daemon/sign-in"] = {"POST": self._make_sign_in_code}
        table["/daemon/sign-out"] = {"POST": self._end_sessions}
        table.update(self._page_endpoints())
        routes = [*_make_routes(table, agents), Mount(PROJECTS, self._own)]
        router = Router(routes, redirect_slashes=False, lifespan=lambda _: self.lifespan(agents))
        return Middleware(router, self._access, self.metrics, self._settings, lambda: masks_secrets(self._project))

    def make_web(self, sign_in: SignIn, make_frame: MakeFrame) -> Web:
        """Make the pages of the project."""
        return Web(Asker(self._project, self._add_errors), sign_in, make_frame)

    def _page_endpoints(self) -> dict[str, dict[str, Endpoint]]:
        return {
            **self._web.endpoints(),
            **self._own.endpoints(),
            "/static/{name}": {"GET": send_asset},
            SIGN_IN: {"GET": partial(show_sign_in, self._sign_in, self._own.make_frame)},
            SIGN_OUT: {"POST": partial(sign_out, self._sign_in)},
        }

    def project_router(self, agents: "Starlette | None" = None) -> Router:
        """Build the routes of the project alone, without pages, for a server of several projects."""
        return Router(_make_routes(self._project_endpoints(), agents), redirect_slashes=False)

    def _project_endpoints(self) -> dict[str, dict[str, Endpoint]]:
        table: dict[str, dict[str, Endpoint]] = {}
        for route in ROUTES:
            table.setdefault(route.path, {})[route.method] = make_endpoint(self._project, route, self._add_errors)
        table["/v1/index"] = {"POST": self._start_job, "GET": self._list_jobs}
        table["/v1/index/{job}"] = {"GET": self._show_job, "DELETE": self._cancel_job}
        table["/v1/index/{job}/events"] = {"GET": self._follow_job}
        return table

    def close_streams(self) -> None:
        """End the streams of events, so that the server can end."""
        self.jobs.close_streams()
        self._web.close()

    @asynccontextmanager
    async def lifespan(self, agents: "Starlette | None") -> AsyncIterator[None]:
        """Run the MCP server, if there is one, and end the jobs."""
        try:
            if agents is None:
                yield
                return
            async with agents.router.lifespan_context(agents):
                yield
        finally:
            await self._own.close()
            await self.jobs.close()

    def _settings(self) -> str:
        """Give the digest of the settings in use."""
        settings = self._project.project.settings
        if settings is not self._digest[0]:
            self._digest = (settings, settings_digest(settings))
        return self._digest[1]

    def _add_errors(self, answer: Any) -> Any:  # noqa: ANN401 - any answer; only one of them changes
        if isinstance(answer, StatusAnswer):
            return replace(answer, degraded=(*answer.degraded, *self._errors()))
        return answer

    def _respond(self, answer: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
        return json_response(answer, status, headers, masked=masks_secrets(self._project))

    async def _start_job(self, request: Request) -> Response:
        with audited(request, INDEX.name):
            job = self.jobs.start(await read_request(request, INDEX))
        return self._respond(job, INDEX.status, {"Location": f"{self.prefix}/v1/index/{job.id}"})

    async def _list_jobs(self, _request: Request) -> Response:
        return self._respond(self.jobs.list())

    async def _show_job(self, request: Request) -> Response:
        return self._respond(self.jobs.get(request.path_params["job"]))

    async def _cancel_job(self, request: Request) -> Response:
        with audited(request, "cancelIndexJob"):
            if not request.scope[TRUSTED]:
                raise refuse_change(request)
            return self._respond(await self.jobs.cancel(request.path_params["job"]))

    async def _follow_job(self, request: Request) -> Response:
        job = self.jobs.get(request.path_params["job"])
        events = self.jobs.events(job.id, request.scope.get(MAY_READ, lambda: True))
        return StreamingResponse(events, media_type="text/event-stream")

    async def _metrics(self, _request: Request) -> Response:
        try:
            measured = await self._project.call(measure_index)
        except WaymeetError:  # the request counters do not need an index
            measured = {"waymeet_indexed": ("Whether there is a usable index.", 0)}
        lines = [*self.metrics.lines(), *gauges(measured)]
        return Response("\n".join(lines) + "\n", media_type=MEDIA_TYPE)

    async def _health(self, _request: Request) -> Response:
        return self._respond({"status": "ok", "version": __version__})

    async def _openapi(self, _request: Request) -> Response:
        return Response(self._openapi_json, media_type="application/json")

    async def _stop_server(self, request: Request) -> Response:
        """Stop the server, for a client that can read the daemon file beside the index."""
        _check_proof(request, "waymeet serve --stop")
        asyncio.get_running_loop().call_later(0.05, self._stop)
        return self._respond({"status": "stopping"})

    async def _make_sign_in_code(self, request: Request) -> Response:
        """Make a one-time code, for a client that can read the daemon file beside the index."""
        _check_proof(request, "waymeet open")
        if not self._access.is_loopback:
            detail = "The page of a server that other machines can reach has no sign-in."
            raise RequestRefusedError(409, "no_sign_in", detail, "Use the token: waymeet serve --show-token")
        return Response(msgspec.json.encode({"code": self._sign_in.sessions.make_code()}))

    async def _end_sessions(self, request: Request) -> Response:
        """Sign out all browsers, for a client that can read the daemon file beside the index."""
        _check_proof(request, "waymeet open --sign-out")
        return self._respond({"ended": self._sign_in.sessions.end_all()})


def _make_routes(table: "Mapping[str, Mapping[str, Endpoint]]", agents: "Starlette | None") -> list[BaseRoute]:
    routes: list[BaseRoute] = [make_route(path, endpoints) for path, endpoints in table.items()]
    return [*routes, *(agents.routes if agents else ())]


def _check_proof(request: Request, command: str) -> None:
    """Refuse a request of a client that has not proved that it can read the daemon file."""
    if not request.headers.get("authorization", "").lower().startswith("waymeet "):
        raise RequestRefusedError(403, "not_yours", f"Only `{command}` does this.", f"Run: {command}")


def measure_index(project: Project) -> dict[str, tuple[str, float]]:
    """Count what is in the index."""
    if not project.is_indexed:
        return {"waymeet_indexed": ("Whether there is a usable index.", 0)}
    counts = project.counts()
    return {
        "waymeet_indexed": ("Whether there is a usable index.", 1),
        "waymeet_documents": ("Documents in the index.", counts.documents),
        "waymeet_sections": ("Sections in the index.", counts.chunks),
        "waymeet_links": ("Links in the index.", counts.edges),
        "waymeet_links_dangling": ("Links whose target does not exist.", counts.dangling),
        "waymeet_terms": ("Different terms in the index.", counts.terms),
    }
