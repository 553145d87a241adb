"""Run the commands of a page in a clean folder, in one shell from top to bottom, and write down what they print.

The user of these pages is new: a home of their own, no settings, no index. The folder is shown as `~`.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from blocks import Block, before, blocks, typed, with_bodies, written

DOCS = Path(__file__).parent
SECONDS = 300
PORT = "7337"
"""The port of `waymeet serve`: pages show it, a free one is used."""
_MARK = "\x1e"
_LEFT_OUT = (
    "WAYMEET_",
    "XDG_",
    "GIT_",
    "PY",
    "VOYAGE_",
    "OPENAI_",
    "COHERE_",
    "CO_API_",
    "COLUMNS",
    "NO_COLOR",
    "FORCE_",
)
_MISTAKES = {70, 126, 127}
"""Exit codes that no page wants to show: our mistake, no such program."""


def with_transcripts(page: str) -> str:
    """Put what its commands print now into a page."""
    if not any(block.runs for block in blocks(page)):
        return page
    with TemporaryDirectory(prefix="waymeet-docs-", ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        port = _free_port()
        serving = {"WAYMEET_SERVE_PORT": port} if any(block.key == "background" for block in blocks(page)) else {}
        printed = iter(_printed(_script(page).replace(PORT, port), home, _environment(home) | serving))
        shown = {block.start: _shown(block, printed, home, port) for block in blocks(page) if block.runs}
    return with_bodies(page, shown)


def _shown(block: Block, printed: Iterator[tuple[str, int]], home: Path, port: str) -> str:
    """Write a block anew with what its commands printed."""
    if block.language == "sh":
        told, code = next(printed)
        if code:
            raise RuntimeError(f"exit code {code}: {block.body}\n{told}")
        return block.body
    parts = []
    for each in typed(block.body):
        told, code = next(printed)
        told = told.replace(str(home), "~").replace(port, PORT)
        if code in _MISTAKES or re.search(r"^\$ |Traceback \(most|\A> ", told, re.MULTILINE):
            raise RuntimeError(f"exit code {code}: {each.command}\n{told}")
        lines = [line.rstrip() for line in told.splitlines()]
        parts.append(written(each.command, "".join(f"{line}\n" for line in lines)))
    return "".join(parts)


def _script(page: str) -> str:
    """Write the page's files and commands as one script that tells where each one's output ends, and its exit code."""
    lines = ["exec 2>&1 </dev/null"]
    if before(page):
        made = blocks((DOCS / before(page)).read_text(encoding="utf-8"))
        lines += [block.body for block in made if block.runs and block.language == "sh"]
        lines += ["waymeet index >/dev/null"]
    for block in blocks(page):
        if block.key == "file":
            lines += [f"cat > ~/'{block.value}' <<'END-OF-FILE'", block.body + "END-OF-FILE"]
        elif block.runs:
            commands = [each.command for each in typed(block.body)] if block.language == "console" else [block.body]
            for command in commands:
                lines += _beside(command, block.value) if block.key == "background" else [command]
                lines += [f"__code=$?; printf '{_MARK}%s{_MARK}' $__code; (exit $__code)"]
    return "\n".join([*lines, "kill $(jobs -p) 2>/dev/null", "wait", ""])


def _beside(command: str, word: str) -> list[str]:
    """Start a command beside the others, and go on when it has printed a word."""
    log = "$HOME/.beside"
    return [
        f"{command} >{log} 2>&1 &",
        f'for __turn in $(seq 600); do grep -q "{word}" {log} && break; sleep 0.1; done; cat {log}',
    ]


def _printed(script: str, home: Path, variables: dict[str, str]) -> list[tuple[str, int]]:
    """Run a script and give what each of its commands printed, with its exit code."""
    bash = shutil.which("bash")
    if bash is None:
        raise RuntimeError("The pages are made by bash, which is not here.")
    with subprocess.Popen(
        [bash, "-c", script],
        cwd=home,
        env=variables,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as running:
        try:
            out, _ = running.communicate(timeout=SECONDS)
        finally:
            _end(running)
    pieces = out.split(_MARK)
    return [(told, int(code)) for told, code in zip(pieces[:-1:2], pieces[1::2], strict=True)]


def _end(running: "subprocess.Popen[str]") -> None:
    """End whatever the script left behind."""
    try:
        os.killpg(running.pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return kept | {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TZ": "UTC"}


def _free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])
