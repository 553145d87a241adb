"""Agents, a watcher and a crowd of commands on one index, with a resident process or without: nothing is lost."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from support.server_process import command, isolated_environment, make, served

CALLS, AT_ONCE, NOTES = (200, 50, 25) if os.environ.get("TORTURE") else (24, 12, 4)
"""Commands, how many of them run at the same time, and notes that each agent writes."""
_PATIENCE = 600.0


@contextmanager
def watched(root: Path, environment: dict[str, str]) -> Iterator[None]:
    """Keep the index up to date by a process of its own."""
    watching = [sys.executable, "-m", "waymeet", "index", "--watch", "--json"]
    with subprocess.Popen(watching, env=environment, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
            assert process.poll() is None, "it is still at it"
        finally:
            process.kill()


async def agent(root: Path, environment: dict[str, str], name: str) -> list[str]:
    """Write notes and look for them at once."""
    how = StdioServerParameters(command=sys.executable, args=["-m", "waymeet", "mcp"], env=environment, cwd=str(root))
    written = []
    async with Client(how, read_timeout_seconds=_PATIENCE) as client:
        for number in range(NOTES):
            title = f"Agent {name} writes {number}"
            saved = await client.call_tool(
                "remember", {"kind": "notes", "title": title, "text": f"crowd {name}{number}"}
            )
            assert not saved.is_error, saved
            assert saved.structured_content is not None
            written.append(str(saved.structured_content["item"]["id"]))
            found = await client.call_tool("search", {"query": f"crowd {name}{number}"})
            assert not found.is_error, found
    return written


def call(root: Path, environment: dict[str, str], number: int) -> str:
    """Run one command: every third writes a note, the others search and read."""
    kind = number % 3
    if kind == 0:
        ran = command(environment, root, "note", "add", f"Command {number}", f"crowd of commands {number}", "--json")
        assert ran.returncode == 0, ran.stderr
        saved: dict[str, Any] = json.loads(ran.stdout)
        return str(saved["item"]["id"])
    asked = ("search", "rotate keys", "--json") if kind == 1 else ("read", "docs/setup.md", "--json")
    ran = command(environment, root, *asked)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["hits"] if kind == 1 else "rotate" in found["text"]
    return ""


@pytest.mark.parametrize("resident", [False, True], ids=["with a watcher", "with a resident process"])
def test_a_crowd_loses_nothing(tmp_path: Path, resident: bool) -> None:
    root, environment = make(tmp_path / "project"), isolated_environment(tmp_path)
    assert command(environment, root, "index").returncode == 0

    async def crowd() -> list[str]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            loop = asyncio.get_running_loop()
            commands = [loop.run_in_executor(pool, call, root, environment, number) for number in range(CALLS)]
            agents = await asyncio.gather(*(agent(root, environment, name) for name in ("one", "two")))
            return [*(note for each in agents for note in each), *filter(None, await asyncio.gather(*commands))]

    with served(root, environment) if resident else watched(root, environment):
        written = asyncio.run(crowd())
    assert len(written) == len(set(written)) == 2 * NOTES + len(range(0, CALLS, 3))
    for note in written:
        assert "crowd" in (root / note).read_text(encoding="utf-8")
    listed = json.loads(command(environment, root, "note", "list", "--json").stdout)
    assert {each["id"] for each in listed} == set(written)
    assert command(environment, root, "index").returncode == 0
    found = json.loads(command(environment, root, "search", "crowd", "--kind", "notes", "-n", "999", "--json").stdout)
    assert {each["document"] for each in found["hits"]} == set(written)
    assert command(environment, root, "check").returncode == 0
