"""A server of several projects: no token reaches a project that it has no right to."""

import asyncio
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from support.server_process import PATIENCE, Reply
from support.team_server import Team, serve_team

from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.tools import TOOLS, ToolSpec
from waymeet.interfaces.requests.schemas import flat_schema
from waymeet.interfaces.teams.description import build_team_description

WORD = "zebrafinch"
"""A word of the project that nobody but its own token may read."""
FOREIGN = (
    "closed",
    "CLOSED",
    "closed%2F",
    "open%2F..%2Fclosed",
    "../projects/closed",
    "%63losed",
    "closed;x",
    "closed?",
)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with serve_team(tmp_path_factory.mktemp("team"), "--compat", "--set", "serve.token_requests=1000000") as running:
        yield running


def project_routes() -> list[tuple[str, str]]:
    """List every method and path of a project, from the description that the server itself gives."""
    return [
        (method.upper(), path)
        for path, methods in build_team_description()["paths"].items()
        for method in methods
        if path.startswith("/projects/{project}")
    ]


def fields(folder: Path, schema: dict[str, Any]) -> dict[str, Any]:
    """Fill in every field of a request with values that lead to the closed project."""
    index = next((folder / "data").rglob("closed-*.sqlite"))
    texts = {"query": WORD, "task": WORD, "title": WORD, "text": WORD}
    places = ["closed::docs/page.md", str(folder / "closed/docs/page.md"), "../closed/docs/page.md", str(index)]
    filled: dict[str, Any] = {}
    for at, (name, field) in enumerate(schema.get("properties", {}).items()):
        if name in texts:
            filled[name] = texts[name]
        elif name in schema.get("required", ()) or name in {"id", "projects", "paths", "namespaces", "target"}:
            place = "closed" if name in {"projects", "namespaces"} else places[at % len(places)]
            filled[name] = [place] if field.get("type") == "array" else field.get("enum", [place])[0]
    return filled


def attempts(folder: Path) -> list[tuple[str, str, str, Any, str]]:
    """Generate attempts over every route: token, method, path, body, and what is tried."""
    made: list[tuple[str, str, str, Any, str]] = []
    for (method, path), token in product(project_routes(), ("reader", "writer", "", "wrong")):
        for name in FOREIGN if path == "/projects/{project}/v1/search" else ("closed",):
            filled = re.sub(r"\{\w+\}", "docs%2Fpage.md", path.replace("{project}", name))
            body = {"query": WORD, "id": "docs/page.md", "title": "x"} if method in {"POST", "PATCH"} else None
            made.append(
                (token, method, f"{filled}?query={WORD}&id=docs/page.md" if body is None else filled, body, "path")
            )
    described = build_description()["paths"]
    for path, method in ((path, method) for path, methods in described.items() for method in methods):
        schema = described[path][method].get("requestBody", {}).get("content", {}).get("application/json", {})
        if schema:
            inner = re.sub(r"\{\w+\}", "closed%3A%3Adocs%2Fpage.md", path)
            made.append(
                ("reader", method.upper(), f"/projects/open{inner}", fields(folder, schema["schema"]), "fields")
            )
            made.append(
                ("writer", method.upper(), f"/projects/open{inner}", fields(folder, schema["schema"]), "fields")
            )
    for token in ("reader", "writer"):
        made += [
            (token, "GET", f"/v1/search?query={WORD}&projects=closed", None, "all"),
            (token, "GET", f"/v1/search?query={WORD}&projects=*", None, "all"),
            (token, "GET", f"/v1/search?query={WORD}", None, "all"),
            (token, "POST", "/v1/search", {"query": WORD, "projects": ["open", "closed"]}, "all"),
            (token, "GET", "/v1/read?id=closed::docs/page.md", None, "all"),
            (token, "POST", "/v1/read", {"id": "open::../closed/docs/page.md"}, "all"),
            (token, "GET", "/v1/projects", None, "all"),
            (token, "GET", "/metrics", None, "all"),
        ]
    return made


def snapshot(folder: Path) -> dict[str, bytes]:
    """Read all files of the closed project and those beside its index, except the index itself."""
    files = [*(folder / "closed").rglob("*"), *(folder / "data").rglob("closed-*.json")]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def is_leak(reply: Reply) -> bool:
    """Tell whether an answer has a sentence of the closed project, or lists it."""
    text = reply.body.decode("utf-8", "replace").lower()
    return "opens the vault" in text or '{"name":"closed"' in text or '{project="closed"' in text


def test_hundreds_of_attempts_over_every_route_reach_nothing(team: Team) -> None:
    before = snapshot(team.folder)
    made = attempts(team.folder)
    assert len(made) >= 200
    for token, method, path, body, kind in made:
        reply = team.ask(method, path, body, by=token)
        assert not is_leak(reply), (token, method, path, body)
        if kind == "path":
            expected = {401} if token in {"", "wrong"} else {404}
            assert reply.status in expected, (token, method, path, reply.status)
        if kind == "fields" and reply.status < 400 and "closed" in json.dumps(body):
            assert b"Vault" not in reply.body
    assert snapshot(team.folder) == before, "nothing was written"
    own = team.ask("GET", f"/projects/closed/v1/search?query={WORD}", by="other")
    assert b"opens the vault" in own.body, "its own token finds it"


@pytest.mark.parametrize("token", ["reader", "writer"])
def test_no_tool_reaches_another_project(team: Team, token: str) -> None:
    before, may_write = snapshot(team.folder), token.startswith("w")
    headers = {"Authorization": f"Bearer {team.tokens[token]}"}

    async def answer_of(agent: Client, name: str, tool: ToolSpec) -> str:
        try:
            result = await agent.call_tool(name, fields(team.folder, flat_schema(tool.request)))
        except MCPError as error:
            return str(error)
        return result.model_dump_json()

    async def call_all() -> int:
        calls = 0
        async with httpx2.AsyncClient(headers=headers) as client:
            transport = streamable_http_client(f"{team.address}/projects/open/mcp", http_client=client)
            async with Client(transport, read_timeout_seconds=PATIENCE) as agent:
                offered = {tool.name for tool in (await agent.list_tools()).tools}
                for name, tool in {**TOOLS, **COMPAT}.items():
                    if not tool.is_read_only:
                        assert (name in offered) == may_write, name
                    calls += 1
                    assert "opens the vault" not in await answer_of(agent, name, tool), name
                for uri in ("waymeet://documents/../closed/docs/page.md", "waymeet://documents/closed::docs/page.md"):
                    with pytest.raises(MCPError):
                        await agent.read_resource(uri)
        return calls

    assert asyncio.run(call_all()) == len({**TOOLS, **COMPAT})
    assert snapshot(team.folder) == before


def test_a_session_of_another_token_or_project_is_unknown(team: Team) -> None:
    start = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    accept = {"Accept": "application/json, text/event-stream"}
    opened = team.ask("POST", "/projects/open/mcp", start, by="writer", headers=accept)
    session = {**accept, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    tools = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert team.ask("POST", "/projects/open/mcp", tools, by="reader", headers=session).status == 404
    assert team.ask("POST", "/projects/closed/mcp", tools, by="other", headers=session).status == 404
    assert team.ask("POST", "/projects/open/mcp", tools, by="writer", headers=session).status == 200


def test_rights_to_write_are_checked_and_writes_are_logged_without_contents(team: Team) -> None:
    note = {"title": "Harvest marker", "text": "Tomatoes in August."}
    refused = team.ask("POST", "/projects/open/v1/notes", note, by="reader")
    assert (refused.status, refused.json["code"]) == (403, "read_only")
    saved = team.ask("POST", "/projects/open/v1/notes", note, by="writer", headers={"X-Request-Id": "r-17"})
    assert saved.status == 201
    log = (team.folder / "state" / "waymeet" / "audit.log").read_text(encoding="utf-8")
    entries = [json.loads(line) for line in log.splitlines()]
    created = [each for each in entries if each["operation"] == "createNote"]
    refusals = [(each["token"], each["project"]) for each in created if each["result"] == "read_only"]
    assert refusals[-1] == ("reader", "open")
    by_writer = [(each["token"], each["result"]) for each in entries if each["request"] == "r-17"]
    assert by_writer == [("writer", "started"), ("writer", "done")]
    assert any(each["operation"] == "mcp remember" for each in entries)
    assert "Harvest" not in log
    assert "August" not in log


def test_a_change_that_cannot_be_logged_is_refused_and_not_made(team: Team) -> None:
    log = team.folder / "state" / "waymeet" / "audit.log"
    kept = log.rename(log.with_name("kept.log"))
    log.mkdir()
    try:
        note = {"title": "Unlogged marker", "text": "Nobody would know who wrote this."}
        refused = team.ask("POST", "/projects/open/v1/notes", note, by="writer")
        assert (refused.status, refused.json["code"]) == (503, "audit_unavailable")
        assert "audit log" in refused.json["detail"]
        assert "Is a directory" in refused.json["detail"]
        assert team.ask("POST", "/projects/open/v1/index", {}, by="writer").status == 503
        assert "audit log" in call_tool(team, "/projects/open/mcp", "writer", "remember", note)
        assert team.ask("GET", "/projects/open/v1/search?query=dawn", by="writer").status == 200, "searches go on"
        assert "waymeet_audit_failures_total 3" in team.ask("GET", "/metrics", by="owner").body.decode()
    finally:
        log.rmdir()
        kept.rename(log)
    assert not [path for path in (team.folder / "open").rglob("*") if path.is_file() and "nlogged" in path.name]
    assert team.ask("POST", "/projects/open/v1/notes", note, by="writer").status == 201, "as soon as it can be written"


def call_tool(team: Team, path: str, token: str, name: str, arguments: dict[str, Any]) -> str:
    """Call an MCP tool, and return its result or its error as a text."""

    async def call() -> str:
        headers = {"Authorization": f"Bearer {team.tokens[token]}"}
        async with httpx2.AsyncClient(headers=headers) as client:
            transport = streamable_http_client(f"{team.address}{path}", http_client=client)
            async with Client(transport, read_timeout_seconds=PATIENCE) as agent:
                try:
                    return (await agent.call_tool(name, arguments)).model_dump_json()
                except MCPError as error:
                    return str(error)

    return asyncio.run(call())


def test_each_token_sees_its_own_projects_and_numbers(team: Team) -> None:
    assert team.ask("GET", "/v1/projects", by="reader").json == {"projects": [{"name": "open", "may_write": False}]}
    assert {each["name"] for each in team.ask("GET", "/v1/projects", by="owner").json["projects"]} == {
        "open",
        "closed",
    }
    found = team.ask("GET", "/v1/search?query=gardener+dawn", by="reader").json
    assert found["hits"][0]["id"] == "open::docs/page.md#L1-L3"
    read = team.ask("GET", "/v1/read?id=open::docs/page.md", by="reader").json
    assert "tomatoes" in read["text"]
    assert team.ask("GET", "/projects/open/v1/search?query=dawn", by="reader").status == 200
    numbers = team.ask("GET", "/metrics", by="owner").body.decode()
    assert 'waymeet_documents{project="closed"}' in numbers
    assert 'waymeet_requests_total{project="open",route="/v1/search",method="GET",status="200"}' in numbers
    assert team.ask("GET", "/healthz").status == 200
    assert team.ask("GET", "/openapi.json", by="reader").json["paths"].keys() >= {"/v1/projects"}
    job = team.ask("POST", "/projects/open/v1/index", {}, by="writer")
    assert team.ask("GET", job.headers["location"], by="reader").status == 200


def test_every_route_that_the_server_has_is_in_its_description(team: Team) -> None:
    """A route that is not described would not be attempted above."""
    from waymeet.interfaces.http.app import Application
    from waymeet.interfaces.teams.app import TeamApplication

    described = set(build_team_description()["paths"])
    own = set(TeamApplication._endpoints(object.__new__(TeamApplication)))
    assert own <= described
    application = object.__new__(Application)
    application._project, application._web = None, None  # type: ignore[assignment]
    routes = {path.replace("{id:path}", "{id}") for path in application._project_endpoints()}
    assert {f"/projects/{{project}}{path}" for path in routes} <= described


def test_revoked_and_expired_tokens_are_refused_at_once(team: Team) -> None:
    added = team.run("token", "add", "guest", "--read", "open", "--expires", "1h")
    token = added.stdout.strip()
    assert token not in (team.folder / "state" / "waymeet" / "tokens.json").read_text(encoding="utf-8")
    assert "only time" in added.stderr
    assert team.ask("GET", "/v1/projects", by=token).status == 200
    assert "guest may read open" in team.run("token", "list").stdout
    assert team.run("token", "revoke", "guest").returncode == 0
    assert team.ask("GET", "/v1/projects", by=token).status == 401
    assert team.run("token", "revoke", "guest").returncode != 0


def test_a_project_that_is_renamed_keeps_its_rights_under_its_new_name(team: Team) -> None:
    assert team.run("projects", "rename", "open", "garden").returncode == 0
    try:
        assert "reader may read garden" in team.run("token", "list").stdout
        found = team.ask("GET", "/projects/garden/v1/search?query=dawn", by="reader")
        assert found.status == 200
        assert team.ask("GET", "/projects/open/v1/search?query=dawn", by="reader").status == 404
        job = team.ask("POST", "/projects/garden/v1/index", {}, by="writer")
        assert job.headers["location"].startswith("/projects/garden/")
        assert team.ask("GET", "/v1/search?query=dawn", by="reader").json["hits"][0]["id"].startswith("garden::")
    finally:
        team.run("projects", "rename", "garden", "open")
    assert team.ask("GET", "/projects/open/v1/search?query=dawn", by="reader").status == 200


def test_projects_that_are_added_or_forgotten_are_noticed(team: Team) -> None:
    (team.folder / "late").mkdir()
    (team.folder / "late" / "page.md").write_text("# Attic\n\nA lantern hangs in the attic.\n", encoding="utf-8")
    assert team.run("index", str(team.folder / "late"), "--no-embed").returncode == 0
    names = {each["name"] for each in team.ask("GET", "/v1/projects", by="owner").json["projects"]}
    assert names == {"open", "closed", "late"}
    assert team.ask("GET", "/projects/late/v1/search?query=lantern", by="owner").json["hits"]
    assert team.ask("GET", "/projects/late/v1/search?query=lantern", by="reader").status == 404, "no right to it"
    guest = team.run("token", "add", "attic", "--read", "late").stdout.strip()
    assert team.ask("GET", "/v1/search?query=lantern", by=guest).json["hits"][0]["id"] == "late::page.md#L1-L3"
    assert "lantern" in call_tool(team, "/projects/late/mcp", "owner", "search", {"query": "lantern"})
    assert team.run("projects", "forget", "late").returncode == 0
    assert team.ask("GET", "/projects/late/v1/search?query=lantern", by="owner").status == 404
    assert team.ask("GET", "/v1/search?query=lantern", by=guest).status == 404
    assert team.ask("GET", "/v1/projects", by=guest).json == {"projects": []}


def test_agents_search_all_projects_of_their_token_and_no_other(team: Team) -> None:
    found = call_tool(team, "/mcp", "reader", "search", {"query": "gardener dawn"})
    assert "open::docs/page.md#L1-L3" in found
    assert "tomatoes" in call_tool(team, "/mcp", "reader", "read", {"id": "open::docs/page.md"})
    assert "opens the vault" in call_tool(team, "/mcp", "other", "search", {"query": WORD})
    listed = call_tool(team, "/mcp", "writer", "projects", {})
    assert "open (you may change it)" in listed
    assert "closed" not in listed
    for token in ("reader", "writer"):
        for name in ("search", "read", "projects", "remember", "status"):
            for arguments in ({}, {"query": WORD}, {"query": WORD, "projects": ["*"]}, {"id": "closed::docs/page.md"}):
                assert "opens the vault" not in call_tool(team, "/mcp", token, name, arguments), (name, arguments)
        refused = call_tool(team, "/mcp", token, "search", {"query": WORD, "projects": ["closed"]})
        assert "There is no project" in refused
    assert team.ask("POST", "/mcp", {}, by="").status == 401
