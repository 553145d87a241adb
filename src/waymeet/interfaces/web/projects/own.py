"""The other projects of the user who runs a server, for browsers that are signed in.

A server of one project can be read by every program of this machine. The other projects must not be, so their names and
pages need the session that `waymeet open` starts.
"""

import asyncio
import logging
from collections.abc import MutableMapping
from functools import partial
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Router

from waymeet.errors import UsageError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.endpoints import make_router
from waymeet.interfaces.http.middleware import MAY_READ, Receive, Send
from waymeet.interfaces.http.problems import RequestRefusedError, path_not_found
from waymeet.interfaces.requests.operations.search import FiltersAnswer, SearchAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import ALL, FRAME, Frame, ProjectLink, project_prefix
from waymeet.interfaces.web.html import HEADERS
from waymeet.interfaces.web.pages.all_projects import PAGES as ALL_PAGES
from waymeet.interfaces.web.pages.all_projects import AllProjects, Page
from waymeet.interfaces.web.projects.paths import ProjectPath, add_query, pass_on, project_not_found, split_path
from waymeet.interfaces.web.routes import FRAGMENTS, Endpoint, Web, show_failure
from waymeet.interfaces.web.sign_in.visitor import HOW, SignIn
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import RegisteredProject, list_projects

_LOG = logging.getLogger(__name__)
_THREADS = 2


class _Opened(NamedTuple):
    """The pages of another project."""

    project: AsyncProject
    web: Web
    router: Router


class OwnProjects:
    """The pages of the user's other projects, and the search over all of them."""

    def __init__(self, asker: Asker, sign_in: SignIn) -> None:
        """Serve the projects beside the one of `asker`."""
        self._asker, self._sign_in = asker, sign_in
        self._opened: dict[str, _Opened] = {}

    def endpoints(self) -> dict[str, dict[str, Endpoint]]:
        """Give the endpoint of each path and method that belongs to no project."""
        return {path: {"GET": partial(self._show_all, page)} for path, page in ALL_PAGES.items()}

    def make_frame(self, request: Request) -> Frame:
        """Describe what surrounds the pages of the server's own project."""
        if request.url.path in FRAGMENTS:
            return Frame()
        links = self._list_links(request)
        own = next((link.name for link in links if link.url == "/"), "")
        return Frame(project=own, projects=links)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request for a page of another project."""
        request = Request(scope, receive)
        FRAME.set(self.make_frame(request))
        others = self._check(request)
        name, page = split_path(scope["path"])
        entry = next((each for each in list_projects() if each.name.casefold() == name.casefold()), None)
        if entry is None:
            raise project_not_found(scope["path"])
        if self._is_own(entry) or not page:
            prefix = "" if self._is_own(entry) else project_prefix(entry.name)
            redirection = RedirectResponse(add_query(f"{prefix}{page or '/'}", scope), 307, HEADERS)
            await redirection(scope, receive, send)
            return
        opened = await self._open(others, entry)
        scope[MAY_READ] = lambda: self._sign_in.sessions.get(self._sign_in.read_cookie(request)) is not None
        await pass_on(opened.router, ProjectPath(entry.name, page), scope, receive, send)

    async def close(self) -> None:
        """End the threads of the projects."""
        for opened in self._opened.values():
            opened.web.close()
            await asyncio.to_thread(opened.project.stop)
        self._opened.clear()

    async def _show_all(self, page: Page, request: Request) -> Response:
        FRAME.set(self.make_frame(request))  # of the page that refuses it
        self._check(request)
        FRAME.set(Frame(start=ALL, has_project=False, projects=self._list_links(request)))
        try:
            return await page(AllProjects(self._search, self._list_filters, self._asker.mask), request)
        except WaymeetError as error:
            return show_failure(error, request, self._asker.mask)

    async def _search(self, fields: dict[str, Any]) -> SearchAnswer:
        answer: SearchAnswer = await self._asker.ask("search", trusted=True, **fields)
        return answer

    async def _list_filters(self, fields: dict[str, Any]) -> FiltersAnswer:
        answer: FiltersAnswer = await self._asker.ask("filters", trusted=True, **fields)
        return answer

    async def _open(self, others: Projects, entry: RegisteredProject) -> _Opened:
        """Give the pages of a project, new ones if its index was replaced."""
        project = await asyncio.to_thread(others.open, entry)
        opened = self._opened.get(entry.id)
        if opened is None or opened.project.project is not project:
            opened = self._opened[entry.id] = self._make_pages(entry.name, project)
        return opened

    def _make_pages(self, name: str, project: Project) -> _Opened:
        prefix = project_prefix(name)

        def make_frame(request: Request) -> Frame:
            links = () if request.url.path in FRAGMENTS else self._list_links(request)
            return Frame(prefix, name, links, f"{prefix}/")

        in_threads = AsyncProject(project, threads=_THREADS)
        web = Web(Asker(in_threads), self._sign_in, make_frame)
        return _Opened(in_threads, web, make_router(web.endpoints()))

    def _check(self, request: Request) -> Projects:
        """Refuse a browser that is not signed in, whatever it names, or give the other projects."""
        others = self._asker.project.others
        if others is None:
            raise path_not_found(request.url.path)
        if self._sign_in.find_session(request) is None:
            detail = "Other projects are shown only in a browser that is signed in."
            raise RequestRefusedError(403, "not_signed_in", detail, HOW)
        return others

    def _list_links(self, request: Request) -> tuple[ProjectLink, ...]:
        """List the projects for a browser that is signed in, if there are several."""
        if self._asker.project.others is None or self._sign_in.find_session(request) is None:
            return ()
        try:
            entries = list_projects()
        except UsageError as error:  # the search over all projects reports it
            _LOG.warning("the page lists no projects: %s", error)
            return ()
        links = [
            ProjectLink(each.name, "/" if self._is_own(each) else f"{project_prefix(each.name)}/") for each in entries
        ]
        if all(link.url != "/" for link in links):  # an index in another place is not in the list
            links.insert(0, ProjectLink(self._asker.mask(self._asker.project.root.name), "/"))
        return tuple(links) if len(links) > 1 else ()

    def _is_own(self, entry: RegisteredProject) -> bool:
        own = self._asker.project
        return (entry.root, entry.index_path) == (str(own.root), own.index_path)
