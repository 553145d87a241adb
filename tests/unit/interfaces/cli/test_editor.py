"""The command that opens an editor at a line."""

from pathlib import Path

import pytest

from waymeet.errors import UsageError
from waymeet.interfaces.cli.ask.editor import editor_command, find_line
from waymeet.types import Hit, Section

PATH = Path("/p/a b:3.md")


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", str(PATH)]),
        ("nvim -R", ["nvim", "-R", "+7", str(PATH)]),
        ("/usr/bin/vim.basic", ["/usr/bin/vim.basic", "+7", str(PATH)]),
        ("emacsclient -nw -a ''", ["emacsclient", "-nw", "-a", "", "+7", str(PATH)]),
        ("emacs-29.4", ["emacs-29.4", "+7", str(PATH)]),
        ("nano", ["nano", "+7", str(PATH)]),
        ("micro", ["micro", "+7", str(PATH)]),
        ("kak", ["kak", "+7", str(PATH)]),
        ("code --wait", ["code", "--wait", "--goto", f"{PATH}:7"]),
        ("cursor", ["cursor", "--goto", f"{PATH}:7"]),
        ("subl -w", ["subl", "-w", f"{PATH}:7"]),
        ("hx", ["hx", f"{PATH}:7"]),
        ("zed", ["zed", f"{PATH}:7"]),
        ("idea", ["idea", "--line", "7", str(PATH)]),
        ("pycharm.sh", ["pycharm.sh", "--line", "7", str(PATH)]),
        ("notepad++.exe", ["notepad++.exe", "-n7", str(PATH)]),
        ('"/opt/my editor/vim" -n', ["/opt/my editor/vim", "-n", "+7", str(PATH)]),
        ("unheard-of", ["unheard-of", str(PATH)]),
    ],
)
def test_each_editor_has_its_own_syntax(editor: str, command: list[str]) -> None:
    assert editor_command(editor, PATH, 7) == command


def test_a_name_is_never_an_option_nor_a_template() -> None:
    assert editor_command("vim", Path("/p/{line}-x.md"), 7)[-1] == "/p/{line}-x.md"
    assert editor_command("code", Path("/p/--goto"), 7)[-1] == "/p/--goto:7"


def test_an_editor_with_an_open_quote_is_an_error() -> None:
    with pytest.raises(UsageError, match="VISUAL or EDITOR"):
        editor_command("vim '", PATH, 1)


def hit(snippet: str, highlights: tuple[tuple[int, int], ...], start: int = 10) -> Hit:
    section = Section("a.md#L10-L13", start, start + 3, (), snippet, highlights)
    return Hit("a.md#L10-L13", "a.md", "A", "docs", "", start, start + 3, 1.0, "", (), (section,))


@pytest.mark.parametrize(
    ("snippet", "highlights", "line"),
    [
        ("# A\n\ntwo words\nthree", ((5, 8),), 12),
        ("…words\nthree", ((1, 6),), 12),
        ("three", ((0, 5),), 13),
        ("three", (), 10),
        ("not in the text", ((0, 3),), 10),
    ],
)
def test_the_line_is_that_of_the_first_match(snippet: str, highlights: tuple[tuple[int, int], ...], line: int) -> None:
    assert find_line(hit(snippet, highlights), "# A\n\ntwo words\nthree") == line
