"""Search in a browser: typing, filters, addresses, keys, explanations."""

from browser.conftest import Open
from playwright.sync_api import Route, expect
from support.server_process import Served

_FIRST = ".hit .open"


def test_results_appear_while_a_query_is_typed(visit: Open) -> None:
    seen = visit("/")
    expect(seen.page.locator("#q")).to_be_focused()
    top = seen.page.locator("#q").bounding_box()
    seen.page.locator("#q").press_sequentially("spring tides", delay=10)
    expect(seen.page.locator(_FIRST).first).to_have_text("Tides")
    expect(seen.page).to_have_url("/?q=spring+tides")
    expect(seen.page.locator("#announcement")).to_contain_text("results")
    assert "<mark>" in seen.page.locator(".snippet").first.inner_html()
    assert seen.text(".place").split() == ["docs/tides.md", "1–7"]
    assert seen.page.locator("#q").bounding_box() == top, "the search box stays where it is"
    assert seen.evaluate("document.title").startswith("spring tides – ")


def test_an_earlier_answer_never_replaces_a_later_one(visit: Open) -> None:
    seen, held = visit("/"), list[Route]()

    def hold_first(route: Route) -> None:
        held.append(route) if "refund" in route.request.url else route.continue_()

    seen.page.route("**/results?*", hold_first)
    seen.page.locator("#q").fill("refund")
    seen.page.wait_for_timeout(400)
    assert len(held) == 1
    seen.page.locator("#q").fill("pager wind")
    expect(seen.page.locator(_FIRST).first).to_have_text("Pager")
    failures = [request.failure for request in [held[0].request]]
    assert failures == ["net::ERR_ABORTED"], "the earlier request was cancelled"
    expect(seen.page).to_have_url("/?q=pager+wind")


def test_every_state_has_an_address_and_back_and_forward_work(visit: Open) -> None:
    seen = visit("/")
    seen.page.locator("#q").fill("berth")
    expect(seen.page.locator(".hit").first).to_be_visible()
    seen.page.locator(".facets a", has_text="code").first.click()
    expect(seen.page).to_have_url("/?q=berth&kind=code")
    expect(seen.page.locator(".facets a[aria-current]")).to_contain_text("code")
    assert {hit.get_attribute("data-kind") for hit in seen.page.locator(".hit").all()} == {"code"}
    seen.page.select_option("select[name=recipe]", "classic")
    expect(seen.page.locator(".summary")).to_contain_text("classic")
    expect(seen.page).to_have_url("/?q=berth&recipe=classic&kind=code")
    seen.page.go_back()
    expect(seen.page).to_have_url("/?q=berth&kind=code")
    expect(seen.page.locator(".summary")).to_contain_text("auto")
    seen.page.go_back()
    expect(seen.page.locator(".facets a[aria-current]")).to_have_count(0)
    seen.page.go_back()
    expect(seen.page.locator(".hints")).to_be_visible()
    expect(seen.page.locator("#q")).to_have_value("")
    seen.page.go_forward()
    expect(seen.page.locator("#q")).to_have_value("berth")
    seen.page.reload()
    expect(seen.page.locator(".hit").first).to_be_visible()


def test_facets_count_and_can_be_removed(visit: Open) -> None:
    seen = visit("/?q=berth&in=docs/")
    names = [heading.inner_text() for heading in seen.page.locator(".facets h2").all()]
    assert "folder" in names
    assert "tag" in names
    seen.page.locator(".facets a[aria-current]", has_text="docs/").click()
    expect(seen.page).to_have_url("/?q=berth")


def test_keys_move_open_and_explain(visit: Open) -> None:
    seen = visit("/?q=berth")
    seen.page.keyboard.press("j")
    expect(seen.page.locator(_FIRST).first).to_be_focused()
    seen.page.keyboard.press("j")
    expect(seen.page.locator(_FIRST).nth(1)).to_be_focused()
    assert "selected" in (seen.page.locator(".hit").nth(1).get_attribute("class") or "")
    seen.page.keyboard.press("k")
    expect(seen.page.locator(_FIRST).first).to_be_focused()
    seen.page.keyboard.press("e")
    expect(seen.page.locator(".explanation").first).to_be_visible()
    seen.page.keyboard.press("?")
    expect(seen.page.locator("#keys")).to_be_visible()
    seen.page.keyboard.press("Escape")
    expect(seen.page.locator("#keys")).to_be_hidden()
    seen.page.keyboard.press("/")
    expect(seen.page.locator("#q")).to_be_focused()
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator("article")).to_be_visible()


def test_recent_searches_are_kept_in_the_browser(visit: Open) -> None:
    seen = visit("/")
    seen.page.locator("#q").fill("spring tides")
    seen.page.locator("#q").press("Enter")
    expect(seen.page.locator(".hit").first).to_be_visible()
    seen.page.goto("/")
    expect(seen.page.locator(".recent a")).to_have_text("spring tides")
    seen.page.locator(".recent a").click()
    expect(seen.page).to_have_url("/?q=spring+tides")
    seen.page.goto("/")
    seen.page.locator("#forget").click()
    expect(seen.page.locator("#recent")).to_be_hidden()


def test_a_score_is_explained_in_place(visit: Open) -> None:
    seen = visit("/?q=spring+tides")
    label = seen.page.locator(".bar").first.get_attribute("aria-label") or ""
    assert "lexical" in label
    seen.page.locator(".why summary").first.click()
    assert "“spring”" in seen.text(".explanation")
    seen.page.locator(".all summary").first.click()
    assert "idf = ln(1 + (N − n + 0.5)/(n + 0.5))" in seen.text(".tree")


def test_the_calculation_of_a_score_is_loaded_when_it_is_opened(visit: Open) -> None:
    seen = visit("/")
    seen.page.locator("#q").fill("spring tides")
    expect(seen.page.locator(_FIRST).first).to_have_text("Tides")
    expect(seen.page.locator(".tree")).to_have_count(0)
    seen.page.locator(".why summary").first.click()
    seen.page.locator(".all summary").first.click()
    expect(seen.page.locator(".tree").first).to_contain_text("idf = ln(1 + (N − n + 0.5)/(n + 0.5))")
    expect(seen.page.locator(".all[data-later]")).to_have_count(0)


def test_two_rankings_are_compared(visit: Open) -> None:
    seen = visit("/?q=berth")
    seen.page.locator(".summary a").click()
    expect(seen.page.locator(".column")).to_have_count(2)
    assert seen.page.locator(".lines line").count() >= 1
    assert "there" in seen.text(".comparison") or "same place" in seen.text(".comparison")


def test_a_missing_document_is_traced(visit: Open) -> None:
    seen = visit("/?q=spring+tides")
    seen.page.locator(".absent summary").click()
    seen.page.locator(".absent input[name=id]").fill("docs/pager.md")
    seen.page.locator(".absent button").click()
    expect(seen.page.locator(".verdict")).to_contain_text("docs/pager.md")
    assert seen.page.locator("tbody tr").count() > 5
    seen.page.goto("/why-not?q=tides&id=/etc/passwd")
    expect(seen.page.locator(".verdict")).to_contain_text("outside of the project")


def test_values_of_a_filter_are_suggested_while_it_is_typed(visit: Open) -> None:
    seen = visit("/")
    seen.page.locator("#q").fill("berth ki")
    expect(seen.page.locator(".hit").first).to_be_visible()
    expect(seen.page.locator(".suggest")).to_have_count(0)
    seen.page.locator("#q").press_sequentially("nd:")
    expect(seen.page.locator(".suggest a").first).to_contain_text("kind:docs")
    expect(seen.page.locator(".hit").first).to_be_visible()
    seen.page.locator("#q").press_sequentially("co")
    expect(seen.page.locator(".suggest a")).to_have_count(1)
    seen.page.keyboard.press("ArrowDown")
    expect(seen.page.locator(".suggest a")).to_be_focused()
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator("#q")).to_have_value("berth kind:code ")
    expect(seen.page.locator("#q")).to_be_focused()
    expect(seen.page.locator(".suggest")).to_have_count(0)
    expect(seen.page.locator(".hit[data-kind=docs]")).to_have_count(0)
    seen.page.locator("#q").fill("tag:boo")
    expect(seen.page.locator(".suggest a")).to_have_text("tag:booking 1")
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("ArrowUp")
    expect(seen.page.locator("#q")).to_be_focused()


def test_values_of_a_filter_are_links_without_javascript(visit: Open) -> None:
    seen = visit("/", java_script_enabled=False)
    seen.page.locator(".hints a", has_text="lang:").click()
    seen.page.locator(".suggest a", has_text="lang:python").click()
    expect(seen.page.locator(".nothing h2")).to_have_text("Add words to search for")
    seen.page.goto("/?q=lang:j")
    expect(seen.page.locator(".suggest a", has_text="lang:ja")).to_be_visible()
    seen.page.goto("/?q=folder:do")
    seen.page.locator(".suggest a").first.click()
    expect(seen.page.locator("#q")).to_have_value("path:docs/")


def test_nothing_found_degraded_and_errors_say_what_helps(visit: Open) -> None:
    seen = visit("/?q=xylophone+quasar&kind=code")
    expect(seen.page.locator(".nothing h2")).to_have_text("Nothing was found")
    expect(seen.page.locator(".nothing a").first).to_have_text("Search without filters")
    expect(seen.page.locator(".notice summary").first).to_contain_text("No embedding model")
    seen.page.goto("/?q=berth&recipe=unknown")
    expect(seen.page.locator("[role=alert] h1")).to_contain_text("unknown")
    expect(seen.page.locator("#q")).to_have_value("berth")
    seen.page.goto("/?q=berht")
    expect(seen.page.locator(".note").first).to_contain_text("berth")


def test_a_server_that_is_gone_is_reported(visit: Open) -> None:
    seen = visit("/")
    seen.page.route("**/results?*", lambda route: route.abort())
    seen.page.locator("#q").fill("berth")
    expect(seen.page.locator(".failure")).to_contain_text("does not answer")


def test_a_search_is_repeated_until_the_index_is_ready(visit: Open) -> None:
    seen, failures = visit("/"), ["<section class=failure role=alert><h2>The project is being indexed.</h2></section>"]

    def answer(route: Route) -> None:
        if failures:
            route.fulfill(status=503, content_type="text/html; charset=utf-8", body=failures.pop())
        else:
            route.continue_()

    seen.page.route("**/results?*", answer)
    seen.page.locator("#q").fill("spring tides")
    expect(seen.page.locator(".failure")).to_contain_text("being indexed")
    expect(seen.page.locator(_FIRST).first).to_have_text("Tides")


def test_more_results_are_shown_on_request(visit: Open) -> None:
    seen = visit("/?q=ferry")
    expect(seen.page.locator(".hit")).to_have_count(10)
    seen.page.locator(".more a").click()
    expect(seen.page.locator(".hit")).to_have_count(30)
    seen.page.locator(".more a").click()
    expect(seen.page.locator(".hit")).to_have_count(100)
    expect(seen.page).to_have_url("/?q=ferry&n=100")


def test_the_page_works_without_javascript(visit: Open, server: Served) -> None:
    seen = visit("/", java_script_enabled=False)
    seen.page.locator("#q").fill("spring tides")
    seen.page.locator("#q").press("Enter")
    expect(seen.page.locator(_FIRST).first).to_have_text("Tides")
    seen.page.locator(".why summary").first.click()
    expect(seen.page.locator(".explanation").first).to_be_visible()
    seen.page.locator(".facets a").first.click()
    expect(seen.page.locator(".facets a[aria-current]")).to_have_count(1)
    seen.page.locator(_FIRST).first.click()
    expect(seen.page.locator(".block.marked").first).to_be_in_viewport()
    for path in ("/compare?q=berth", "/why-not?q=berth&id=docs/tides.md", "/status", "/status/problems"):
        seen.page.goto(path)
        expect(seen.page.locator("h1").first).to_be_visible()
    assert server.process.poll() is None
