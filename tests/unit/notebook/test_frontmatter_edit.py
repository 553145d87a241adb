"""Front matter is edited as text: all other keys stay as they were written."""

import pytest

from waymeet.errors import UsageError
from waymeet.notebook import frontmatter_edit

WRITTEN = (
    "---\n"
    "# about this note\n"
    "Title:   'An odd one'   # keep me\n"
    "odd: {a: 1, b: [x, y]}\n"
    "text: |\n"
    "  two\n"
    "  lines\n"
    "\n"
    "# the tags\n"
    "tags:\n"
    "- one\n"
    '- "two: three"\n'
    "last: 0x1F\n"
    "---\n"
    "\n"
    "Body.\n"
)


def test_a_new_key_is_added_and_all_else_stays() -> None:
    assert frontmatter_edit.set_fields(WRITTEN, {"status": "done"}) == WRITTEN.replace("0x1F\n", "0x1F\nstatus: done\n")


def test_a_key_is_replaced_where_it_stands_whatever_its_case() -> None:
    changed = frontmatter_edit.set_fields(WRITTEN, {"title": "Plain", "tags": ["one"]})
    assert changed == WRITTEN.replace("Title:   'An odd one'   # keep me", "Title: Plain").replace(
        '- one\n- "two: three"\n', "  - one\n"
    )


def test_a_key_of_many_lines_is_removed_with_them_but_not_the_comment_of_the_next() -> None:
    assert frontmatter_edit.set_fields(WRITTEN, {"text": None}) == WRITTEN.replace("text: |\n  two\n  lines\n", "")


def test_nothing_changes_nothing() -> None:
    assert frontmatter_edit.set_fields(WRITTEN, {"last": 31, "none": None}) == WRITTEN
    assert frontmatter_edit.set_fields("Body\n", {"none": None}) == "Body\n"


def test_ends_of_lines_and_marks_stay() -> None:
    text = "\ufeff" + WRITTEN.replace("\n", "\r\n")
    changed = frontmatter_edit.set_fields(text, {"status": "done", "blocks": ["a", "b"]})
    assert changed.startswith("\ufeff---\r\n")
    assert "\n" not in changed.replace("\r\n", "")
    assert changed.endswith("---\r\n\r\nBody.\r\n")
    assert frontmatter_edit.parse(changed).values["blocks"] == ["a", "b"]
    assert frontmatter_edit.replace_body(changed, "New").endswith("---\r\n\r\nNew\r\n")


def test_yaml_that_cannot_be_cut_at_lines_is_written_anew_without_losing_a_key() -> None:
    text = "---\n{title: A, tags: [x], deep: {er: [1, 2]}}\n---\nBody\n"
    changed = frontmatter_edit.set_fields(text, {"status": "todo"})
    assert frontmatter_edit.parse(changed).values == {
        "title": "A",
        "tags": ["x"],
        "deep": {"er": [1, 2]},
        "status": "todo",
    }
    assert frontmatter_edit.get_body(changed) == "Body\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A: B\n---\nBody\n",  # no YAML
        "---\na: &x 1\nb: *x\n---\nBody\n",  # aliases are not read
    ],
)
def test_what_cannot_be_read_is_not_changed(text: str) -> None:
    with pytest.raises(UsageError):
        frontmatter_edit.set_fields(text, {"title": "B"})
    assert frontmatter_edit.replace_body(text, "Other").startswith(text.removesuffix("Body\n"))


def test_two_rules_are_no_front_matter() -> None:
    text = "---\nJust words.\n---\nMore.\n"
    changed = frontmatter_edit.set_fields(text, {"title": "A"})
    assert changed == f"---\ntitle: A\n---\n\n{text}"
    assert frontmatter_edit.get_body(changed) == text


ODD = (
    "yes|null|~|1|1.5|0x10|- a|a: b|a #b|# a|'|\"|\\| a ||[[x]]|*a|&a|!t|%|@a|`a`|{|}|[|]|,|a\nb|a\tb|\x07|\x7f|…|"
    "\u2028|---|...|?|設定|.inf|.nan|.waymeet/notes/a.md|2026-11-16|12:30|1_000|0o7|true|😀|a:|:a"
).split("|")


@pytest.mark.parametrize("value", [*ODD, "|", "*&"])
def test_any_text_comes_back(value: str) -> None:
    changed = frontmatter_edit.set_fields("Body\n", {"key": value, "list": [value, "x"]})
    assert frontmatter_edit.parse(changed).values == {"key": value, "list": [value, "x"]}
