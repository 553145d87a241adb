"""Run the server of a small project as a process with folders of its own."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, NamedTuple

from support.without_models import WITHOUT_MODELS

PATIENCE = 120.0
"""Seconds until a test gives up; nothing here takes long on a quiet machine."""


FILES = {
    "docs/setup.md": "# Setup\n\nInstall it, then rotate the signing keys once a month. See [fusion](fusion.md).\n",
    "docs/fusion.md": "# Rank fusion\n\nRanked lists are fused by reciprocal rank.\n",
    "src/users.py": "def get_user_by_id(user_id):\n    return USERS[user_id]\n",
}


class Reply(NamedTuple):
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Decode the body."""
        return json.loads(self.body)


class Served(NamedTuple):
    """A running server."""

    root: Path
    environment: dict[str, str]
    process: "subprocess.Popen[str]"
    port: int
    token: str

    @property
    def address(self) -> str:
        """Give the base URL."""
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        token: bool = False,
    ) -> Reply:
        """Send one request."""
        sent = dict(headers or {})
        if token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if raw is not None:
            sent.setdefault("Content-Type", "application/json")
        return exchange(self.port, method, path, raw, sent)


def exchange(port: int, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
    """Send one request to a server of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return Reply(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


@contextmanager
def open_stream(port: int, path: str, headers: Mapping[str, str]) -> Iterator[http.client.HTTPResponse]:
    """Open a stream of events. Reading it ends when the server ends it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        yield answer
    finally:
        connection.close()


def make(root: Path) -> Path:
    """Make a small project."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def isolated_environment(folder: Path) -> dict[str, str]:
    """Make an environment with folders of its own, separate from the user's."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("WAYMEET_", "XDG_"))}
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    return {**kept, **WITHOUT_MODELS, **own, "HOME": str(folder / "home")}


def command(environment: dict[str, str], root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    whole = [sys.executable, "-m", "waymeet", *arguments]
    return subprocess.run(
        whole, env=environment, cwd=root, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def find_leftover_processes(environment: dict[str, str]) -> list[int]:
    """Find running processes that were started with an environment (on Linux)."""
    variable = f"XDG_DATA_HOME={environment['XDG_DATA_HOME']}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if variable in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found


@contextmanager
def served(root: Path, environment: dict[str, str], *arguments: str, errors: IO[str] | None = None) -> Iterator[Served]:
    """Serve a project for the duration of a test, with standard error going to a file if there is one."""
    whole = [sys.executable, "-m", "waymeet", "serve", "--port", "0", "--json", *arguments]
    process = subprocess.Popen(whole, env=environment, cwd=root, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout
        announced = json.loads(process.stdout.readline())
        token = command(environment, root, "serve", "--show-token").stdout.strip()
        running = Served(root, environment, process, int(announced["address"].rpartition(":")[2]), token)
        until = monotonic() + PATIENCE
        while not running.ask("GET", "/v1/status").json["indexed"]:
            assert monotonic() < until
            sleep(0.1)
        yield running
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.communicate()
