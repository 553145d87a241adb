"""Asking git about a repository that a stranger may have made: it may run nothing, fetch nothing, and not take long."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from time import monotonic

_GIT = (
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
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # older gits do not know it, but no transport is allowed either
    "GIT_ALLOW_PROTOCOL": "none",  # unlike the setting, this outweighs whatever the repository's own file says
    "LC_ALL": "C",
}
_PIECE = 1 << 16
_COMPLAINT = 300
_MOST_BYTES = 1 << 28


class GitError(Exception):
    """Git did not answer."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def run_git(git: str, root: Path, command: list[str], given: bytes, deadline: float) -> Iterator[bytes]:
    """Run git and yield what it says as it says it.

    Raises:
        UnansweredError: it cannot be run, fails, says too much, or takes too long.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    with TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(  # noqa: S603 - git itself, found on the path, with arguments of ours
                [git, *_GIT, *command],
                cwd=root,
                env=inherited | _QUIET,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
            )
        except OSError as error:
            raise GitError(str(error)) from error
        late = Timer(max(deadline - monotonic(), 0.0), process.kill)
        late.daemon = True
        late.start()
        try:
            yield from _heard(process, given)
        finally:
            late.cancel()
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
        if monotonic() >= deadline:
            raise GitError("it took too long")
        if process.returncode:
            complaints.seek(0)
            said = complaints.read(_COMPLAINT).decode("utf-8", "replace").partition("\n")[0].strip()
            raise GitError(said or f"it ended with {process.returncode}", process.returncode)


def _heard(process: "subprocess.Popen[bytes]", given: bytes) -> Iterator[bytes]:
    """Hand git its input, and yield its output until it ends."""
    if process.stdin is None or process.stdout is None:
        return
    with suppress(BrokenPipeError), process.stdin as pipe:  # if it ended early, its exit code tells why
        pipe.write(given)
    heard = 0
    while some := os.read(process.stdout.fileno(), _PIECE):
        heard += len(some)
        if heard > _MOST_BYTES:
            raise GitError("it said too much")
        yield some
    process.wait()
