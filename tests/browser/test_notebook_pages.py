"""Notes, tasks and skills in a browser: the board, the editor, conflicts, the history, and signing in."""

import re
from pathlib import Path

import pytest
from browser.conftest import Open
from playwright.sync_api import Page, expect
from support.page_project import write_file
from support.page_writer import make_link
from support.server_process import Served, command

_TASK = "---\ntitle: {}\nstatus: {}\n---\n"


@pytest.fixture(autouse=True)
def _no_items(notebook: Served) -> None:
    """Remove the items of other tests."""
    for path in (notebook.root / ".waymeet").rglob("*.md"):
        path.unlink()


def put(notebook: Served, path: str, text: str) -> Path:
    write_file(notebook.root, f".waymeet/{path}", text)
    return notebook.root / ".waymeet" / path


def status_of(file: Path) -> str:
    match = re.search(r"^status: (\w+)$", file.read_text("utf-8"), re.MULTILINE)
    return match[1] if match else ""


def lane_of(page: Page, title: str) -> str:
    return page.locator(".lane", has=page.locator(".card", has_text=title)).get_attribute("data-status") or ""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_a_task_is_created_and_dragged_to_another_column(write: Open, notebook: Served) -> None:
    seen = write("/tasks")
    expect(seen.page.locator(".empty")).to_contain_text("There are no tasks yet")
    seen.page.locator("main a", has_text="Create the first task").click()
    seen.page.locator("#title").fill("Repair the gauge")
    seen.page.locator("#priority").select_option("high")
    seen.page.locator("#due").fill("2026-12-31")
    seen.page.locator("#tags").fill("tides, hardware")
    seen.page.locator("#text").fill("The gauge shows **nothing**.")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("#messages")).to_contain_text("The task was created.")
    expect(seen.page.locator(".prose strong")).to_have_text("nothing")
    file = notebook.root / ".waymeet/tasks/repair-the-gauge.md"
    assert file.read_text("utf-8").startswith("---\ntitle: Repair the gauge\n")
    seen.page.goto("/tasks")
    expect(seen.page.locator(".card .facts")).to_contain_text("due 2026-12-31")
    seen.page.locator(".card").drag_to(seen.page.locator("[data-status=review]"))
    expect(seen.page.locator("[data-status=review] .card")).to_be_visible()
    expect(seen.page.locator("#announcement")).to_have_text("“Repair the gauge” is now in Review.")
    assert status_of(file) == "review"
    assert seen.page.url.endswith("/tasks")


def test_a_task_is_created_and_moved_by_keys_alone(write: Open, notebook: Served) -> None:
    put(notebook, "tasks/b.md", _TASK.format("Paint the ferry", "todo"))
    seen = write("/tasks")
    seen.page.locator("h1").evaluate("element => { element.tabIndex = -1; element.focus(); }")
    for _ in range(10):
        press(seen.page, "Tab")
        if seen.evaluate("document.activeElement.textContent") == "New task":
            break
    press(seen.page, "Enter")
    expect(seen.page.locator("#title")).to_be_focused()
    seen.page.keyboard.type("Order fenders")
    press(seen.page, "Control+Enter")
    expect(seen.page.locator("h1")).to_have_text("Order fenders")
    seen.page.goto("/tasks")
    first = seen.page.locator(".card .open").first
    first.focus()
    press(seen.page, "ArrowDown", "ArrowUp", "ArrowUp")
    expect(first).to_be_focused()
    announcement = seen.page.locator("#announcement")
    press(seen.page, "Space")
    expect(announcement).to_contain_text("Paint the ferry is taken, in To do.")
    press(seen.page, "ArrowRight", "ArrowRight")
    expect(announcement).to_have_text("Review, column 4 of 6")
    press(seen.page, "Escape")
    expect(announcement).to_have_text("Paint the ferry stays in To do.")
    press(seen.page, "Space", "ArrowLeft", "Space")
    expect(announcement).to_have_text("“Paint the ferry” is now in Backlog.")
    expect(seen.page.locator("[data-status=backlog] .open")).to_be_focused()
    assert status_of(notebook.root / ".waymeet/tasks/b.md") == "backlog"
    press(seen.page, "ArrowRight")
    assert seen.evaluate("document.activeElement.textContent") == "Order fenders"
    press(seen.page, "Enter")
    expect(seen.page).to_have_url(re.compile("/item/.waymeet/tasks/order-fenders.md$"))


def test_a_task_that_was_changed_meanwhile_is_not_moved(write: Open, notebook: Served) -> None:
    file = put(notebook, "tasks/a.md", _TASK.format("Call the diver", "todo"))
    seen = write("/tasks")
    file.write_text(_TASK.format("Call the diver at noon", "in_progress"), "utf-8")
    seen.page.locator(".card").drag_to(seen.page.locator("[data-status=done]"))
    expect(seen.page.locator("#problems")).to_contain_text("was changed meanwhile")
    assert lane_of(seen.page, "Call the diver at noon") == "in_progress"
    assert status_of(file) == "in_progress"
    seen.page.locator(".card").drag_to(seen.page.locator("[data-status=done]"))
    expect(seen.page.locator("[data-status=done] .card")).to_be_visible()
    expect(seen.page.locator("#problems")).to_be_empty()


def test_everything_works_without_javascript(write: Open, notebook: Served) -> None:
    seen = write("/new/tasks", java_script_enabled=False)
    page = seen.page
    page.locator("#title").fill("Check the pager")
    page.locator("#text").fill("It *rings*.\n\n<script>alert(1)</script>")
    page.locator("#preview-button").click()
    expect(page.locator("#preview em")).to_have_text("rings")
    expect(page.locator("#title")).to_have_value("Check the pager")
    page.locator("button", has_text="Create").click()
    file = notebook.root / ".waymeet/tasks/check-the-pager.md"
    page.goto("/tasks?find=pager")
    page.locator(".move summary").click()
    page.locator(".move button", has_text="In progress").click()
    expect(page.locator("#messages")).to_have_text("“Check the pager” is now in In progress.")
    assert (lane_of(page, "pager"), status_of(file)) == ("in_progress", "in_progress")
    assert page.url.endswith("/tasks?find=pager"), "the filters stay"
    page.locator(".card .open").click()
    page.locator(".actions a", has_text="Edit").click()
    page.locator("#text").fill("It is silent.")
    page.locator("button", has_text="Save").click()
    expect(page.locator(".prose")).to_have_text("It is silent.")
    page.locator("#target").fill("docs/tides.md")
    page.locator("button", has_text="Add the relation").click()
    expect(page.locator("aside")).to_contain_text("related to docs/tides.md")
    page.locator("aside button", has_text="Remove").click()
    expect(page.locator("aside")).not_to_contain_text("docs/tides.md")
    page.locator(".actions a", has_text="Delete").click()
    assert file.exists()
    page.locator("button.danger").click()
    expect(page.locator("#messages")).to_contain_text("was deleted")
    assert not file.exists()
    page.locator("#messages a").click()
    page.locator("button", has_text="Restore this version").click()
    expect(page.locator(".prose")).to_have_text("It is silent.")


def test_both_texts_of_a_conflict_are_shown_and_nothing_is_lost(write: Open, notebook: Served) -> None:
    file = put(notebook, "notes/cards.md", "---\ntitle: Cards\n---\n\nRefunds take three days.\n\nNo cash.\n")
    seen = write("/edit/.waymeet/notes/cards.md")
    seen.page.locator("#title").fill("Cards only")
    seen.page.locator("#text").fill("Refunds take five days.\n\nNo cash.")
    file.write_text("---\ntitle: Cards\n---\n\nRefunds take three weeks.\n\nNo cash.\n", "utf-8")
    seen.page.locator("button", has_text="Save").click()
    expect(seen.page.locator("#form-problem")).to_contain_text("Nothing was saved")
    texts = [" ".join(row.inner_text().split()) for row in seen.page.locator(".conflict tr.changed").all()]
    assert any("three weeks" in text and "five days" in text for text in texts)
    assert "weeks" in seen.page.locator(".conflict del").all_inner_texts()
    expect(seen.page.locator("#title")).to_have_value("Cards only")
    expect(seen.page.locator("#text")).to_have_value("Refunds take five days.\n\nNo cash.")
    assert "three weeks" in file.read_text("utf-8")
    seen.page.locator("button", has_text="Save my text").click()
    expect(seen.page.locator(".prose")).to_contain_text("five days")
    assert "title: Cards only" in file.read_text("utf-8")
    seen.page.locator(".actions a", has_text="History").click()
    seen.page.locator(".versions tbody a").nth(1).click()
    expect(seen.page.locator(".compared")).to_contain_text("three weeks")
    seen.page.locator("button", has_text="Restore this version").click()
    expect(seen.page.locator(".prose")).to_contain_text("three weeks")


def test_the_text_of_a_removed_note_becomes_a_new_one(write: Open, notebook: Served) -> None:
    file = put(notebook, "notes/old.md", "---\ntitle: Old\n---\n\nText.\n")
    seen = write("/edit/.waymeet/notes/old.md")
    seen.page.locator("#text").fill("My text.")
    file.unlink()
    seen.page.locator("button", has_text="Save").click()
    expect(seen.page.locator("#form-problem")).to_contain_text("Someone removed this note")
    expect(seen.page.locator("#text")).to_have_value("My text.")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator(".prose")).to_have_text("My text.")


def test_a_link_is_searched_and_inserted_while_writing(write: Open) -> None:
    seen = write("/new/notes")
    seen.page.locator("#title").fill("Berths")
    text = seen.page.locator("#text")
    text.press_sequentially("See [[hold")
    expect(seen.page.locator("#text-options [role=option]").first).to_contain_text("Holding a berth")
    expect(text).to_have_attribute("aria-activedescendant", "text-option-1")
    press(seen.page, "ArrowDown", "ArrowUp", "Enter")
    expect(text).to_have_value("See [Holding a berth](../../docs/berths.md)")
    expect(seen.page.locator("#text-options")).to_be_hidden()
    text.press_sequentially(" and [[tides")
    seen.page.locator("#text-options [role=option]", has_text="docs/tides.md").click()
    expect(text).to_have_value(re.compile(r"and \[Tides\]\(../../docs/tides.md\)$"))
    text.press_sequentially(" and [[pag")
    expect(seen.page.locator("#text-options [role=option]").first).to_be_visible()
    press(seen.page, "Escape")
    expect(seen.page.locator("#text-options")).to_be_hidden()
    seen.page.locator("#preview-button").click()
    expect(seen.page.locator("#preview a").first).to_have_attribute("href", "/read/docs/berths.md")
    seen.page.locator("button", has_text="Create").click()
    seen.page.locator(".prose a", has_text="Holding a berth").click()
    expect(seen.page).to_have_url(re.compile("/read/docs/berths.md$"))
    expect(seen.page.locator("aside.links")).to_contain_text("Berths")


def test_errors_are_shown_next_to_their_field(write: Open, notebook: Served) -> None:
    seen = write("/new/tasks")
    seen.page.locator("#title").fill("Kept title")
    seen.page.locator("#due").fill("next week")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("#due-problem")).to_have_text("'next week' is not a date. Write it as 2026-12-31.")
    expect(seen.page.locator("#due")).to_have_attribute("aria-invalid", "true")
    expect(seen.page.locator("#due")).to_have_attribute("aria-describedby", "due-problem")
    expect(seen.page.locator("#title")).to_have_value("Kept title")
    seen.page.locator("#due").fill("")
    seen.page.locator("#text").evaluate("element => { element.value = 'x'.repeat(600000); }")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("#text-problem")).to_contain_text("500,000 are allowed")
    keys = "token: ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5\ntoken: ghp_zB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG6\n"
    file = put(notebook, "notes/keys.md", f"---\ntitle: Keys\n---\n\n{keys}")
    seen.page.goto("/edit/.waymeet/notes/keys.md")
    expect(seen.page.locator("#text")).to_have_value("token: [secret]\ntoken: [secret]")
    seen.page.locator("#text").fill("token: [secret]")
    seen.page.locator("button", has_text="Save").click()
    expect(seen.page.locator("#text-problem")).to_contain_text("[secret]")
    seen.page.locator("#text").fill("token: [secret]\ntoken: [secret]\n\nRotate them.")
    seen.page.locator("button", has_text="Save").click()
    expect(seen.page.locator(".prose")).to_contain_text("Rotate them.")
    assert keys in file.read_text("utf-8"), "the values stay"
    seen.page.goto("/item/deploy/SKILL.md")
    expect(seen.page.locator(".actions")).to_contain_text("Read-only")
    expect(seen.page.locator("a", has_text="Edit")).to_have_count(0)


def test_a_server_that_does_not_answer_costs_no_text(write: Open, notebook: Served) -> None:
    seen = write("/new/notes")
    seen.page.locator("#title").fill("Long work")
    seen.page.context.set_offline(True)
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("form [role=alert]")).to_contain_text("Your text is still here")
    expect(seen.page.locator("#title")).to_have_value("Long work")
    seen.page.context.set_offline(False)
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("h1")).to_have_text("Long work")
    assert (notebook.root / ".waymeet/notes/long-work.md").exists()


def test_lists_are_filtered(write: Open, notebook: Served) -> None:
    put(notebook, "notes/a.md", "---\ntitle: Cards only\ntags: [decision, berths]\n---\n")
    put(notebook, "notes/b.md", "---\ntitle: 支払いの決定\ntags: [decision]\n---\n")
    put(
        notebook,
        "skills/rope.md",
        "---\ntitle: Splice\ndescription: Joins ropes.\n---\n\n## Steps\n\n1. Unlay\n2. Tuck\n",
    )
    seen = write("/notes")
    expect(seen.page.locator(".entries li")).to_have_count(2)
    expect(seen.page.locator(".entries h2[lang=ja]")).to_have_text("支払いの決定")
    seen.page.locator(".chips a", has_text="berths").click()
    expect(seen.page.locator(".entries h2")).to_have_text(["Cards only"])
    seen.page.locator("[name=find]").fill("nothing")
    seen.page.locator("button", has_text="Filter").click()
    expect(seen.page.locator(".empty")).to_contain_text("Nothing matches these filters")
    seen.page.locator(".empty a").click()
    expect(seen.page.locator(".entries li")).to_have_count(2)
    seen.page.goto("/skills")
    expect(seen.page.locator(".entries li", has_text="Splice")).to_contain_text("2 steps")


def test_a_hundred_tasks_fit_the_board(write: Open, notebook: Served) -> None:
    for number in range(100):
        put(notebook, f"tasks/{number}.md", _TASK.format(f"Task {number}", "todo" if number % 2 else "waiting"))
    seen = write("/tasks")
    expect(seen.page.locator(".card")).to_have_count(100)
    expect(seen.page.locator("#lane-other .count")).to_have_text("50")
    seen.page.locator(".lane[data-status=other] .move summary").first.click()
    seen.page.locator(".lane[data-status=other] .move button", has_text="Done").first.click()
    expect(seen.page.locator("#lane-other .count")).to_have_text("49")
    expect(seen.page.locator("#lane-done .count")).to_have_text("1")


def test_the_code_stays_nowhere_and_the_cookie_is_hidden(write: Open, notebook: Served) -> None:
    seen = write("/notes")
    expect(seen.page.locator(".session")).to_contain_text("Signed in for writing.")
    assert seen.evaluate("document.cookie") == ""
    seen.page.go_back()
    assert seen.page.url == f"{notebook.address}/"
    assert [url for url in seen.requests[1:] if "code=" in url] == []
    seen.page.goto("/new/notes")
    seen.page.locator("#title").fill("Not lost")
    assert command(notebook.environment, notebook.root, "open", "--sign-out").returncode == 0
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("#form-problem")).to_contain_text("Nothing was saved. You are not signed in")
    again = seen.page.context.new_page()
    again.goto(make_link(notebook))
    expect(seen.page.locator("#title")).to_have_value("Not lost")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("#form-problem")).to_contain_text("Send it once more")
    seen.page.locator("button", has_text="Create").click()
    expect(seen.page.locator("h1")).to_have_text("Not lost")
    seen.page.locator("button", has_text="Sign out").click()
    expect(seen.page.locator("h1")).to_have_text("You are signed out")
    seen.page.goto("/notes")
    expect(seen.page.locator(".read-only")).to_contain_text("waymeet open")
    expect(seen.page.locator("a", has_text="New note")).to_have_count(0)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:9", "http://evil.example"])
def test_a_page_of_another_origin_cannot_write(write: Open, notebook: Served, origin: str) -> None:
    file = put(notebook, "tasks/a.md", _TASK.format("Safe", "todo"))
    seen = write("/tasks")
    action = f"{notebook.address}{seen.page.locator('.move form').get_attribute('action')}"
    fields = {name: seen.page.locator(f".move [name={name}]").first.input_value() for name in ("form_token", "version")}
    inputs = "".join(f"<input name={name} value='{value}'>" for name, value in {**fields, "status": "done"}.items())
    other = seen.page.context.new_page()
    body = f"<form method=post action='{action}'>{inputs}<button>Send</button></form>"
    other.route(f"{origin}/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    other.goto(f"{origin}/")
    with other.expect_navigation() as sent:  # even with the token of the form, which such a page cannot read
        other.locator("button").click()
    assert sent.value.status == 403
    assert "another origin" in other.locator("h1").inner_text()
    assert status_of(file) == "todo"
