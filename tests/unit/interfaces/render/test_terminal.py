"""Terminal output: styles, links, wrapping; and Markdown with escaped markup."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from waymeet.interfaces.render.markdown import answer_markdown, code, escape, fence_text, list_markdown
from waymeet.interfaces.render.terminal import count_columns, file_links, no_link, paint_line, wrap_line
from waymeet.interfaces.render.text import plain_line
from waymeet.types import Answer, Hit, Section

ROOT = Path("/p")


@pytest.mark.parametrize(
    ("scheme", "place", "address"),
    [
        ("vscode", "src/a.py#L10-L24", "vscode://file/p/src/a.py:10"),
        ("vscode", "src/a.py:7", "vscode://file/p/src/a.py:7"),
        ("vscode", "src/a.py", "vscode://file/p/src/a.py:1"),
        ("cursor", "a.py#name", "cursor://file/p/a.py:1"),
        ("idea", "a b.py#L3-L4", "idea://open?file=/p/a%20b.py&line=3"),
        ("emacs://open?url={path}&line={line}", "a.md:5", "emacs://open?url=/p/a.md&line=5"),
        ("none", "a.md", ""),
        ("vscode", "notes:/a.md", ""),
        ("vscode", "a\x1b]8;;evil\x07.md", "vscode://file/p/a%1B%5D8%3B%3Bevil%07.md:1"),
    ],
)
def test_places_become_addresses(scheme: str, place: str, address: str) -> None:
    assert file_links(ROOT, scheme)(place) == address


def test_the_usual_address_names_the_machine() -> None:
    address = file_links(ROOT, "file")("docs/a.md#L1-L2")
    assert address.startswith("file://")
    assert address.endswith("/p/docs/a.md")


def test_styles_and_links() -> None:
    line = [("1. ", "dim"), ("a.md:3", "bold cyan place"), ("  text\x1b[31m", "")]
    assert paint_line(line, file_links(ROOT, "vscode")) == (
        "\x1b[2m1. \x1b[0m\x1b]8;;vscode://file/p/a.md:3\x1b\\\x1b[1;36ma.md:3\x1b[0m\x1b]8;;\x1b\\  text�[31m"
    )


def test_a_long_name_is_linked_as_a_whole_in_each_of_its_pieces() -> None:
    name = "very/long/path/to/a/file/of/the/project.md"
    rows = list(wrap_line([("  ", ""), (name, "cyan place")], 24))
    assert len(rows) > 1
    for row in rows:
        assert f"file/p/{name}:1" in paint_line(row, file_links(ROOT, "vscode"))
    assert "".join(plain_line(row).strip() for row in rows) == name


def test_what_follows_stands_below_the_beginning() -> None:
    rows = [plain_line(row) for row in wrap_line([("   │ ", "dim"), ("one two three four five six", "")], 20)]
    assert rows == ["   │ one two three", "   │ four five six"]
    rows = [plain_line(row) for row in wrap_line([("├─ → ", "dim"), ("one two three four five", "")], 20)]
    assert rows == ["├─ → one two three", "│    four five"]
    rows = [plain_line(row) for row in wrap_line([("✓ ", "green"), ("disk  ", "bold"), ("one two three four", "")], 20)]
    assert rows == ["✓ disk  one two", "        three four"]


@given(
    some.lists(some.tuples(some.text(max_size=60), some.sampled_from(["", "bold", "cyan place", "dim"])), max_size=4),
    some.integers(20, 60),
)
def test_every_line_fits_and_nothing_but_spaces_is_lost(line: list[tuple[str, str]], columns: int) -> None:
    rows = [plain_line(row) for row in wrap_line(line, columns)]
    assert all(count_columns(row) <= columns for row in rows)
    kept = "".join(rows)
    margin = " │"
    assert [c for c in kept if c not in margin and not c.isspace()] == [
        c for c in plain_line(line) if c not in margin and not c.isspace()
    ]


def test_a_very_narrow_terminal_wraps_by_itself() -> None:
    assert len(list(wrap_line([("x" * 100, "")], 10))) == 1


def test_nothing_is_linked_without_a_project() -> None:
    assert paint_line([("a.md", "place")], no_link) == "a.md"


def test_markdown_holds_foreign_text() -> None:
    evil = "# x\n```\n<script>[a](b)\n"
    section = Section("a.md#L1-L3", 1, 3, ("H",), evil)
    hit = Hit("a.md#L1-L3", "a.md", "<b>*T*", "docs", "", 1, 3, 1.0, "why `x`", (), (section,))
    rows = list(answer_markdown(Answer("q *", "auto", "", "lexical", (hit,), 1)))
    assert rows[0] == "# q \\*"
    assert "## 1. \\<b\\>\\*T\\*" in rows
    assert rows[rows.index("````") + 2] == "````"
    assert list(fence_text("plain")) == ["```", "plain", "```"]


@given(some.text(max_size=50))
def test_code_and_escaped_text_stay_on_one_line(text: str) -> None:
    for shown in (code(text), escape(text)):
        assert "\n" not in shown
        assert "\x1b" not in shown


def test_lists_become_markdown() -> None:
    lines = [[("a.md", "cyan place"), ("  T", "")], [("    said", "dim")], [], [("b.md", "cyan place")]]
    assert list(list_markdown(lines)) == ["- `a.md`  T", "  - said", "- `b.md`"]
