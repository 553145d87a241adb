"""Open a file in the user's editor at a line."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import IO

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import mask
from waymeet.interfaces.masked_paths import unmask_path
from waymeet.interfaces.render.text import to_single_line
from waymeet.paths import is_visible
from waymeet.project import Project
from waymeet.types import Hit

_PLUS_LINE = """vi vim nvim gvim mvim vimx view ex nano pico rnano emacs emacsclient mg jed joe jmacs ne micro kak vis
    gedit pluma xed bbedit""".split()
_GOTO = "code code-insiders codium vscodium code-oss cursor windsurf positron".split()
_COLON = "subl sublime_text zed zeditor zedit hx helix lapce atom pulsar".split()
_LINE_OPTION = """idea pycharm webstorm phpstorm goland clion rubymine rider rustrover datagrip studio kate kwrite geany
    mate mousepad""".split()
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_PLUS_LINE, ("+{line}", "{path}")),
    **dict.fromkeys(_GOTO, ("--goto", "{path}:{line}")),
    **dict.fromkeys(_COLON, ("{path}:{line}",)),
    **dict.fromkeys(_LINE_OPTION, ("--line", "{line}", "{path}")),
    "notepad++": ("-n{line}", "{path}"),
}
"""Arguments of known editors. Other editors get the path alone."""
_SUFFIXES = (".exe", ".cmd", ".bat", ".sh")


def editor_command(editor: str, path: Path, line: int) -> list[str]:
    """Make the command that opens a file at a line.

    The path is absolute, so that no editor reads it as an option.

    >>> editor_command("code --wait", Path("/p/a b.md"), 12)
    ['code', '--wait', '--goto', '/p/a b.md:12']
    >>> editor_command("/usr/bin/nvim", Path("/p/-x.md"), 3), editor_command("ed", Path("/p/a.md"), 3)
    (['/usr/bin/nvim', '+3', '/p/-x.md'], ['ed', '/p/a.md'])
    """
    try:
        words = shlex.split(editor, posix=os.name != "nt")
    except ValueError as error:
        raise UsageError(f"The editor cannot be read from {editor!r}: {error}.", "Correct VISUAL or EDITOR.") from error
    arguments = _ARGUMENTS.get(_editor_name(words[0]), ("{path}",))
    return [*words, *(part.replace("{line}", str(line)).replace("{path}", str(path)) for part in arguments)]


def _editor_name(program: str) -> str:
    """Return the name of an editor without its folder, version and ending.

    >>> _editor_name("/opt/idea64.exe"), _editor_name("vim.basic"), _editor_name("emacs-29.4")
    ('idea', 'vim', 'emacs')
    """
    name = PurePath(program.strip('"')).name.lower()
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    if name in _ARGUMENTS:
        return name
    return name.removesuffix("64").partition(".")[0].rstrip("0123456789-") or name


def find_editor() -> str:
    """Return the user's editor, empty if none is set."""
    return os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()


def open_hit(project: Project, hit: Hit) -> int:
    """Open a hit in the user's editor, or print its location, and return the exit code."""
    path, line = locate_hit(project, hit)
    editor = find_editor()
    if not editor:
        print(mask(to_single_line(f"{path}:{line}")))  # noqa: T201 - the result
        print("To open it at this line, set VISUAL or EDITOR.", file=sys.stderr)  # noqa: T201
        return 0
    return _run_editor(editor_command(editor, path, line))


def locate_hit(project: Project, hit: Hit) -> tuple[Path, int]:
    """Return the file of a hit, and the first line that matches the query.

    Raises:
        UsageError: the file is gone.
    """
    path = (project.root / unmask_path(project.root, hit.document)).absolute()
    if ":/" in hit.document:  # perhaps in an extra root
        from waymeet.ingest.discover.roots import list_roots, locate

        path = Path(*locate(list_roots(project.root, project.refreshed_store()[0], project.settings), hit.document))
    if not is_visible(path):
        raise UsageError(f"The file {path} is gone.", "Search again: the index is updated first.")
    chunk = unmask_path(project.root, hit.id)
    return path, find_line(hit, project.texts([chunk]).get(chunk, ""))


def find_line(hit: Hit, text: str) -> int:
    """Find the line of the first match of a hit, by default its first line."""
    section = hit.sections[0]
    if not section.highlights:
        return max(hit.start, 1)
    snippet = section.snippet
    matched = section.highlights[0][0]
    row_start = snippet.rfind("\n", 0, matched) + 1
    row = snippet[row_start:].partition("\n")[0].strip("…")
    position = text.find(snippet.strip("…"))
    if position < 0:
        position = text.find(row)
        return max(hit.start, 1) + (text.count("\n", 0, position) if position >= 0 else 0)
    offset = matched - (len(snippet) - len(snippet.lstrip("…")))
    return max(hit.start, 1) + text.count("\n", 0, position + offset)


def _run_editor(command: list[str]) -> int:
    """Run an editor on the terminal, also if standard input is a pipe."""
    with ExitStack() as opened:
        stdin: IO[bytes] | None = None
        if not sys.stdin.isatty() and os.name == "posix":
            try:
                stdin = opened.enter_context(Path("/dev/tty").open("rb"))
            except OSError:
                stdin = None  # no terminal: an editor with a window of its own does not need one
        try:
            code = subprocess.run(command, stdin=stdin, check=False).returncode  # noqa: S603 - the user's own editor
        except OSError as error:
            raise UsageError(
                f"The editor {to_single_line(command[0])} cannot be started: {error.strerror}.",
                "Set VISUAL or EDITOR to the command of your editor.",
            ) from error
    if code:
        print(f"{to_single_line(command[0])} ended with exit code {code}.", file=sys.stderr)  # noqa: T201
    return 1 if code else 0
