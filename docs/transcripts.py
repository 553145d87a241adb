"""Run the commands of a page in an empty home folder, in one shell, and record their output.

There are no settings and no index at the start. The home folder is shown as `~`.
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

from blocks import Block, find_previous_page, format_command, parse_blocks, parse_commands, replace_bodies

DOCS = Path(__file__).parent
SECONDS = 300
"""Time limit for all commands of a page."""
PORT = "7337"
"""The port of `waymeet serve` on the pages. The commands use a free one."""
_SEPARATOR = "\x1e"
_REMOVED_VARIABLES = (
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
"""Prefixes of environment variables that would change the output."""
_NOTICE = re.compile(r"(Indexing|Embedding|Querying|Searching|Changed files|Waiting)\b.*(…|\d so far\.)")
"""A line that a command writes only if it takes longer than two seconds."""
_FAILURES = {70, 126, 127}
"""Exit codes that no page shows: internal error, program not executable, program not found."""


def renew_transcripts(page: str) -> str:
    """Run the commands of a page and replace their output."""
    blocks = parse_blocks(page)
    if not any(block.is_run for block in blocks):
        return page
    with TemporaryDirectory(prefix="waymeet-docs-", ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        port = _find_free_port()
        serve = {"WAYMEET_SERVE_PORT": port} if any(block.key == "background" for block in blocks) else {}
        outputs = iter(_run_script(_build_script(page).replace(PORT, port), home, _environment(home) | serve))
        bodies = {block.start: _renew_body(block, outputs, home, port) for block in blocks if block.is_run}
    return replace_bodies(page, bodies)


def _renew_body(block: Block, outputs: Iterator[tuple[str, int]], home: Path, port: str) -> str:
    """Return the body of a block with the new output of its commands."""
    if block.language == "sh":
        output, code = next(outputs)
        if code:
            raise RuntimeError(f"exit code {code}: {block.body}\n{output}")
        return block.body
    parts = []
    for command, _ in parse_commands(block.body):
        output, code = next(outputs)
        output = output.replace(str(home), "~").replace(port, PORT)
        if code in _FAILURES or re.search(r"^\$ |Traceback \(most|\A> ", output, re.MULTILINE):
            raise RuntimeError(f"exit code {code}: {command}\n{output}")
        lines = [line.rstrip() for line in output.splitlines() if not _NOTICE.fullmatch(line)]
        parts.append(format_command(command, "".join(f"{line}\n" for line in lines)))
    return "".join(parts)


def _build_script(page: str) -> str:
    """Build a script of the page's files and commands that marks the end and exit code of each."""
    lines = ["exec 2>&1 </dev/null"]
    previous = find_previous_page(page)
    if previous:
        blocks = parse_blocks((DOCS / previous).read_text(encoding="utf-8"))
        lines += [block.body for block in blocks if block.is_run and block.language == "sh"]
        lines += ["waymeet index >/dev/null"]
    for block in parse_blocks(page):
        if block.key == "file":
            lines += [f"cat > ~/'{block.value}' <<'END-OF-FILE'", block.body + "END-OF-FILE"]
        elif block.is_run:
            is_console = block.language == "console"
            commands = [command for command, _ in parse_commands(block.body)] if is_console else [block.body]
            for command in commands:
                lines += _run_in_background(command, block.value) if block.key == "background" else [command]
                lines += [f"__code=$?; printf '{_SEPARATOR}%s{_SEPARATOR}' $__code; (exit $__code)"]
    return "\n".join([*lines, "kill $(jobs -p) 2>/dev/null", "wait", ""])


def _run_in_background(command: str, word: str) -> list[str]:
    """Start a command in the background, and wait until it has printed a word."""
    log = "$HOME/.background"
    return [
        f"{command} >{log} 2>&1 &",
        f'for __attempt in $(seq 600); do grep -q "{word}" {log} && break; sleep 0.1; done; cat {log}',
    ]


def _run_script(script: str, home: Path, variables: dict[str, str]) -> list[tuple[str, int]]:
    """Run a script and return the output and exit code of each command."""
    bash = shutil.which("bash")
    if bash is None:
        raise RuntimeError("bash is not installed; it runs the examples of the pages.")
    with subprocess.Popen(
        [bash, "-c", script],
        cwd=home,
        env=variables,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            text, _ = process.communicate(timeout=SECONDS)
        finally:
            _terminate_group(process)
    pieces = text.split(_SEPARATOR)
    return [(output, int(code)) for output, code in zip(pieces[:-1:2], pieces[1::2], strict=True)]


def _terminate_group(process: "subprocess.Popen[str]") -> None:
    """Terminate all processes that the script started and left running."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def _environment(home: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_REMOVED_VARIABLES)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return inherited | {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TZ": "UTC"}


def _find_free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])
