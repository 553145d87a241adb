"""Bound the MCP sessions of an HTTP server by ending those that are least in use.

The session manager of the MCP library refuses new sessions when there are too many, so that one client could keep all
others out. Here a new session replaces one without an open request. Its client gets 404 and opens a new session, as
the protocol demands.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from time import monotonic
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SESSION, _VERSION = b"mcp-session-id", b"mcp-protocol-version"
_SENDER = "waymeet.sender"
"""Key of a request's scope, as in `http.middleware`."""
_OPENING_BYTES = 65_536
"""Maximum size of a request that opens a session: the session keeps what the client says of itself."""
_TOO_LARGE = JSONResponse(
    {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": f"A request without a session may have {_OPENING_BYTES} bytes."},
    },
    413,
)


_UNKNOWN = JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Session not found"}}, 404)
"""The answer for the session of another sender, the same as for one that does not exist."""


class _Session:
    """What is known of the use of a session."""

    def __init__(self, client: str, sender: object) -> None:
        self.client, self.sender, self.last_use = client, sender, monotonic()
        self.active = 0
        """Requests and streams that are open."""
        self.is_used = False
        """Whether a request followed the one that opened it."""


class BoundedSessions:
    """Passes requests to an MCP application and keeps the number of its sessions bounded."""

    def __init__(self, app: App, max_sessions: int, idle_seconds: float) -> None:
        """Wrap an application that itself ends sessions after `idle_seconds` without a request."""
        self._app = app
        self._max_sessions, self._idle_seconds = max_sessions, idle_seconds
        self._sessions: dict[str, _Session] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        id_ = _header(scope["headers"])
        session = self._sessions.get(id_)
        if session is None:
            await (self._app(scope, receive, send) if id_ else self._open(scope, receive, send))
            return
        if session.sender != _sender_name(scope):
            await _UNKNOWN(scope, receive, send)
            return
        session.active += 1
        session.is_used = True
        try:
            await self._app(scope, receive, self._forget_ended(id_, send))
        finally:
            session.active -= 1
            session.last_use = monotonic()

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request that may open a session, unless the session would keep too much."""
        messages: list[Message] = []
        if _opens_session(scope):
            while not messages or messages[-1].get("more_body", False):
                messages.append(await receive())
                if sum(len(message.get("body", b"")) for message in messages) > _OPENING_BYTES:
                    await _TOO_LARGE(scope, receive, send)
                    return

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, replay, self._register(scope, send))

    def _register(self, scope: Scope, send: Send) -> Send:
        """Register the session that a response opens, and end another one if there are too many."""

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                id_ = _header(message.get("headers", ()))
                if id_ and id_ not in self._sessions:
                    self._forget_idle()
                    ended = [self._choose_ended()] if len(self._sessions) >= self._max_sessions else []
                    self._sessions[id_] = _Session((scope.get("client") or ("",))[0], _sender_name(scope))
                    for other in ended:
                        await self._end(other, scope)
            await send(message)

        return watch

    def _forget_ended(self, id_: str, send: Send) -> Send:
        """Forget a session that the application has ended by itself."""

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 404:
                self._sessions.pop(id_, None)
            await send(message)

        return watch

    def _forget_idle(self) -> None:
        """Forget sessions that the application has ended because they were idle."""
        last = monotonic() - self._idle_seconds
        for id_ in [id_ for id_, session in self._sessions.items() if not session.active and session.last_use < last]:
            del self._sessions[id_]

    def _choose_ended(self) -> str:
        """Choose the least recently used idle session of the client that has most sessions.

        If more than a quarter was never used after it was opened, one of those is chosen, so that a client that only
        opens sessions does not end those of others.
        """
        of_client = Counter(session.client for session in self._sessions.values())
        unused = sum(not session.is_used for session in self._sessions.values())
        prefers_unused = unused > self._max_sessions // 4

        def order(item: tuple[str, _Session]) -> tuple[bool, int, bool, float]:
            session = item[1]
            is_kept = session.is_used and prefers_unused
            return session.active > 0, -of_client[session.client], is_kept, session.last_use

        return min(self._sessions.items(), key=order)[0]

    async def _end(self, id_: str, scope: Scope) -> None:
        """End a session as its client would, by a DELETE request."""
        self._sessions.pop(id_, None)
        kept = [pair for pair in scope["headers"] if pair[0] in {b"host", b"authorization"}]
        headers = [*kept, (_SESSION, id_.encode()), (b"accept", b"application/json, text/event-stream")]

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None:
            """Discard the response: the session is ended, or was ended before."""

        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def _sender_name(scope: Scope) -> str:
    """Name the token of a request, if the server knows several."""
    return str(getattr(scope.get(_SENDER), "name", ""))


def _opens_session(scope: Scope) -> bool:
    """Tell whether a request can open a session.

    Newer versions of the protocol have no sessions.
    """
    version = _header(scope["headers"], _VERSION)
    return scope["method"] == "POST" and (not version or version in HANDSHAKE_PROTOCOL_VERSIONS)


def _header(headers: Iterable[tuple[bytes, bytes]], wanted: bytes = _SESSION) -> str:
    return next((value.decode("latin-1") for name, value in headers if name.lower() == wanted), "")
