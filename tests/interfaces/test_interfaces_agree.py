"""Command line, library, HTTP and MCP give the same hits, scores and notes."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from mcp import Client, StdioServerParameters
from support.server_process import PATIENCE, Served, command, isolated_environment, make, served

from waymeet import Project
from waymeet.types import Query

NOISE = "kind:code which user did harbour pilots of ancient carthage obey"
QUESTIONS = (
    "rotate the signing keys",
    "get_user_by_id",
    "how are ranked lists fused?",
    "nothing of the kind zzz",
    NOISE,
)
UNBOUNDED = 10_000_000
"""Tokens: agents get shorter answers unless they ask for long ones."""
COMPARED = (
    *(
        "query",
        "recipe",
        "mode",
        "search_type",
        "hits",
        "total_found",
        "low_relevance",
        "degraded",
        "notes",
        "generation",
    ),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Make a project whose sections have vectors, for vector search."""
    folder = tmp_path_factory.mktemp("interfaces")
    environment = {**isolated_environment(folder), "WAYMEET_EMBEDDING_PROVIDER": "hashing"}
    root = make(folder / "project")
    ran = command(environment, root, "index")
    assert ran.returncode == 0, ran.stderr
    return root, environment


def by_library(root: Path, question: str) -> Any:
    with Project.open(root) as project:
        return msgspec.to_builtins(project.search(Query(question, limit=5, explain=True)), str_keys=True)


def by_command(environment: dict[str, str], root: Path, question: str) -> Any:
    return json.loads(command(environment, root, "search", question, "-n", "5", "--explain", "--json").stdout)


def by_http(server: Served, question: str) -> Any:
    return server.ask("GET", "/v1/search?" + urlencode({"query": question, "limit": 5, "explain": "true"})).json


def by_agents(how: str | StdioServerParameters) -> list[Any]:
    async def ask() -> list[Any]:
        async with Client(how, read_timeout_seconds=PATIENCE) as client:
            found = []
            for question in QUESTIONS:
                given = {"query": question, "limit": 5, "explain": True, "budget": UNBOUNDED}
                found.append((await client.call_tool("search", given)).structured_content)
            return found

    return asyncio.run(ask())


def compared(answer: Any) -> Any:
    return json.loads(json.dumps({name: answer[name] for name in COMPARED}))


def test_all_interfaces_give_the_same_answer(
    place: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, environment = place
    for name in environment:
        if name.startswith(("WAYMEET_", "XDG_")) or name == "HOME":
            monkeypatch.setenv(name, environment[name])
    pipes = StdioServerParameters(command=sys.executable, args=["-m", "waymeet", "mcp"], env=environment, cwd=str(root))
    answers = {
        "library": [by_library(root, question) for question in QUESTIONS],
        "command alone": [by_command(environment, root, question) for question in QUESTIONS],
        "agents over pipes alone": by_agents(pipes),
    }
    with served(root, environment) as server:
        answers["command"] = [by_command(environment, root, question) for question in QUESTIONS]
        answers["http"] = [by_http(server, question) for question in QUESTIONS]
        answers["agents over pipes"] = by_agents(pipes)
        answers["agents over http"] = by_agents(f"{server.address}/mcp")
    expected = [compared(each) for each in answers["library"]]
    assert [bool(each["hits"]) for each in expected[:3]] == [True] * 3
    assert expected[0]["search_type"] == "hybrid"
    assert expected[0]["hits"][0]["explanation"]
    first = [each["hits"][0] for each in (expected[0], expected[-1])]
    assert [each["low_relevance"] for each in (expected[0], expected[-1])] == [False, True]
    assert first[0]["relevance"] > 0.2 > first[1]["relevance"]
    assert all(each["relevance_explanation"]["value"] == each["relevance"] for each in first)
    for door, given in answers.items():
        assert [compared(each) for each in given] == expected, door
