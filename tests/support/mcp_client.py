"""Connect the official MCP client with a server in this process, in both protocol versions."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from waymeet import Project
from waymeet.ingest.embed.job import try_embedding_lock
from waymeet.ingest.lock import index_lock
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.mcp.server import make_server

Result = TypeVar("Result")
Talk = Callable[[Client], Awaitable[Result]]
ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
BOTH = pytest.mark.parametrize("era", ERAS)
PATIENCE = 60
"""Timeout of a test in seconds."""


def talk(
    root: Path, talking: Talk[Result], *, era: str = "2026-07-28", flags: tuple[str, ...] = (), **how: Any
) -> Result:
    """Open a project, serve it, and run a function with a connected client."""

    async def go() -> Result:
        opened = Project.open(root, flags=("embedding.provider=none", *flags))
        async with (
            AsyncProject(opened) as held,
            Client(make_server(held, **how), mode=ERAS[era], read_timeout_seconds=PATIENCE) as client,
        ):
            assert client.protocol_version == era
            try:
                return await talking(client)
            except MCPError as error:  # raised outside of the client, which would wrap it in an exception group
                refused = error
        raise refused

    return asyncio.run(go())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def call(root: Path, name: str, _how: dict[str, Any] | None = None, **arguments: Any) -> CallToolResult:
    return talk(root, lambda client: client.call_tool(name, arguments), **(_how or {}))


@contextmanager
def hold_index_lock(root: Path, *, embedding: bool = False) -> Iterator[Event]:
    """Hold the index lock, or the embedding lock, as another process would."""
    index = Project.open(root).index_path
    index.parent.mkdir(parents=True, exist_ok=True)
    held, done = Event(), Event()

    def hold() -> None:
        with try_embedding_lock(index) if embedding else index_lock(index, wait=True):
            held.set()
            done.wait(PATIENCE)

    thread = Thread(target=hold)
    thread.start()
    held.wait(PATIENCE)
    try:
        yield done
    finally:
        done.set()
        thread.join()
