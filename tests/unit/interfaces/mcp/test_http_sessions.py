"""The number of MCP sessions over HTTP is bounded, and clients that open many do not end those of others."""

import asyncio
from itertools import count
from typing import Any

from waymeet.interfaces.mcp import http_sessions
from waymeet.interfaces.mcp.http_sessions import BoundedSessions

MOST = 8


class Library:
    """Opens and ends sessions as the MCP library does."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self._numbers = count()
        self.wait = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        given = headers.get(b"mcp-session-id", b"").decode()
        status = 200 if not given or given in self.sessions else 404
        if not given and scope["method"] == "POST":
            await receive()
            given = f"session{next(self._numbers)}"
            self.sessions.add(given)
        if scope["method"] == "DELETE":
            self.sessions.discard(given)
        if scope["method"] == "GET":
            await self.wait.wait()
        await send({"type": "http.response.start", "status": status, "headers": [(b"mcp-session-id", given.encode())]})
        await send({"type": "http.response.body", "body": b""})


class Web:
    """Sends requests to a bounded application."""

    def __init__(self, idle_seconds: float = 3600.0) -> None:
        self.library = Library()
        self._app = BoundedSessions(self.library, MOST, idle_seconds)

    async def send(
        self, method: str = "POST", session: str = "", client: str = "127.0.0.1", body: bytes = b"{}", version: str = ""
    ) -> tuple[int, str]:
        """Send a request and give the status and the session of its response."""
        sent: list[Any] = []
        headers = [(b"mcp-session-id", session.encode())] if session else []
        headers += [(b"mcp-protocol-version", version.encode())] if version else []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": method, "headers": headers, "client": (client, 1)}
        await self._app(scope, receive, send)
        return sent[0]["status"], dict(sent[0]["headers"]).get(b"mcp-session-id", b"").decode()


def test_many_openings_leave_used_sessions_alone() -> None:
    async def talk() -> None:
        web = Web()
        _, used = await web.send()
        await web.send(session=used)
        for _ in range(50):
            await web.send()
        assert len(web.library.sessions) == MOST
        assert (await web.send(session=used))[0] == 200

    asyncio.run(talk())


def test_the_least_recently_used_session_is_ended() -> None:
    async def talk() -> None:
        web = Web()
        sessions = [(await web.send())[1] for _ in range(MOST)]
        for session in [*sessions[1:], sessions[0]]:
            await web.send(session=session)
        _, newest = await web.send()
        assert web.library.sessions == {*sessions, newest} - {sessions[1]}
        assert (await web.send(session=sessions[1]))[0] == 404, "its client opens a new one"

    asyncio.run(talk())


def test_the_client_with_most_sessions_loses_one() -> None:
    async def talk() -> None:
        web = Web()
        _, alone = await web.send(client="10.0.0.1")
        for _ in range(3 * MOST):
            _, last = await web.send(client="10.0.0.2")
            await web.send(session=last, client="10.0.0.2")
        assert alone in web.library.sessions

    asyncio.run(talk())


def test_a_session_with_an_open_stream_is_kept() -> None:
    async def talk() -> None:
        web = Web()
        _, streaming = await web.send()
        stream = asyncio.create_task(web.send("GET", streaming))
        await asyncio.sleep(0)
        for _ in range(3 * MOST):
            _, last = await web.send()
            await web.send(session=last)
        assert streaming in web.library.sessions
        web.library.wait.set()
        await stream

    asyncio.run(talk())


def test_sessions_that_ended_by_themselves_are_forgotten() -> None:
    async def talk() -> None:
        web = Web(idle_seconds=1e-9)
        for _ in range(MOST):
            _, ended = await web.send()
            web.library.sessions.discard(ended)
        _, kept = await web.send()
        assert web.library.sessions == {kept}

    asyncio.run(talk())


def test_what_a_session_keeps_of_its_client_is_bounded() -> None:
    async def talk() -> None:
        web, large = Web(), b"x" * (http_sessions._OPENING_BYTES + 1)
        assert (await web.send(body=large))[0] == 413
        assert not web.library.sessions
        _, session = await web.send()
        assert (await web.send(session=session, body=large))[0] == 200, "a note may be long"
        assert (await web.send(body=large, version="2026-07-28"))[0] == 200, "versions without sessions"

    asyncio.run(talk())
