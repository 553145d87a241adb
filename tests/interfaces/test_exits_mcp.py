"""No secret leaves the process over MCP: every tool, resource and prompt, with planted secrets in every place."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, PromptReference, ResourceTemplateReference
from support.mcp_client import BOTH, talk, text_of
from support.secret_project import (
    NAMED_DOC,
    NAMED_NOTE,
    NOTE,
    SECRETS,
    SKILL,
    find_secrets,
    lost_values,
    mask,
    plant,
)

from waymeet.interfaces.mcp import server as mcp_server
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.tools import TOOLS

pytestmark = pytest.mark.slow
_SECRET = SECRETS["name"]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = plant(tmp_path / "planted")
    monkeypatch.chdir(root)
    return root


def _calls(versions: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Give arguments for every tool."""
    compatible = {name: [{"query": "rotate keys"}, {"query": f"keys {_SECRET}"}] for name in COMPAT}
    return compatible | {
        "search": [
            {"query": "rotate keys", "limit": 50, "options": {"explain": True, "include_linked": True}},
            {"query": "page whose name is a secret", "limit": 50},
            {"query": f"keys {_SECRET}", "options": {"mode": _SECRET}},
        ],
        "read": [{"id": id_} for id_ in ("docs/access.md", "settings.yaml", NOTE, mask(NAMED_DOC), f"{NAMED_DOC}x")],
        "related": [{"id": "docs/access.md", "limit": 100}, {"id": NOTE}],
        "context": [{"task": "rotate keys"}],
        "remember": [{"kind": "notes", "title": f"New {_SECRET}", "text": f"The keys are rotated: {_SECRET}."}],
        "update": [
            {"id": NOTE, "version": "stale", "text": f"Mine {_SECRET}"},
            {"id": NOTE, "version": versions[NOTE], "tags": ["keys", "[secret]", "new"]},
        ],
        "link": [{"id": NOTE, "relation": "references", "target": mask(NAMED_DOC)}],
        "forget": [{"id": mask(NAMED_NOTE), "version": "stale"}, {"id": SKILL, "version": versions[SKILL]}],
        "recall_skills": [{"task": "deploy keys"}],
        "status": [{"everything": True}],
        "index": [{}],
    }


async def _version(client: Client, id_: str) -> str:
    result = await client.call_tool("read", {"id": id_})
    version: str = result.structured_content["version"]
    return version


def _shown(result: Any) -> str:
    return str(json.dumps(result.model_dump(by_alias=True, mode="json"), ensure_ascii=False))


@BOTH
def test_no_tool_shows_a_secret(planted: Path, era: str) -> None:
    async def talking(client: Client) -> dict[str, list[CallToolResult]]:
        await client.call_tool("index", {})
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert set(listed) == {*TOOLS, *COMPAT}
        calls = _calls({id_: await _version(client, id_) for id_ in (NOTE, SKILL)})
        assert set(calls) == set(listed), "a new tool: add calls of it here"
        order = sorted(calls, key="forget".__eq__)  # last
        return {name: [await client.call_tool(name, arguments) for arguments in calls[name]] for name in order}

    for name, results in talk(planted, talking, era=era, compat=True).items():
        assert not all(result.is_error for result in results), text_of(results[0])
        for result in results:
            assert find_secrets(_shown(result)) == [], f"{name}: {_shown(result)[:2000]}"


@BOTH
def test_no_resource_prompt_or_completion_shows_a_secret(planted: Path, era: str) -> None:
    async def talking(client: Client) -> list[Any]:
        await client.call_tool("index", {})
        listed = await client.list_resources()
        shown: list[Any] = [listed, await client.list_resource_templates(), await client.list_prompts()]
        shown += [await client.read_resource(resource.uri) for resource in listed.resources]
        assert sum("%5Bsecret%5D" in resource.uri for resource in listed.resources) >= 3
        for prompt in shown[2].prompts:
            value = "rotate keys" if prompt.arguments[0].name != "path" else mask(NAMED_DOC)
            shown.append(await client.get_prompt(prompt.name, {prompt.arguments[0].name: value}))
        reference = ResourceTemplateReference(uri="waymeet://documents/{+path}")
        shown.append(await client.complete(reference, {"name": "path", "value": "docs"}))
        shown.append(await client.complete(PromptReference(name="check_docs"), {"name": "path", "value": "docs"}))
        with pytest.raises(MCPError) as refused:
            await client.read_resource(f"waymeet://documents/{NAMED_DOC}x")
        return [*shown, refused.value.error]

    for result in talk(planted, talking, era=era):
        assert find_secrets(_shown(result)) == [], _shown(result)[:2000]


def test_every_handler_of_the_server_is_masked() -> None:
    """A new kind of request cannot forget it."""
    handlers: list[str] = []

    class Recorder:
        def __getattr__(self, name: str) -> Any:
            if name == "masked":
                return handlers.append
            return name

    mcp_server._build_server(Recorder())  # type: ignore[arg-type]
    methods = [name for name in vars(mcp_server._Handlers) if not name.startswith("_")]
    assert set(handlers) == set(methods) - {"masked", "lifespan", "input_schema"}


@pytest.mark.parametrize("whole", [False, True], ids=["body", "whole file"])
def test_a_masked_note_survives_a_change(planted: Path, whole: bool) -> None:
    """An agent reads a note, changes a word and sends it back."""

    async def talking(client: Client) -> CallToolResult:
        await client.call_tool("index", {})
        read = await client.call_tool("read", {"id": NOTE})
        text = read.structured_content["text"]
        assert "[secret]" in text
        body = text if whole else text.partition("---\n\n")[2]
        changed = body.replace("not rotated", "rotated")
        arguments = {"id": NOTE, "version": read.structured_content["version"], "text": changed}
        return await client.call_tool("update", arguments)

    before = (planted / NOTE).read_text()
    saved = talk(planted, talking)
    assert not saved.is_error, text_of(saved)
    assert (planted / NOTE).read_text().rstrip() == before.replace("not rotated", "rotated").rstrip()
    assert lost_values(planted) == []
    assert "values behind [secret] were kept" in text_of(saved)


def test_a_change_based_on_the_text_of_a_conflict_keeps_the_values(planted: Path) -> None:
    async def talking(client: Client) -> CallToolResult:
        await client.call_tool("index", {})
        refused = await client.call_tool("update", {"id": NOTE, "version": "stale", "text": "Mine."})
        assert refused.meta
        failure = refused.meta["waymeet/failure"]
        assert "[secret]" in failure["current"]
        text = failure["current"].replace("not rotated", "rotated")
        return await client.call_tool("update", {"id": NOTE, "version": failure["version"], "text": text})

    assert not talk(planted, talking).is_error
    assert "rotated" in (planted / NOTE).read_text()
    assert lost_values(planted) == []


def test_an_uncertain_change_tells_the_next_step(planted: Path) -> None:
    path = planted / NOTE
    path.write_text("# A\n" + "".join(f"- {SECRETS[place]}\n" for place in ("note", "task", "code")) + "end\n")

    async def talking(client: Client) -> CallToolResult:
        await client.call_tool("index", {})
        version = await _version(client, NOTE)
        arguments = {"id": NOTE, "version": version, "text": "# A\n- [secret]\n- [secret]\nend\n"}
        return await client.call_tool("update", arguments)

    before = path.read_bytes()
    refused = talk(planted, talking)
    assert refused.is_error
    assert "Nothing was written" in text_of(refused)
    assert "write another text in its place" in text_of(refused)
    assert path.read_bytes() == before
