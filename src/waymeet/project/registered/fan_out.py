"""Search several projects in a few threads."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.errors import WaymeetError
from waymeet.project.project import Project
from waymeet.project.registered.registry import RegisteredProject
from waymeet.settings import Layer
from waymeet.types import Answer, Query

_MAX_THREADS = 4
"""Projects that are searched at the same time."""
_MIN_EMBEDDING_SECONDS = 0.05
"""Time below which no section is embedded during a query: it does not suffice for a few."""
_CHECK_SECONDS = 2.0
"""Time for which an index counts as up to date after its project's files were compared with it."""


class Question(NamedTuple):
    """What is asked of several projects."""

    make_query: Callable[[Project], Query]
    """Makes the query for a project, on whose folder and settings it may depend."""
    limit: int
    """Number of hits of the merged answer."""
    refresh: bool = True
    over: tuple[Layer, ...] = ()
    """Settings of this search only."""


class Searched(NamedTuple):
    """The answer of one project, or why there is none."""

    name: str
    answer: Answer | None = None
    error: WaymeetError | None = None


class FanOut:
    """Searches several projects in a few threads. Threads may share it."""

    def __init__(self, open_project: Callable[[RegisteredProject], Project]) -> None:
        self._open = open_project
        self._checked: dict[str, float] = {}
        """When the index of a project was last known to be up to date, by id."""
        self._lock = Lock()
        self._threads = max(min(_MAX_THREADS, os.cpu_count() or 1), 2)
        self._pool: ThreadPoolExecutor | None = None

    def search(self, question: Question, entries: Sequence[RegisteredProject]) -> list[Searched]:
        """Search projects, the largest index first.

        All together have one time limit for changed files.
        """
        started, number = monotonic(), len(entries)

        def search_one(entry: RegisteredProject) -> Searched:
            return self._search_one(question, entry, number, monotonic() - started)

        if number == 1:
            return [search_one(entries[0])]
        sizes = {entry.id: _index_size(entry) for entry in entries}
        ordered = sorted(entries, key=lambda entry: -sizes[entry.id])
        found = {searched.name: searched for searched in self._start_pool().map(search_one, ordered)}
        return [found[entry.name] for entry in entries]

    def close(self) -> None:
        """End the threads."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None

    def _start_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(self._threads, thread_name_prefix="waymeet-projects")
            return self._pool

    def _search_one(self, question: Question, entry: RegisteredProject, number: int, elapsed: float) -> Searched:
        try:
            project = self._open(entry)
            is_checked = monotonic() - self._checked.get(entry.id, float("-inf")) < _CHECK_SECONDS
            seconds = max(project.settings.ingest.refresh_seconds - elapsed, 0.0)
            refresh = seconds if question.refresh and not is_checked else False
            over = (*_divide_embedding_time(project, number), *question.over)
            answer = project.search(question.make_query(project), refresh=refresh, over=over)
        except WaymeetError as error:
            return Searched(entry.name, error=error)
        if question.refresh and is_checked:
            kept = tuple(each for each in answer.degraded if each.code != "not_checked")
            return Searched(entry.name, replace(answer, degraded=kept))
        if question.refresh and not any(each.stage == "freshness" for each in answer.degraded):
            self._checked[entry.id] = monotonic()
        return Searched(entry.name, answer)


def _index_size(entry: RegisteredProject) -> int:
    try:
        return entry.index_path.stat().st_size
    except OSError:
        return 0


def _divide_embedding_time(project: Project, number: int) -> tuple[Layer, ...]:
    """Divide the time for embedding sections during a query by the number of projects."""
    if number == 1:
        return ()
    seconds = project.settings.embedding.on_demand_seconds / number
    divided = seconds if seconds >= _MIN_EMBEDDING_SECONDS else 0.0
    return (Layer("several projects", {"embedding": {"on_demand_seconds": divided}}),)
