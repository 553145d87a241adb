"""The status page: contents and progress of the index, problems and settings in force."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from waymeet.interfaces.http.middleware import MAY_READ
from waymeet.interfaces.requests.operations.status import StatusAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.html import HEADERS, respond

if TYPE_CHECKING:
    from waymeet.interfaces.quality.saved_report import SavedReport

_RUNNING_SECONDS, _IDLE_SECONDS = 1.0, 5.0
"""Time between two looks at the status, while a job runs and else."""


class Progress(msgspec.Struct, frozen=True):
    """The progress that a status page follows."""

    generation: int
    documents: int
    sections: int
    embedded: int
    running: bool
    """Whether an embedding job runs, or the first run of indexing."""
    seconds_left: float | None = None


async def show_status(asker: Asker, request: Request) -> Response:
    """Show the status of the index and the settings in force."""
    answer = await asker.ask("status")
    everything = request.query_params.get("settings") == "all"
    settings = await asker.ask("settings", everything=everything)
    quality = asker.mask(await asyncio.to_thread(_load_quality, asker.project.root))
    values = {
        "query": "",
        "answer": answer,
        "progress": to_progress(answer),
        "settings": settings,
        "everything": everything,
        "quality": quality,
    }
    return respond("status.html", values)


def _load_quality(root: Path) -> "SavedReport | None":
    from waymeet.interfaces.quality.saved_report import load_report  # numpy, only when it is needed

    return load_report(root)


async def show_problems(asker: Asker, _request: Request) -> Response:
    """Show stale documents, broken links and orphans, which may take seconds to find."""
    return respond("problems.html", {"query": "", "problems": await asker.ask("problems")})


class StatusEvents:
    """Streams of server-sent events about the progress of the index."""

    def __init__(self) -> None:
        self._closing = asyncio.Event()

    def close(self) -> None:
        """End all streams."""
        self._closing.set()

    async def follow(self, asker: Asker, request: Request) -> Response:
        """Send the progress when it changes, for as long as the sender may read it."""
        headers = {name: value for name, value in HEADERS.items() if name != "Content-Security-Policy"}
        return StreamingResponse(
            self._events(asker, request.scope.get(MAY_READ, lambda: True)),
            headers=headers,
            media_type="text/event-stream",
        )

    async def _events(self, asker: Asker, may_read: Callable[[], bool]) -> AsyncIterator[bytes]:
        sent: Progress | None = None
        while not self._closing.is_set() and may_read():
            progress = to_progress(await asker.ask("status"))
            if progress != sent:
                yield b"event: progress\ndata: " + msgspec.json.encode(progress) + b"\n\n"
                sent = progress
            else:
                yield b": unchanged\n\n"  # notices that a client has gone
            seconds = _RUNNING_SECONDS if progress.running else _IDLE_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)


def to_progress(answer: StatusAnswer) -> Progress:
    """Select from a status what changes while a job runs."""
    status = answer.status
    if status is None:
        return Progress(generation=0, documents=0, sections=0, embedded=0, running=True)
    vectors, job = status.vectors, status.vectors.job
    return Progress(
        generation=status.generation,
        documents=status.counts.documents,
        sections=status.counts.chunks,
        embedded=vectors.embedded,
        running=job is not None,
        seconds_left=job.seconds_left if job else None,
    )
