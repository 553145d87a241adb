"""Indexing in the background of the MCP server, its progress and cancellation."""

import asyncio
from pathlib import Path

import pytest
from mcp import Client
from support.mcp_client import BOTH, call, hold_index_lock, talk, text_of

from waymeet import Project
from waymeet.errors import IndexUnavailableError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.mcp.tools import TOOLS


@BOTH
def test_the_server_answers_while_the_index_is_made(project: Path, era: str) -> None:
    with hold_index_lock(project) as release:

        async def talking(client: Client) -> None:
            assert len((await client.list_tools()).tools) == len(TOOLS)
            status = await client.call_tool("status", {})
            assert status.structured_content["indexed"] is False
            early = await client.call_tool("search", {"query": "keys"})
            assert early.is_error
            assert "is being indexed for the first time" in text_of(early)
            assert "Next: call `status`, then repeat the call." in text_of(early)
            assert (await client.read_resource("waymeet://notes")).contents
            assert len((await client.list_resources()).resources) == 5
            release.set()
            while (found := await client.call_tool("search", {"query": "keys"})).is_error:
                assert "is being indexed" in text_of(found)
            assert found.structured_content["hits"]

        talk(project, talking, era=era, flags=("mcp.wait_seconds=0.2",))


def test_without_indexing_at_start_the_next_call_is_named(project: Path) -> None:
    async def talking(client: Client) -> None:
        early = await client.call_tool("search", {"query": "keys"})
        assert early.is_error
        assert "Next: call `index`, then repeat the call." in text_of(early)
        await client.call_tool("index", {})
        assert not (await client.call_tool("search", {"query": "keys"})).is_error

    talk(project, talking, flags=("mcp.index_at_start=false",))
    result = call(project.parent, "search", {"flags": ("mcp.index_at_start=false",), "read_only": True}, query="keys")
    assert "ask the user to run `waymeet index`" in text_of(result)


def test_trouble_in_the_background_is_told_by_status(project: Path) -> None:
    for number in range(40):
        (project / f"{number}.md").write_text("# Page\n")
    call(project, "index")
    for number in range(40):
        (project / f"{number}.md").unlink()

    async def talking(client: Client) -> None:
        told = ""
        while "background_failed" not in told:
            told = text_of(await client.call_tool("status", {}))
        refused = await client.call_tool("index", {})
        assert refused.is_error
        assert "accept_removals=true" in text_of(refused)
        assert not (await client.call_tool("index", {"accept_removals": True})).is_error
        assert "background_failed" not in text_of(await client.call_tool("status", {}))

    talk(project, talking)


def test_what_has_no_vector_is_embedded_in_the_background(project: Path) -> None:
    async def talking(client: Client) -> None:
        found = await client.call_tool("search", {"query": "keys"})
        assert found.structured_content["hits"], "a search does not wait for embedding"
        while True:
            meaning = (await client.call_tool("status", {})).structured_content["status"]["vectors"]
            if meaning["embedded"] == meaning["chunks"]:
                return

    talk(project, talking, flags=("embedding.provider=hashing", "embedding.background=true"))


def test_what_words_do_not_find_waits_for_meaning(project: Path) -> None:
    with hold_index_lock(project, embedding=True) as release:

        async def talking(client: Client) -> None:
            asking = asyncio.create_task(client.call_tool("search", {"query": "zebras"}))
            await asyncio.sleep(1.0)
            assert not asking.done()
            early = await client.call_tool("search", {"query": "keys"})
            assert "embedding in progress (embedding sections" in text_of(early), "lexical results do not wait"
            assert "waymeet index" not in text_of(early)
            release.set()
            assert "no_vectors" not in text_of(await asking)

        talk(project, talking, flags=("embedding.provider=hashing", "embedding.background=true"))


@BOTH
def test_progress_is_told_and_never_goes_back(project: Path, era: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def talking(client: Client) -> None:
        result = await client.call_tool("index", {}, progress_callback=tell)
        assert result.structured_content["added"]

    talk(project, talking, era=era, flags=("mcp.index_at_start=false",))
    assert told
    assert [each[0] for each in told] == sorted({each[0] for each in told})
    assert told[-1][0] == told[-1][1], "at last it says that all is done"


@BOTH
def test_a_cancelled_run_ends_and_the_server_goes_on(project: Path, era: str) -> None:
    async def talking(client: Client) -> None:
        await client.call_tool("search", {"query": "keys"})
        (project / "docs" / "new.md").write_text("# New\n")
        with hold_index_lock(project):
            task = asyncio.create_task(client.call_tool("index", {}))
            await asyncio.sleep(0.3)
            assert not task.done()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            found = await client.call_tool("search", {"query": "keys", "refresh": False})
            assert found.structured_content["hits"], "others are answered meanwhile"
        done = await client.call_tool("index", {})
        assert done.structured_content["added"] == 1, "the cancelled run took nothing in"

    talk(project, talking, era=era)


def test_who_waits_for_another_process_can_be_closed(project: Path) -> None:
    async def closed() -> None:
        held = AsyncProject(Project.open(project))
        run = asyncio.create_task(held.index())
        await asyncio.sleep(0.2)
        await asyncio.wait_for(held.close(), 30)
        with pytest.raises(IndexUnavailableError):
            await run

    with hold_index_lock(project):
        asyncio.run(closed())
