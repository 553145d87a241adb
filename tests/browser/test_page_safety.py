"""Texts of files never run in the page, and pages can be used by everyone."""

import gzip
import re
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import Open, Visit
from playwright.sync_api import expect
from support.page_project import PAYLOADS
from support.server_process import Served

_SAFE_LINK = re.compile(r"https?://|mailto:|/|#|\?")
PAGES = {
    "start": "/",
    "results": "/?q=berth",
    "suggestions": "/?q=berth+kind:",
    "nothing": "/?q=xylophone",
    "compare": "/compare?q=berth",
    "why not": "/why-not?q=berth&id=docs/tides.md",
    "document": "/read/docs/berths.md?lines=14-20",
    "japanese": "/read/docs/berths.ja.md",
    "code": "/read/src/berths.py?lines=4-6",
    "graph": "/graph",
    "graph around a document": "/graph/docs/berths.md?depth=2",
    "status": "/status",
    "problems": "/status/problems",
    "error": "/read/docs/nothing.md",
}


def _check_unharmed(seen: Visit) -> None:
    seen.page.wait_for_load_state("networkidle")
    check_content(seen)


def check_content(seen: Visit) -> None:
    """Check that nothing ran so far, and that the page has no foreign markup."""
    assert seen.evaluate("window.__ran") == []
    assert seen.evaluate("window.__violations") == []
    links = seen.evaluate("[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href'))")
    assert [href for href in links if not _SAFE_LINK.match(href)] == []
    foreign = (
        "img, iframe, object, embed, video, audio, base, style, [style], [onclick], [onerror], main script, main link"
    )
    assert seen.page.locator(foreign).count() == 0
    assert seen.page.locator("[id=results]").count() <= 1
    handlers = "[...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())"
    assert [name for name in seen.evaluate(handlers) if name.startswith("on")] == []


def test_attacks_in_titles_paths_tags_and_snippets_do_not_run(visit: Open) -> None:
    assert len(PAYLOADS) >= 60
    seen = visit("/?q=zebra&n=100")
    assert seen.page.locator(".hit").count() >= len(PAYLOADS)
    _check_unharmed(seen)
    for key in ("tag", "lang"):
        seen.page.goto(f"/?q={key}:al")
        expect(seen.page.locator(".suggest a").first).to_be_visible()
        _check_unharmed(seen)
    seen.page.goto("/")
    seen.page.locator("#q").fill("zebra script")
    expect(seen.page.locator(".hit").first).to_be_visible()
    _check_unharmed(seen)


def test_attacks_in_documents_do_not_run(visit: Open, server: Served) -> None:
    seen = visit("/read/xss/all.md")
    _check_unharmed(seen)
    seen.page.goto("/read/xss/all.py")
    _check_unharmed(seen)
    for path in sorted((server.root / "xss").glob("*.md"))[::6]:
        seen.page.goto(f"/read/xss/{quote(path.name)}")
        assert "zebra" in seen.text("article")
        _check_unharmed(seen)


def test_attacks_in_the_graph_do_not_run(visit: Open) -> None:
    seen = visit("/graph?symbols=1")
    expect(seen.page.locator("#stage")).to_have_attribute("data-ready", re.compile(r"\d{3}"))
    _check_unharmed(seen)
    seen.page.locator("#find").fill("script")
    expect(seen.page.locator("#found")).to_contain_text("match")
    _check_unharmed(seen)
    seen.page.locator(".nodes .around").first.click()
    seen.page.wait_for_url("**/graph/**")
    _check_unharmed(seen)


@pytest.mark.parametrize("payload", PAYLOADS[:4] + PAYLOADS[44:52])
def test_attacks_in_addresses_do_not_run(visit: Open, payload: str) -> None:
    written = quote(payload, safe="")
    seen = visit(f"/?q={written}&recipe={written}&kind={written}&in={written}")
    _check_unharmed(seen)
    for path in (
        f"/?q={written}&in={written}",
        f"/read/{written}",
        f"/why-not?q={written}&id={written}",
        f"/graph/{written}",
    ):
        seen.page.goto(path)
        _check_unharmed(seen)


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_accessible(visit: Open, name: str) -> None:
    for scheme in ("light", "dark"):
        seen = visit(PAGES[name], color_scheme=scheme)
        if name == "results":
            seen.page.locator(".why summary").first.click()
        found: Any = Axe().run(seen.page).response["violations"]
        serious = [
            (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in {"serious", "critical"}
        ]
        assert serious == []


@pytest.mark.parametrize(
    "path",
    [
        *("/?q=berth", "/?q=quay", "/read/docs/berths.md", "/read/src/berths.py", "/compare?q=berth", "/status"),
        *("/graph", "/graph/docs/berths.md"),
    ],
)
def test_a_phone_needs_no_sideways_scrolling(visit: Open, path: str) -> None:
    seen = visit(path, viewport={"width": 390, "height": 844})
    assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_dark_and_reduced_motion_are_respected(visit: Open) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = visit("/?q=berth", color_scheme="light").evaluate(colour)
    dark = visit("/?q=berth", color_scheme="dark", reduced_motion="reduce")
    assert light != dark.evaluate(colour)
    assert dark.evaluate("getComputedStyle(document.querySelector('.list')).transitionDuration") == "0s"


def test_nothing_moves_while_typing(visit: Open) -> None:
    seen = visit("/?q=berth")
    place = "JSON.stringify(document.querySelector('.hit').getBoundingClientRect().top)"
    before = seen.evaluate(place)
    for query in ("berth held", "berth held two", "berth"):
        seen.page.locator("#q").fill(query)
        expect(seen.page).to_have_url(f"/?q={query.replace(' ', '+')}")
        expect(seen.page.locator("#results")).not_to_have_attribute("aria-busy", "true")
        assert seen.evaluate(place) == before


def test_the_search_page_is_small(visit: Open, server: Served) -> None:
    seen = visit("/")
    seen.page.wait_for_load_state("networkidle")
    own = {url.removeprefix(server.address) for url in seen.requests}
    assert {"/static/page.css", "/static/search.js", "/static/keys.js", "/static/recent.js"} <= own
    sizes = {path: len(gzip.compress(server.ask("GET", path).body)) for path in own}
    assert sum(sizes.values()) <= 100_000, sizes
