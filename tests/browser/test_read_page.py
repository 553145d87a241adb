"""Documents and the status in a browser."""

from browser.conftest import Open
from playwright.sync_api import expect
from support.server_process import Served


def test_a_hit_opens_at_its_section(visit: Open) -> None:
    seen = visit("/?q=refund+three+days")
    seen.page.locator(".hit .open").first.click()
    expect(seen.page.locator(".block.marked").first).to_be_in_viewport()
    assert "Refunds" in seen.text(".block.marked")
    assert "?lines=" in seen.page.url
    outline = [entry.inner_text() for entry in seen.page.locator(".outline a").all()]
    assert outline == ["Holding a berth", "Paying", "Refunds"]


def test_markdown_is_rendered(visit: Open) -> None:
    seen = visit("/read/docs/berths.md")
    assert seen.page.locator(".prose table td").first.inner_text() == "A1"
    assert seen.page.locator(".prose pre .k").first.inner_text() == "def"
    assert seen.page.locator(".prose ol li").count() == 2
    assert "title: Holding" not in seen.text(".prose")
    assert seen.text(".image") == "a plan"
    seen.page.locator(".footnote-reference a, .prose sup a").first.click()
    assert seen.page.url.endswith("#h-footnote-1")
    assert seen.page.locator("h1").count() == 1
    assert seen.page.locator("#edit").count() == 0, "no editor is set"


def test_links_are_followed_with_their_sentences(visit: Open) -> None:
    seen = visit("/read/docs/berths.md")
    links = seen.text("aside.links")
    assert "See pager and the tides." in links
    assert "nowhere.md" in seen.text(".broken")
    seen.page.locator(".prose a", has_text="pager").click()
    expect(seen.page).to_have_url("/read/docs/pager.md")
    expect(seen.page.locator("aside.links")).to_contain_text("Holding a berth")
    seen.page.goto("/read/docs/berths.md")
    seen.page.locator(".prose a", has_text="the tides").click()
    expect(seen.page).to_have_url("/read/docs/tides.md#h-spring-tides")


def test_staleness_and_translations_are_shown(visit: Open) -> None:
    seen = visit("/read/docs/berths.md")
    expect(seen.page.locator(".badge")).to_have_text("stale")
    expect(seen.page.locator(".notice")).to_contain_text("src/gone.py")
    seen.page.locator("a[lang=ja]").click()
    expect(seen.page.locator("article")).to_have_attribute("lang", "ja")
    assert (
        "JP" in seen.evaluate("getComputedStyle(document.querySelector('.prose p')).fontFamily").split("sans-serif")[0]
    )
    seen.page.goto("/read/docs/berths.zh.md")
    expect(seen.page.locator("article")).to_have_attribute("lang", "zh")
    assert "CJK SC" in seen.evaluate("getComputedStyle(document.querySelector('.prose p')).fontFamily")


def test_code_has_line_numbers_and_symbols(visit: Open) -> None:
    seen = visit("/read/src/berths.py?lines=4-6#L4")
    expect(seen.page.locator(".line")).to_have_count(10)
    expect(seen.page.locator(".line.marked")).to_have_count(3)
    assert [entry.inner_text() for entry in seen.page.locator(".outline a").all()] == ["hold_berth", "free_berth"]
    assert "<script>alert(1)</script>" in seen.page.locator("#L6").inner_text()
    seen.page.locator(".outline a", has_text="free_berth").click()
    assert seen.page.url.endswith("#L9")


def test_the_citation_is_copied(visit: Open) -> None:
    seen = visit("/read/docs/tides.md?lines=5-7", permissions=["clipboard-read", "clipboard-write"])
    seen.page.locator("#copy").click()
    expect(seen.page.locator("#copied")).to_have_text("Copied")
    assert seen.evaluate("navigator.clipboard.readText()") == "docs/tides.md#L5-L7"
    expect(seen.page.locator(".marked").first).to_be_in_viewport()


def test_a_document_that_does_not_exist_is_an_error_page(visit: Open) -> None:
    seen = visit("/read/docs/bertsh.md")
    expect(seen.page.locator("[role=alert]")).to_contain_text("docs/berths.md")


def test_the_status_is_live(visit: Open, server: Served) -> None:
    seen = visit("/status")
    before = int(seen.text("#documents").replace(",", ""))
    expect(seen.page.locator("#problems")).to_contain_text("nowhere.md")
    expect(seen.page.locator("#problems")).to_contain_text("src/gone.py")
    expect(seen.page.locator("#problems a", has_text="Entry 20")).to_have_attribute("href", "/read/log/020.md")
    expect(seen.page.locator("#problems")).to_contain_text("The first 100 are shown. All: waymeet orphans")
    expect(seen.page.locator("main")).to_contain_text("embedding.provider")
    (server.root / "docs" / "added.md").write_text("# Added\n\nA page.\n", "utf-8")
    expect(seen.page.locator("#documents")).to_have_text(str(before + 1))
    (server.root / "docs" / "added.md").unlink()
