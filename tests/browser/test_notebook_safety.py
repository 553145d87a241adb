"""Pages of notes, tasks and skills: no text runs in them, and everyone can use them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import Open, Visit, sign_in, visit_address
from browser.test_page_safety import check_content
from playwright.sync_api import Browser, expect
from support.page_project import PAYLOADS, write_attacks, write_file
from support.server_process import Served, isolated_environment, served

_NOTE, _TASK = ".waymeet/notes/cards.md", ".waymeet/tasks/gauge.md"
PAGES = {
    "board": "/tasks",
    "task list": "/tasks/list",
    "notes": "/notes",
    "skills": "/skills",
    "nothing found": "/notes?find=xylophone",
    "note": f"/item/{_NOTE}",
    "task": f"/item/{_TASK}",
    "edit task": f"/edit/{_TASK}",
    "new skill": "/new/skills",
    "delete": f"/delete/{_NOTE}",
    "history": f"/history/{_NOTE}",
    "sign in": "/sign-in",
}


@pytest.fixture(autouse=True)
def _items(notebook: Served) -> Iterator[None]:
    """Write the items of these tests, and remove them."""
    text = "---\ntitle: Skippers pay by card\ntags: [berths]\nrelated_to: [docs/berths.md]\n---\n\nCards *only*.\n"
    write_file(notebook.root, _NOTE, text)
    for number, status in enumerate(("todo", "in_progress", "done", "waiting")):
        fields = "priority: critical\ndue: 2020-01-01\nassignee: Mina\ntags: [tides, 潮]"
        path = _TASK if not number else f".waymeet/tasks/t{number}.md"
        write_file(notebook.root, path, f"---\ntitle: 係留場所 {number}\nstatus: {status}\n{fields}\n---\n\nText.\n")
    write_file(
        notebook.root, ".waymeet/skills/rope.md", "---\ntitle: Splice\ntriggers: [rope]\n---\n\n## Steps\n\n1. Go\n"
    )
    yield
    for file in (notebook.root / ".waymeet").rglob("*.md"):
        file.unlink()


def find_serious(seen: Visit) -> list[Any]:
    """List the serious findings of axe."""
    found: Any = Axe().run(seen.page).response["violations"]
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(write: Open, notebook: Served, scheme: str) -> None:
    seen = write("/tasks", color_scheme=scheme)
    for name, path in PAGES.items():
        seen.page.goto(path)
        for summary in seen.page.locator(".move summary").all()[:1]:
            summary.click()
        assert find_serious(seen) == [], name
    seen.page.goto("/tasks")
    seen.page.locator(".card .open").first.focus()
    seen.page.keyboard.press("Space")
    assert find_serious(seen) == [], "a task that is taken"
    seen.page.goto(f"/edit/{_NOTE}")
    seen.page.locator("#text").press_sequentially("[[berth")
    expect(seen.page.locator("[role=option]").first).to_be_visible()
    assert find_serious(seen) == [], "documents to link to"
    seen.page.locator("#text").fill("Mine")
    write_file(notebook.root, _NOTE, "---\ntitle: Changed\n---\n\nTheirs.\n")
    seen.page.locator("[value=save]").click()
    expect(seen.page.locator(".conflict")).to_be_visible()
    assert find_serious(seen) == [], "conflict"
    seen.page.goto("/new/tasks")
    seen.page.locator("#title").fill("x")
    seen.page.locator("#due").fill("soon")
    seen.page.locator("[value=save]").click()
    expect(seen.page.locator("#due-problem")).to_be_visible()
    assert find_serious(seen) == [], "error"


def test_empty_pages_are_accessible(write: Open, notebook: Served) -> None:
    for file in (notebook.root / ".waymeet").rglob("*.md"):
        file.unlink()
    seen = write("/tasks")
    for path in ("/tasks", "/notes"):
        seen.page.goto(path)
        expect(seen.page.locator(".empty h2")).to_contain_text("There are no")
        assert find_serious(seen) == []


def test_a_phone_needs_no_sideways_scrolling(write: Open, notebook: Served) -> None:
    seen = write("/tasks", viewport={"width": 390, "height": 844})
    long = "long" * 60
    write_file(
        notebook.root, _TASK, f"---\ntitle: {long}\nstatus: todo\ntags: [{long}]\nassignee: {long}\n---\n{long}\n"
    )
    write_file(notebook.root, ".waymeet/tasks/x.md", f"---\ntitle: x\nstatus: {long}\npriority: {long}\n---\n")
    for name, path in PAGES.items():
        seen.page.goto(path)
        assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    seen.page.goto("/tasks")
    assert seen.page.locator(".lane").first.bounding_box() != seen.page.locator(".lane").nth(1).bounding_box()
    seen.page.locator(".move summary").first.click()
    seen.page.locator(".move button").first.click()
    expect(seen.page.locator("#announcement")).to_contain_text("is now in")


def test_attacks_in_items_do_not_run(browser: Browser, tmp_path: Path) -> None:
    root = tmp_path / "attacked"
    write_attacks(root)
    with served(root, isolated_environment(tmp_path)) as server, visit_address(browser, server.address) as opened:
        seen = sign_in(opened, server, "/tasks")
        _check_lists(seen)
        _check_pages(seen, root)


def _check_lists(seen: Visit) -> None:
    assert seen.page.locator(".card").count() >= len(PAYLOADS)
    check_content(seen)
    for path in ("/notes", "/skills", "/tasks/list", f"/tasks?{urlencode({'tag': PAYLOADS[0]})}"):
        seen.page.goto(path)
        assert seen.page.locator(".entries li, .card").count()
        check_content(seen)
    for number in range(0, len(PAYLOADS), 17):
        kind = ("notes", "tasks", "skills")[number % 3]
        for page in ("item", "edit", "delete"):
            seen.page.goto(f"/{page}/.waymeet/{kind}/attack-{number}.md")
            check_content(seen)


def _check_pages(seen: Visit, root: Path) -> None:
    seen.page.goto("/edit/.waymeet/notes/attack-0.md")
    seen.page.locator("#text").fill("\n\n".join(PAYLOADS))
    seen.page.locator("#preview-button").click()
    seen.page.locator("#preview .block").first.wait_for(state="attached")
    check_content(seen)
    write_file(root, ".waymeet/notes/attack-0.md", "# Changed\n\n" + "\n".join(PAYLOADS))
    seen.page.locator("[value=save]").click()
    expect(seen.page.locator(".conflict")).to_be_visible()
    check_content(seen)
    seen.page.locator("[value=save]").click()
    expect(seen.page.locator("#messages")).to_contain_text("Saved.")
    check_content(seen)
    seen.page.goto("/history/.waymeet/notes/attack-0.md")
    seen.page.locator(".versions a").last.click()
    check_content(seen)
    seen.page.goto("/new/notes")
    seen.page.locator("#text").press_sequentially("[[zebra")
    expect(seen.page.locator("[role=option]").first).to_be_visible()
    check_content(seen)
    seen.page.keyboard.press("Enter")
    check_content(seen)


@pytest.mark.parametrize("payload", [PAYLOADS[0], PAYLOADS[44], PAYLOADS[50]])
def test_attacks_in_forms_and_addresses_do_not_run(write: Open, payload: str) -> None:
    seen = write("/new/tasks")
    for name in ("title", "due", "tags", "assignee", "text"):
        seen.page.locator(f"#{name}").fill(payload)
    seen.page.locator("[value=save]").click()
    expect(seen.page.locator("#due-problem")).to_be_visible()
    expect(seen.page.locator("#title")).to_have_value(payload)
    check_content(seen)
    given = urlencode(dict.fromkeys(("find", "tag", "status", "priority", "assignee", "version", "failed"), payload))
    for path in ("/tasks", "/tasks/list", "/notes", "/new/tasks", f"/history/{_NOTE}", "/sign-in"):
        seen.page.goto(f"{path}?{given}")
        check_content(seen)
