"""Index jobs: start, list, follow by server-sent events, cancel."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from time import time
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.errors import Failure, to_failure
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.ports import Progress

_MIN_EVENT_SECONDS = 0.2
"""Minimum seconds between two events."""
_KEEPALIVE_SECONDS = 10.0
"""Seconds after which a comment is sent to keep an idle stream open."""


class JobProgress(Struct, frozen=True):
    """The progress of one part of a job."""

    done: int = 0
    total: int = 0
    item: str = ""


class IndexJob(Struct, frozen=True, kw_only=True):
    """An indexing run."""

    id: str
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    request: IndexRequest
    waiting: bool = False
    """Whether it waits, or waited, for another process that indexes."""
    reading: JobProgress = JobProgress()
    """Files."""
    embedding: JobProgress = JobProgress()
    """Sections."""
    answer: IndexAnswer | None = None
    """The result of a finished run."""
    failure: Failure | None = None
    """The error of a failed run."""
    started: float
    """Seconds since 1970."""
    ended: float | None = None


class IndexJobs(Struct, frozen=True, kw_only=True):
    """All index jobs, the newest first."""

    jobs: tuple[IndexJob, ...]


class _JobState:
    """The current state of a job, and the event that ends the wait for the next one."""

    def __init__(self, job: IndexJob) -> None:
        self.job = job
        self.superseded = asyncio.Event()
        """Set when there is a newer state. It is never cleared, so that no follower misses it."""

    def set(self, job: IndexJob) -> None:
        self.job = job
        self.wake()

    def wake(self) -> None:
        superseded, self.superseded = self.superseded, asyncio.Event()
        superseded.set()


class Jobs:
    """The index jobs of a server. Equal requests share one running job."""

    def __init__(self, project: AsyncProject, max_ended: int) -> None:
        self._project = project
        self._max_ended = max_ended
        self._states: dict[str, _JobState] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._is_closing = False

    def start(self, request: IndexRequest) -> IndexJob:
        """Start a job, or give the running one with the same request."""
        jobs = self.list().jobs
        for running in jobs:
            if running.state == "running" and running.request == request:
                return running
        job = IndexJob(id=secrets.token_hex(8), request=request, started=time())
        self._states[job.id] = _JobState(job)
        self._tasks[job.id] = asyncio.create_task(self._run(job.id, request))
        ended = [old.id for old in jobs if old.state != "running"]
        for old in ended[self._max_ended :]:
            del self._states[old], self._tasks[old]
        return job

    def list(self) -> IndexJobs:
        """List running jobs and the last ended ones."""
        return IndexJobs(jobs=tuple(state.job for state in reversed(self._states.values())))

    def get(self, id_: str) -> IndexJob:
        """Give a job by id.

        Raises:
            RequestRefusedError: there is no such job.
        """
        return self._state(id_).job

    def _state(self, id_: str) -> _JobState:
        if id_ not in self._states:
            raise RequestRefusedError(
                404, "no_such_job", "No such job, or it ended long ago.", "List jobs: GET /v1/index"
            )
        return self._states[id_]

    @property
    def is_running(self) -> bool:
        """Tell whether a job is running."""
        return any(state.job.state == "running" for state in self._states.values())

    async def cancel(self, id_: str) -> IndexJob:
        """Cancel a job between two files.

        Files indexed until then stay in the index.
        """
        if self.get(id_).state == "running":
            self._tasks[id_].cancel()
            with suppress(asyncio.CancelledError):
                await self._tasks[id_]
            self._update(id_, state="cancelled", ended=time())  # a task that had not begun cannot record it
        return self.get(id_)

    async def events(self, id_: str, may_read: Callable[[], bool] = lambda: True) -> AsyncIterator[bytes]:
        """Yield the state of a job as server-sent events until it has ended.

        They end earlier for a follower who may no longer read them.
        """
        number, state = 0, self._state(id_)
        while not self._is_closing and may_read():
            job, superseded = state.job, state.superseded
            number += 1
            name = "progress" if job.state == "running" else job.state
            shown = mask_outgoing(job, enabled=self._project.project.settings.ingest.mask_secrets)
            yield f"id: {number}\nevent: {name}\ndata: ".encode() + msgspec.json.encode(shown) + b"\n\n"
            if job.state != "running":
                return
            while not superseded.is_set() and may_read():
                try:
                    await asyncio.wait_for(superseded.wait(), _KEEPALIVE_SECONDS)
                except TimeoutError:
                    yield b": keep-alive\n\n"
            await asyncio.sleep(_MIN_EVENT_SECONDS)

    def close_streams(self) -> None:
        """End all event streams, so that open ones do not delay the end of the server."""
        self._is_closing = True
        for state in self._states.values():
            state.wake()

    async def close(self) -> None:
        """Cancel all jobs and end all streams."""
        self.close_streams()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, id_: str, request: IndexRequest) -> None:
        project = self._project.project

        def report(part: str) -> Progress:
            return lambda done, total, item: self._update(id_, **{part: JobProgress(done, total, item)})

        try:
            answer = await self._project.run(
                lambda reading, embedding, waiting: answer_index(project, request, reading, embedding, waiting),
                report("reading"),
                report("embedding"),
                lambda: self._update(id_, waiting=True),
            )
            self._update(id_, state="done", answer=answer, ended=time())
        except WaymeetError as error:
            self._update(id_, state="failed", failure=to_failure(error), ended=time())
        except asyncio.CancelledError:
            self._update(id_, state="cancelled", ended=time())
            raise
        except Exception:
            failure = Failure("mistake", 500, "Internal error.", "Please report it.")
            self._update(id_, state="failed", failure=failure, ended=time())
            raise

    def _update(self, id_: str, **fields: object) -> None:
        state = self._states.get(id_)
        if state is not None and state.job.state == "running":  # late progress must not reopen an ended job
            state.set(replace(state.job, **fields))
