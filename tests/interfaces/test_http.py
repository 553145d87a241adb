"""The interface over HTTP, asked over a real connection to a real process."""

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support.server_process import PATIENCE, Served, command, isolated_environment, make, served

from waymeet.interfaces.http.openapi import build_description

EVIL = {
    "another name": {"Host": "evil.example"},
    "another name with the port": {"Host": "evil.example:{port}"},
    "a name that begins like ours": {"Host": "127.0.0.1.evil.example"},
    "a user before the name": {"Host": "localhost@evil.example"},
    "no name": {"Host": ""},
    "a page elsewhere": {"Origin": "https://evil.example"},
    "a page without an origin": {"Origin": "null"},
    "a page of another port": {"Origin": "http://127.0.0.1:1"},
    "a page that is not ours by its scheme": {"Origin": "https://127.0.0.1:{port}"},
    "a picture in a page elsewhere": {"Sec-Fetch-Site": "cross-site"},
    "a frame in a page of another port": {"Sec-Fetch-Site": "same-site"},
}
PAGES = [
    ("GET", path)
    for path in (
        "/",
        "/results?q=keys",
        "/compare?q=keys",
        "/why-not",
        "/read/docs/setup.md",
        "/status",
        "/status/events",
    )
] + [("GET", "/status/problems"), ("GET", "/static/page.css"), ("GET", "/static/search.js")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("http")
    with served(make(folder / "project"), isolated_environment(folder), "--set", "serve.body_bytes=100000") as running:
        yield running


def routes() -> list[tuple[str, str]]:
    """Name every way there is, with ids that mean nothing."""
    known = [
        (method.upper(), re.sub(r"\{\w+\}", "nothing", path))
        for path, methods in build_description()["paths"].items()
        for method in methods
    ]
    return [*known, ("POST", "/mcp"), ("GET", "/mcp"), ("POST", "/daemon/stop"), ("GET", "/nowhere"), *PAGES]


def problem(reply: Any, status: int, code: str = "") -> dict[str, Any]:
    assert reply.status == status, reply
    assert reply.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = reply.json
    assert told["status"] == status
    assert told["detail"]
    assert told["next_step"]
    assert told["request_id"] == reply.headers["x-request-id"]
    assert not code or told["code"] == code
    return told


# --- who is let in ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trick", EVIL)
def test_a_stranger_is_refused_on_every_route(server: Served, trick: str) -> None:
    headers = {name: value.format(port=server.port) for name, value in EVIL[trick].items()}
    for method, path in routes():
        for token in (False, True):
            reply = server.ask(method, path, headers=headers, token=token)
            problem(reply, 421 if "Host" in headers else 403)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_this_machine_and_its_own_pages_are_let_in(server: Served, name: str) -> None:
    own = {"Host": f"{name}:{server.port}", "Origin": f"http://{name}:{server.port}", "Sec-Fetch-Site": "same-origin"}
    assert server.ask("GET", "/healthz", headers=own).status == 200
    assert server.ask("GET", "/healthz", headers={"Host": name}).status == 200


def test_a_change_without_the_token_is_refused(server: Served) -> None:
    writing = [
        (method.upper(), re.sub(r"\{\w+\}", "nothing", path))
        for path, methods in build_description()["paths"].items()
        for method, each in methods.items()
        if each["security"] == [{"token": []}]
    ]
    assert {method for method, _ in writing} == {"POST", "PATCH", "DELETE"}
    assert len(writing) >= 13
    for method, path in writing:
        told = problem(server.ask(method, path, {"title": "x", "version": "1"}), 401, "token")
        assert "--show-token" in told["next_step"]
    assert not (server.root / ".waymeet").exists()


@pytest.mark.parametrize("given", ["Bearer wrong", "Bearer ", "Basic eDp5", "Waymeet a:b", "Waymeet :", "Bearer é"])
def test_a_wrong_token_is_refused_on_every_route(server: Served, given: str) -> None:
    for method, path in routes():
        reply = server.ask(method, path, headers={"Authorization": given})
        problem(reply, 401, "token")
        assert reply.headers["www-authenticate"] == "Bearer"


def test_only_the_file_beside_the_index_lets_one_end_it(server: Served) -> None:
    problem(server.ask("POST", "/daemon/stop"), 403)
    problem(server.ask("POST", "/daemon/stop", token=True), 403)
    assert server.ask("GET", "/healthz").status == 200


# --- what is refused, and how ----------------------------------------------------------------------------------------


def test_every_refusal_is_a_problem(server: Served) -> None:
    problem(server.ask("GET", "/nowhere"), 404, "no_such_path")
    problem(server.ask("GET", "/v1/notes/nothing"), 404, "no_such_entry")
    problem(server.ask("GET", "/v1/read?id=nothing"), 404, "not_indexed")
    problem(server.ask("GET", "/v1/index/nothing"), 404, "no_such_job")
    problem(server.ask("GET", "/v1/index/nothing/events"), 404, "no_such_job")
    problem(server.ask("GET", "/v1/search"), 400, "bad_request")
    told = problem(server.ask("GET", "/v1/search?query=a&limt=3"), 400, "bad_request")
    assert "limit" in told["next_step"]
    problem(server.ask("GET", "/v1/search?query=a&limit=x"), 400)
    problem(server.ask("GET", "/v1/search?query=a&query=b"), 400)
    problem(server.ask("GET", "/v1/search?query=a&recipe=nothing"), 400, "unknown_recipe")
    told = problem(server.ask("GET", "/v1/search?query=a&mode=hybrid"), 400, "unknown_recipe")
    assert "classic, neighbours, files" in told["next_step"]
    told = problem(server.ask("POST", "/v1/search", {"query": "-request"}), 400, "refused")
    assert "Add a word" in told["next_step"]
    problem(server.ask("GET", "/v1/search?query=a&cursor=nothing"), 400, "bad_cursor")
    problem(server.ask("GET", "/v1/search?" + "&".join(["kinds="] * 1100)), 400)
    problem(server.ask("POST", "/v1/search", b"{"), 400, "bad_request")
    problem(server.ask("POST", "/v1/search", b"[]"), 400, "bad_request")
    problem(server.ask("POST", "/v1/search", b"[" * 5000), 400, "bad_request")
    problem(server.ask("POST", "/v1/search", b"\xff\xfe"), 400, "bad_request")
    problem(server.ask("POST", "/v1/notes", {"title": "x", "kind": "tasks"}, token=True), 400, "bad_request")
    problem(server.ask("POST", "/v1/search", b"query=a", {"Content-Type": "text/plain"}), 415, "no_json")
    problem(server.ask("POST", "/v1/search", b" " * 200_000), 413, "large_request")
    problem(server.ask("GET", "/v1/search?query=" + "a" * 20_000), 414, "long_target")
    problem(server.ask("GET", "/healthz", headers={"X-Long": "a" * 40_000}), 431, "large_headers")


def test_a_wrong_method_is_told_the_right_ones(server: Served) -> None:
    for path, allowed in {"/v1/search": {"GET", "POST"}, "/v1/notes/x": {"GET", "PATCH", "DELETE"}}.items():
        reply = server.ask("PUT", path, token=True)
        problem(reply, 405, "method_not_allowed")
        assert set(reply.headers["allow"].split(", ")) == allowed | {"HEAD"}


def test_a_body_without_a_length_is_bounded_too(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        head = f"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n"
        wire.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        for _ in range(20):
            wire.sendall(b"2710\r\n" + b" " * 10_000 + b"\r\n")
        assert b" 413 " in wire.recv(1000)


@pytest.mark.parametrize(
    "raw", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"]
)
def test_what_is_no_request_is_a_problem_too(server: Served, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(raw)
        answer = b"".join(iter(lambda: wire.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer
    assert b'"code":"no_http"' in answer


def test_a_request_has_a_name(server: Served) -> None:
    assert server.ask("GET", "/healthz", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"
    first, second = (server.ask("GET", "/healthz").headers["x-request-id"] for _ in range(2))
    assert first != second
    strange = server.ask("GET", "/healthz", headers={"X-Request-Id": "<script>"}).headers["x-request-id"]
    assert "script" not in strange


# --- what is answered ------------------------------------------------------------------------------------------------


def test_questions_by_query_and_by_body_come_to_the_same(server: Served) -> None:
    by_query = server.ask("GET", "/v1/search?query=rotate%20keys&kinds=docs&kinds=code&limit=2&explain=true")
    by_body = server.ask(
        "POST", "/v1/search", {"query": "rotate keys", "kinds": ["docs", "code"], "limit": 2, "explain": True}
    )
    assert by_query.status == by_body.status == 200
    first, second = by_query.json, by_body.json
    assert first["hits"] == second["hits"]
    assert first["hits"][0]["document"] == "docs/setup.md"
    assert first["hits"][0]["explanation"]["parts"]
    read = server.ask("GET", f"/v1/read?id={first['hits'][0]['id'].replace('#', '%23')}").json
    assert "rotate the signing keys" in read["text"]
    assert server.ask("GET", "/v1/related?id=docs/fusion.md").json["related"][0]["document"] == "docs/setup.md"
    assert {each["id"] for each in server.ask("GET", "/v1/graph?id=docs/setup.md").json["nodes"]} >= {"docs/fusion.md"}
    assert server.ask("GET", "/v1/context?task=rotate%20keys&budget=500").json["pieces"]
    assert server.ask("HEAD", "/v1/status").body == b""


def test_entries_are_written_read_changed_related_and_removed(server: Served) -> None:
    made = server.ask("POST", "/v1/notes", {"title": "Keys rotate", "text": "Monthly.", "tags": ["ops"]}, token=True)
    assert made.status == 201, made
    entry = made.json["item"]
    file = server.root / entry["id"]
    assert "Monthly." in file.read_text(encoding="utf-8")
    for name in (entry["id"], entry["name"], "Keys%20rotate", entry["id"].replace("/", "%2F")):
        assert server.ask("GET", f"/v1/notes/{name}").json["version"] == entry["version"]
    assert [each["id"] for each in server.ask("GET", "/v1/notes?tags=ops").json["items"]] == [entry["id"]]
    change = {"version": entry["version"], "text": "Weekly."}
    changed = server.ask("PATCH", f"/v1/notes/{entry['id']}", change, token=True)
    assert changed.status == 200
    late = problem(server.ask("PATCH", f"/v1/notes/{entry['id']}", change | {"text": "Daily."}, token=True), 409)
    assert late["version"] == changed.json["item"]["version"]
    assert "Weekly." in late["current"]
    assert "Daily." in late["refused"]
    link = {"id": entry["id"], "relation": "related_to", "target": "docs/setup.md"}
    linked = server.ask("POST", "/v1/links", link, token=True)
    assert linked.status == 200
    assert server.ask("GET", "/v1/search?query=weekly&kinds=notes").json["hits"][0]["document"] == entry["id"]
    version = linked.json["item"]["version"]
    problem(server.ask("DELETE", f"/v1/notes/{entry['id']}", token=True), 400)
    problem(server.ask("DELETE", f"/v1/tasks/{entry['id']}?version={version}", token=True), 404)
    assert server.ask("DELETE", f"/v1/notes/{entry['id']}?version={version}", token=True).status == 200
    assert not file.exists()


def test_skills_are_recalled_and_used(server: Served) -> None:
    skill = {
        "title": "Release",
        "description": "How to release",
        "triggers": ["cut a release"],
        "steps": ["Tag", "Push"],
    }
    name = server.ask("POST", "/v1/skills", skill, token=True).json["item"]["name"]
    assert server.ask("GET", "/v1/recall-skills?task=cut%20a%20release").json["skills"][0]["name"] == name
    assert server.ask("POST", "/v1/use-skill", {"id": name}, token=True).json["used"] == 1


def test_indexing_is_a_job_that_tells_how_far_it_is(server: Served) -> None:
    (server.root / "docs" / "later.md").write_text("# Later\n\nWritten later.\n", encoding="utf-8")
    started = server.ask("POST", "/v1/index", {"embed": False}, token=True)
    assert started.status == 202
    where = started.headers["location"]
    events = server.ask("GET", f"{where}/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    last = events.body.decode().strip().split("\n\n")[-1].splitlines()
    assert "event: done" in last
    job = server.ask("GET", where).json
    assert job["state"] == "done"
    assert job["answer"]["files"] >= 4
    assert server.ask("GET", "/v1/index").json["jobs"][0]["id"] == job["id"]
    assert server.ask("DELETE", where, token=True).json["state"] == "done", "it had ended"
    assert server.ask("GET", "/v1/search?query=later").json["hits"]


def test_agents_may_change_things_only_with_the_token(server: Served) -> None:
    async def tools(headers: dict[str, str]) -> set[str]:
        async with httpx2.AsyncClient(headers=headers) as client:
            transport = streamable_http_client(f"{server.address}/mcp", http_client=client)
            async with Client(transport, read_timeout_seconds=PATIENCE) as agent:
                return {each.name for each in (await agent.list_tools()).tools}

    without = asyncio.run(tools({}))
    assert {"search", "read"} <= without
    assert not without & {"remember", "update", "link", "forget", "index"}
    assert {"remember", "forget"} <= asyncio.run(tools({"Authorization": f"Bearer {server.token}"}))


def test_numbers_for_prometheus(server: Served) -> None:
    server.ask("GET", "/v1/search?query=keys")
    reply = server.ask("GET", "/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = reply.body.decode()
    assert re.search(
        r'^waymeet_requests_total\{route="/v1/search",method="GET",status="200"\} \d+$', text, re.MULTILINE
    )
    assert re.search(r"^waymeet_documents [1-9]", text, re.MULTILINE)
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [\d.e+-]+', line)


def test_the_description_is_whole(server: Served) -> None:
    told = server.ask("GET", "/openapi.json").json
    assert told == json.loads(msgspec.json.encode(build_description()))
    assert told["openapi"].startswith("3.1")
    names = [each["operationId"] for methods in told["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names))
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', server.ask("GET", "/openapi.json").body.decode()))
    assert referred <= told["components"]["schemas"].keys()
    assert {"SearchAnswer", "Problem", "IndexJob"} <= referred


def test_the_token_is_kept_from_others(server: Served) -> None:
    file = Path(server.environment["XDG_STATE_HOME"]) / "waymeet" / "token"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text(encoding="ascii").strip() == server.token
    again = command(server.environment, server.root, "serve", "--show-token", "--json")
    assert server.token in again.stdout
