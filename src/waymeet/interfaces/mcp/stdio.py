"""Transport MCP messages over standard input and output, one per line.

A line that is not a message is answered by an error and dropped. The process exits soon after its input or its parent
has ended, even in the middle of work: all writes are transactions, and a server without a client must not keep running.
"""

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from waymeet.interfaces.mcp.stdio_pipes import Pipes, exit_soon

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Maximum bytes of a line. Longer ones are discarded while they are read, so that they cannot fill the memory."""
_READ_BYTES = 1 << 16
_GRACE_SECONDS = 0.7
"""Seconds for running calls to finish after the input has ended."""
_MAX_PENDING = 1000
"""Messages that are read ahead. Reading ahead makes sure that the end of the input is noticed in time."""
_SMALL_BYTES = 1 << 14
"""Maximum bytes of a message that is read ahead. Reading stops until a larger one is delivered."""


class TooLong:
    """Marker for a line that was discarded."""


def read_lines(descriptor: int) -> Iterator[bytes | TooLong]:
    """Yield the non-empty lines of a descriptor until its end."""
    buffer, searched, discarding = bytearray(), 0, False
    while chunk := os.read(descriptor, _READ_BYTES):
        buffer += chunk
        while (end := buffer.find(b"\n", searched)) >= 0:
            line, searched = bytes(buffer[:end]), 0
            del buffer[: end + 1]
            if discarding or len(line) > MAX_LINE_BYTES:
                discarding = False
                yield TooLong()
            elif line.strip():
                yield line
        searched = len(buffer)
        if searched > MAX_LINE_BYTES or discarding:
            buffer.clear()
            searched, discarding = 0, True
    if discarding:
        yield TooLong()
    elif buffer.strip():
        yield bytes(buffer)


def decode_message(line: bytes | TooLong) -> SessionMessage | JSONRPCError:
    """Decode a message, or make an error that describes what is wrong with it."""
    if isinstance(line, TooLong):
        return make_error(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES} bytes and was not read.")
    with suppress(ValidationError):
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return make_error(PARSE_ERROR, f"The line is not JSON: {error}. Send one JSON-RPC message per line, in UTF-8.")
    with suppress(ValidationError):  # an unpaired surrogate, which programs send that cut texts between code units
        repaired = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(repaired, by_name=False))
    id_ = value.get("id") if isinstance(value, dict) else None
    valid_id = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
    return make_error(INVALID_REQUEST, "Not a JSON-RPC 2.0 message; batches are not supported.", valid_id)


def make_error(code: int, message: str, id_: RequestId | None = None) -> JSONRPCError:
    """Make an error response."""
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData(code=code, message=message))


def encode_message(message: SessionMessage) -> bytes:
    """Encode a message as a line, or an error response if it cannot be encoded."""
    try:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        return text.encode() + b"\n"
    except (PydanticSerializationError, UnicodeError) as error:
        response = make_error(INTERNAL_ERROR, f"The answer cannot be encoded as JSON: {error}", _id(message))
        return response.model_dump_json().encode() + b"\n"


def _id(message: SessionMessage) -> RequestId | None:
    id_: RequestId | None = getattr(message.message, "id", None)
    return id_


class MessageStreams(NamedTuple):
    """The streams that a server reads from and writes to."""

    read: "MemoryObjectReceiveStream[SessionMessage | Exception]"
    write: "MemoryObjectSendStream[SessionMessage]"


@asynccontextmanager
async def open_streams(pipes: Pipes, ending: asyncio.Event) -> AsyncIterator[MessageStreams]:
    """Connect descriptors with a server until the input ends or `ending` is set."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    transport = _Transport(pipes, ending, incoming, write.clone())
    threading.Thread(target=transport.read_input, name="waymeet-stdin", daemon=True).start()
    async with anyio.create_task_group() as group:
        group.start_soon(transport.write_output, outgoing)
        group.start_soon(transport.close_at_end)
        yield MessageStreams(read, write)


class _Transport:
    """Transports messages, and tracks the requests without a response."""

    def __init__(
        self,
        pipes: Pipes,
        ending: asyncio.Event,
        incoming: "MemoryObjectSendStream[SessionMessage | Exception]",
        errors: "MemoryObjectSendStream[SessionMessage]",
    ) -> None:
        self._pipes = pipes
        self._ending = ending
        self._incoming = incoming
        self._errors = errors
        self._loop = asyncio.get_running_loop()
        self._input_ended = asyncio.Event()
        self._idle = asyncio.Event()
        self._pending = threading.Semaphore(_MAX_PENDING)
        self._open_requests: set[RequestId] = set()

    def read_input(self) -> None:
        """Pass messages to the server in order, and stop reading while too many are pending."""
        with suppress(RuntimeError, OSError, CancelledError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            for line in read_lines(self._pipes.incoming):
                self._pending.acquire()
                delivery = asyncio.run_coroutine_threadsafe(self._deliver(decode_message(line)), self._loop)
                delivery.add_done_callback(lambda _: self._pending.release())
                if isinstance(line, bytes) and len(line) > _SMALL_BYTES:
                    delivery.result()
        with suppress(RuntimeError):  # the event loop may be closed
            self._loop.call_soon_threadsafe(self._input_ended.set)

    async def _deliver(self, decoded: SessionMessage | JSONRPCError) -> None:
        if isinstance(decoded, JSONRPCError):
            await self._errors.send(SessionMessage(decoded))
            return
        message = decoded.message
        if isinstance(message, JSONRPCRequest):
            self._open_requests.add(message.id)
            self._idle.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._close_request((message.params or {}).get("requestId"))  # it gets no response
        await self._incoming.send(decoded)

    def _close_request(self, id_: object) -> None:
        self._open_requests -= {id_}
        if not self._open_requests:
            self._idle.set()

    async def write_output(self, outgoing: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        """Write the server's messages until the stream is closed or the client has closed its end."""
        async with outgoing:
            async for message in outgoing:
                try:
                    await asyncio.to_thread(_write_all, self._pipes.outgoing, encode_message(message))
                except OSError:
                    self._ending.set()
                    return
                self._close_request(_id(message))

    async def close_at_end(self) -> None:
        """Wait for the end of the input, give running calls time to finish, and close the streams."""
        await _wait_for_first(self._input_ended, self._ending)
        threading.Thread(target=exit_soon, daemon=True).start()
        if self._open_requests:
            with anyio.move_on_after(_GRACE_SECONDS):
                await _wait_for_first(self._idle, self._ending)
        self._incoming.close()
        self._errors.close()


async def _wait_for_first(*events: asyncio.Event) -> None:
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


def _write_all(descriptor: int, line: bytes) -> None:
    remaining = memoryview(line)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]
