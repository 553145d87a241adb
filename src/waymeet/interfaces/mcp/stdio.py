"""Messages over standard input and output, one to a line: nothing else is ever written there.

A line that is no message is answered by an error and forgotten. The process ends soon after its input ends or whoever
started it is gone, whatever it is doing then: what it writes is safe at any moment, and a server that nobody hears
must not stay behind.
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

from waymeet.interfaces.mcp.stdio_pipes import Pipes, end_surely

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

LONGEST = 32 * 1024 * 1024
"""Bytes of a line; longer ones are thrown away while they are read, so that they cannot fill the memory."""
_CHUNK = 1 << 16
_GRACE = 0.7
"""Seconds in which calls under way may still be answered when the input has ended."""
_AHEAD = 1000
"""Messages that may be read before those in front of them are taken: the end of the input is seen in time."""
_SMALL = 1 << 14
"""Bytes of a message that counts as one of them; a larger one is waited for."""


class TooLong:
    """A line that was thrown away."""


def read_lines(wire: int) -> Iterator[bytes | TooLong]:
    """Yield the lines that come in, without those that are empty, until the input ends."""
    held, looked, dropping = bytearray(), 0, False
    while chunk := os.read(wire, _CHUNK):
        held += chunk
        while (end := held.find(b"\n", looked)) >= 0:
            line, looked = bytes(held[:end]), 0
            del held[: end + 1]
            if dropping or len(line) > LONGEST:
                dropping = False
                yield TooLong()
            elif line.strip():
                yield line
        looked = len(held)
        if looked > LONGEST or dropping:
            held.clear()
            looked, dropping = 0, True
    if dropping:
        yield TooLong()
    elif held.strip():
        yield bytes(held)


def message_of(line: bytes | TooLong) -> SessionMessage | JSONRPCError:
    """Read a message, or say what is wrong with it."""
    if isinstance(line, TooLong):
        return refusal(INVALID_REQUEST, f"A message may have {LONGEST} bytes; a longer one was not read.")
    with suppress(ValidationError):
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return refusal(PARSE_ERROR, f"This line is no JSON: {error}. Send one JSON-RPC message a line, in UTF-8.")
    with suppress(ValidationError):  # half of a pair of surrogates, as programs send that cut texts anywhere
        mended = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(mended, by_name=False))
    id_ = found.get("id") if isinstance(found, dict) else None
    named = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
    return refusal(INVALID_REQUEST, "This is no message of JSON-RPC 2.0; batches are not part of it.", named)


def refusal(code: int, message: str, id_: RequestId | None = None) -> JSONRPCError:
    """Answer a message that cannot be dealt with."""
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData(code=code, message=message))


def written(message: SessionMessage) -> bytes:
    """Put a message on a line; one that cannot be written is answered by an error in its place."""
    try:
        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        return text.encode() + b"\n"
    except (PydanticSerializationError, UnicodeError) as error:
        instead = refusal(INTERNAL_ERROR, f"The answer cannot be written as JSON: {error}", _id(message))
        return instead.model_dump_json().encode() + b"\n"


def _id(message: SessionMessage) -> RequestId | None:
    id_: RequestId | None = getattr(message.message, "id", None)
    return id_


class MessageStreams(NamedTuple):
    """The two ends that a server takes."""

    read: "MemoryObjectReceiveStream[SessionMessage | Exception]"
    write: "MemoryObjectSendStream[SessionMessage]"


@asynccontextmanager
async def pipes(wires: Pipes, ending: asyncio.Event) -> AsyncIterator[MessageStreams]:
    """Carry messages between descriptors and a server until the input ends or `ending` is set."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    carrier = _Carrier(wires, ending, incoming, write.clone())
    threading.Thread(target=carrier.reading, name="waymeet-stdin", daemon=True).start()
    async with anyio.create_task_group() as group:
        group.start_soon(carrier.writing, outgoing)
        group.start_soon(carrier.closing)
        yield MessageStreams(read, write)


class _Carrier:
    """Knows which requests are not answered yet."""

    def __init__(
        self,
        wires: Pipes,
        ending: asyncio.Event,
        incoming: "MemoryObjectSendStream[SessionMessage | Exception]",
        refused: "MemoryObjectSendStream[SessionMessage]",
    ) -> None:
        self._wires = wires
        self._ending = ending
        self._incoming = incoming
        self._refused = refused
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._idle = asyncio.Event()
        self._ahead = threading.Semaphore(_AHEAD)
        self._open: set[RequestId] = set()

    def reading(self) -> None:
        """Hand over what comes in, in its order; who sends too much at once has to wait."""
        with suppress(RuntimeError, OSError, CancelledError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            for line in read_lines(self._wires.incoming):
                self._ahead.acquire()
                coming = asyncio.run_coroutine_threadsafe(self._arrived(message_of(line)), self._loop)
                coming.add_done_callback(lambda _: self._ahead.release())
                if isinstance(line, bytes) and len(line) > _SMALL:
                    coming.result()
        with suppress(RuntimeError):  # the loop may be gone already
            self._loop.call_soon_threadsafe(self._ended.set)

    async def _arrived(self, found: SessionMessage | JSONRPCError) -> None:
        if isinstance(found, JSONRPCError):
            await self._refused.send(SessionMessage(found))
            return
        message = found.message
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
            self._idle.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._done((message.params or {}).get("requestId"))  # it will not be answered
        await self._incoming.send(found)

    def _done(self, id_: object) -> None:
        self._open -= {id_}
        if not self._open:
            self._idle.set()

    async def writing(self, outgoing: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        """Write what the server says until it has no more to say, or nobody reads it."""
        async with outgoing:
            async for message in outgoing:
                try:
                    await asyncio.to_thread(_write, self._wires.outgoing, written(message))
                except OSError:
                    self._ending.set()
                    return
                self._done(_id(message))

    async def closing(self) -> None:
        """Wait for the end, let calls under way be answered if somebody may still read that, and close."""
        await _first(self._ended, self._ending)
        threading.Thread(target=end_surely, daemon=True).start()
        if self._open:
            with anyio.move_on_after(_GRACE):
                await _first(self._idle, self._ending)
        self._incoming.close()
        self._refused.close()


async def _first(*events: asyncio.Event) -> None:
    waiting = [asyncio.create_task(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()


def _write(wire: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(wire, left) :]
