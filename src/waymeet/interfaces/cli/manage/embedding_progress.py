"""What commands have to do with embedding: showing how far it is, asking before it costs money, doing it later."""

import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from waymeet.ingest.embed.job import Job, log_path, running_job
from waymeet.interfaces.cli.common import bars, call_once, say, format_count
from waymeet.interfaces.render.text import to_single_line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.models.remote.cost import Estimate

_START_SECONDS = 10.0
"""How long a process of its own may take to begin."""
_EVERY = 10.0
"""Seconds between two lines that tell how far a job without a terminal is."""


class _Question(Exception):  # noqa: N818 - a question, not an error
    """Somebody has to be asked."""

    def __init__(self, estimate: "Estimate") -> None:
        super().__init__(estimate.sentence())
        self.estimate = estimate


def embedded(project: Project, *, agreed: bool) -> "EmbeddingReport":
    """Embed what has no vector yet, showing how far it is; before it costs much money, somebody is asked."""
    try:
        return _embedded(project, agreed=agreed or None)
    except _Question as question:  # asked only now: bars would write over it
        return _embedded(project, agreed=_agrees(question.estimate))


def _embedded(project: Project, *, agreed: bool | None) -> "EmbeddingReport":
    def consent(estimate: "Estimate") -> bool:
        if agreed is None:
            raise _Question(estimate)
        return agreed

    with bars("Embedding") as (progress,):
        waiting = call_once(_say_waiting) if sys.stderr.isatty() else None
        return project.embed(progress, consent=consent, waiting=waiting)


def embedded_quietly(project: Project) -> int:
    """Embed as a process of its own does: of low priority, with a line now and then, and only if no other is at it."""
    import os

    from waymeet.errors import BusyIndexError

    if hasattr(os, "nice"):
        os.nice(10)
    if running_job(project.index_path):
        say("Another process is embedding already.")
        return 0
    last = monotonic()

    def told(done: int, total: int, item: str) -> None:
        nonlocal last
        del item
        if monotonic() - last >= _EVERY:
            last = monotonic()
            job = running_job(project.index_path)
            say(far(job) if job else f"{done} of {total} sections")
            sys.stdout.flush()

    def give_way() -> None:
        raise BusyIndexError("Another process is embedding already.")

    try:
        came = project.embed(told, waiting=give_way)
    except BusyIndexError as error:
        say(error.message)
        return 0
    tell(came)
    return 3 if came.error else 0


def in_background(project: Project, *, quiet: bool) -> int:
    """Have a process of its own embed the rest, and say what to look at; it is waited for until it has begun."""
    from waymeet.ingest.embed.background import start_embedding_process

    job = running_job(project.index_path)
    if job:
        say(f"It is being embedded already: {far(job)}. `waymeet status` shows how far it is.", err=quiet)
        return 0
    process = start_embedding_process(project.root, project.index_path, project.flags)
    until = monotonic() + _START_SECONDS
    while process.poll() is None and not running_job(project.index_path) and monotonic() < until:
        sleep(0.02)
    log = log_path(project.index_path)
    if process.poll():
        say(f"Embedding in the background failed; {log} says why.", err=True)
        return 3
    if process.poll() == 0:
        say("Everything is embedded.", err=quiet)
        return 0
    on = f"Embedding goes on in the background (process {process.pid}); `waymeet status` shows how far it is."
    say(on, err=quiet)
    return 0


def tell(came: "EmbeddingReport") -> None:
    """Say what came of embedding."""
    if came.embedded:
        rate = came.embedded / max(came.seconds, 1e-3)
        say(f"{format_count(came.embedded, 'section')} embedded in {came.seconds:.1f} s ({rate:,.0f}/s).")
    if came.failed:
        say(f"{format_count(came.failed, 'section')} got no usable vector; `waymeet status` says why.", err=True)
    for remark in came.warnings:
        say(to_single_line(remark), err=True)
    if came.error:
        left = f"{format_count(came.remaining, 'section')} without a vector: words and links find them."
        say(f"{to_single_line(came.error)}\n{left} {to_single_line(came.hint)}".rstrip(), err=True)


def far(job: Job) -> str:
    """Say how far a job is.

    >>> far(Job(pid=1, started=0.0, updated=10.0, done=50, total=200))
    '50 of 200 sections, 5/s, about 30 s left'
    """
    if not job.done or job.seconds_left is None:
        return "it has just begun"
    return f"{job.done} of {job.total} sections, {job.rate:,.0f}/s, about {_span(job.seconds_left)} left"


def _span(seconds: float) -> str:
    """Say how long something takes.

    >>> _span(4.2), _span(200), _span(9000)
    ('4 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _agrees(estimate: "Estimate") -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"{to_single_line(estimate.sentence())} Go on?", err=True)


def _say_waiting() -> None:
    click.echo("Another process is embedding this project; waiting for it to finish.", err=True)
