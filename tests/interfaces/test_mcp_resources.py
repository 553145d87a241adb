"""The server for agents: resources, prompts and completion, and the tools of other systems."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference, TextContent, TextResourceContents
from support.mcp_client import BOTH, talk, text_of

from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.tools import TOOLS

# --- resources, prompts, completion ---------------------------------------------------------------------------------


@BOTH
def test_documents_and_sections_are_resources(project: Path, era: str) -> None:
    (project / "docs" / "with space #1.md").write_text("# Odd name\n")

    async def talking(client: Client) -> None:
        await client.call_tool("index", {})
        uris = {each.uri for each in (await client.list_resources()).resources}
        assert "waymeet://documents/docs/setup.md" in uris
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "waymeet://documents/{+path}",
            "waymeet://documents/{+path}{#section}",
        ]

        async def text_of(uri: str) -> str:
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            return content.text

        for uri in uris:
            assert isinstance(await text_of(uri), str)
        assert await text_of("waymeet://documents/docs/setup.md") == (project / "docs/setup.md").read_text().rstrip()
        assert "rotate" in await text_of("waymeet://documents/docs/setup.md#L3-L3")
        assert json.loads(await text_of("waymeet://status"))["indexed"] is True
        await client.call_tool("remember", {"kind": "tasks", "title": "Do it", "status": "todo"})
        assert "Do it  (todo" in await text_of("waymeet://tasks")
        for wrong in ("waymeet://documents/nope.md", "waymeet://documents/", "waymeet://nope", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)

    talk(project, talking, era=era)


def test_resources_come_in_pages(project: Path) -> None:
    for number in range(450):
        (project / f"p{number:03}.md").write_text("# P\n")

    async def talking(client: Client) -> list[str]:
        await client.call_tool("index", {})
        uris: list[str] = []
        page = await client.list_resources()
        while True:
            uris += [each.uri for each in page.resources]
            if page.next_cursor is None:
                return uris
            page = await client.list_resources(cursor=page.next_cursor)

    uris = talk(project, talking)
    assert len(uris) == len(set(uris)) == 450 + 6 + 5
    with pytest.raises(MCPError, match="Malformed cursor"):
        talk(project, lambda client: client.list_resources(cursor="é"))


@BOTH
def test_prompts_are_filled_in(project: Path, era: str) -> None:
    async def talking(client: Client) -> None:
        prompts = (await client.list_prompts()).prompts
        assert len(prompts) == 4
        for each in prompts:
            (argument,) = each.arguments or []
            got = await client.get_prompt(each.name, {argument.name: "the {task} of {path}"})
            (message,) = got.messages
            assert isinstance(message.content, TextContent)
            assert "the {task} of {path}" in message.content.text
            named = {word.strip("`") for word in message.content.text.split() if word.startswith("`")}
            assert {word for word in named if word in TOOLS}, "it names tools"
            with pytest.raises(MCPError, match="takes one argument"):
                await client.get_prompt(each.name, {})
        with pytest.raises(MCPError, match="Unknown prompt"):
            await client.get_prompt("nope", {})

    talk(project, talking, era=era)


def test_paths_are_completed(project: Path) -> None:
    async def talking(client: Client) -> list[str]:
        await client.call_tool("index", {})
        reference = ResourceTemplateReference(uri="waymeet://documents/{+path}")
        found = await client.complete(reference, {"name": "path", "value": "setup"})
        nothing = await client.complete(reference, {"name": "section", "value": "x"})
        assert nothing.completion.values == []
        return found.completion.values

    assert talk(project, talking) == ["docs/setup.md"]


# --- the tools of others --------------------------------------------------------------------------------------------


def test_the_compatible_set_is_opt_in_and_answers(project: Path) -> None:
    names = "docs_search code_search notes_search tasks_search skills_search skills_recall code_search_files "
    names += "docs_search_files files_search deep_search projecthub_search"
    assert set(COMPAT) == set(names.split())

    async def talking(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {each.name for each in tools} == {*TOOLS, *COMPAT}
        await client.call_tool("remember", {"kind": "notes", "title": "Keys", "text": "Keys are in the drawer."})
        for name in COMPAT:
            found = await client.call_tool(name, {"query": "keys"})
            assert not found.is_error, text_of(found)
        notes = await client.call_tool("notes_search", {"query": "keys"})
        assert {hit["kind"] for hit in notes.structured_content["hits"]} == {"notes"}
        code = await client.call_tool("code_search", {"query": "getUserById", "searchMode": "keyword", "topK": 1})
        assert code.structured_content["hits"][0]["document"] == "src/users.py"
        deep = await client.call_tool("deep_search", {"query": "keys", "topK": 2, "skipExpansion": True})
        assert deep.structured_content["recipe"] == "deep"
        assert len(deep.structured_content["hits"]) == 2
        steps = {step["stage"]: step for step in deep.structured_content["steps"]}
        assert steps["expand"]["skipped"] == "user_requested"
        assert steps["lexical"]["effect"].startswith("lexical list of ")
        assert steps["lexical"]["seconds"] > 0
        assert "\n- expand: skipped (user_requested)" in text_of(deep)
        words = await client.call_tool("projecthub_search", {"query": "keys", "mode": "bm25_only"})
        assert (words.structured_content["recipe"], words.structured_content["mode"]) == ("classic", "bm25_only")
        files = await client.call_tool("files_search", {"query": "users.py"})
        assert files.structured_content["hits"][0]["document"] == "src/users.py"
        wrong = await client.call_tool("docs_search", {"query": "keys", "topk": 2})
        assert "Did you mean `topK`?" in text_of(wrong)

    talk(project, talking, compat=True)


def test_numbers_of_a_call_count_for_that_call_only(project: Path) -> None:
    for number in range(12):
        (project / "docs" / f"k{number}.md").write_text(
            f"# Key {number}\n\nRotate key {number}.{' Or not.' * number}\n"
        )

    async def talking(client: Client) -> None:
        async def hits(**arguments: Any) -> list[dict[str, Any]]:
            found = await client.call_tool("docs_search", {"query": "rotate key", **arguments})
            assert not found.is_error, text_of(found)
            shown: list[dict[str, Any]] = found.structured_content["hits"]
            return shown

        assert len(await hits()) == 5
        assert len(await hits(maxResults=8, topK=8, minScore=0)) == 8
        assert len(await hits(minScore=1.0, bfsDepth=0)) == 1
        assert len(await hits()) == 5

    talk(project, talking, compat=True)
