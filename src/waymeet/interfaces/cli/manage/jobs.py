"""`waymeet jobs`."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from waymeet.ingest.embed.job import running_job
from waymeet.ingest.embed.job_queue import Queue, QueuedJob, dequeue, read_queue
from waymeet.interfaces.cli.common import json_option, open_project, print_json, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage.embedding_progress import format_progress

_EPILOG = manual(
    """
    waymeet jobs              what is running, and what waits
    waymeet jobs --stop       end the job of this project
    waymeet jobs --stop-all   end all jobs
    """,
    exits={0: "done"},
    see="waymeet status, waymeet index --background",
)


class JobLine(Struct, frozen=True):
    """A background job, as it is printed."""

    project: str
    pid: int
    """The process that works on it; 0 while it waits."""
    done: int = 0
    total: int = 0
    """Vectors that were made in this run, and those that were missing at its start."""
    progress: str = ""


@click.command(epilog=_EPILOG)
@click.option("--stop", is_flag=True, help="End the job of this project.")
@click.option("--stop-all", is_flag=True, help="End the running job and remove all that wait.")
@project_options
@json_option
def command(
    stop: bool, stop_all: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int:
    """List the background jobs of all projects.

    They index and embed what a search had no time for. One works at a time on this machine, at low priority; the
    others wait for their turn. A job that was ended loses nothing: what it stored is kept, and the next one continues.
    A search may start another one after a minute. To forbid them, set `embedding.background` to false.
    """
    queue = read_queue()
    if stop_all:
        ended = _stop([*queue.waiting, *filter(None, [queue.running])])
        say(ended or "No background job is running or queued.", err=as_json)
    elif stop:
        with open_project(root, index, flags) as project:
            own = str(project.index_path)
        ended = _stop([job for job in (*queue.waiting, *filter(None, [queue.running])) if job.index == own])
        say(ended or "No background job of this project is running or queued.", err=as_json)
    lines = list(_list_jobs(read_queue() if stop or stop_all else queue))
    if as_json:
        print_json({"jobs": lines})
    elif not (stop or stop_all):
        say("\n".join(map(_describe, lines)) or "No background job is running or queued.")
    return 0


def _stop(jobs: list[QueuedJob]) -> str:
    """End running jobs and remove waiting ones, and describe what was done."""
    removed = [job for job in jobs if not job.pid]
    for job in removed:
        dequeue(Path(job.index))
    texts = [f"Removed from the queue: {job.root}" for job in removed]
    for job in jobs:
        if job.pid:
            os.kill(job.pid, signal.SIGTERM)
            texts.append(f"Process {job.pid} was ended. What it stored so far is kept: {job.root}")
    return "\n".join(texts)


def _list_jobs(queue: Queue) -> Iterator[JobLine]:
    """List the running job and those that wait, in their order."""
    if queue.running:
        job = running_job(Path(queue.running.index))
        progress = format_progress(job) if job else "indexing changed files"
        done, total = (job.done, job.total) if job else (0, 0)
        yield JobLine(queue.running.root, queue.running.pid, done, total, progress)
    yield from (JobLine(job.root, 0) for job in queue.waiting)


def _describe(job: JobLine) -> str:
    if not job.pid:
        return f"waiting                 {job.project}"
    return f"{f'process {job.pid}':<23} {job.project}: {job.progress}"
