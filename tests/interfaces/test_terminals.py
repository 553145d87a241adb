"""The command line on a terminal: colours, links, wrapping, pager, questions."""

import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from time import monotonic

import pytest
from interfaces.conftest import Run

Terminal = Callable[..., tuple[int, str]]
_PATIENCE = 120.0


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Run the command line on a terminal of its own; `typed` is what somebody answers."""
    for name in ("NO_COLOR", "PAGER", "LESS", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def ran(*args: str, columns: int = 80, rows: int = 50, typed: str = "", **variables: str) -> tuple[int, str]:
        handle, side = pty.openpty()
        ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        command = [sys.executable, "-m", "waymeet", *args]
        with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env={**os.environ, **variables}) as child:
            os.close(side)
            os.write(handle, typed.encode())
            out = _read(handle, child)
        os.close(handle)
        return child.returncode, out.decode("utf-8", "replace").replace("\r\n", "\n")

    return ran


def _read(handle: int, child: subprocess.Popen[bytes]) -> bytes:
    out, until = b"", monotonic() + _PATIENCE
    while True:
        if not select.select([handle], [], [], until - monotonic() if until > monotonic() else 0)[0]:
            child.kill()
            raise AssertionError(f"it hangs: {out!r}")
        try:
            piece = os.read(handle, 65536)
        except OSError:  # how Linux says that the other side is closed
            return out
        if not piece:
            return out
        out += piece


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;;.*?\x1b\\|\r", "", text)


def test_colours_and_links(project: Path, run: Run, terminal: Terminal) -> None:
    run("index")
    code, shown = terminal("search", "fusion", PAGER="cat")
    assert code == 0
    assert "\x1b[1;36mdocs/fusion.md#L" in shown
    assert re.search(r"\x1b]8;;file://[^/]*" + re.escape(str(project)) + r"/docs/fusion\.md\x1b\\", shown)
    _, editor = terminal("search", "fusion", "--set", "terminal.links=vscode", PAGER="cat")
    assert f"\x1b]8;;vscode://file{project}/docs/fusion.md:" in editor
    _, none = terminal("search", "fusion", "--set", "terminal.links=none", PAGER="cat")
    assert "\x1b]8" not in none
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, plain = terminal("search", "fusion", **variables)
        assert "\x1b" not in plain
        assert _timeless(plain) == _timeless(_plain(shown))


def _timeless(text: str) -> str:
    return re.sub(r"\d+ ms", "", text)


def test_lines_fit_a_narrow_terminal(project: Path, run: Run, terminal: Terminal) -> None:
    run("index")
    for columns in (40, 64):
        _, shown = terminal("search", "fusion keys", columns=columns, NO_COLOR="1", PAGER="cat")
        assert max(map(len, shown.splitlines())) <= columns
        assert "docs/fusion.md#L" in shown


def test_long_output_goes_through_the_pager(project: Path, run: Run, terminal: Terminal, tmp_path: Path) -> None:
    run("index")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    assert "PAGED" in terminal("settings", rows=10, PAGER=str(pager))[1]
    assert "PAGED" in terminal("read", "docs/fusion.md", rows=5, PAGER=str(pager))[1]
    for args in (("settings", "--no-pager"), ("--no-pager", "settings"), ("settings", "--set", "terminal.pager=false")):
        assert "PAGED" not in terminal(*args, rows=10, PAGER=str(pager))[1]
    assert "PAGED" not in terminal("settings", "rrf", rows=30, PAGER=str(pager))[1], "it fits"
    assert "rrf.k" in terminal("settings", rows=10, PAGER="no-such-pager")[1]
    code, _ = terminal("settings", rows=10, PAGER="head -n 1")
    assert code == 0, "a pager that ends early is no error"


def test_questions_are_asked_and_heeded(project: Path, terminal: Terminal) -> None:
    code, shown = terminal("install", "--agent", "codex", typed="n\n")
    assert (code, "Register Waymeet with Codex?" in shown) == (1, True)
    assert "\x1b[32m+command" in shown
    assert not (project / ".codex").exists()
    code, shown = terminal("install", "--agent", "codex", typed="y\n")
    assert (code, (project / ".codex" / "config.toml").exists()) == (0, True)
    code, shown = terminal("init", typed="n\n")
    assert (code, (project / "waymeet.toml").exists()) == (1, False)
    code, shown = terminal("init", typed="\n")
    assert (code, (project / "waymeet.toml").exists()) == (0, True)


def test_the_first_search_in_a_large_folder_shows_something_at_once(project: Path, terminal: Terminal) -> None:
    for number in range(320):
        (project / f"page{number}.md").write_text(f"# Page {number}\n", encoding="utf-8")
    code, shown = terminal("search", "rotate signing keys", "--set", "terminal.preview_seconds=60", PAGER="cat")
    assert code == 0
    text = _plain(shown)
    assert "Preview from" in text
    assert text.index("docs/setup.md:3  Install it, then rotate") < text.index("1. docs/setup.md#L")
    assert "Preview from" not in terminal("search", "rotate keys", PAGER="cat")[1], "there is an index now"
