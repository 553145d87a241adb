"""The official MCP inspector and conformance suite (`make mcp-official`)."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("MCP_OFFICIAL", "")).resolve()
pytestmark = pytest.mark.skipif("MCP_OFFICIAL" not in os.environ, reason="needs npm and a download: make mcp-official")
_PATIENCE = 120
_WITHOUT = "embedding.provider=none"
GENERAL = {
    "2025-11-25": [
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "tools-list",
        "completion-complete",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ],
    "2026-07-28": [
        "tools-list",
        "completion-complete",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
    ],
}
"""Scenarios that ask nothing of a server but what every server has; the others call tools made for the suite."""
SERVING = """
import asyncio, sys, uvicorn
from waymeet import Project
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.mcp.server import http_app, make_server

async def serve():
    async with AsyncProject(Project.open(flags=(sys.argv[2],))) as held:
        app = http_app(make_server(held))
        await uvicorn.Server(uvicorn.Config(app, port=int(sys.argv[1]), log_level="error")).serve()

asyncio.run(serve())
"""


def official(program: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    programs = FOLDER / "node_modules" / ".bin"
    command = [str(programs / "node"), str(programs / program), *args]  # that of the system may be too old for them
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_PATIENCE, check=False)


def inspected(root: Path, *args: str) -> tuple[int, Any]:
    """Ask by the inspector's command line, which starts the server itself."""
    folders = [f"{name}={os.environ[name]}" for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME")]
    given = [word for folder in folders for word in ("-e", folder)]
    server = [sys.executable, "-m", "waymeet", "mcp", "--compat"]
    ran = official("mcp-inspector", "--cli", *given, *args, "--transport", "stdio", *server, cwd=root)
    return ran.returncode, json.loads(ran.stdout or ran.stderr or "null")


@pytest.fixture(autouse=True)
def _settings(project: Path) -> None:
    folder = Path(os.environ["XDG_CONFIG_HOME"]) / "waymeet"
    folder.mkdir(parents=True)
    (folder / "waymeet.toml").write_text('[embedding]\nprovider = "none"\n')


def test_the_inspector_finds_nothing_wrong_with_the_tools(project: Path) -> None:
    code, found = inspected(project, "--method", "tools/list", "--strict")
    assert code == 0, found
    assert {"search", "read", "deep_search"} <= {each["name"] for each in found["tools"]}


def test_the_inspector_calls_reads_and_is_refused(project: Path) -> None:
    code, found = inspected(project, "--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=keys")
    assert code == 0
    assert found["structuredContent"]["hits"]
    code, found = inspected(project, "--method", "tools/call", "--tool-name", "read", "--tool-arg", "id=nope")
    assert code == 5, "that is how it says that a tool failed"
    assert found["isError"]
    code, found = inspected(project, "--method", "resources/read", "--uri", "waymeet://documents/docs/setup.md#L3-L3")
    assert code == 0
    assert "rotate" in found["contents"][0]["text"]
    code, found = inspected(
        project, "--method", "prompts/get", "--prompt-name", "begin_task", "--prompt-args", "task=ship"
    )
    assert code == 0
    assert "ship" in found["messages"][0]["content"]["text"]


@pytest.fixture
def address(project: Path) -> Iterator[str]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", SERVING, str(port), _WITHOUT], cwd=project) as serving:
        try:
            for _ in range(_PATIENCE * 10):
                with closing(socket.socket()) as trying:
                    if trying.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            serving.terminate()


@pytest.mark.parametrize("version", GENERAL)
def test_the_conformance_suite_passes(project: Path, address: str, version: str) -> None:
    for scenario in GENERAL[version]:
        args = ["server", "--url", address, "--scenario", scenario, "--spec-version", version]
        ran = official("conformance", *args, cwd=project)
        assert ran.returncode == 0, f"{scenario}: {ran.stdout}"
