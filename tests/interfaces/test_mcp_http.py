"""The server for agents over HTTP, on a real socket of this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from waymeet import Project
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.mcp.server import http_app, make_server
from waymeet.interfaces.mcp.tools import TOOLS

_PATIENCE = 60


@asynccontextmanager
async def served(root: Path, may_write: Callable[[Any], bool] | None = None) -> AsyncIterator[str]:
    """Serve a project at an address of this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        async with AsyncProject(Project.open(root, flags=("embedding.provider=none",))) as held:
            app = http_app(make_server(held, may_write=may_write))
            server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
            task = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            finally:
                server.should_exit = True
                await task


def run(root: Path, talking: Callable[[str], Awaitable[None]], **how: Any) -> None:
    async def go() -> None:
        async with served(root, **how) as address:
            await talking(address)

    asyncio.run(go())


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_client_over_http(project: Path, mode: str, version: str) -> None:
    async def talking(address: str) -> None:
        told: list[float] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            told.append(progress)

        async with Client(address, mode=mode, read_timeout_seconds=_PATIENCE) as client:
            assert client.protocol_version == version
            assert {each.name for each in (await client.list_tools()).tools} == set(TOOLS)
            await client.call_tool("search", {"query": "keys"})
            (project / "docs" / "new.md").write_text("# New\n")
            done = await client.call_tool("index", {}, progress_callback=tell)
            assert done.structured_content["added"] == 1
            for _ in range(200):  # the client may hand it on after the answer
                await asyncio.sleep(0.0 if told else 0.05)
            assert told, "progress comes over the stream"
            answers = await asyncio.gather(*(client.call_tool("search", {"query": "keys"}) for _ in range(20)))
            assert all(each.structured_content["hits"] for each in answers)

    run(project, talking)


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_evil_hosts_and_origins_are_refused(project: Path, header: dict[str, str]) -> None:
    async def talking(address: str) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        async with httpx2.AsyncClient() as client:
            for method in ("POST", "GET", "DELETE"):
                answer = await client.request(method, address, json=message, headers=header)
                assert answer.status_code in {403, 421}, method

    run(project, talking)


def test_who_may_not_write_is_offered_nothing_that_writes(project: Path) -> None:
    async def talking(address: str) -> None:
        async with Client(address, read_timeout_seconds=_PATIENCE) as client:
            assert "remember" not in {each.name for each in (await client.list_tools()).tools}
            with pytest.raises(MCPError, match="read-only"):
                await client.call_tool("remember", {"kind": "notes", "title": "No"})
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer right"}) as web:
            transport = streamable_http_client(address, http_client=web)
            async with Client(transport, read_timeout_seconds=_PATIENCE) as client:
                saved = await client.call_tool("remember", {"kind": "notes", "title": "Yes"})
                assert not saved.is_error

    run(project, talking, may_write=lambda request: request.headers.get("authorization") == "Bearer right")
