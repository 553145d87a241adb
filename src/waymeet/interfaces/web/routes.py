"""The paths of the pages, and their endpoints."""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import WaymeetError
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import FRAME, Frame
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.items.routes import ITEM_PAGES, ItemPage
from waymeet.interfaces.web.pages.compare import COMPARE, show_comparison
from waymeet.interfaces.web.pages.graph import DATA, GraphData, show_graph
from waymeet.interfaces.web.pages.read import show_document
from waymeet.interfaces.web.pages.search import show_results, show_search
from waymeet.interfaces.web.pages.status import StatusEvents, show_problems, show_status
from waymeet.interfaces.web.pages.why_not import WHY_NOT, show_why_not
from waymeet.interfaces.web.sign_in.visitor import SignIn

Page = Callable[[Asker, Request], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
MakeFrame = Callable[[Request], Frame]
"""Describes what surrounds the pages of a request."""
RESULTS = "/results"
FRAGMENTS = frozenset({RESULTS, "/pick", f"/all{RESULTS}"})
"""Paths of parts of a page, which scripts load."""
PAGES: Mapping[str, Page] = {
    "/": show_search,
    RESULTS: show_results,
    COMPARE: show_comparison,
    WHY_NOT: show_why_not,
    "/read/{path:path}": show_document,
    "/graph": show_graph,
    "/graph/{path:path}": show_graph,
    "/status": show_status,
    "/status/problems": show_problems,
}


class Web:
    """The pages of one project."""

    def __init__(self, asker: Asker, sign_in: SignIn, make_frame: MakeFrame = lambda _: Frame()) -> None:
        self._asker, self._sign_in, self._make_frame = asker, sign_in, make_frame
        self._events = StatusEvents()
        self._graphs = GraphData()

    def endpoints(self) -> dict[str, dict[str, Endpoint]]:
        """Give the endpoint of each path and method."""
        streams: dict[str, Page] = {DATA: self._graphs.send, "/status/events": self._events.follow}
        table = {path: {"GET": self._make_endpoint(page)} for path, page in {**PAGES, **streams}.items()}
        for path, forms in ITEM_PAGES.items():
            table[path] = {method: self._make_endpoint(self._with_visitor(page)) for method, page in forms.items()}
        return table

    def close(self) -> None:
        """End the streams of events."""
        self._events.close()

    def _with_visitor(self, page: ItemPage) -> Page:
        """Read the session and the form of a request before a page."""

        async def show(asker: Asker, request: Request) -> Response:
            return await page(asker, request, await self._sign_in.read_visitor(request))

        return show

    def _make_endpoint(self, page: Page) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            FRAME.set(self._make_frame(request))
            asker = self._asker.with_request(request)
            try:
                return await page(asker, request)
            except WaymeetError as error:
                return show_failure(error, request, asker.mask)

        return endpoint


def show_failure(error: WaymeetError, request: Request, mask: Callable[[object], object]) -> Response:
    """Show an error as a page, or as a part of one."""
    failure = to_failure(error)
    template = "failure.html" if request.url.path in FRAGMENTS else "error.html"
    values = {
        "failure": mask(failure),
        "request_id": "",
        "query": mask(request.query_params.get("q", "")),
        "reload": "",
    }
    return respond(template, values, failure.status)
