"""The pages of a team's server: signing in, the search over all projects, and each project.

A project that the token may not read is as unknown as one that does not exist. The pages of a project know no other
project, and call the same operations as HTTP and MCP.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Router

from waymeet.errors import WaymeetError
from waymeet.interfaces.http.app import Application
from waymeet.interfaces.http.endpoints import Endpoint, make_route, make_router
from waymeet.interfaces.http.middleware import AUDIT, MAY_READ, PROJECT, SENDER, TRUSTED, Receive, Send
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operations.search import FiltersAnswer, FiltersRequest, SearchAnswer, SearchRequest
from waymeet.interfaces.teams.sign_in import STATIC, TeamSignIn
from waymeet.interfaces.teams.token_store import Sender
from waymeet.interfaces.web.assets import send_asset
from waymeet.interfaces.web.frame import ALL, FRAME, NO_PROJECT, PROJECTS, Frame, ProjectLink, project_prefix
from waymeet.interfaces.web.html import HEADERS, link, respond
from waymeet.interfaces.web.pages.all_projects import PAGES as ALL_PAGES
from waymeet.interfaces.web.pages.all_projects import AllProjects, Page
from waymeet.interfaces.web.pages.sign_in import SIGN_IN, SIGN_OUT, allow_own_referrer, find_own_path, redirect
from waymeet.interfaces.web.projects.paths import ProjectPath, add_query, pass_on, project_not_found, split_path
from waymeet.interfaces.web.routes import Web, show_failure
from waymeet.project.registered.registry import RegisteredProject

_NOT_SIGNED_IN = "You are not signed in, or no longer."


class Served(Protocol):
    """A project of the server."""

    @property
    def entry(self) -> RegisteredProject:
        """Its entry in the list of projects."""
        ...

    @property
    def application(self) -> Application:
        """Its HTTP interface."""
        ...


class PageSource(NamedTuple):
    """What the pages get from the server."""

    list_readable: Callable[[Sender], Sequence[Served]]
    search: Callable[[Sender, SearchRequest], Awaitable[SearchAnswer]]
    list_filters: Callable[[Sender, FiltersRequest], Awaitable[FiltersAnswer]]
    make_check: Callable[[MutableMapping[str, Any], str], Callable[[], bool]]
    """Makes the function that tells whether the sender of a stream may still read a project."""
    make_recorder: Callable[[Sender, RegisteredProject, Mapping[str, Any]], Callable[[str, str], None]]
    """Makes the function that records changes in the audit log."""
    masks_secrets: Callable[[], bool]


class _Pages(NamedTuple):
    """The pages of a project."""

    application: Application
    web: Web
    router: Router


class TeamPages:
    """Answers requests for pages."""

    def __init__(self, sign_in: TeamSignIn, source: PageSource) -> None:
        self._sign_in, self._source = sign_in, source
        self._pages: dict[str, _Pages] = {}
        routes = [make_route(path, methods) for path, methods in self._endpoints().items()]
        self._router = Router([*routes, Mount(PROJECTS, self._show_project)], redirect_slashes=False)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, by the sign-in page if nobody is signed in."""
        request = Request(scope, receive)
        FRAME.set(self._make_frame(request))
        is_open = scope["path"].startswith(STATIC) or scope["path"] == SIGN_IN
        if not scope[SENDER].name and not is_open:
            await _ask_to_sign_in(request)(scope, receive, send)
            return
        await self._router(scope, receive, send)

    def close(self) -> None:
        """End the streams of events."""
        for pages in self._pages.values():
            pages.web.close()

    def _endpoints(self) -> dict[str, dict[str, Endpoint]]:
        """List the pages that belong to no project."""
        return {
            "/": {"GET": _open_search},
            **{path: {"GET": partial(self._show_all, page)} for path, page in ALL_PAGES.items()},
            SIGN_IN: {"GET": self._show_sign_in, "POST": self._use_token},
            SIGN_OUT: {"POST": self._sign_out},
            f"{STATIC}{{name}}": {"GET": send_asset},
        }

    async def _show_project(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request for a page of a project, if the sender may read it."""
        sender: Sender = scope[SENDER]
        name, page = split_path(scope["path"])
        readable = {each.entry.name.casefold(): each for each in self._source.list_readable(sender)}
        served = readable.get(name.casefold())
        if served is None:
            raise project_not_found(scope["path"])
        entry = served.entry
        if not page:
            address = add_query(f"{project_prefix(entry.name)}/", scope)
            await RedirectResponse(address, 307, HEADERS)(scope, receive, send)
            return
        scope[TRUSTED], scope[AUDIT] = sender.may_write(entry.id), self._source.make_recorder(sender, entry, scope)
        scope[MAY_READ] = self._source.make_check(scope, entry.id)
        await pass_on(self._find_pages(served).router, ProjectPath(entry.name, page), scope, receive, send)

    def _find_pages(self, served: Served) -> _Pages:
        """Give the pages of a project, new ones if it was opened again or renamed."""
        known = self._pages.get(served.entry.id)
        if known is not None and known.application is served.application:
            return known
        if known is not None:
            known.web.close()
        web = served.application.make_web(self._sign_in, self._make_frame)
        pages = self._pages[served.entry.id] = _Pages(served.application, web, make_router(web.endpoints()))
        return pages

    def _make_frame(self, request: Request) -> Frame:
        """Describe what surrounds the pages of a request."""
        sender: Sender = request.scope[SENDER]
        if not sender.name:
            return NO_PROJECT
        session = self._sign_in.find_session(request)
        links = tuple(
            ProjectLink(each.entry.name, f"{project_prefix(each.entry.name)}/", not sender.may_write(each.entry.id))
            for each in self._source.list_readable(sender)
        )
        name = request.scope.get(PROJECT, "")
        prefix = project_prefix(name) if name else ""
        return Frame(
            prefix=prefix,
            project=name,
            projects=links,
            start=f"{prefix}/" if name else ALL,
            has_project=bool(name),
            person=sender.name if session else "",
            form_token=session.form_token if session else "",
        )

    async def _show_all(self, page: Page, request: Request) -> Response:
        """Show a page over all projects that the sender may read."""
        sender: Sender = request.scope[SENDER]
        source = AllProjects(partial(self._search, sender), partial(self._list_filters, sender), self._mask)
        try:
            return await page(source, request)
        except WaymeetError as error:
            return show_failure(error, request, self._mask)

    async def _search(self, sender: Sender, fields: dict[str, Any]) -> SearchAnswer:
        request = convert(SearchRequest, fields, lax=True)
        answer: SearchAnswer = self._mask(await self._source.search(sender, request))
        return answer

    async def _list_filters(self, sender: Sender, fields: dict[str, Any]) -> FiltersAnswer:
        request = convert(FiltersRequest, fields, lax=True)
        answer: FiltersAnswer = self._mask(await self._source.list_filters(sender, request))
        return answer

    def _mask(self, value: Any) -> Any:  # noqa: ANN401 - any value
        return mask_outgoing(value, enabled=self._source.masks_secrets())

    async def _show_sign_in(self, request: Request) -> Response:
        """Show the form for a token, or who is signed in."""
        return self._respond_sign_in(request.query_params.get("to", ""))

    async def _use_token(self, request: Request) -> Response:
        """Start a session with the token of the form."""
        if not self._sign_in.is_from_own_page(request):
            hint = "Use the form of the page."
            raise RequestRefusedError(403, "wrong_origin", "This was not sent by the page itself.", hint)
        form = (await self._sign_in.read_session(request)).form
        value = self._sign_in.start(form.text("token"), request)
        if not value:
            return self._respond_sign_in(form.text("to"), has_failed=True)
        self._sign_in.sessions.end(self._sign_in.read_cookie(request))  # the browser forgets it
        response = redirect(find_own_path(form.text("to")))
        self._sign_in.set_cookie(response, value)
        return response

    def _respond_sign_in(self, target: str, *, has_failed: bool = False) -> Response:
        values = {"query": "", "to": find_own_path(target), "has_failed": has_failed}
        return allow_own_referrer(respond("team_sign_in.html", values, 403 if has_failed else 200))

    async def _sign_out(self, request: Request) -> Response:
        """End the session of the browser."""
        (await self._sign_in.read_session(request)).check()
        self._sign_in.sessions.end(self._sign_in.read_cookie(request))
        response = redirect(SIGN_IN)
        self._sign_in.remove_cookie(response)
        return response


async def _open_search(_request: Request) -> Response:
    return redirect(ALL)


def _ask_to_sign_in(request: Request) -> Response:
    """Lead to the sign-in page, or refuse what a script or a form has sent."""
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        target = add_query(quote(request.url.path), request.scope)
        return redirect(link(SIGN_IN, to="" if target == "/" else target))
    hint = "Sign in in another tab, then send it once more." if request.method == "POST" else "Reload the page."
    raise RequestRefusedError(401, "not_signed_in", _NOT_SIGNED_IN, hint)
