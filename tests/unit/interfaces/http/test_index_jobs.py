"""Followers of an index job miss no state, in whatever order they wait and read."""

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from waymeet.interfaces.http import index_jobs
from waymeet.interfaces.http.index_jobs import Jobs
from waymeet.interfaces.requests.operations.index import IndexRequest
from waymeet.settings import Settings


class Running:
    """A project whose indexing reports what the test says and ends when it says so."""

    project: Any = SimpleNamespace(settings=Settings())

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.report: Callable[..., None] = lambda *_: None

    async def run(self, _work: object, reading: Callable[..., None], *_: object) -> None:
        self.report = reading
        await self.end.wait()


async def _start(monkeypatch: pytest.MonkeyPatch, kept: int = 1) -> tuple[Jobs, Running, str]:
    monkeypatch.setattr(index_jobs, "_MIN_EVENT_SECONDS", 0.0)
    running = Running()
    jobs = Jobs(running, kept)  # type: ignore[arg-type]  # it only runs work
    job = jobs.start(IndexRequest())
    await asyncio.sleep(0)
    return jobs, running, job.id


async def _next(events: AsyncIterator[bytes]) -> dict[str, Any]:
    event = await asyncio.wait_for(anext(events), 60)
    return dict(msgspec.json.decode(event.partition(b"data: ")[2]))


def test_a_slow_follower_learns_what_another_one_read_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow() -> None:
        jobs, running, id_ = await _start(monkeypatch)
        slow, fast = jobs.events(id_), jobs.events(id_)
        assert (await _next(slow))["state"] == (await _next(fast))["state"] == "running"
        # the slow one is still sending its first event when the job ends and the fast one reads that
        running.report(1, 2, "a.md")
        assert (await _next(fast))["reading"]["done"] == 1
        running.end.set()
        assert (await _next(fast))["state"] == "done"
        assert (await _next(slow))["state"] == "done"

    asyncio.run(follow())


def test_a_follower_sees_the_end_of_a_job_that_is_no_longer_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow() -> None:
        jobs, running, id_ = await _start(monkeypatch, kept=0)
        events = jobs.events(id_)
        await _next(events)
        running.end.set()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not jobs.is_running
        jobs.start(IndexRequest(embed=False))
        assert id_ not in {job.id for job in jobs.list().jobs}
        assert (await _next(events))["state"] == "done"
        await jobs.close()

    asyncio.run(follow())


def test_followers_end_when_the_server_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow() -> None:
        jobs, _, id_ = await _start(monkeypatch)
        events = jobs.events(id_)
        await _next(events)
        waiting = asyncio.create_task(anext(events, b"ended"))
        await asyncio.sleep(0)
        jobs.close_streams()
        assert await asyncio.wait_for(waiting, 60) == b"ended"
        await jobs.close()

    asyncio.run(follow())


def test_a_follower_ends_who_may_no_longer_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow() -> None:
        monkeypatch.setattr(index_jobs, "_KEEPALIVE_SECONDS", 0.0)
        jobs, running, id_ = await _start(monkeypatch)
        rights = [True]
        events = jobs.events(id_, lambda: bool(rights))
        assert (await _next(events))["state"] == "running"
        assert await anext(events) == b": keep-alive\n\n"
        running.report(1, 2, "secret.md")
        rights.clear()
        assert [event async for event in events if b"secret.md" in event] == []
        await jobs.close()

    asyncio.run(follow())


def test_a_job_that_is_cancelled_before_it_begins_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancel() -> None:
        jobs = Jobs(Running(), 1)  # type: ignore[arg-type]  # it only runs work
        job = jobs.start(IndexRequest())
        assert (await jobs.cancel(job.id)).state == "cancelled"
        assert not jobs.is_running

    asyncio.run(cancel())
