"""Index jobs: start, list, follow by server-sent events, cancel."""

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


class Jobs:
    """The index jobs of a server. Equal requests share one running job."""

    def __init__(self, project: AsyncProject, max_ended: int) -> None:
        self._project = project
        self._max_ended = max_ended
        self._jobs: dict[str, IndexJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed: dict[str, asyncio.Event] = {}
        self._closing = asyncio.Event()

    def start(self, request: IndexRequest) -> IndexJob:
        """Start a job, or give the running one with the same request."""
        for running in self._jobs.values():
            if running.state == "running" and running.request == request:
                return running
        job = IndexJob(id=secrets.token_hex(8), request=request, started=time())
        self._jobs[job.id], self._changed[job.id] = job, asyncio.Event()
        self._tasks[job.id] = asyncio.create_task(self._run(job.id, request))
        ended = [each.id for each in self._jobs.values() if each.state != "running"]
        for old in ended[: max(len(ended) - self._max_ended, 0)]:
            del self._jobs[old], self._changed[old]
            self._tasks.pop(old, None)
        return job

    def list(self) -> IndexJobs:
        """List running jobs and the last ended ones."""
        return IndexJobs(jobs=tuple(reversed(self._jobs.values())))

    def get(self, id_: str) -> IndexJob:
        """Give a job by id.

        Raises:
            RequestRefusedError: there is no such job.
        """
        if id_ not in self._jobs:
            raise RequestRefusedError(
                404, "no_such_job", "No such job, or it ended long ago.", "List jobs: GET /v1/index"
            )
        return self._jobs[id_]

    @property
    def is_running(self) -> bool:
        """Tell whether a job is running."""
        return any(each.state == "running" for each in self._jobs.values())

    async def cancel(self, id_: str) -> IndexJob:
        """Cancel a job between two files.

        Files indexed until then stay in the index.
        """
        if self.get(id_).state == "running":
            self._tasks[id_].cancel()
            with suppress(asyncio.CancelledError):
                await self._tasks[id_]
        return self.get(id_)

    async def events(self, id_: str) -> AsyncIterator[bytes]:
        """Yield the state of a job as server-sent events until it has ended."""
        number = 0
        while not self._closing.is_set():
            job, changed = self.get(id_), self._changed[id_]
            changed.clear()
            number += 1
            name = "progress" if job.state == "running" else job.state
            shown = mask_outgoing(job, enabled=self._project.project.settings.ingest.mask_secrets)
            yield f"id: {number}\nevent: {name}\ndata: ".encode() + msgspec.json.encode(shown) + b"\n\n"
            if job.state != "running":
                return
            while not changed.is_set():
                try:
                    await asyncio.wait_for(changed.wait(), _KEEPALIVE_SECONDS)
                except TimeoutError:
                    yield b": keep-alive\n\n"
            await asyncio.sleep(_MIN_EVENT_SECONDS)

    def close_streams(self) -> None:
        """End all event streams, so that open ones do not delay the end of the server."""
        self._closing.set()
        for changed in self._changed.values():
            changed.set()

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
        job = self._jobs.get(id_)
        if job is not None and job.state == "running":  # late progress must not reopen an ended job
            self._jobs[id_] = replace(job, **fields)
            self._changed[id_].set()
