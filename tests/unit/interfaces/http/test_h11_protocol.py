"""Connections: which one is closed for another, slow readers, and malformed data after an answer."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from waymeet.interfaces.http.h11_protocol import Protocol, choose_replaced

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
LARGE = 4_000_000
_PATIENCE = 60.0


class Few(Protocol):
    """Has room for few connections and little memory."""

    max_connections = 3
    max_more_connections = 1
    max_unread_bytes = 2 * LARGE
    read_seconds = 0.2


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer at once, with a large body at /large, without reading the request at /early, and never at /never."""
    if scope["path"] == "/never":
        await asyncio.Event().wait()
    size = LARGE if scope["path"] == "/large" else 2
    message = {"type": "http.request", "more_body": scope["path"] != "/early"}
    while message["type"] == "http.request" and message["more_body"]:
        message = await receive()
    if message["type"] == "http.disconnect":
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
    await send({"type": "http.response.body", "body": b"x" * size})


@asynccontextmanager
async def serving(
    protocol: type[Protocol],
) -> AsyncIterator[tuple[uvicorn.Server, Callable[[bytes], Awaitable[Stream]]]]:
    """Serve `app` and give a function that connects and sends."""
    opened: list[asyncio.StreamWriter] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        config = uvicorn.Config(app, http=protocol, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))

        async def connect(data: bytes) -> Stream:
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, listener.getsockname())
            reader, writer = await asyncio.open_connection(sock=client, limit=1024)
            writer.write(data)
            opened.append(writer)
            return reader, writer

        yield server, connect
        for writer in opened:
            writer.close()
        server.should_exit = True
        await task


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(_PATIENCE):
        while not condition():  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.01)


async def read(stream: Stream) -> bytes:
    return await asyncio.wait_for(stream[0].read(), _PATIENCE)


GET = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"


@pytest.mark.parametrize("slow", [b"", b"GET / HT", POST % b"/"], ids=["nothing", "head", "body"])
def test_a_new_connection_replaces_the_one_that_waits_longest(slow: bytes) -> None:
    async def talk() -> None:
        async with serving(Few) as (server, connect):
            first = await connect(slow)
            await until(lambda: len(server.server_state.connections) == 1)
            for number in (2, 3):
                await connect(slow)
                await until(lambda number=number: len(server.server_state.connections) == number)  # type: ignore[misc]
            reader, _ = await connect(GET % b"/")
            assert b"200 OK" in await asyncio.wait_for(reader.readline(), _PATIENCE)
            assert (await read(first)).startswith(b"HTTP/1.1 503 ")
            await until(lambda: len(server.server_state.connections) == 3)

    asyncio.run(talk())


def test_a_few_more_connections_are_accepted_while_all_others_are_being_answered() -> None:
    async def talk() -> None:
        async with serving(Few) as (server, connect):
            for number in (1, 2, 3):
                await connect(GET % b"/never")
                await until(lambda number=number: len(server.server_state.tasks) == number)  # type: ignore[misc]
            reader, _ = await connect(GET % b"/")
            assert b"200 OK" in await asyncio.wait_for(reader.readline(), _PATIENCE)
            await connect(GET % b"/never")
            await until(lambda: len(server.server_state.tasks) == 4)
            assert len(server.server_state.connections) == 4, "the idle one was closed"
            assert (await read(await connect(GET % b"/"))).startswith(b"HTTP/1.1 503 ")

    asyncio.run(talk())


def test_the_client_with_most_connections_gives_one_up() -> None:
    def made(client: str, since: float, *, waiting: bool = True) -> Any:
        return SimpleNamespace(client=(client, 1), waiting_since=since, is_waiting=waiting)

    patient, busy = made("10.0.0.1", 1.0), made("10.0.0.2", 2.0, waiting=False)
    greedy = [made("10.0.0.2", since) for since in (4.0, 3.0)]
    assert choose_replaced([patient, busy, *greedy]) is greedy[1]
    assert choose_replaced([busy]) is None, "a request that is being answered is never given up"


def test_who_does_not_read_an_answer_is_closed() -> None:
    async def talk() -> None:
        async with serving(Few) as (server, connect):
            await connect(GET % b"/large")
            await until(lambda: bool(server.server_state.connections))
            await until(lambda: not server.server_state.connections)

    asyncio.run(talk())


def test_answers_that_nobody_reads_take_bounded_memory() -> None:
    class Patient(Few):
        max_connections = 100
        read_seconds = 3600.0

    async def talk() -> None:
        async with serving(Patient) as (server, connect):
            streams = [await connect(GET % b"/large") for _ in range(8)]
            await until(lambda: server.server_state.total_requests == len(streams))
            await until(lambda: sum(each.unread_bytes for each in _connections(server)) <= Patient.max_unread_bytes)
            reader, _ = streams[-1]
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE)
            assert b"200 OK" in head
            assert len(await asyncio.wait_for(reader.readexactly(LARGE), _PATIENCE)) == LARGE, "the newest is complete"

    asyncio.run(talk())


def _connections(server: uvicorn.Server) -> list[Protocol]:
    return [each for each in server.server_state.connections if isinstance(each, Protocol)]


def test_an_answer_before_the_body_ends_the_connection() -> None:
    async def talk() -> None:
        async with serving(Few) as (server, connect):
            stream = await connect(POST % b"/early")
            assert b"200 OK" in await read(stream), "and it is read to its end"
            await until(lambda: not server.server_state.connections)

    asyncio.run(talk())


@pytest.mark.parametrize("path", [b"/early", b"/"])
def test_a_malformed_chunk_leaves_no_traceback(path: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def talk() -> bytes:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        async with serving(Few) as (_, connect):
            stream = await connect(POST % path + b"no chunk\r\n")
            return await read(stream)

    failures: list[Any] = []
    with caplog.at_level(logging.ERROR):
        answer = asyncio.run(talk())
    assert answer.startswith(b"HTTP/1.1 ")
    assert not failures
    assert not caplog.records
