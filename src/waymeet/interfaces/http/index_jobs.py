"""Index jobs: started by a request, followed by events, looked at again, cancelled."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from time import time
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.problems import Refused
from waymeet.interfaces.requests.errors import Failure, to_failure
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.ports import Progress

_PACE = 0.2
"""Seconds between two events, at least."""
_PULSE = 10.0
"""Seconds after which something is sent though nothing happened, so that nobody takes the stream for dead."""


class Far(Struct, frozen=True):
    """How far a part of a job is."""

    done: int = 0
    total: int = 0
    item: str = ""


class IndexJob(Struct, frozen=True, kw_only=True):
    """A run that brings the index up to date."""

    id: str
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    request: IndexRequest
    waiting: bool = False
    """Whether it had to wait for another process that is indexing."""
    reading: Far = Far()
    """Files."""
    embedding: Far = Far()
    """Sections."""
    answer: IndexAnswer | None = None
    """What it did, when it is done."""
    failure: Failure | None = None
    """Why it failed, if it did."""
    started: float
    """Seconds since 1970."""
    ended: float | None = None


class IndexJobs(Struct, frozen=True, kw_only=True):
    """The index jobs there are, the newest first."""

    jobs: tuple[IndexJob, ...]


class Jobs:
    """The index jobs of a server. Those that ask for the same while one runs share it."""

    def __init__(self, held: AsyncProject, kept: int) -> None:
        self._held = held
        self._kept = kept
        self._jobs: dict[str, IndexJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news: dict[str, asyncio.Event] = {}
        self._closing = asyncio.Event()

    def start(self, request: IndexRequest) -> IndexJob:
        """Start a job, or give the one that does the same already."""
        for each in self._jobs.values():
            if each.state == "running" and each.request == request:
                return each
        job = IndexJob(id=secrets.token_hex(8), request=request, started=time())
        self._jobs[job.id], self._news[job.id] = job, asyncio.Event()
        self._tasks[job.id] = asyncio.create_task(self._run(job.id, request))
        ended = [each.id for each in self._jobs.values() if each.state != "running"]
        for old in ended[: max(len(ended) - self._kept, 0)]:
            del self._jobs[old], self._news[old]
            self._tasks.pop(old, None)
        return job

    def all(self) -> IndexJobs:
        """Give all jobs that are remembered."""
        return IndexJobs(jobs=tuple(reversed(self._jobs.values())))

    def one(self, id_: str) -> IndexJob:
        """Give a job.

        Raises:
            Refused: there is none.
        """
        if id_ not in self._jobs:
            raise Refused(
                404, "no_such_job", "There is no such job, or it ended long ago.", "GET /v1/index lists them."
            )
        return self._jobs[id_]

    @property
    def running(self) -> bool:
        """Tell whether any job runs."""
        return any(each.state == "running" for each in self._jobs.values())

    async def cancel(self, id_: str) -> IndexJob:
        """End a job between two files; what was taken in until then stays."""
        if self.one(id_).state == "running":
            self._tasks[id_].cancel()
            with suppress(asyncio.CancelledError):
                await self._tasks[id_]
        return self.one(id_)

    async def events(self, id_: str) -> AsyncIterator[bytes]:
        """Tell how far a job is, as server-sent events, until it has ended."""
        number = 0
        while not self._closing.is_set():
            job, news = self.one(id_), self._news[id_]
            news.clear()
            number += 1
            name = "progress" if job.state == "running" else job.state
            yield f"id: {number}\nevent: {name}\ndata: ".encode() + msgspec.json.encode(job) + b"\n\n"
            if job.state != "running":
                return
            while not news.is_set():
                try:
                    await asyncio.wait_for(news.wait(), _PULSE)
                except TimeoutError:
                    yield b": still at it\n\n"
            await asyncio.sleep(_PACE)

    def hush(self) -> None:
        """End all streams, so that nobody who listens keeps a server from ending."""
        self._closing.set()
        for news in self._news.values():
            news.set()

    async def close(self) -> None:
        """End all jobs and streams."""
        self.hush()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, id_: str, request: IndexRequest) -> None:
        project = self._held.project

        def told(part: str) -> Progress:
            return lambda done, total, item: self._note(id_, **{part: Far(done, total, item)})

        try:
            answer = await self._held.run(
                lambda reading, embedding, waiting: answer_index(project, request, reading, embedding, waiting),
                told("reading"),
                told("embedding"),
                lambda: self._note(id_, waiting=True),
            )
            self._note(id_, state="done", answer=answer, ended=time())
        except WaymeetError as error:
            self._note(id_, state="failed", failure=to_failure(error), ended=time())
        except asyncio.CancelledError:
            self._note(id_, state="cancelled", ended=time())
            raise
        except Exception:
            failure = Failure("mistake", 500, "This is a mistake in Waymeet.", "Please report it.")
            self._note(id_, state="failed", failure=failure, ended=time())
            raise

    def _note(self, id_: str, **what: object) -> None:
        job = self._jobs.get(id_)
        if job is not None and job.state == "running":  # what is told late must not make it run again
            self._jobs[id_] = replace(job, **what)
            self._news[id_].set()
