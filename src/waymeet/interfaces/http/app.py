"""The whole application: routes, the door in front of them, agents beside them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router

from waymeet import __version__
from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import digest_of
from waymeet.interfaces.http.access import AccessPolicy, unauthorized
from waymeet.interfaces.http.endpoints import Endpoint, answers, requested, sent
from waymeet.interfaces.http.index_jobs import Jobs
from waymeet.interfaces.http.metrics import MEDIA_TYPE, RequestMetrics, gauges
from waymeet.interfaces.http.middleware import ROUTE, TRUSTED, Middleware
from waymeet.interfaces.http.openapi import described
from waymeet.interfaces.http.problems import Refused
from waymeet.interfaces.http.routes import INDEX, WAYS
from waymeet.interfaces.requests.operations.status import StatusAnswer
from waymeet.project import Project
from waymeet.types import Degraded

if TYPE_CHECKING:
    from starlette.applications import Starlette

Told = Callable[[], tuple[Degraded, ...]]


class Application:
    """What answers over HTTP for one project."""

    def __init__(self, held: AsyncProject, terms: AccessPolicy, troubles: Told, stop: Callable[[], None]) -> None:
        """Take a project and the terms; `troubles` tells what goes wrong beside it, `stop` ends the server."""
        self.counted = RequestMetrics()
        self.jobs = Jobs(held, terms.settings.kept_jobs)
        self._held = held
        self._troubles = troubles
        self._stop = stop
        self._described = msgspec.json.encode(described())
        self._digest = (held.project.settings, digest_of(held.project.settings))
        self._terms = terms

    def app(self, agents: "Starlette | None" = None, page: Path | None = None) -> Middleware:
        """Put routes and door together, with a server for agents and a folder of pages if there are any."""
        table: dict[str, dict[str, Endpoint]] = {}
        for way in WAYS:
            table.setdefault(way.path, {})[way.method] = answers(self._held, way, self._with_troubles)
        table["/v1/index"] = {"POST": self._start_job, "GET": self._list_jobs}
        table["/v1/index/{job}"] = {"GET": self._show_job, "DELETE": self._cancel_job}
        table["/v1/index/{job}/events"] = {"GET": self._follow_job}
        table["/metrics"] = {"GET": self._metrics}
        table["/healthz"] = {"GET": self._health}
        table["/openapi.json"] = {"GET": self._openapi}
        table["/resident/stop"] = {"POST": self._end}
        routes: list[BaseRoute] = [_route(path, endpoints) for path, endpoints in table.items()]
        routes += agents.routes if agents else []
        if page is not None:
            from starlette.staticfiles import StaticFiles

            routes.append(Mount("/", StaticFiles(directory=page, html=True)))
        router = Router(routes, redirect_slashes=False, lifespan=lambda _: self._lifespan(agents))
        return Middleware(router, self._terms, self.counted, self._settings)

    @asynccontextmanager
    async def _lifespan(self, agents: "Starlette | None") -> AsyncIterator[None]:
        try:
            if agents is None:
                yield
                return
            async with agents.router.lifespan_context(agents):
                yield
        finally:
            await self.jobs.close()

    def _settings(self) -> str:
        """Name the settings that answers are made by now."""
        now = self._held.project.settings
        if now is not self._digest[0]:
            self._digest = (now, digest_of(now))
        return self._digest[1]

    def _with_troubles(self, answer: Any) -> Any:  # noqa: ANN401 - any answer; only one of them changes
        if isinstance(answer, StatusAnswer):
            return replace(answer, degraded=(*answer.degraded, *self._troubles()))
        return answer

    async def _start_job(self, request: Request) -> Response:
        job = self.jobs.start(await requested(request, INDEX))
        return sent(job, INDEX.status, {"Location": f"/v1/index/{job.id}"})

    async def _list_jobs(self, _request: Request) -> Response:
        return sent(self.jobs.all())

    async def _show_job(self, request: Request) -> Response:
        return sent(self.jobs.one(request.path_params["job"]))

    async def _cancel_job(self, request: Request) -> Response:
        if not request.scope[TRUSTED]:
            raise unauthorized("Changes need the user's token.")
        return sent(await self.jobs.cancel(request.path_params["job"]))

    async def _follow_job(self, request: Request) -> Response:
        job = self.jobs.one(request.path_params["job"])
        return StreamingResponse(self.jobs.events(job.id), media_type="text/event-stream")

    async def _metrics(self, _request: Request) -> Response:
        try:
            held = await self._held.call(_measured)
        except WaymeetError:  # an index that cannot be read is no reason to count nothing
            held = {"waymeet_indexed": ("Whether there is a usable index.", 0)}
        lines = [*self.counted.lines(), *gauges(held)]
        return Response("\n".join(lines) + "\n", media_type=MEDIA_TYPE)

    async def _health(self, _request: Request) -> Response:
        return sent({"status": "ok", "version": __version__})

    async def _openapi(self, _request: Request) -> Response:
        return Response(self._described, media_type="application/json")

    async def _end(self, request: Request) -> Response:
        """End the server, for whoever can read the file beside the index."""
        if not request.headers.get("authorization", "").lower().startswith("waymeet "):
            raise Refused(403, "not_yours", "Only `waymeet serve --stop` ends it.", "Run that.")
        asyncio.get_running_loop().call_later(0.05, self._stop)
        return sent({"status": "ending"})


def _route(path: str, endpoints: "Mapping[str, Endpoint]") -> Route:
    """Make one route of all methods of a path, so that a wrong one is refused with all that there are."""

    async def endpoint(request: Request) -> Response:
        request.scope[ROUTE] = path.replace(":path", "")
        return await endpoints["GET" if request.method == "HEAD" else request.method](request)

    return Route(path, endpoint, methods=list(endpoints))


def _measured(project: Project) -> dict[str, tuple[str, float]]:
    """Measure the index."""
    if not project.indexed:
        return {"waymeet_indexed": ("Whether there is a usable index.", 0)}
    counts = project.counts()
    return {
        "waymeet_indexed": ("Whether there is a usable index.", 1),
        "waymeet_documents": ("Documents in the index.", counts.documents),
        "waymeet_sections": ("Sections in the index.", counts.chunks),
        "waymeet_links": ("Links in the index.", counts.edges),
        "waymeet_links_dangling": ("Links that lead nowhere yet.", counts.dangling),
        "waymeet_terms": ("Different terms in the index.", counts.terms),
    }
