"""Run a server of several projects as a process, with tokens of several rights."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from support.server_process import PATIENCE, Reply, command, exchange, isolated_environment

PAGES = {
    "open": "# Garden\n\nThe gardener waters tomatoes at dawn.\n",
    "closed": "# Vault\n\nThe zebrafinch code opens the vault.\n",
}
"""A word that only the page of the closed project contains: zebrafinch."""


class Team(NamedTuple):
    """A running server, and its tokens by name."""

    folder: Path
    environment: dict[str, str]
    port: int
    tokens: dict[str, str]

    @property
    def address(self) -> str:
        """Give the base URL."""
        return f"http://127.0.0.1:{self.port}"

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of the user who runs the server."""
        return command(self.environment, self.folder, *arguments)

    def ask(
        self, method: str, path: str, body: object = None, *, by: str = "", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send one request with the token of a name."""
        sent = {**(headers or {})}
        if by:
            sent["Authorization"] = f"Bearer {self.tokens.get(by, by)}"
        raw = None if body is None else json.dumps(body).encode()
        if raw is not None:
            sent["Content-Type"] = "application/json"
        return exchange(self.port, method, path, raw, sent)


@contextmanager
def serve_team(folder: Path, *options: str) -> Iterator[Team]:
    """Index two projects, add tokens, and serve both projects."""
    environment = isolated_environment(folder)
    for name, text in PAGES.items():
        root = folder / name
        (root / "docs").mkdir(parents=True)
        (root / "docs" / "page.md").write_text(text, encoding="utf-8")
        done = command(environment, root, "index", "--no-embed")
        assert done.returncode == 0, done.stderr
    rights = {"reader": ("--read", "open"), "writer": ("--write", "open"), "other": ("--write", "closed")}
    tokens = {}
    for name, right in rights.items():
        added = command(environment, folder, "token", "add", name, *right)
        assert added.returncode == 0, added.stderr
        tokens[name] = added.stdout.strip()
    tokens["owner"] = command(environment, folder, "serve", "--show-token").stdout.strip()
    arguments = [sys.executable, "-m", "waymeet", "serve", "--all", "--port", "0", "--json", *options]
    process = subprocess.Popen(arguments, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        announced = json.loads(process.stdout.readline())
        team = Team(folder, environment, int(announced["address"].rpartition(":")[2]), tokens)
        until = monotonic() + PATIENCE
        while team.ask("GET", "/v1/search?query=garden", by="reader").status != 200:
            assert monotonic() < until
            sleep(0.1)
        yield team
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.communicate()
