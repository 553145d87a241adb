"""What every request passes: a name, the terms, bounds of size, time and number, and one way to fail."""

import asyncio
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from waymeet.errors import WaymeetError
from waymeet.interfaces.daemon.discovery import PROOF, SETTINGS, proof
from waymeet.interfaces.http import access as bounds
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.metrics import RequestMetrics
from waymeet.interfaces.http.problems import MEDIA_TYPE, Refused, not_allowed, nowhere, our_mistake, written
from waymeet.interfaces.requests.errors import Failure, to_failure

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)
_STREAMS = re.compile(r"/mcp(/.*)?|/v1/index/[^/]+/events")
_LATER = {
    True: "Ask for less, or again later.",
    False: "Ask for less, or again later. A change may be made all the same: look before you send it again.",
}
TRUSTED, ROUTE = "waymeet.trusted", "waymeet.route"
"""What is noted in a request's scope: whether its sender may change things, and which way it took."""


class Middleware:
    """Lets requests in and answers those that it does not let in."""

    def __init__(self, app: App, terms: AccessPolicy, counted: RequestMetrics, settings: Callable[[], str]) -> None:
        """Take what is behind it; `settings` names those that answers are made by now."""
        self._app = app
        self._terms = terms
        self._counted = counted
        self._settings = settings

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        passing = RequestContext(scope, receive, send, self._terms.settings.body_bytes)
        once = passing.headers.get("authorization", "").partition(" ")[2].partition(":")[0]
        try:
            passing.check_size()
            if page := self._terms.invited(passing.headers):
                passing.let_read(page)
                if scope["method"] == "OPTIONS" and "access-control-request-method" in passing.headers:
                    await passing.say(204, self._terms.permission(passing.headers))
                    return
            scope[TRUSTED] = self._terms.admitted(scope["path"], passing.headers)
            if passing.headers.get("authorization", "").lower().startswith("waymeet "):
                passing.added.append((PROOF.encode(), proof(self._terms.resident, "server", once).encode()))
            if passing.headers.get(SETTINGS, "") not in {"", self._settings()}:
                detail = "This process answers by other settings than the asker's."
                raise Refused(421, "other_settings", detail, "Work alone, or start it again: waymeet serve --stop")
            await self._answer(scope, passing)
        except ClientDisconnect:
            return  # nobody is left to be told; `finally` counts it all the same
        except Exception as error:  # noqa: BLE001 - every failure is told as a problem
            await passing.fail(_failure(error, scope), _headers(error))
        finally:
            self._counted.answered(scope.get(ROUTE, "other"), scope["method"], passing.status, passing.seconds)

    async def _answer(self, scope: MutableMapping[str, Any], passing: "RequestContext") -> None:
        scope["app"] = self  # so that the router raises what it cannot do
        streams = _STREAMS.fullmatch(scope["path"]) is not None
        with self._room(streams=streams, lasting=scope["path"] not in {"/healthz", "/metrics"}):
            if streams:
                await self._app(scope, passing.receive, passing.send)
                return
            try:
                async with asyncio.timeout(self._terms.settings.request_seconds):
                    await self._app(scope, passing.receive, passing.send)
            except TimeoutError as error:
                detail = f"There was no answer within {self._terms.settings.request_seconds:g} s."
                raise Refused(504, "too_slow", detail, _LATER[scope["method"] in {"GET", "HEAD"}]) from error

    @contextmanager
    def _room(self, *, streams: bool, lasting: bool) -> Iterator[None]:
        """Take a place among those who are answered at once, if one is free."""
        numbers = self._terms.settings
        if self._counted.active[streams] >= (numbers.streams if streams else numbers.requests):
            detail = "Too many requests are being answered."
            raise Refused(503, "busy", detail, "Try again in a moment.", {"Retry-After": "1"})
        with self._counted.one(streams=streams, lasting=lasting):
            yield


class RequestContext:
    """One request on its way: what it may bring, and what is added to its answer."""

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send, most: int) -> None:
        self._scope, self._receive, self._send, self._most = scope, receive, send, most
        self._began = monotonic()
        self._read, self._whole = 0, False
        self.status = 0
        raw: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}
        given = self.headers.get("x-request-id", "")
        self.id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        self.added = [
            (b"x-request-id", self.id.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
        ]

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    def check_size(self) -> None:
        """Refuse what is too large, or of no certain size, before it is read."""
        target = len(self._scope.get("raw_path") or b"") + len(self._scope["query_string"])
        if target > bounds.LONGEST_TARGET:
            detail = f"A path with its query may have {bounds.LONGEST_TARGET} bytes."
            raise Refused(414, "long_target", detail, "Send long questions by POST.")
        if sum(len(name) + len(value) for name, value in self._scope["headers"]) > bounds.MOST_HEADERS:
            raise Refused(431, "large_headers", f"Headers may have {bounds.MOST_HEADERS} bytes.", "Send fewer.")
        if {"content-length", "transfer-encoding"} <= self.headers.keys():
            detail = "The request says in two ways how long it is."  # a proxy may believe the other one
            raise Refused(400, "no_http", detail, "Send one of Content-Length and Transfer-Encoding.")
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._most:
            raise self._too_large()

    def let_read(self, page: str) -> None:
        """Let the browser show the answer to a page of another origin."""
        self.added += [
            (b"access-control-allow-origin", page.encode("latin-1")),
            (b"access-control-expose-headers", b"location, mcp-session-id, x-request-id"),
            (b"vary", b"Origin"),
        ]

    async def say(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Answer without a body."""
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b""})

    async def receive(self) -> Message:
        """Take the next part of the request, within bounds of time and size."""
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(bounds.BODY_SECONDS - self.seconds, 0.01))
        except TimeoutError as error:
            raise Refused(408, "slow_request", "The request did not arrive in time.", "Send it at once.") from error
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._read > self._most:
                raise self._too_large()
        return message

    def _too_large(self) -> Refused:
        detail = f"A request may have {self._most} bytes."
        return Refused(413, "large_request", detail, "Send less; serve.body_bytes is the setting.")

    async def send(self, message: Message) -> None:
        """Send a part of the answer, with what is added to every one."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = {name for name, _ in self.added}
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in named]
            message = {**message, "headers": [*kept, *self.added]}
        await self._send(message)

    async def fail(self, failure: Failure, headers: list[tuple[bytes, bytes]]) -> None:
        """Answer by a problem, unless an answer has begun."""
        if self.status:
            _LOG.warning("an answer broke off: %s", failure.message)
            return
        body = written(failure, self.id)
        if not self._whole and ("content-length" in self.headers or "transfer-encoding" in self.headers):
            headers = [*headers, (b"connection", b"close")]  # what was not read must not be taken for a request
        sized = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": failure.status, "headers": [*sized, *headers]})
        head = self._scope["method"] == "HEAD"
        await self.send({"type": "http.response.body", "body": b"" if head else body, "more_body": True})
        await self._drain()
        await self.send({"type": "http.response.body", "body": b""})

    async def _drain(self) -> None:
        """Take what is still being sent for a moment: a connection that is cut off would take the answer with it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(bounds.DRAIN_SECONDS):
                while not self._whole and self._read < bounds.DRAIN_BYTES:
                    message = await self._receive()
                    self._read += len(message.get("body", b""))
                    self._whole = not message.get("more_body", False)


def _failure(error: Exception, scope: MutableMapping[str, Any]) -> Failure:
    if isinstance(error, WaymeetError):
        return to_failure(error)
    if isinstance(error, HTTPException):
        known = nowhere(scope["path"]) if error.status_code == 404 else None
        known = not_allowed((error.headers or {}).get("Allow", "")) if error.status_code == 405 else known
        return known.failure if known else Failure("refused", error.status_code, error.detail, "Look at /openapi.json.")
    if isinstance(error, Refused):
        return error.failure
    _LOG.error("a request failed", exc_info=error)
    return our_mistake(error)


def _headers(error: Exception) -> list[tuple[bytes, bytes]]:
    if isinstance(error, HTTPException | Refused):
        return [(name.lower().encode(), value.encode()) for name, value in (error.headers or {}).items()]
    return []
