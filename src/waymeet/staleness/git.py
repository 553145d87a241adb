"""Safe git subprocesses, without hooks, filters or network, limited in time and output.

The repository may come from a stranger, and git runs programs that a repository's configuration names.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from time import monotonic

_OPTIONS = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "log.showRoot=true"),
    *("-c", "log.follow=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "core.alternateRefsCommand="),
    *("-c", "safe.bareRepository=explicit"),
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # unknown to older versions of git, but no transport is allowed either
    "GIT_ALLOW_PROTOCOL": "none",  # unlike the setting, this overrides the repository's own configuration
    "LC_ALL": "C",
}
_READ_BYTES = 1 << 16
_MAX_MESSAGE = 300
_MAX_OUTPUT = 1 << 28


class GitError(Exception):
    """Git failed, timed out or could not be started."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def run_git(git: str, root: Path, command: list[str], stdin: bytes, deadline: float) -> Iterator[bytes]:
    """Run git and yield its output as it arrives.

    Raises:
        GitError: git cannot be run, fails, writes too much, or takes too long.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    with TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(  # noqa: S603 - git itself, found on the path, with arguments of ours
                [git, *_OPTIONS, *command],
                cwd=root,
                env=inherited | _ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as error:
            raise GitError(str(error)) from error
        timeout = Timer(max(deadline - monotonic(), 0.0), process.kill)
        timeout.daemon = True
        timeout.start()
        try:
            yield from _read_output(process, stdin)
        finally:
            timeout.cancel()
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
        if monotonic() >= deadline:
            raise GitError("timed out")
        if process.returncode:
            stderr.seek(0)
            message = stderr.read(_MAX_MESSAGE).decode("utf-8", "replace").partition("\n")[0].strip()
            raise GitError(message or f"exit code {process.returncode}", process.returncode)


def _read_output(process: "subprocess.Popen[bytes]", stdin: bytes) -> Iterator[bytes]:
    """Write the input of git, then yield its output until it ends."""
    if process.stdin is None or process.stdout is None:
        return
    with suppress(BrokenPipeError), process.stdin as pipe:  # if git ended early, its exit code is reported
        pipe.write(stdin)
    size = 0
    while block := os.read(process.stdout.fileno(), _READ_BYTES):
        size += len(block)
        if size > _MAX_OUTPUT:
            raise GitError("output too large")
        yield block
    process.wait()
