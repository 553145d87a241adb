"""Middleware for every request: id, access, limits, errors as problems."""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, nullcontext, suppress
from time import monotonic
from typing import Any, Protocol
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from waymeet.errors import WaymeetError
from waymeet.interfaces.daemon.discovery import PROOF, SETTINGS, Daemon, proof
from waymeet.interfaces.http import access as bounds
from waymeet.interfaces.http.limits import BodyMemory, Slot, Slots
from waymeet.interfaces.http.metrics import RequestMetrics
from waymeet.interfaces.http.problems import (
    MEDIA_TYPE,
    RequestRefusedError,
    encode_problem,
    internal_error,
    method_not_allowed,
    path_not_found,
)
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.errors import Failure, to_failure
from waymeet.interfaces.web import html
from waymeet.settings import Serve

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)
_AGENTS = re.compile(r"(/projects/[^/]+)?/mcp(/.*)?")
_EVENTS = re.compile(r"(/projects/[^/]+)?/v1/index/[^/]+/events|(/p/[^/]+)?/status/events")
_PAGES = re.compile(
    r"(/p/[^/]+)?/(all|all/compare|read/.*|compare|why-not|graph|graph/.*|status|status/problems"
    r"|sign-in|sign-out|notes|skills|tasks|tasks/list|(item|new|edit|move|relate|delete|history)/.*)?",
    re.DOTALL,
)
"""Paths of pages, whose errors are pages, too."""
_CACHE = b"cache-control"
"""The one header of a response that has priority over the added one: static files may be kept."""
_RETRY_HINT = {
    True: "Request less, or try again later.",
    False: "Request less, or try again later. A change may have been made all the same: check before you repeat it.",
}
TRUSTED, ROUTE = "waymeet.trusted", "waymeet.route"
"""Keys of a request's scope: whether its sender may change things, and its route."""
REQUEST_ID = "waymeet.request_id"
"""Key of the id of a request."""
SENDER, PROJECT, AUDIT = "waymeet.sender", "waymeet.project", "waymeet.audit"
"""The same of a server of several projects: the sender, the project's name, and the function that records changes."""

MAY_READ = "waymeet.may_read"
"""Key of a function that tells whether the sender of a stream may still read the project."""


class Access(Protocol):
    """Decides which requests a server accepts."""

    @property
    def settings(self) -> Serve:
        """The limits of the server."""
        ...

    @property
    def daemon(self) -> Daemon:
        """The process."""
        ...

    def allowed_origin(self, headers: Mapping[str, str]) -> str:
        """Give the origin of the request if the settings allow it, else the empty string."""
        ...

    def preflight_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Give the response headers of a CORS preflight request."""
        ...

    def check(self, path: str, headers: Mapping[str, str]) -> object:
        """Refuse a request that is not allowed, or return its sender.

        True is one who may change things.
        """
        ...


class Middleware:
    """Checks access and limits, and turns every error into a problem response."""

    def __init__(
        self,
        app: App,
        access: Access,
        metrics: RequestMetrics,
        settings: Callable[[], str],
        masks_secrets: Callable[[], bool] = lambda: True,
    ) -> None:
        """Wrap an application.

        `settings` gives the digest of the settings in use, `masks_secrets` whether errors are masked.
        """
        self._masks_secrets = masks_secrets
        self._app = app
        self._access = access
        self._metrics = metrics
        self._settings = settings
        limits = access.settings
        self._slots = {
            "request": Slots(limits.requests),
            "call": Slots(limits.streams),
            "stream": Slots(limits.streams),
        }
        self._bodies = BodyMemory(max(bounds.BODIES_BYTES, 2 * limits.body_bytes))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        context = RequestContext(scope, receive, send, self._access.settings.body_bytes)
        scope[REQUEST_ID] = context.id
        nonce = context.headers.get("authorization", "").partition(" ")[2].partition(":")[0]
        try:
            context.check_size()
            if origin := self._access.allowed_origin(context.headers):
                context.allow_origin(origin)
                if scope["method"] == "OPTIONS" and "access-control-request-method" in context.headers:
                    await context.respond_empty(204, self._access.preflight_headers(context.headers))
                    return
            scope[SENDER] = self._access.check(scope["path"], context.headers)
            scope[TRUSTED] = scope[SENDER] is True
            if context.headers.get("authorization", "").lower().startswith("waymeet "):
                context.added.append((PROOF.encode(), proof(self._access.daemon, "server", nonce).encode()))
            if context.headers.get(SETTINGS, "") not in {"", self._settings()}:
                detail = "Server settings differ from the client's."
                raise RequestRefusedError(
                    421, "other_settings", detail, "Run without the server, or restart it: waymeet serve --stop"
                )
            await self._answer(scope, context)
        except ClientDisconnect:
            return  # the client is gone; `finally` counts the request
        except Exception as error:  # noqa: BLE001 - every error becomes a problem response
            failure = mask_outgoing(_failure(error, scope), enabled=self._masks_secrets())
            await context.fail(failure, _headers(error))
        finally:
            route, project = scope.get(ROUTE, "other"), scope.get(PROJECT, "")
            self._metrics.record(route, scope["method"], context.status, context.seconds, project)

    async def _answer(self, scope: MutableMapping[str, Any], context: "RequestContext") -> None:
        scope["app"] = self  # so that the router raises what it cannot do
        kind = _kind(scope)
        lasting = scope["path"] not in {"/healthz", "/metrics"}
        with self._metrics.track(streams=kind != "request", lasting=lasting):
            await context.read_body(self._bodies)
            context.slot = slot = self._slots[kind].take((scope.get("client") or ("",))[0])
            try:
                await self._answer_in_time(scope, context, limited=kind == "request")
            finally:
                context.slot = None
                slot.release()

    async def _answer_in_time(
        self, scope: MutableMapping[str, Any], context: "RequestContext", *, limited: bool
    ) -> None:
        seconds = self._access.settings.request_seconds
        is_read = limited and scope["method"] in {"GET", "HEAD"}
        try:
            async with asyncio.timeout(seconds if limited else None) as limit:
                with context.watch_client(limit) if is_read else nullcontext():
                    await self._app(scope, context.receive, context.send)
        except TimeoutError as error:
            if not limit.expired():
                raise
            if context.is_client_gone:
                raise ClientDisconnect from error
            detail = f"No answer within {seconds:g} s."
            raise RequestRefusedError(
                504, "too_slow", detail, _RETRY_HINT[scope["method"] in {"GET", "HEAD"}]
            ) from error


class RequestContext:
    """One request: its headers, limits, and the headers added to its response."""

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send, max_bytes: int) -> None:
        self._scope, self._receive, self._send, self._max_bytes = scope, receive, send, max_bytes
        self._started = monotonic()
        self._bytes_read, self._is_complete = 0, False
        self._body: bytes | None = None
        self.is_client_gone = False
        """Whether the client has gone before it was answered."""
        self.slot: Slot | None = None
        """The slot that the request holds while its answer is computed."""
        self.status = 0
        raw: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}
        request_id = self.headers.get("x-request-id", "")
        self.id = request_id if _ID.fullmatch(request_id) else secrets.token_hex(8)
        self.added = [
            (b"x-request-id", self.id.encode()),
            (b"x-content-type-options", b"nosniff"),
            (_CACHE, b"no-store"),
        ]

    @property
    def seconds(self) -> float:
        """Give the seconds since the request began."""
        return monotonic() - self._started

    def check_size(self) -> None:
        """Refuse a request that is too large, or of ambiguous size, before its body is read."""
        target = len(self._scope.get("raw_path") or b"") + len(self._scope["query_string"])
        if target > bounds.LONGEST_TARGET:
            detail = f"Path and query are longer than {bounds.LONGEST_TARGET} bytes."
            raise RequestRefusedError(414, "long_target", detail, "Send long queries by POST.")
        if sum(len(name) + len(value) for name, value in self._scope["headers"]) > bounds.MOST_HEADERS:
            raise RequestRefusedError(
                431, "large_headers", f"Headers are larger than {bounds.MOST_HEADERS} bytes.", "Send fewer."
            )
        if {"content-length", "transfer-encoding"} <= self.headers.keys():
            detail = "The request has both Content-Length and Transfer-Encoding."  # a proxy may use the other one
            raise RequestRefusedError(400, "no_http", detail, "Send one of the two.")
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._max_bytes:
            raise self._too_large()

    def allow_origin(self, origin: str) -> None:
        """Add the CORS headers for a page of another origin."""
        self.added += [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", b"location, mcp-session-id, x-request-id"),
            (b"vary", b"Origin"),
        ]

    async def respond_empty(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Send a response without a body."""
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b""})

    async def read_body(self, memory: BodyMemory) -> None:
        """Read the whole body, within the limits of time and size.

        Raises:
            ClientDisconnect: the client has gone.
            RequestRefusedError: the body is too large or does not arrive in time.
        """
        parts: list[bytes] = []
        try:
            with memory.reserve() as reservation:
                async with asyncio.timeout(bounds.BODY_SECONDS) as limit:
                    reservation.on_eviction = lambda: limit.reschedule(asyncio.get_running_loop().time())
                    while not self._is_complete:
                        parts.append(await self._receive_part())
                        reservation.grow(len(parts[-1]))
        except TimeoutError as error:
            raise RequestRefusedError(
                408, "slow_request", "The request did not arrive in time.", "Send it at once."
            ) from error
        self._body = b"".join(parts)

    async def _receive_part(self) -> bytes:
        message = await self._receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        part: bytes = message.get("body", b"")
        self._bytes_read += len(part)
        self._is_complete = not message.get("more_body", False)
        if self._bytes_read > self._max_bytes:
            raise self._too_large()
        return part

    async def receive(self) -> Message:
        """Give the body that was read, then wait until the client has gone."""
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    @contextmanager
    def watch_client(self, limit: asyncio.Timeout) -> Iterator[None]:
        """Cancel the request by its time limit as soon as the client has gone."""

        async def wait() -> None:
            while (await self._receive())["type"] != "http.disconnect":
                continue
            self.is_client_gone = True
            limit.reschedule(asyncio.get_running_loop().time())

        watcher = asyncio.create_task(wait())
        try:
            yield
        finally:
            watcher.cancel()

    def _too_large(self) -> RequestRefusedError:
        detail = f"The request is larger than {self._max_bytes} bytes."
        return RequestRefusedError(413, "large_request", detail, "Send less, or raise the setting serve.body_bytes.")

    async def send(self, message: Message) -> None:
        """Send a part of the response, with the headers added to every response."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            added = {name for name, _ in self.added}
            headers = message.get("headers", [])
            own = [pair for pair in headers if pair[0].lower() not in added or pair[0].lower() == _CACHE]
            chosen = {name.lower() for name, _ in own}
            message = {**message, "headers": [*own, *(pair for pair in self.added if pair[0] not in chosen)]}
        with self.slot.lend() if self.slot else nullcontext():
            await self._send(message)

    async def fail(self, failure: Failure, headers: list[tuple[bytes, bytes]]) -> None:
        """Send a problem response, unless a response has begun."""
        if self.status:
            _LOG.warning("response aborted: %s", failure.message)
            return
        media_type, body = MEDIA_TYPE, encode_problem(failure, self.id)
        if _PAGES.fullmatch(self._scope["path"]) and "text/html" in self.headers.get("accept", ""):
            media_type, body = html.MEDIA_TYPE, html.encode_failure(failure, self.id, self._reload_path(failure))
            headers = [*headers, *((name.lower().encode(), value.encode()) for name, value in html.HEADERS.items())]
        if not self._is_complete and ("content-length" in self.headers or "transfer-encoding" in self.headers):
            headers = [*headers, (b"connection", b"close")]  # an unread body must not be parsed as the next request
        sized = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": failure.status, "headers": [*sized, *headers]})
        is_head = self._scope["method"] == "HEAD"
        await self.send({"type": "http.response.body", "body": b"" if is_head else body, "more_body": True})
        await self._drain()
        await self.send({"type": "http.response.body", "body": b""})

    def _reload_path(self, failure: Failure) -> str:
        """Give the address that a link of another site names, which this site may open itself."""
        if failure.code != bounds.WRONG_ORIGIN or self._scope["method"] != "GET":
            return ""
        query = self._scope["query_string"].decode("latin-1")
        return quote(self._scope["path"]) + (f"?{query}" if query else "")

    async def _drain(self) -> None:
        """Read what is still being sent for a moment: closing at once would lose the response."""
        with suppress(TimeoutError):
            async with asyncio.timeout(bounds.DRAIN_SECONDS):
                while not self._is_complete and self._bytes_read < bounds.DRAIN_BYTES:
                    message = await self._receive()
                    self._bytes_read += len(message.get("body", b""))
                    self._is_complete = not message.get("more_body", False)


def _kind(scope: MutableMapping[str, Any]) -> str:
    """Tell which slots a request uses.

    Streams stay open for as long as the client likes, so they have slots of their own.
    """
    if _EVENTS.fullmatch(scope["path"]):
        return "stream"
    if _AGENTS.fullmatch(scope["path"]):
        return "stream" if scope["method"] == "GET" else "call"
    return "request"


def _failure(error: Exception, scope: MutableMapping[str, Any]) -> Failure:
    if isinstance(error, WaymeetError):
        return to_failure(error)
    if isinstance(error, HTTPException):
        known = path_not_found(scope["path"]) if error.status_code == 404 else None
        known = method_not_allowed((error.headers or {}).get("Allow", "")) if error.status_code == 405 else known
        return known.failure if known else Failure("refused", error.status_code, error.detail, "See /openapi.json.")
    if isinstance(error, RequestRefusedError):
        return error.failure
    _LOG.error("a request failed", exc_info=error)
    return internal_error(error)


def _headers(error: Exception) -> list[tuple[bytes, bytes]]:
    if isinstance(error, HTTPException | RequestRefusedError):
        return [(name.lower().encode(), value.encode()) for name, value in (error.headers or {}).items()]
    return []
