"""One browser and one served project for all tests of the page."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from support.page_project import write_notebook_project, write_page_project
from support.page_writer import make_link
from support.server_process import Served, isolated_environment, served

_PATIENCE = 60_000
"""Milliseconds until a test gives up; nothing here takes long on a quiet machine."""
_WATCH = """
window.__ran = []; window.__violations = [];
window.alert = (value) => window.__ran.push(String(value));
document.addEventListener("securitypolicyviolation", (event) => {
  window.__violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""


class Visit(NamedTuple):
    """A page of the browser, and what it did."""

    page: Page
    requests: list[str]
    errors: list[str]

    def text(self, selector: str) -> str:
        """Give the text of the first element."""
        return self.page.locator(selector).first.inner_text()

    def wait(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        self.page.wait_for_function(expression)

    def evaluate(self, expression: str) -> Any:
        """Compute an expression in the page."""
        return self.page.evaluate(expression)


Open = Callable[..., Visit]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the installed Chromium."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        pytest.skip("no Chromium: run make browser, or set CHROMIUM")
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the project."""
    folder = tmp_path_factory.mktemp("page")
    with served(write_page_project(folder / "harbour"), isolated_environment(folder)) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: Served) -> Iterator[Open]:
    """Open a path in a browser of its own state; at the end, no script failed and nothing foreign was requested."""
    with visit_address(browser, server.address) as opened:
        yield opened


@pytest.fixture(scope="session")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a small project whose notes, tasks and skills tests write."""
    folder = tmp_path_factory.mktemp("notebook")
    with served(write_notebook_project(folder / "harbour"), isolated_environment(folder)) as running:
        yield running


@pytest.fixture
def write(browser: Browser, notebook: Served) -> Iterator[Open]:
    """Open a path in a browser that is signed in, as `visit` does."""
    with visit_address(browser, notebook.address) as opened:
        yield lambda path, **options: sign_in(opened, notebook, path, **options)


def sign_in(opened: Open, server: Served, path: str, **options: Any) -> Visit:
    """Open a path in a browser that is signed in."""
    seen = opened(make_link(server), **options)
    seen.page.goto(path)
    return seen


@contextmanager
def visit_address(browser: Browser, address: str) -> Iterator[Open]:
    """Open paths of a server; at the end, no script failed and nothing foreign was requested."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def opened(path: str, **options: Any) -> Visit:
        context = browser.new_context(base_url=address, **options)
        context.set_default_timeout(_PATIENCE)
        context.add_init_script(_WATCH)
        contexts.append(context)
        result = Visit(context.new_page(), [], [])
        result.page.on("request", lambda request: result.requests.append(request.url))
        result.page.on("pageerror", lambda error: result.errors.append(str(error)))
        visits.append(result)
        result.page.goto(path)
        return result

    yield opened
    for each in visits:
        assert each.errors == []
        assert [url for url in each.requests if not url.startswith(address)] == []
    for context in contexts:
        context.close()
