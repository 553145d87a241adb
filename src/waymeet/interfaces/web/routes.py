"""The paths of the pages, and their endpoints."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.assets import send_asset
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.pages.compare import show_comparison
from waymeet.interfaces.web.pages.graph import DATA, GraphData, show_graph
from waymeet.interfaces.web.pages.read import show_document
from waymeet.interfaces.web.pages.search import show_results, show_search
from waymeet.interfaces.web.pages.status import StatusEvents, show_problems, show_status
from waymeet.interfaces.web.pages.why_not import show_why_not

Page = Callable[[Asker, Request], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
RESULTS = "/results"
PAGES: Mapping[str, Page] = {
    "/": show_search,
    RESULTS: show_results,
    "/compare": show_comparison,
    "/why-not": show_why_not,
    "/read/{path:path}": show_document,
    "/graph": show_graph,
    "/graph/{path:path}": show_graph,
    "/status": show_status,
    "/status/problems": show_problems,
}


class Web:
    """The pages of one project."""

    def __init__(self, project: AsyncProject, finish: Callable[[Any], Any]) -> None:
        """Serve a project.

        `finish` adds to an answer what only the server knows.
        """
        self._asker = Asker(project, finish)
        self._events = StatusEvents()
        self._graphs = GraphData()

    def endpoints(self) -> dict[str, Endpoint]:
        """Give the endpoint of each path."""
        streams: dict[str, Page] = {DATA: self._graphs.send, "/status/events": self._events.follow}
        pages = {path: self._make_endpoint(page) for path, page in {**PAGES, **streams}.items()}
        return {**pages, "/static/{name}": send_asset}

    def close(self) -> None:
        """End the streams of events."""
        self._events.close()

    def _make_endpoint(self, page: Page) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            try:
                return await page(self._asker, request)
            except WaymeetError as error:
                failure = self._asker.mask(to_failure(error))
                template = "failure.html" if request.url.path == RESULTS else "error.html"
                query = self._asker.mask(request.query_params.get("q", ""))
                return respond(template, {"failure": failure, "request_id": "", "query": query}, failure.status)

        return endpoint
