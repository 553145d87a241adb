"""Several projects in a browser: the switcher, the search over all of them, and the page of a team's server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser.conftest import Open, Visit, sign_in, visit_address
from browser.test_notebook_safety import find_serious
from playwright.sync_api import Browser, expect
from support.page_project import write_file
from support.server_process import Served, command, isolated_environment, served
from support.team_server import Team, serve_team

_FIRST = ".hit .open"
TEXTS = {
    "harbour": "# Berths\n\nA berth is held for two hours. The pilot comes by boat.\n",
    "tea": "# Water\n\nSoft water brings out sweetness. See [green](green.md).\n",
    "お茶の会": "# お湯の温度\n\n緑茶の水は八十度のお湯で淹れます。 water\n",
    "知识库": "# 水的温度\n\n绿茶需要八十度的水。 water\n",
}
SignIn = Callable[..., Visit]


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve one of four projects."""
    folder = tmp_path_factory.mktemp("several")
    environment = isolated_environment(folder)
    for name, text in TEXTS.items():
        write_file(folder / name, "docs/page.md", text)
        write_file(folder / name, "docs/green.md", f"# Green\n\nGreen tea of {name}.\n")
        assert command(environment, folder / name, "index", "--no-embed").returncode == 0
    with served(folder / "harbour", environment) as running:
        yield running


@pytest.fixture
def visit_several(browser: Browser, several: Served) -> Iterator[Open]:
    """Open a path in a browser that is signed in."""
    with visit_address(browser, several.address) as opened:
        yield lambda path, **options: sign_in(opened, several, path, **options)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Serve two projects to a team."""
    with serve_team(tmp_path_factory.mktemp("team"), "--set", "serve.sign_in_attempts=100") as running:
        yield running


@pytest.fixture
def visit_team(browser: Browser, team: Team) -> Iterator[SignIn]:
    """Open a path with the token of a name, which the sign-in page asks for."""
    with visit_address(browser, team.address) as opened:

        def sign_in_as(name: str, path: str, **options: Any) -> Visit:
            seen = opened(path, **options)
            send_token(seen, team.tokens.get(name, name))
            return seen

        yield sign_in_as


def send_token(seen: Visit, token: str) -> None:
    expect(seen.page.locator("#token")).to_be_focused()
    seen.page.locator("#token").fill(token)
    with seen.page.expect_navigation():
        seen.page.keyboard.press("Enter")


def test_a_person_switches_between_projects_with_the_same_query(visit_several: Open) -> None:
    seen = visit_several("/?q=berth")
    expect(seen.page.locator(_FIRST).first).to_have_text("Berths")
    seen.page.locator("#q").fill("green")
    expect(seen.page.locator(_FIRST).first).to_have_text("Green")
    seen.page.locator("#switch summary").focus()
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator("#switch a")).to_have_text(["All projects", "harbour", "tea", "お茶の会", "知识库"])
    expect(seen.page.locator("#switch a[aria-current]")).to_have_text("harbour")
    seen.page.keyboard.press("Escape")
    expect(seen.page.locator("#switch nav")).to_be_hidden()
    expect(seen.page.locator("#switch summary")).to_be_focused()
    seen.page.keyboard.press("Enter")
    seen.page.locator("#switch a", has_text="tea").press("Enter")
    expect(seen.page).to_have_url("/p/tea/?q=green")
    expect(seen.page.locator(".snippet").first).to_contain_text("of tea")
    seen.page.locator("#q").fill("soft water")
    expect(seen.page).to_have_url("/p/tea/?q=soft+water")
    expect(seen.page.locator(_FIRST).first).to_have_text("Water")
    seen.page.locator(_FIRST).first.click()
    seen.page.locator("article a", has_text="green").click()
    expect(seen.page).to_have_url("/p/tea/read/docs/green.md")
    expect(seen.page.locator("#switch summary")).to_have_text("tea")


def test_all_projects_are_searched_while_a_query_is_typed(visit_several: Open) -> None:
    seen = visit_several("/all")
    expect(seen.page.locator(".project-list a")).to_have_count(4)
    seen.page.locator("#q").press_sequentially("water", delay=10)
    expect(seen.page).to_have_url("/all?q=water")
    expect(seen.page.locator(".hit .project").first).to_be_visible()
    assert set(seen.page.locator(".hit .project").all_inner_texts()) == {"tea", "お茶の会", "知识库"}
    assert seen.page.locator(".hit .project", has_text="知识库").get_attribute("lang") == "zh"
    seen.page.locator(".facets a", has_text="お茶の会").click()
    expect(seen.page.locator(".hit .project")).to_have_text(["お茶の会"])
    seen.page.locator(_FIRST).first.click()
    expect(seen.page.locator("article h1")).to_have_text("お湯の温度")
    expect(seen.page.locator("#switch summary")).to_have_text("お茶の会")
    expect(seen.page.locator(".block.marked").first).to_be_in_viewport()


def test_filters_comparison_and_missing_documents_of_all_projects(visit_several: Open) -> None:
    seen = visit_several("/all")
    seen.page.locator(".hints a", has_text="kind:").click()
    expect(seen.page.locator(".suggest a").first).to_contain_text("kind:docs")
    seen.page.locator("#q").fill("water kind:")
    expect(seen.page.locator(".hit").first).to_be_visible()
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator("#q")).to_have_value("water kind:docs ")
    expect(seen.page.locator(".suggest")).to_have_count(0)
    seen.page.locator(".absent summary").click()
    expect(seen.page.locator(".absent a")).to_have_count(4)
    seen.page.locator(".summary a", has_text="Compare").click()
    expect(seen.page.locator(".column")).to_have_count(2)
    assert {"tea", "お茶の会", "知识库"} <= set(seen.page.locator(".column .project").all_inner_texts())
    seen.page.locator(".column a", has_text="水的温度").first.click()
    expect(seen.page.locator("#switch summary")).to_have_text("知识库")
    seen.page.goto("/all?q=water")
    seen.page.locator(".absent summary").click()
    seen.page.locator(".absent a", has_text="tea").click()
    expect(seen.page.locator("input[name=q]").nth(1)).to_have_value("water")
    seen.page.locator("input[name=id]").fill("docs/green.md")
    seen.page.locator("button", has_text="Explain").click()
    expect(seen.page.locator(".verdict")).to_contain_text("docs/green.md")


def test_signing_out_removes_recent_searches(visit_several: Open, visit_team: SignIn) -> None:
    seen = visit_several("/")
    for path in ("/", "/all", "/p/tea/"):
        seen.page.goto(path)
        seen.page.locator("#q").fill("green")
        seen.page.locator("#q").press("Enter")
        expect(seen.page.locator(".hit").first).to_be_visible()
    assert seen.evaluate("Object.keys(localStorage).length") == 3
    seen.page.goto("/notes")
    seen.page.locator("button", has_text="Sign out").click()
    expect(seen.page.locator("main")).to_contain_text("Recent searches were removed from this browser.")
    seen.wait("localStorage.length === 0")
    team = visit_team("reader", "/p/open/")
    team.page.locator("#q").fill("gardener")
    team.page.locator("#q").press("Enter")
    expect(team.page.locator(".hit").first).to_be_visible()
    assert team.evaluate("Object.keys(localStorage)") == ["waymeet.recent /p/open/"]
    team.page.locator(".person button").click()
    expect(team.page.locator("#token")).to_be_visible()
    team.wait("localStorage.length === 0")


def test_projects_work_without_javascript(visit_several: Open) -> None:
    seen = visit_several("/", java_script_enabled=False)
    seen.page.locator("#switch summary").click()
    seen.page.locator("#switch a").first.click()
    seen.page.locator("#q").fill("water")
    seen.page.locator("#q").press("Enter")
    seen.page.locator(".hit", has_text="水的温度").locator(".open").click()
    expect(seen.page.locator("article h1")).to_have_text("水的温度")
    seen.page.goto("/p/tea/graph")
    seen.page.locator(".nodes .open", has_text="Green").click()
    expect(seen.page).to_have_url("/p/tea/read/docs/green.md")


def test_the_graph_and_notes_of_another_project_stay_in_it(visit_several: Open) -> None:
    seen = visit_several("/p/tea/graph")
    expect(seen.page.locator("#stage[data-ready]")).to_be_visible()
    seen.page.locator(".nodes .around").first.click()
    expect(seen.page.locator("#panel h1")).not_to_have_text("Graph")
    assert "/p/tea/graph/docs/" in seen.page.url
    seen.page.goto("/p/tea/new/notes")
    seen.page.locator("#title").fill("Kettle")
    seen.page.locator("#text").fill("")
    seen.page.locator("#text").press_sequentially("See [[green")
    expect(seen.page.locator("[role=option]").first).to_contain_text("Green")
    seen.page.keyboard.press("Enter")
    seen.page.keyboard.press("Control+Enter")
    expect(seen.page).to_have_url("/p/tea/item/.waymeet/notes/kettle.md")
    seen.page.goto("/p/tea/status")
    expect(seen.page.locator("#problems h3").first).to_be_visible()


def test_a_token_signs_in_and_the_page_leads_to_what_was_asked_for(visit_team: SignIn) -> None:
    seen = visit_team("writer", "/p/open/?q=gardener")
    expect(seen.page).to_have_url("/p/open/?q=gardener")
    expect(seen.page.locator(_FIRST).first).to_have_text("Garden")
    expect(seen.page.locator(".person")).to_contain_text("writer")
    assert [cookie.get("httpOnly") for cookie in seen.page.context.cookies()] == [True]
    assert "waymeet" not in seen.evaluate("document.cookie")
    seen.page.goto("/p/open/new/notes")
    seen.page.locator("#title").fill("Sow beans")
    seen.page.locator("button[value=save]").click()
    expect(seen.page.locator("#messages")).to_contain_text("created")
    seen.page.locator(".person button").click()
    expect(seen.page).to_have_url("/sign-in")
    seen.page.goto("/p/open/")
    expect(seen.page.locator("#token")).to_be_visible()


def test_a_wrong_token_is_refused(visit_team: SignIn, team: Team) -> None:
    seen = visit_team("wmt_wrong", "/p/open/status")
    expect(seen.page.locator("[role=alert]")).to_have_text("The token is wrong, revoked or expired.")
    send_token(seen, team.tokens["reader"])
    expect(seen.page).to_have_url("/p/open/status")


def test_a_revoked_token_ends_the_session_at_once(visit_team: SignIn, team: Team) -> None:
    token = team.run("token", "add", "guest", "--read", "open").stdout.strip()
    seen = visit_team(token, "/p/open/")
    expect(seen.page.locator("#q")).to_be_visible()
    assert team.run("token", "revoke", "guest").returncode == 0
    seen.page.locator("#q").fill("gardener")
    expect(seen.page.locator(".failure")).to_contain_text("You are not signed in, or no longer.")
    seen.page.reload()
    expect(seen.page.locator("#token")).to_be_visible()


def test_another_project_is_neither_listed_nor_found_and_a_reader_cannot_write(visit_team: SignIn, team: Team) -> None:
    seen = visit_team("reader", "/all?q=gardener")
    expect(seen.page.locator(".hit .project").first).to_have_text("open")
    expect(seen.page.locator("#switch a")).to_have_count(2)
    assert "closed" not in seen.page.content()
    seen.page.goto("/p/closed/?q=zebrafinch")
    expect(seen.page.locator("[role=alert] h1")).to_have_text("Not found: /p/closed/")
    seen.page.goto("/p/open/notes")
    expect(seen.page.locator(".read-only")).to_contain_text("may read this project, and not change it")
    expect(seen.page.locator("a", has_text="New note")).to_have_count(0)
    seen.page.goto("/p/open/new/notes")
    seen.page.locator("#title").fill("Planted")
    seen.page.locator("button[value=save]").click()
    expect(seen.page.locator("#form-problem")).to_contain_text("Nothing was saved. Your token may read this project")
    expect(seen.page.locator("#title")).to_have_value("Planted")
    assert not list((team.folder / "open").rglob("planted*"))


def test_the_page_of_a_team_works_without_javascript(visit_team: SignIn) -> None:
    seen = visit_team("reader", "/", java_script_enabled=False)
    expect(seen.page).to_have_url("/all")
    seen.page.locator("#q").fill("gardener")
    seen.page.locator("#q").press("Enter")
    seen.page.locator(_FIRST).first.click()
    expect(seen.page).to_have_url("/p/open/read/docs/page.md?lines=1-3#L1")
    seen.page.locator(".person button").click()
    expect(seen.page.locator("#token")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_the_pages(visit_several: Open, visit_team: SignIn, scheme: Any) -> None:
    seen = visit_several("/", color_scheme=scheme)
    for path in ("/all", "/all?q=water+kind:", "/all/compare?q=water", "/p/tea/?q=water", "/p/absent/"):
        seen.page.goto(path)
        seen.page.locator("#switch summary").click()
        assert find_serious(seen) == [], path
        seen.page.set_viewport_size({"width": 390, "height": 780})
        assert seen.evaluate("document.documentElement.scrollWidth") <= 390, path
        seen.page.set_viewport_size({"width": 1280, "height": 720})
    team = visit_team("wmt_wrong", "/", color_scheme=scheme)
    assert find_serious(team) == [], "sign in"
    again = visit_team("writer", "/", color_scheme=scheme, viewport={"width": 390, "height": 780})
    for path in ("/sign-in", "/p/open/tasks", "/p/open/read/docs/page.md"):
        again.page.goto(path)
        assert find_serious(again) == [], path
        assert again.evaluate("document.documentElement.scrollWidth") <= 390, path
