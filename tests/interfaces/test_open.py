"""`waymeet search --open` and `-i` on a terminal of its own."""

import os
import pty
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

_PATIENCE = 120.0
STRANGE = "docs/-x --goto a\tb:3.md"


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an editor called vim that records its arguments, and give the record."""
    program, record = tmp_path / "bin" / "vim", tmp_path / "arguments"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nfor each in \"$@\"; do printf '%s\\0' \"$each\"; done > '{record}'\nexit $CODE\n")
    program.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{program} -N")
    monkeypatch.setenv("CODE", "0")
    return record


def arguments(record: Path) -> list[str]:
    return record.read_text(encoding="utf-8").split("\0")[:-1]


def test_open_starts_the_editor_at_the_line_of_the_match(project: Path, run: Run, editor: Path) -> None:
    done = run("search", "rotate signing keys", "--open")
    assert (done.code, done.out) == (0, "")
    assert arguments(editor) == ["-N", "+3", str(project / "docs/setup.md")]


def test_a_strange_name_is_one_argument(project: Path, run: Run, editor: Path) -> None:
    (project / STRANGE).write_text("# Zebra $(touch owned); `touch owned`\n", encoding="utf-8")
    assert run("search", "zebra", "--open").code == 0
    assert arguments(editor) == ["-N", "+1", str(project / STRANGE)]
    assert not (project / "owned").exists()


def test_a_file_of_an_extra_folder_is_found(project: Path, run: Run, editor: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "zebra.md").write_text("# Zebra\n", encoding="utf-8")
    run("index", "--add-root", f"other={tmp_path / 'elsewhere'}")
    assert run("search", "zebra", "--open").code == 0
    assert arguments(editor)[-1] == str(tmp_path / "elsewhere" / "zebra.md")


def test_without_an_editor_the_location_is_printed(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("VISUAL", " ")
    done = run("search", "rotate signing keys", "--open")
    assert (done.code, done.out) == (0, f"{project / 'docs/setup.md'}:3\n")
    assert "set VISUAL or EDITOR" in done.err


def test_what_goes_wrong_is_explained(project: Path, run: Run, editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODE", "9")
    done = run("search", "rotate", "--open")
    assert (done.code, "ended with exit code 9" in done.err) == (1, True)
    monkeypatch.setenv("VISUAL", "no-such-editor")
    done = run("search", "rotate", "--open")
    assert (done.code, "no-such-editor cannot be started" in done.err) == (2, True)
    assert "Set VISUAL or EDITOR" in done.err
    done = run("search", "zzyzx", "--open")
    assert (done.code, "Nothing found" in done.out) == (1, True)
    for form in ("json", "files", "md", "jsonl"):
        done = run("search", "rotate", "--open", "--format", form)
        assert (done.code, "exclude each other" in done.err) == (2, True)


def test_the_picker_needs_a_terminal(project: Path, run: Run) -> None:
    done = run("search", "-i")
    assert (done.code, "needs a terminal" in done.err) == (2, True)
    for args in (("--json",), ("--format", "files"), ("--open",), ("--explain",), ("-",)):
        done = run("search", "-i", *args)
        assert (done.code, "exclude each other" in done.err) == (2, True), args


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *args: str, **variables: str) -> None:
        self.handle, self._side = pty.openpty()
        ioctl(self._side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 110, 0, 0))
        self.attributes = termios.tcgetattr(self._side)
        self.out = b""
        self.child = subprocess.Popen(
            [sys.executable, "-m", "waymeet", *args],
            stdin=self._side,
            stdout=self._side,
            stderr=self._side,
            env={**os.environ, "TERM": "xterm-256color", **variables},
        )

    def until(self, text: str) -> None:
        self._read(lambda: text.encode() in self.out)

    def end(self) -> int:
        """Wait for the end, and check that the terminal is as it was."""
        self._read(lambda: self.child.poll() is not None)
        self._read(lambda: not select.select([self.handle], [], [], 0)[0])
        assert termios.tcgetattr(self._side) == self.attributes
        assert self.out.count(b"\x1b[?1049h") == self.out.count(b"\x1b[?1049l") == 1
        os.close(self._side)
        os.close(self.handle)
        return self.child.returncode

    def type(self, keys: bytes) -> None:
        os.write(self.handle, keys)

    def _read(self, is_done: Callable[[], bool]) -> None:
        until = monotonic() + _PATIENCE
        while not is_done():
            if monotonic() > until:
                self.child.kill()
                raise AssertionError(f"it hangs: {self.out!r}")
            if select.select([self.handle], [], [], 0.1)[0]:
                self.out += os.read(self.handle, 65536)


@pytest.mark.slow
def test_pick_and_open(project: Path, run: Run, editor: Path) -> None:
    run("index")
    terminal = Terminal("search", "-i")
    terminal.until("Type what to search for")
    terminal.type(b"rotate signing kind:docs")
    terminal.until("docs/setup.md#L1-L3")
    terminal.until("no_model")
    terminal.type(b"\r")
    assert terminal.end() == 0
    assert arguments(editor) == ["-N", "+3", str(project / "docs/setup.md")]


@pytest.mark.slow
@pytest.mark.parametrize("key", [b"\x1b", b"\x03"])
def test_leave(project: Path, run: Run, editor: Path, key: bytes) -> None:
    run("index")
    terminal = Terminal("search", "-i", "検索")
    terminal.until("docs/ja.md#L")
    terminal.type(key)
    assert terminal.end() == 130
    assert not editor.exists()
