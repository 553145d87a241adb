"""HTTP itself: what is no HTTP is refused as everything else is, by a problem; who says nothing is not waited for."""

import asyncio
import secrets
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from waymeet.interfaces.http.problems import MEDIA_TYPE, written
from waymeet.interfaces.requests.errors import Failure

_MOST_CONNECTIONS = 500
_CLIENT = "Use a client for HTTP."


class Protocol(H11Protocol):
    """Reads requests."""

    head_seconds = 20.0
    """How long a client may take to say what it wants."""
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take a connection, unless there are far too many."""
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            transport.close()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of a connection."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; as long as a request has only begun, it is waited for, but not for ever."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._wait_for_head()
        else:
            self._wait_no_more()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request."""
        self._refuse(Failure("no_http", 400, f"This is no request of HTTP/1.1: {msg}", _CLIENT))

    def _wait_for_head(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.head_seconds, self._too_late)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _too_late(self) -> None:
        if not self.transport.is_closing():
            self._refuse(Failure("slow_request", 408, "The request did not arrive in time.", "Send it at once."))

    def _refuse(self, failure: Failure) -> None:
        name = secrets.token_hex(8)
        body = written(failure, name)
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", name.encode()),
            (b"connection", b"close"),
        ]
        reason = HTTPStatus(failure.status).phrase.encode()
        for event in (
            h11.Response(status_code=failure.status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
