"""Embedding from commands: progress, consent to costs, and the background process."""

import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from waymeet.ingest.embed.job import Job, JobReporter, log_path, running_job
from waymeet.interfaces.cli.common import bars, format_count, format_duration, report_waiting, say
from waymeet.interfaces.render.text import to_single_line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.models.remote.cost import Estimate

_START_SECONDS = 10.0
"""Time that the background process may take to start."""
_REPORT_SECONDS = 10.0
"""Interval between two lines of progress without a terminal."""


class _ConsentNeeded(Exception):  # noqa: N818 - a question, not an error
    """Embedding costs money, and the user has to agree."""

    def __init__(self, estimate: "Estimate") -> None:
        super().__init__(estimate.sentence())
        self.estimate = estimate


def embed_sections(project: Project, *, agreed: bool) -> "EmbeddingReport":
    """Embed sections without a vector, after asking if it costs much."""
    try:
        return _embed(project, agreed=agreed or None)
    except _ConsentNeeded as question:  # asked after the progress bar is closed, which would overwrite the question
        return _embed(project, agreed=_confirm_cost(question.estimate))


def _embed(project: Project, *, agreed: bool | None) -> "EmbeddingReport":
    def consent(estimate: "Estimate") -> bool:
        if agreed is None:
            raise _ConsentNeeded(estimate)
        return agreed

    with bars(project.settings.terminal, "Embedding") as (progress,):
        waiting = report_waiting(progress, "Another process is embedding this project; waiting for it to finish.")
        return project.embed(progress, consent=consent, waiting=waiting)


def run_background_job(project: Project) -> int:
    """Index and embed the rest at low priority, with lines of progress.

    If another project has its turn, nothing is done. At the end, the job of the next project in the queue is started.
    """
    import os
    import signal

    from waymeet.errors import BusyIndexError
    from waymeet.ingest.embed.background import start_next_job
    from waymeet.ingest.embed.job_queue import machine_turn
    from waymeet.project.embedding.background import queued_job

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the next job continues
    if hasattr(os, "nice"):
        os.nice(10)
    try:
        with machine_turn(queued_job(project.root, project.index_path), wait=False):
            code = _index_and_embed(project)
    except BusyIndexError as error:
        say(error.message)
        return 0
    start_next_job()
    return code


def _index_and_embed(project: Project) -> int:
    """Index what changed, then embed, unless other processes do."""
    from waymeet.errors import BusyIndexError, WaymeetError

    last_report = monotonic()

    def report_progress(done: int, total: int, item: str) -> None:
        nonlocal last_report
        del item
        if monotonic() - last_report >= _REPORT_SECONDS:
            last_report = monotonic()
            job = running_job(project.index_path)
            say(format_progress(job) if job else f"{done} of {total}")
            sys.stdout.flush()

    def refuse_to_wait() -> None:
        raise BusyIndexError("Another process does this already.")

    try:
        project.index(report_progress, None, refuse_to_wait, embed=False, by_index_settings=True)
        report = project.embed(report_progress, waiting=refuse_to_wait, by_index_settings=True)
    except BusyIndexError as error:
        say(error.message)
        return 0
    except WaymeetError as error:
        JobReporter(project.index_path).end(error.message)  # shown by `waymeet status`, and not tried again at once
        raise
    if not report.embedded:
        JobReporter(project.index_path).end(report.error)
    print_report(report)
    return 3 if report.error else 0


def start_background_job(project: Project, *, quiet: bool) -> int:
    """Start or queue a background job that embeds the rest, and wait until it has begun."""
    from waymeet.ingest.embed.job_queue import read_queue
    from waymeet.project.embedding.background import queued_job, request_job

    job = running_job(project.index_path)
    if job:
        say(f"Embedding is already running: {format_progress(job)}. For progress: waymeet status", err=quiet)
        return 0
    process = request_job(queued_job(project.root, project.index_path))
    if process is None:
        say("Another project is embedded first; this one is queued. For progress: waymeet status", err=quiet)
        return 0
    deadline = monotonic() + _START_SECONDS
    while process.poll() is None and not running_job(project.index_path) and monotonic() < deadline:
        sleep(0.02)
    if process.poll():
        say(f"Embedding in the background failed. See {log_path(project.index_path)}", err=True)
        return 3
    if process.poll() == 0:
        is_waiting = any(job.index == str(project.index_path) for job in read_queue().waiting)
        say("Another project is embedded first." if is_waiting else "All sections are embedded.", err=quiet)
        return 0
    say(f"Embedding continues in the background (process {process.pid}). For progress: waymeet status", err=quiet)
    return 0


def print_report(report: "EmbeddingReport") -> None:
    """Print the result of embedding."""
    if report.embedded:
        rate = report.embedded / max(report.seconds, 1e-3)
        say(f"{format_count(report.embedded, 'section')} embedded in {report.seconds:.1f} s ({rate:,.0f}/s).")
    if report.failed:
        say(f"{format_count(report.failed, 'section')} got no usable vector. See waymeet status", err=True)
    for warning in report.warnings:
        say(to_single_line(warning), err=True)
    if report.error:
        remaining = f"{format_count(report.remaining, 'section')} without a vector; text search still finds them."
        say(f"{to_single_line(report.error)}\n{remaining} {to_single_line(report.hint)}".rstrip(), err=True)


def format_progress(job: Job) -> str:
    """Format the progress of an embedding job.

    >>> format_progress(Job(pid=1, started=0.0, updated=10.0, done=50, total=200))
    '50 of 200 vectors, 5/s, about 30 s left'
    """
    if not job.done or job.seconds_left is None:
        return "it has just started"
    return f"{job.done} of {job.total} vectors, {job.rate:,.0f}/s, about {format_duration(job.seconds_left)} left"


def _confirm_cost(estimate: "Estimate") -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"{to_single_line(estimate.sentence())} Continue?", err=True)
