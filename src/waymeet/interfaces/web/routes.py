"""The paths of the pages, and their endpoints."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.assets import send_asset
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.items.routes import ITEM_PAGES, ItemPage
from waymeet.interfaces.web.pages.compare import show_comparison
from waymeet.interfaces.web.pages.graph import DATA, GraphData, show_graph
from waymeet.interfaces.web.pages.read import show_document
from waymeet.interfaces.web.pages.search import show_results, show_search
from waymeet.interfaces.web.pages.sign_in import SIGN_IN, SIGN_OUT, show_sign_in, sign_out
from waymeet.interfaces.web.pages.status import StatusEvents, show_problems, show_status
from waymeet.interfaces.web.pages.why_not import show_why_not
from waymeet.interfaces.web.sign_in.visitor import SignIn

Page = Callable[[Asker, Request], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
RESULTS = "/results"
FRAGMENTS = frozenset({RESULTS, "/pick"})
"""Paths of parts of a page, which scripts load."""
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

    def __init__(self, project: AsyncProject, finish: Callable[[Any], Any], access: AccessPolicy) -> None:
        """Serve a project.

        `finish` adds to an answer what only the server knows.
        """
        self._asker = Asker(project, finish)
        self._events = StatusEvents()
        self._graphs = GraphData()
        self.sign_in = SignIn(access)

    def endpoints(self) -> dict[str, dict[str, Endpoint]]:
        """Give the endpoint of each path and method."""
        streams: dict[str, Page] = {DATA: self._graphs.send, "/status/events": self._events.follow}
        pages = {path: self._make_endpoint(page) for path, page in {**PAGES, **streams}.items()}
        table = {path: {"GET": endpoint} for path, endpoint in {**pages, "/static/{name}": send_asset}.items()}
        for path, forms in ITEM_PAGES.items():
            table[path] = {method: self._make_endpoint(self._with_visitor(page)) for method, page in forms.items()}
        table[SIGN_IN] = {"GET": self._make_endpoint(self._show_sign_in)}
        table[SIGN_OUT] = {"POST": self._make_endpoint(self._sign_out)}
        return table

    def close(self) -> None:
        """End the streams of events."""
        self._events.close()

    def _with_visitor(self, page: ItemPage) -> Page:
        """Read the session and the form of a request before a page."""

        async def show(asker: Asker, request: Request) -> Response:
            return await page(asker, request, await self.sign_in.read_visitor(request))

        return show

    async def _show_sign_in(self, _asker: Asker, request: Request) -> Response:
        return await show_sign_in(self.sign_in, request, await self.sign_in.read_visitor(request))

    async def _sign_out(self, _asker: Asker, request: Request) -> Response:
        return await sign_out(self.sign_in, request, await self.sign_in.read_visitor(request))

    def _make_endpoint(self, page: Page) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            try:
                return await page(self._asker, request)
            except WaymeetError as error:
                failure = self._asker.mask(to_failure(error))
                template = "failure.html" if request.url.path in FRAGMENTS else "error.html"
                query = self._asker.mask(request.query_params.get("q", ""))
                return respond(template, {"failure": failure, "request_id": "", "query": query}, failure.status)

        return endpoint
