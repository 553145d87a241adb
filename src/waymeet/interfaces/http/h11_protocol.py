"""The HTTP/1.1 protocol of uvicorn, with problem responses and limits on slow clients.

Of uvicorn's own limits, `timeout_keep_alive` closes idle connections and h11 bounds the size of a head. The limit
`limit_concurrency` is not used, because it refuses every new client while slow ones hold their connections. Here a new
connection replaces the one that has kept the server waiting longest.
"""

import asyncio
import secrets
import sys
from collections import Counter
from collections.abc import Collection
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from waymeet.interfaces.http.problems import MEDIA_TYPE, encode_problem
from waymeet.interfaces.requests.errors import Failure

_MAX_CONNECTIONS = 500
_CLIENT_HINT = "Use an HTTP client."
_TOO_SLOW = Failure("slow_request", 408, "The request did not arrive in time.", "Send it at once.")
_CLOSED = Failure("busy", 503, "The connection was closed before the request was complete.", "Send it again, at once.")


def _connection_limit() -> int:
    """Leave three of eight files that this process may open to the index and its models."""
    if sys.platform == "win32":
        return _MAX_CONNECTIONS
    import resource

    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if open_files == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, open_files // 2)


class Protocol(H11Protocol):
    """Parses requests, refuses malformed ones, and limits connections, time and unread answers."""

    max_connections = _connection_limit()
    """Connections. Further ones replace those that wait for their client."""
    max_more_connections = max_connections // 4
    """Connections that are accepted beyond that while no other one waits for its client."""
    max_unread_bytes = 64_000_000
    """Bytes of all answers that clients have not read yet."""
    head_seconds = 20.0
    """Seconds within which the head of a request must arrive."""
    read_seconds, read_bytes = 20.0, 16_384
    """A client must read this many bytes of an answer within this time."""

    waiting_since = 0.0
    """When the connection began to wait for its client."""
    _head_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _is_aborted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Accept a connection, in place of the longest waiting one if there are too many."""
        super().connection_made(transport)
        self.waiting_since = self.loop.time()
        self._start_head_timer()
        if len(self.connections) > self.max_connections:
            self._close_until_few()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers of a closed connection."""
        self._is_aborted = True
        self._cancel_head_timer()
        self._cancel_read_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, with a timer until the head of a request is complete."""
        super().data_received(data)
        self._update_head_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request, or close the connection if the body of this one is incomplete."""
        self.waiting_since = self.loop.time()
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        super().on_response_complete()
        self._update_head_timer()
        self._watch_reader()

    def pause_writing(self) -> None:
        """Limit the time and memory of an answer that its client does not read."""
        super().pause_writing()
        self.waiting_since = self.loop.time()
        self._watch_reader()
        unread = [peer for peer in self._peers() if peer.unread_bytes]
        total = sum(peer.unread_bytes for peer in unread)
        for peer in sorted(unread, key=lambda peer: peer.waiting_since):
            if total <= self.max_unread_bytes or peer is self:
                return
            total -= peer.unread_bytes
            peer.abort()

    def resume_writing(self) -> None:
        """Continue the answer to a client that has read."""
        self._cancel_read_timer()
        super().resume_writing()

    def shutdown(self) -> None:
        """End the connection: at once if no request has arrived, else after the answer."""
        if self.unread_bytes and self.transport.is_closing():
            return
        if self.is_waiting and not self.unread_bytes:
            self.replace()
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Refuse a malformed request."""
        self._refuse(Failure("no_http", 400, f"Malformed HTTP/1.1 request: {msg}", _CLIENT_HINT))

    @property
    def unread_bytes(self) -> int:
        """Count the bytes of answers that wait to be sent."""
        return self.transport.get_write_buffer_size()

    @property
    def is_waiting(self) -> bool:
        """Tell whether the server waits for this client to send or to read."""
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY} or self.unread_bytes > 0

    def replace(self) -> None:
        """Close the connection in favour of another one."""
        if self._head_timer is not None or self.conn.their_state is h11.SEND_BODY:
            self._refuse(_CLOSED)
        self.abort()

    def abort(self) -> None:
        """Close the connection at once, without sending what is left."""
        self._is_aborted = True
        self.transport.abort()

    def _peers(self) -> "list[Protocol]":
        return [peer for peer in self.connections if isinstance(peer, Protocol) and not peer._is_aborted]  # noqa: SLF001 - of this class

    def _close_until_few(self) -> None:
        """Close waiting connections until there are few enough.

        While all others are being answered, which does not take long, some more are accepted.
        """
        peers = self._peers()
        while len(peers) > self.max_connections:
            replaced = choose_replaced([peer for peer in peers if peer is not self])
            if replaced is None:
                if len(peers) > self.max_connections + self.max_more_connections:
                    self.replace()
                return
            replaced.replace()
            peers.remove(replaced)

    def _update_head_timer(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            # between two requests uvicorn closes the connection, but any byte stops its timer
            if self.timeout_keep_alive_task is None:
                self._start_head_timer()
        else:
            self._cancel_head_timer()

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._on_slow_head)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _on_slow_head(self) -> None:
        if not self.transport.is_closing():
            self._refuse(_TOO_SLOW)

    def _watch_reader(self) -> None:
        if self._read_timer is None and self.unread_bytes:
            self._read_timer = self.loop.call_later(self.read_seconds, self._check_reader, self.unread_bytes)

    def _cancel_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _check_reader(self, before: int) -> None:
        """Close the connection unless the client has read enough since the last check."""
        self._read_timer = None
        if self.unread_bytes > max(before - self.read_bytes, 0):
            self.abort()
        else:
            self._watch_reader()

    def _refuse(self, failure: Failure) -> None:
        """Answer with a problem and close, or only close if an answer has begun."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            if self.cycle is not None:
                self.cycle.disconnected = True  # the application must not answer as well
                self.cycle.message_event.set()
            self._write_problem(failure)
        self.transport.close()
        self._watch_reader()

    def _write_problem(self, failure: Failure) -> None:
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


def choose_replaced(connections: Collection[Protocol]) -> Protocol | None:
    """Choose the longest waiting connection of the client that has most connections."""
    of_client = Counter(connection.client[0] if connection.client else "" for connection in connections)
    waiting = [connection for connection in connections if connection.is_waiting]
    return min(
        waiting,
        key=lambda connection: (
            -of_client[connection.client[0] if connection.client else ""],
            connection.waiting_since,
        ),
        default=None,
    )
