"""Embedding from commands: progress, consent to costs, and the background process."""

import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from waymeet.ingest.embed.job import Job, log_path, running_job
from waymeet.interfaces.cli.common import bars, call_once, format_count, format_duration, say
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

    with bars("Embedding") as (progress,):
        waiting = call_once(_say_waiting) if sys.stderr.isatty() else None
        return project.embed(progress, consent=consent, waiting=waiting)


def run_background_job(project: Project) -> int:
    """Embed at low priority with lines of progress, unless another process already does."""
    import os

    from waymeet.errors import BusyIndexError

    if hasattr(os, "nice"):
        os.nice(10)
    if running_job(project.index_path):
        say("Another process is already embedding.")
        return 0
    last_report = monotonic()

    def report_progress(done: int, total: int, item: str) -> None:
        nonlocal last_report
        del item
        if monotonic() - last_report >= _REPORT_SECONDS:
            last_report = monotonic()
            job = running_job(project.index_path)
            say(format_progress(job) if job else f"{done} of {total} sections")
            sys.stdout.flush()

    def refuse_to_wait() -> None:
        raise BusyIndexError("Another process is already embedding.")

    try:
        report = project.embed(report_progress, waiting=refuse_to_wait)
    except BusyIndexError as error:
        say(error.message)
        return 0
    print_report(report)
    return 3 if report.error else 0


def start_background_job(project: Project, *, quiet: bool) -> int:
    """Start a background process that embeds the rest, and wait until it has begun."""
    from waymeet.ingest.embed.background import start_embedding_process

    job = running_job(project.index_path)
    if job:
        say(f"Embedding is already running: {format_progress(job)}. For progress: waymeet status", err=quiet)
        return 0
    process = start_embedding_process(project.root, project.index_path, project.flags)
    deadline = monotonic() + _START_SECONDS
    while process.poll() is None and not running_job(project.index_path) and monotonic() < deadline:
        sleep(0.02)
    log = log_path(project.index_path)
    if process.poll():
        say(f"Embedding in the background failed. See {log}", err=True)
        return 3
    if process.poll() == 0:
        say("All sections are embedded.", err=quiet)
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
    '50 of 200 sections, 5/s, about 30 s left'
    """
    if not job.done or job.seconds_left is None:
        return "it has just started"
    return f"{job.done} of {job.total} sections, {job.rate:,.0f}/s, about {format_duration(job.seconds_left)} left"


def _confirm_cost(estimate: "Estimate") -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"{to_single_line(estimate.sentence())} Continue?", err=True)


def _say_waiting() -> None:
    click.echo("Another process is embedding this project; waiting for it to finish.", err=True)
