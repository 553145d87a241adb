"""Access to a server that other machines can reach, and the limits of a request."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request

from waymeet import Project, __version__
from waymeet.errors import IndexUnavailableError, UsageError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import PROOF, SETTINGS, Daemon, proof
from waymeet.interfaces.daemon.token import read_token, token_file
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.endpoints import make_endpoint
from waymeet.interfaces.http.h11_protocol import Protocol
from waymeet.interfaces.http.listener import open_socket
from waymeet.interfaces.http.metrics import RequestMetrics
from waymeet.interfaces.http.middleware import TRUSTED, Middleware
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.http.routes import ROUTES
from waymeet.settings import Serve

RESIDENT = Daemon(
    pid=1, host="192.0.2.1", port=80, secret="s" * 64, version=__version__, root="/somewhere", started=0.0
)
OPEN = AccessPolicy(
    "192.0.2.1", 7337, "the-token", RESIDENT, Serve(hosts=("Wiki.example",), origins=("https://wiki.example/",))
)
LOCAL = OPEN._replace(host="127.0.0.1")
Message = dict[str, Any]


def test_where_others_can_reach_it_everything_needs_the_token() -> None:
    headers = {"host": "192.0.2.1:7337"}
    for path in ("/v1/search", "/mcp", "/metrics", "/openapi.json", "/"):
        with pytest.raises(RequestRefusedError) as refused:
            OPEN.check(path, headers)
        assert refused.value.failure.status == 401
        assert OPEN.check(path, {**headers, "authorization": "Bearer the-token"})
    assert not OPEN.check("/healthz", headers)
    assert not LOCAL.check("/v1/search", {"host": "localhost"})
    everywhere, token = OPEN._replace(host="0.0.0.0"), {"authorization": "Bearer the-token"}  # noqa: S104 - not bound
    assert everywhere.check("/", {**token, "host": "198.51.100.7:7337"})
    with pytest.raises(RequestRefusedError, match="does not name this server"):
        everywhere.check("/", {**token, "host": "evil.example"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "localhost:7337", "origin": "http://localhost:7337", "sec-fetch-site": "same-origin"}, 0),
        ({"host": "wiki.example"}, 401),
        ({"host": "WIKI.example:443", "origin": "https://wiki.example"}, 401),
        ({"host": "127.0.0.1:7337", "x-forwarded-for": "198.51.100.7"}, 401),
        ({"host": "127.0.0.1:7337", "origin": "https://wiki.example", "sec-fetch-site": "cross-site"}, 0),
        ({"host": "127.0.0.1:7337", "origin": "http://wiki.example"}, 403),
        ({"host": "127.0.0.1:7337", "origin": "http://127.0.0.1:7337/path"}, 403),
        ({"host": "127.0.0.1:7337", "origin": "http://[::1"}, 403),
        ({"host": "127.0.0.1:7337", "origin": "http://127.0.0.1:99999999"}, 403),
        ({"host": "127.0.0.1:7337", "origin": ""}, 403),
        ({"host": "192.0.2.1"}, 421),
        ({"host": "wiki.example.evil"}, 421),
        ({"host": "wiki.example:port"}, 421),
        ({}, 421),
    ],
)
def test_names_and_pages_that_the_user_allows(headers: dict[str, str], status: int) -> None:
    if not status:
        assert LOCAL.check("/", headers) is False
        return
    with pytest.raises(RequestRefusedError) as refused:
        LOCAL.check("/", headers)
    assert refused.value.failure.status == status
    if status == 401:
        assert LOCAL.check("/", {**headers, "authorization": "Bearer the-token"}), "behind a proxy, with the token"


def passed(
    app: Callable[..., Awaitable[None]],
    terms: AccessPolicy = LOCAL,
    headers: dict[str, str] | None = None,
    parts: int = 1,
    method: str = "POST",
) -> tuple[int, dict[str, str], Any]:
    """Send one request through the middleware."""
    return asyncio.run(_passed(Middleware(app, terms, RequestMetrics(), lambda: "now"), headers or {}, parts, method))


async def _passed(
    middleware: Middleware, headers: dict[str, str], parts: int = 1, method: str = "POST"
) -> tuple[int, dict[str, str], Any]:
    sent: list[Message] = []
    coming = [{"type": "http.request", "body": b"x" * 100, "more_body": number > 0} for number in range(parts)]

    async def receive() -> Message:
        if coming:
            return coming.pop()
        await asyncio.sleep(3600)
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()]
    scope = {"type": "http", "method": method, "path": "/v1/x", "query_string": b"", "headers": raw}
    await middleware(scope, receive, send)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(each["body"] for each in sent[1:])
    return sent[0]["status"], told, json.loads(body) if body else None


def test_the_browser_of_an_allowed_page_is_told_so() -> None:
    page = {"origin": "https://wiki.example", "sec-fetch-site": "cross-site"}
    status, headers, _ = passed(mistaken, headers=page)
    assert (status, headers["access-control-allow-origin"], headers["vary"]) == (500, "https://wiki.example", "Origin")
    asking = {**page, "access-control-request-method": "PATCH", "access-control-request-headers": "authorization"}
    for terms in (LOCAL, OPEN):
        status, headers, told = passed(mistaken, terms, {**asking, "host": "wiki.example"}, method="OPTIONS")
        assert (status, told) == (204, None), "the browser asks before it sends a token"
        assert "PATCH" in headers["access-control-allow-methods"]
        assert "authorization" in headers["access-control-allow-headers"]
    status, headers, _ = passed(mistaken, headers={**asking, "host": "evil.example"}, method="OPTIONS")
    assert status == 421
    status, headers, _ = passed(mistaken, headers={**asking, "origin": "https://evil.example"}, method="OPTIONS")
    assert status == 403
    assert "access-control-allow-origin" not in headers


def test_half_an_index_is_not_answered_from(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.md").write_text("# Keys\n\nKeys are rotated.\n", encoding="utf-8")
    way = next(each for each in ROUTES if each.name == "search")
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": b"query=keys", TRUSTED: False}

    def broken(*_: object) -> None:
        raise IndexUnavailableError("It was ended.", "")

    async def asked() -> None:
        async with AsyncProject(Project.open(root)) as held:
            with pytest.raises(IndexUnavailableError):
                held.project.index(broken)
            with pytest.raises(IndexUnavailableError, match="for the first time"):
                await make_endpoint(held, way)(Request(scope))
            held.project.index()
            assert (await make_endpoint(held, way)(Request(scope))).status_code == 200

    asyncio.run(asked())


async def forever(_scope: Any, _receive: Any, _send: Any) -> None:
    await asyncio.sleep(3600)


async def mistaken(_scope: Any, _receive: Any, _send: Any) -> None:
    raise ZeroDivisionError


async def reading(scope: Any, receive: Any, _send: Any) -> None:
    assert scope[TRUSTED] is False
    while True:
        await receive()


def test_what_takes_too_long_is_told_so() -> None:
    status, _, told = passed(forever, LOCAL._replace(settings=Serve(request_seconds=0.05)))
    assert (status, told["code"]) == (504, "too_slow")
    assert "check before you repeat it" in told["next_step"], "a change that was begun is made"


def test_what_is_too_large_is_not_read_to_its_end() -> None:
    status, headers, told = passed(reading, LOCAL._replace(settings=Serve(body_bytes=1024)), parts=1000)
    assert (status, told["code"]) == (413, "large_request")
    assert headers["content-type"] == "application/problem+json"


def test_what_has_two_lengths_is_refused_and_the_connection_closed() -> None:
    status, headers, told = passed(reading, headers={"content-length": "5", "transfer-encoding": "chunked"})
    assert (status, told["code"], headers["connection"]) == (400, "no_http", "close")


def test_a_mistake_of_ours_is_a_problem_without_details(caplog: pytest.LogCaptureFixture) -> None:
    status, _, told = passed(mistaken)
    assert (status, told["code"]) == (500, "mistake")
    assert "ZeroDivisionError" in caplog.text, "who runs it can read why"


def test_too_many_at_once_are_told_to_come_back() -> None:
    async def crowd() -> tuple[int, dict[str, str], Any]:
        middleware = Middleware(forever, LOCAL._replace(settings=Serve(requests=2)), RequestMetrics(), lambda: "now")
        waiting = [asyncio.create_task(_passed(middleware, {})) for _ in range(2)]
        await asyncio.sleep(0)
        refused = await _passed(middleware, {})
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return refused

    status, headers, told = asyncio.run(crowd())
    assert (status, told["code"], headers["retry-after"]) == (503, "busy", "1")


def test_who_wants_other_settings_is_sent_away() -> None:
    headers = {"authorization": f"Waymeet once:{proof(RESIDENT, 'client', 'once')}", SETTINGS: "others"}
    status, answered, told = passed(mistaken, headers=headers)
    assert (status, told["code"]) == (421, "other_settings")
    assert answered[PROOF] == proof(RESIDENT, "server", "once")
    assert passed(mistaken, headers={**headers, SETTINGS: "now"})[0] == 500, "it got further"


def test_the_token_is_made_once_and_kept_to_oneself(tmp_path: Path) -> None:
    first = read_token()
    assert read_token() == first
    assert len(first) >= 40
    token_file().chmod(0o644)
    assert read_token() == first
    assert token_file().stat().st_mode & 0o777 == 0o600
    token_file().write_text("short\n", encoding="ascii")
    with pytest.raises(UsageError, match="contains no token"):
        read_token()


def test_two_that_begin_at_once_do_not_share_a_port() -> None:
    with open_socket("127.0.0.1", 0, 0) as first:
        port = first.getsockname()[1]
        with open_socket("127.0.0.1", None, port) as second:
            assert second.getsockname()[1] != port
        with pytest.raises(UsageError, match="cannot be opened"), open_socket("127.0.0.1", port, 0):
            pytest.fail("it is taken")


class Hasty(Protocol):
    """Never waits."""

    head_seconds = 0.2


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX-Half:"])
def test_who_does_not_say_what_he_wants_is_not_waited_for(said: bytes) -> None:
    async def talk() -> bytes:
        with socket.create_server(("127.0.0.1", 0)) as open_socket:
            config = uvicorn.Config(mistaken, http=Hasty, lifespan="off", log_config=None)
            server = uvicorn.Server(config)
            running = asyncio.create_task(server.serve(sockets=[open_socket]))
            reader, writer = await asyncio.open_connection(*open_socket.getsockname())
            writer.write(said)
            answer = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            server.should_exit = True
            await running
            return answer

    answer = asyncio.run(talk())
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"slow_request"' in answer
