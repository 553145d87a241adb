"""An exported site on a plain web server: the search ranks as the command line does, and texts never run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import Open, Visit, visit_address
from playwright.sync_api import Browser, expect
from support.exported_site import QUESTIONS, copy_repository, serve_folder
from support.page_project import PAYLOADS, write_page_project

from waymeet.interfaces.export.site import export_site
from waymeet.project import Project
from waymeet.settings import Layer
from waymeet.types import Hit

_MORE_QUERIES = (
    *(
        "",
        "the",
        "zzzunknown word",
        "tag:berths",
        "-only",
        'a "b',
        "lang:ja 検索",
        "after:2020 rank",
        "before:1980 rank",
    ),
    *(
        "type:guide berth",
        "search*",
        "ns:x rank",
        "status:open task",
        "don't user's",
        "getHTTPServer2",
        "検 索語 config",
    ),
    *('"検索"', "-kind:code rank fusion", 'ranking -"rank fusion"', "path:docs/ path:src/waymeet/search snippet"),
    *("Étude naïve", "rank rank rank fusion", "e-mail re-index", "kind:folders search", "Ａｌｐｈａ ranks"),
    *('unknown rank "fusion" ignored', 'unexpected field: "zzz"'),
)
"""Queries whose answers are compared without a page: operators, filters, other scripts, no words."""
_SEARCH_ALL = """async (queries) => {
  const { IndexFiles } = await import(new URL("assets/index_files.js", location.href));
  const { Searcher } = await import(new URL("assets/searcher.js", location.href));
  const folder = new URL(document.querySelector("#results").dataset.index + "/", location.href);
  const searcher = new Searcher(await new IndexFiles(folder).open());
  const answers = [];
  for (const query of queries) answers.push(await searcher.search(query, 10));
  return answers.map(({ hits, total }) => ({ total, hits: hits.map((hit) => [
    `${hit.document.path}#L${hit.start}-L${hit.end}`, hit.score, hit.headings, hit.snippet, hit.highlights]) }));
}"""


class Site(NamedTuple):
    """An exported project and the parent of its folder."""

    project: Project
    parent: Path


def _export(root: Path, parent: Path, state: Path) -> Site:
    project = Project.open(root, index=state / "index.sqlite")
    project.index(embed=False)
    ignore = lambda *_: None  # noqa: E731 - progress that nobody watches
    store = project.refreshed_store()[0]
    export_site(project, store, parent / "site", force=False, progress=(ignore, ignore))
    return Site(project, parent)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Export pages and code of this repository."""
    folder = tmp_path_factory.mktemp("export")
    made = _export(copy_repository(folder / "waymeet"), folder / "public", folder)
    yield made
    made.project.close()


@pytest.fixture(scope="session")
def attacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Export the project with texts that attack a browser."""
    folder = tmp_path_factory.mktemp("attacks")
    made = _export(write_page_project(folder / "harbour"), folder / "public", folder)
    yield made
    made.project.close()


@pytest.fixture
def visit_site(browser: Browser, site: Site) -> Iterator[Open]:
    """Open a path of the site, which is at the root of its server."""
    with serve_folder(site.parent / "site") as address, visit_address(browser, address) as opened:
        yield opened


def _search(seen: Visit, query: str) -> None:
    seen.page.goto(seen.page.url.partition("?")[0] + "?" + urlencode({"q": query}))
    _await_results(seen, query)


def _await_results(seen: Visit, query: str) -> None:
    seen.page.wait_for_function("(query) => document.querySelector('#results').dataset.query === query", arg=query)


def _shown(seen: Visit) -> list[str]:
    ids: list[str] = seen.evaluate("[...document.querySelectorAll('.hit')].map((hit) => hit.dataset.id)")
    return ids


def _expected(project: Project, query: str) -> tuple[Hit, ...]:
    return project.search(query, recipe="classic", mode="bm25_only", limit=10, refresh=False).hits


def test_twenty_questions_give_the_same_results_as_the_command_line(visit_site: Open, site: Site) -> None:
    assert len(QUESTIONS) == 20
    assert sum(bool(re.search(r"[\u3040-\u9fff]", question)) for question in QUESTIONS) == 4
    seen = visit_site("/")
    for question in QUESTIONS:
        seen.page.locator("#q").fill(question)
        _await_results(seen, question)
        expected = [hit.id for hit in _expected(site.project, question)]
        assert expected, question
        assert _shown(seen)[:5] == expected[:5], question


def test_scores_headings_and_snippets_are_the_same(visit_site: Open, site: Site) -> None:
    seen = visit_site("/")
    queries = [query for query in (*QUESTIONS, *_MORE_QUERIES) if query not in {"", "-only"}]
    answers: list[dict[str, Any]] = seen.evaluate(f"({_SEARCH_ALL})({queries!r})")
    for query, answer in zip(queries, answers, strict=True):
        full = site.project.search(
            query, recipe="classic", mode="bm25_only", limit=10, refresh=False, over=[_without_correction()]
        )
        assert [hit[0] for hit in answer["hits"]] == [hit.id for hit in full.hits], query
        assert answer["total"] == full.total_found, query
        for (_, score, headings, snippet, highlights), hit in zip(answer["hits"], full.hits, strict=True):
            assert score == pytest.approx(hit.score, rel=1e-9)
            section = hit.sections[0]
            assert (tuple(headings), snippet) == (section.headings, section.snippet), query
            assert [tuple(each) for each in highlights] == list(section.highlights), query


def test_under_a_subpath_links_and_the_search_work(browser: Browser, site: Site) -> None:
    with serve_folder(site.parent) as address, visit_address(browser, address) as opened:
        seen = opened("/site/")
        seen.page.locator("#q").fill("reciprocal rank fusion")
        _await_results(seen, "reciprocal rank fusion")
        expect(seen.page.locator("mark").first).to_be_visible()
        seen.page.locator(".hit .open").first.click()
        expect(seen.page.locator(".marked").first).to_be_in_viewport()
        seen.page.goto("/site/read/docs/ranking.md.html")
        seen.page.locator(".prose a[href*='models.md']").first.click()
        expect(seen.page).to_have_url(re.compile(r"/site/read/docs/models\.md\.html"))
        assert seen.page.locator("aside.links section").count() >= 2
        seen.page.locator("#q").fill("cosine")
        seen.page.keyboard.press("Enter")
        expect(seen.page).to_have_url(re.compile(r"/site/index\.html\?q=cosine"))
        expect(seen.page.locator(".hit").first).to_be_visible()


def test_typing_shows_the_last_query_and_back_returns(visit_site: Open) -> None:
    seen = visit_site("/")
    for query in ("rank", "rank fusion", "cosine similarity"):
        seen.page.locator("#q").fill(query)
    _await_results(seen, "cosine similarity")
    assert "cosine" in seen.text(".hit").lower()
    seen.page.locator("#q").fill("similarty")
    expect(seen.page.locator(".note a").first).to_have_text("similarity")
    seen.page.locator(".note a").first.click()
    _await_results(seen, "similarity")
    seen.page.go_back()
    _await_results(seen, "similarty")


def test_without_javascript_all_documents_are_listed_and_readable(browser: Browser, site: Site) -> None:
    with serve_folder(site.parent / "site") as address, visit_address(browser, address) as opened:
        seen = opened("/", java_script_enabled=False)
        assert "needs JavaScript" in seen.text("#no-search")
        counts = site.project.counts()
        assert seen.page.locator(".folder li").count() == counts.documents - counts.kinds.get("folders", 0)
        seen.page.locator(".folder a", has_text="How results are fused and scored").click()
        assert "BM25F" in seen.text("article")
        seen.page.goto("/read/src/waymeet/formulas/bm25.py.html#L20")
        assert "def idf(documents: int, containing: int) -> float:" in seen.text(".source")


def test_opened_as_a_file_documents_can_be_read(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.goto((site.parent / "site" / "index.html").as_uri())
    expect(page.locator("#no-search")).to_be_visible()
    page.locator(".folder a", has_text="How results are fused and scored").click()
    expect(page.locator("article h1")).to_have_text("How results are fused and scored")
    assert page.evaluate("document.styleSheets.length") == 2
    page.close()


def test_pages_are_accessible(visit_site: Open) -> None:
    for path in ("/?q=rank+fusion", "/read/docs/page.md.html", "/read/src/waymeet/formulas/bm25.py.html"):
        seen = visit_site(path, color_scheme="dark" if "bm25" in path else "light")
        if "?" in path:
            _await_results(seen, "rank fusion")
        found: Any = Axe().run(seen.page).response["violations"]
        serious = [
            (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in {"serious", "critical"}
        ]
        assert serious == [], path
        seen.page.set_viewport_size({"width": 390, "height": 844})
        assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_attacks_do_not_run(browser: Browser, attacks: Site) -> None:
    with serve_folder(attacks.parent / "site") as address, visit_address(browser, address) as opened:
        seen = opened("/")
        _check_unharmed(seen)
        _search(seen, "zebra script")
        assert seen.page.locator(".hit").count() == 10
        seen.page.locator(".more button").click()
        expect(seen.page.locator(".hit")).to_have_count(30)
        _check_unharmed(seen)
        for payload in PAYLOADS[:3] + PAYLOADS[44:47]:
            _search(seen, payload.strip())
            _check_unharmed(seen)
        pages = sorted((attacks.parent / "site" / "read" / "xss").glob("*.html"))
        assert len(pages) >= len(PAYLOADS)
        for page in [*pages[::9], *(page for page in pages if page.name.startswith("all."))]:
            seen.page.goto(f"/read/xss/{page.name}")
            assert seen.page.locator("article").count() == 1
            _check_unharmed(seen)


def _check_unharmed(seen: Visit) -> None:
    assert seen.evaluate("window.__ran") == []
    assert seen.evaluate("window.__violations") == []
    links = seen.evaluate("[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href'))")
    unsafe = [href for href in links if re.match(r"/|[a-z]+:", href, re.IGNORECASE)]
    assert [href for href in unsafe if not href.startswith(("https://", "http://", "mailto:"))] == []
    foreign = "main img, iframe, object, embed, video, audio, base, style, [style], main script, main link"
    assert seen.page.locator(foreign).count() == 0


def _without_correction() -> Layer:
    return Layer("call", {"understand": {"fuzzy": False}})
