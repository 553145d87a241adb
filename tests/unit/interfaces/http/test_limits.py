"""Slots for requests that are computed, and memory for those that arrive."""

import asyncio
from typing import Any

import pytest

from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http import access as bounds
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.limits import BodyMemory, Slots
from waymeet.interfaces.http.metrics import RequestMetrics
from waymeet.interfaces.http.middleware import Middleware
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.settings import Serve


def test_another_machine_gets_half_of_the_slots() -> None:
    slots = Slots(4)
    taken = [slots.take("10.0.0.1"), slots.take("10.0.0.1")]
    with pytest.raises(RequestRefusedError):
        slots.take("10.0.0.1")
    slots.take("10.0.0.2")
    slots.take("127.0.0.1")
    with pytest.raises(RequestRefusedError):
        slots.take("127.0.0.1")
    taken[0].release()
    slots.take("127.0.0.1")


def test_this_machine_may_take_all_slots() -> None:
    slots = Slots(2)
    slots.take("127.0.0.1")
    slots.take("::1")
    with pytest.raises(RequestRefusedError):
        slots.take("127.0.0.1")


def test_a_slot_is_lent_while_its_request_waits_for_the_client() -> None:
    slots = Slots(1)
    slot = slots.take("")
    with slot.lend():
        slots.take("").release()
    with pytest.raises(RequestRefusedError):
        slots.take("")


def test_the_request_that_began_first_is_ended_when_bodies_take_too_much() -> None:
    memory, ended = BodyMemory(100), list[str]()
    with memory.reserve() as first, memory.reserve() as second:
        first.on_eviction, second.on_eviction = (lambda: ended.append("first")), (lambda: ended.append("second"))
        first.grow(60)
        second.grow(40)
        assert not ended
        second.grow(1)
        assert ended == ["first"]
        second.grow(59)
        assert ended == ["first"], "it has left its memory to others"


class Client:
    """One request through the middleware, whose parts arrive and are read when the test says so."""

    def __init__(self, middleware: Middleware, path: str = "/v1/x", method: str = "POST") -> None:
        self.arriving: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.reads, self.answered = asyncio.Event(), asyncio.Event()
        self.status = 0
        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "client": ("127.0.0.1", 1)}
        self.task = asyncio.ensure_future(
            middleware({**scope, "headers": [(b"host", b"localhost")]}, self.arriving.get, self._send)
        )

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.answered.set()
        await self.reads.wait()

    def arrive(self, body: bytes = b"", *, more: bool = False) -> None:
        self.arriving.put_nowait({"type": "http.request", "body": body, "more_body": more})


async def _empty(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _middleware(settings: Serve) -> Middleware:
    fields: dict[str, Any] = {"host": "::1", "port": 1, "secret": "", "version": "1", "root": "/", "started": 0.0}
    policy = AccessPolicy("127.0.0.1", 1, "", Daemon(pid=1, **fields), settings)
    return Middleware(_empty, policy, RequestMetrics(), lambda: "")


@pytest.mark.parametrize("path", ["/v1/x", "/mcp"])
def test_slow_bodies_and_readers_hold_no_slot(path: str) -> None:
    async def talk() -> None:
        middleware = _middleware(Serve(requests=1, streams=1))
        arriving, reading, other = (Client(middleware, path) for _ in range(3))
        arriving.arrive(b"{", more=True)
        reading.arrive()
        await asyncio.wait_for(reading.answered.wait(), 60)
        other.reads.set()
        other.arrive()
        await asyncio.wait_for(other.task, 60)
        assert other.status == 200
        for client in (arriving, reading):
            client.reads.set()
        arriving.arrive()
        await asyncio.wait_for(asyncio.gather(arriving.task, reading.task), 60)
        assert arriving.status == reading.status == 200

    asyncio.run(talk())


def test_open_streams_leave_room_for_calls() -> None:
    async def talk() -> None:
        middleware = _middleware(Serve(streams=1))
        stream, call = Client(middleware, "/mcp", "GET"), Client(middleware, "/mcp")
        stream.arrive()
        await asyncio.wait_for(stream.answered.wait(), 60)
        call.reads.set()
        call.arrive()
        await asyncio.wait_for(call.task, 60)
        assert call.status == 200
        stream.reads.set()
        await stream.task

    asyncio.run(talk())


def test_a_body_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk() -> int:
        client = Client(_middleware(Serve()))
        client.reads.set()
        client.arrive(b"{", more=True)
        await asyncio.wait_for(client.task, 60)
        return client.status

    monkeypatch.setattr(bounds, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(bounds, "DRAIN_SECONDS", 0.05)
    assert asyncio.run(talk()) == 408


def test_who_goes_before_the_body_has_arrived_is_not_answered(caplog: pytest.LogCaptureFixture) -> None:
    async def talk() -> int:
        client = Client(_middleware(Serve()))
        client.arriving.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(client.task, 60)
        return client.status

    assert asyncio.run(talk()) == 0
    assert not caplog.records
