"""Forms of notes, tasks and skills: values, errors, comparison of texts, and columns."""

import pytest

from waymeet.errors import MaskedValueError, RequestError, UsageError
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operations.items import ItemAnswer, RememberRequest
from waymeet.interfaces.web.items.board import make_columns
from waymeet.interfaces.web.items.comparison import compare_lines, split_changes
from waymeet.interfaces.web.items.fields import ItemForm, fill_form, read_form
from waymeet.interfaces.web.items.lists import Filters, choose_tags
from waymeet.interfaces.web.items.problems import describe_problem
from waymeet.interfaces.web.sign_in.visitor import Form


def item(**fields: object) -> ItemAnswer:
    return ItemAnswer(id="t.md", kind="tasks", name="t", title="T", version="1", fields=fields, text="Text\r\nmore\n")


def test_a_form_sends_only_what_differs() -> None:
    before = fill_form(item(status="todo", priority="low", tags=["a", "b"], due="2026-01-01"))
    assert before.text == "Text\nmore"
    assert before.to_request("tasks", before) == {}
    changed = before._replace(priority="", tags="a, c,", due="", status="done")
    assert changed.to_request("tasks", before) == {
        "properties": ["priority="],
        "tags": ["a", "c"],
        "due": "",
        "status": "done",
    }


def test_unknown_values_of_a_file_are_not_sent_back() -> None:
    before = fill_form(item(status="waiting", priority=3, tags="x, y"))
    assert (before.status, before.priority, before.tags) == ("", "", "x, y")
    assert before._replace(title="New").to_request("tasks", before) == {"title": "New"}


def test_a_form_of_a_browser_is_read() -> None:
    form = read_form(Form({"title": [" A "], "text": ["\r\none\r\ntwo\r\n"], "triggers": ["a, b\r\nc"]}))
    assert form == ItemForm(title="A", text="one\ntwo", triggers="a, b\nc")
    assert form.to_request("skills")["triggers"] == ["a, b", "c"]


@pytest.mark.parametrize(
    ("error", "field", "message"),
    [
        (UsageError("due: 'x' is not a date.", "Write it as 2026-12-31."), "due", "'x' is not a date. Write it as"),
        (UsageError("tags is longer than 2,000 characters.", "Put"), "tags", "tags is longer"),
        (UsageError("The item would have 9 bytes; 5 are allowed."), "text", "5 are allowed"),
        (MaskedValueError("Line 3 has [secret]."), "text", "Line 3"),
        (UsageError("a.md is read-only, because it is not in x.", "Change it in an editor."), "", "read-only"),
    ],
)
def test_errors_name_their_field(error: UsageError, field: str, message: str) -> None:
    problem = describe_problem(error)
    assert (problem.field, message in problem.message) == (field, True)


def test_invalid_values_are_described_in_plain_words() -> None:
    cases = {
        ("title", "x" * 1001): "This is too long: at most 1,000 characters are allowed.",
        ("description", "x" * 2001): "This is too long: at most 2,000 characters are allowed.",
        ("tags", ("t",) * 101): "This is too long: at most 100 entries are allowed.",
    }
    for (name, value), message in cases.items():
        with pytest.raises(RequestError) as raised:
            convert(RememberRequest, {"kind": "notes", "title": "T", name: value}, lax=True)
        problem = describe_problem(raised.value)
        assert (problem.field, problem.message) == (name, message)


def test_equal_lines_far_from_a_difference_are_left_out() -> None:
    left = "\n".join(map(str, range(40)))
    rows = compare_lines(left, left.replace("20\n", "twenty\n"))
    assert [row.kind for row in rows] == ["skipped", *["same"] * 3, "changed", *["same"] * 3, "skipped"]
    assert rows[4].parts == ([("20", True)], [("twenty", True)])
    assert rows[4].left_line == rows[4].right_line == 21
    assert [row.kind for row in compare_lines("", "a\nb")] == ["right", "right"]
    long = "\n".join(f"line {number}" for number in range(6000))
    assert len(compare_lines(long, f"{long}\nmore")) == 6001


def test_changed_words_of_a_line_are_found() -> None:
    left, right = split_changes("支払いは現金です", "支払いはカードです")
    assert left == [("支払いは", False), ("現金", True), ("です", False)]
    assert right == [("支払いは", False), ("カード", True), ("です", False)]
    assert split_changes("a " + "x" * 600, "b")[0][-1] == ("x" * 102, True)


def test_tasks_are_sorted_into_columns() -> None:
    tasks = [item(status=status) for status in ("todo", "In Progress", "waiting", "")] + [item()]
    columns = {column.status: column.number for column in make_columns(tasks, Filters())}
    assert columns == {"backlog": 0, "todo": 3, "in_progress": 1, "review": 0, "done": 0, "cancelled": 0, "other": 1}
    many = make_columns([item(status="done")] * 101, Filters(tag="x"))
    assert [column.more for column in many if column.more] == ["/tasks/list?tag=x&status=done"]


def test_a_chosen_tag_stays_even_if_nothing_has_it() -> None:
    choices = choose_tags([item(tags=["a"])], Filters(tag="b"), "/notes")
    assert [(choice.value, choice.url, choice.is_chosen) for choice in choices] == [
        ("a", "/notes?tag=a", False),
        ("b", "/notes", True),
    ]
