"""Copying to the clipboard: by an installed program, else by the terminal."""

from pathlib import Path

import pytest

from waymeet.interfaces.cli.ask.picker.clipboard import copy_text, osc52


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_TTY", "SSH_CONNECTION", "WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


def install(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_without_a_program_the_terminal_copies() -> None:
    written: list[str] = []
    assert "OSC 52" in copy_text("docs/文書.md#L1", written.append)
    assert written == [osc52("docs/文書.md#L1")]
    assert written[0].isascii()


def test_a_program_of_the_session_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = tmp_path / "copied"
    install(tmp_path, "wl-copy", f"cat > '{copied}'", monkeypatch)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    written: list[str] = []
    assert copy_text("docs/文書.md#L1", written.append) == "copied by wl-copy"
    assert (copied.read_text(encoding="utf-8"), written) == ("docs/文書.md#L1", [])
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    assert "OSC 52" in copy_text("x", written.append), "the clipboard of another machine is not the user's"


def test_a_program_that_fails_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "wl-copy", "exit 1", monkeypatch)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    written: list[str] = []
    assert "OSC 52" in copy_text("x", written.append)
