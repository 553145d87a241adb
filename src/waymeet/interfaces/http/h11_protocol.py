"""The HTTP/1.1 protocol of uvicorn, with problem responses and a time limit."""

import asyncio
import secrets
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from waymeet.interfaces.http.problems import MEDIA_TYPE, encode_problem
from waymeet.interfaces.requests.errors import Failure

_MAX_CONNECTIONS = 500
_CLIENT_HINT = "Use an HTTP client."


class Protocol(H11Protocol):
    """Parses requests, refuses malformed ones, and limits connections and time."""

    head_seconds = 20.0
    """Seconds within which the head of a request must arrive."""
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Accept a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > _MAX_CONNECTIONS:
            transport.close()
        else:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer of a closed connection."""
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, with a timer until the head of a request is complete."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._start_timer()
        else:
            self._cancel_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse a malformed request."""
        self._refuse(Failure("no_http", 400, f"Malformed HTTP/1.1 request: {msg}", _CLIENT_HINT))

    def _start_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._on_timeout)

    def _cancel_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _on_timeout(self) -> None:
        if not self.transport.is_closing():
            self._refuse(Failure("slow_request", 408, "The request did not arrive in time.", "Send it at once."))

    def _refuse(self, failure: Failure) -> None:
        request_id = secrets.token_hex(8)
        body = encode_problem(failure, request_id)
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", request_id.encode()),
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
