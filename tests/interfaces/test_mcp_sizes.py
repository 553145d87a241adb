"""What agents pay for: the sizes of the list of tools and of answers, and what they still contain."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, ListToolsResult
from support.mcp_client import BOTH, call, talk, text_of

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.interfaces.mcp.render import UNTRUSTED
from waymeet.interfaces.mcp.schemas import OPTIONS_URI, merge_options
from waymeet.interfaces.mcp.tools import TOOLS
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.search import SearchRequest

_PARAGRAPH = (
    "Rotate the signing keys every ninety days. The job asks the vault for a new key, writes it beside the old one and "
    "keeps both for a week, so that sessions that were signed with the old key stay valid until they end. "
)


@pytest.fixture
def pages(project: Path) -> Path:
    for number in range(8):
        text = "".join(f"## Part {part}\n\n{_PARAGRAPH * 3}\n\n" for part in range(4))
        (project / "docs" / f"rotation-of-keys-{number}.md").write_text(f"# Rotation of keys {number}\n\n{text}")
    for number in range(3):
        text = f"署名鍵{number}は九十日ごとに更新します。古い鍵は一週間残します。" * 30
        (project / "docs" / f"鍵{number}.md").write_text(f"# 鍵の更新{number}\n\n{text}\n")
    return project


def _bytes(listed: ListToolsResult) -> int:
    return len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())


@BOTH
def test_the_list_of_tools_takes_at_most_ten_kilobytes(project: Path, era: str) -> None:
    assert _bytes(talk(project, lambda client: client.list_tools(), era=era)) <= 10_000


def test_the_compatible_tools_are_as_short(project: Path) -> None:
    listed = talk(project, lambda client: client.list_tools(), compat=True)
    assert _bytes(listed) <= 21_000
    assert all(len(tool.model_dump_json(by_alias=True, exclude_none=True)) <= 1700 for tool in listed.tools)


def test_descriptions_say_when_to_use_which_tool(project: Path) -> None:
    described = {tool.name: tool.description or "" for tool in talk(project, lambda client: client.list_tools()).tools}
    assert list(described) == list(TOOLS)
    for name, part in {
        "search": "before grep",
        "read": "an id from `search`",
        "context": "first when you start a task",
        "related": "what a change affects",
        "remember": "`update` these instead",
        "update": "version from `read`",
        "recall_skills": "before work that may have been done",
        "index": "Rarely needed",
    }.items():
        assert part in described[name]


def test_the_descriptions_are_not_masked(project: Path) -> None:
    """Tools are listed through the function that masks secrets; what it takes for one is missing in the list."""
    listed = talk(project, lambda client: client.list_tools(), compat=True)
    for tool in listed.tools:
        assert (tool.description or "").count("[secret]") == (tool.name == "update"), tool.description
        assert "[secret]" not in json.dumps(tool.input_schema)


def test_ids_beside_words_for_a_password_are_not_masked(project: Path) -> None:
    (project / "README.md").write_text("# Login\n\n" + "Reset the password of a login in the console.\n" * 9)
    result = call(project, "search", query="reset the password of a login", limit=1)
    assert result.structured_content["hits"][0]["id"] == "README.md#L1-L11"
    assert "1. README.md#L1-L11  " in text_of(result)


@pytest.mark.parametrize("query", ["rotate the signing keys", "署名鍵の更新"])
def test_three_hits_take_at_most_500_tokens(pages: Path, query: str) -> None:
    result = call(pages, "search", query=query, limit=3)
    assert len(result.structured_content["hits"]) == 3
    assert estimate_tokens(text_of(result)) <= 500
    assert estimate_tokens(json.dumps(result.structured_content, ensure_ascii=False)) <= 700


def test_structured_content_has_what_the_text_has_once(pages: Path) -> None:
    """Some clients pass only one of the two to the model."""
    result = call(pages, "search", query="rotate the signing keys", limit=3)
    structured, text = result.structured_content, text_of(result)
    for hit in structured["hits"]:
        assert {"id", "title", "start", "end", "relevance", "snippet"} <= hit.keys()
        assert f"{hit['id']}  {hit['relevance']:.2f}" in text
        first_line = hit["snippet"].split("\n")[0].strip()
        assert first_line
        assert first_line in text
    written = json.dumps(structured, ensure_ascii=False)
    longest = max((hit["snippet"] for hit in structured["hits"]), key=len)
    assert written.count(json.dumps(longest, ensure_ascii=False)[1:-1]) == sum(
        hit["snippet"] == longest for hit in structured["hits"]
    )
    assert structured["cursor"] in text
    assert not {"steps", "seconds", "query"} & structured.keys()


def test_copies_are_named_in_text_and_structure(project: Path) -> None:
    for name in ("a", "b"):
        (project / "docs" / f"{name}.md").write_text(_PARAGRAPH * 3)
    result = call(project, "search", query="rotate the signing keys ninety days vault")
    hits = result.structured_content["hits"]
    assert hits[0]["copies"] == ["docs/b.md#L1-L1"]
    assert all("copies" not in hit for hit in hits[1:])
    assert all("copy_count" not in hit for hit in hits), "the ids are all there are"
    assert "   also in: docs/b.md#L1-L1\n" in text_of(result)


def _calls(id_: str, version: str) -> dict[str, dict[str, Any]]:
    return {
        "search": {"query": "keys"},
        "read": {"id": "docs/setup.md"},
        "related": {"id": "docs/setup.md"},
        "context": {"task": "rotate keys"},
        "recall_skills": {"task": "rotate keys"},
        "status": {},
        "index": {},
        "remember": {"kind": "notes", "title": "Other", "text": "Other text."},
        "update": {"id": id_, "version": version, "text": "New text."},
        "link": {"id": id_, "relation": "references", "target": "docs/setup.md"},
        "forget": {"id": id_, "version": version},
    }


def test_structured_content_marks_quotations_as_untrusted_first(project: Path) -> None:
    async def talking(client: Client) -> dict[str, CallToolResult]:
        results = {}
        for name in TOOLS:
            saved = await client.call_tool("remember", {"kind": "notes", "title": f"For {name}", "text": "Text."})
            item = saved.structured_content["item"]
            results[name] = await client.call_tool(name, _calls(item["id"], item["version"])[name])
        return results

    for name, result in talk(project, talking).items():
        assert not result.is_error, text_of(result)
        assert next(iter(result.structured_content.items())) == ("untrusted", UNTRUSTED), name
        assert "Text." not in json.dumps(result.structured_content) or name in {"search", "context"}, name


def test_all_fields_come_with_an_explanation(project: Path) -> None:
    structured = call(project, "search", query="keys", options={"explain": True}).structured_content
    assert {"steps", "seconds", "query"} <= structured.keys()
    assert structured["hits"][0]["sections"][0]["snippet"]
    assert structured["hits"][0]["explanation"]


# --- rare parameters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"options": {"recipe": "classic", "mode": "bm25_only"}},
        {"options": '{"recipe": "classic", "mode": "bm25_only"}'},
        {"recipe": "classic", "mode": "bm25_only"},
        {"recipe": "classic", "options": {"recipe": "classic", "mode": "bm25_only"}},
    ],
    ids=["object", "text", "flat, as before", "both"],
)
def test_rare_parameters_are_options_or_flat(project: Path, arguments: dict[str, Any]) -> None:
    structured = call(project, "search", query="keys", **arguments).structured_content
    assert (structured["recipe"], structured["mode"]) == ("classic", "bm25_only")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": [1]}, "`options` is not an object"),
        ({"options": "{"}, "`options` is not an object"),
        ({"options": {"mode": "x"}, "mode": "y"}, "`mode` is set twice"),
        ({"options": {"explian": True}}, "Did you mean `explain`?"),
    ],
)
def test_wrong_options_are_refused(project: Path, arguments: dict[str, Any], message: str) -> None:
    result = call(project, "search", query="keys", **arguments)
    assert result.is_error
    assert message in text_of(result)


def test_a_resource_describes_every_option(project: Path) -> None:
    (project / "waymeet.toml").write_text('[recipes.mine]\nbase = "auto"\n')
    (content,) = talk(project, lambda client: client.read_resource(OPTIONS_URI)).contents
    text = content.model_dump()["text"]
    listed = {tool.name: tool for tool in talk(project, lambda client: client.list_tools()).tools}
    for name in OPERATIONS["search"].request.__struct_fields__:
        assert (f"- `{name}` (" in text) != (name in listed["search"].input_schema["properties"]), name
    assert "mine" in text
    assert OPTIONS_URI in listed["search"].input_schema["properties"]["options"]["description"]


def test_only_a_search_has_options() -> None:
    assert merge_options(OPERATIONS["read"].request, {"options": {}}) == {"options": {}}
    assert merge_options(SearchRequest, {"query": "x"}) == {"query": "x"}
