"""Copy a text to the clipboard, by a program of the system or by the terminal (OSC 52)."""

import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator

_SECONDS = 2.0


def copy_text(text: str, write_terminal: Callable[[str], None]) -> str:
    """Copy a text, and describe how.

    Over SSH the terminal is on another machine, so that only the terminal itself can copy.
    """
    if not os.environ.get("SSH_TTY") and not os.environ.get("SSH_CONNECTION"):
        for command in _commands():
            if _run(command, text):
                return f"copied by {command[0]}"
    write_terminal(osc52(text))
    return "sent to the terminal's clipboard (OSC 52)"


def osc52(text: str) -> str:
    r"""Make the escape sequence that lets a terminal copy a text.

    >>> osc52("a")
    '\x1b]52;c;YQ==\x07'
    """
    return f"\x1b]52;c;{b64encode(text.encode('utf-8', 'surrogateescape')).decode()}\x07"


def _commands() -> Iterator[list[str]]:
    """Yield the installed programs that can copy to the clipboard of this session."""
    if sys.platform == "darwin":
        known = [["pbcopy"]]
    elif sys.platform == "win32":
        known = [["clip"]]
    else:
        known = [["wl-copy"]] if os.environ.get("WAYLAND_DISPLAY") else []
        if os.environ.get("DISPLAY"):
            known += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
        known += [["clip.exe"]] if os.environ.get("WSL_DISTRO_NAME") else []
    yield from (command for command in known if shutil.which(command[0]))


def _run(command: list[str], text: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command without a shell
            command,
            input=text.encode("utf-8", "surrogateescape"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
