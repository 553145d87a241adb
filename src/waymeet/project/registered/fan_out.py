"""Search several projects: an estimate for each, then the likeliest ones in full."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from math import ceil
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.errors import WaymeetError
from waymeet.formulas.selection import choose_likeliest
from waymeet.project.project import Project
from waymeet.project.registered.checks import ESTIMATE_SECONDS, SEARCH_SECONDS, FileChecks
from waymeet.project.registered.estimates import estimate_answer, find_unknown_words
from waymeet.project.registered.registry import RegisteredProject
from waymeet.settings import Layer, Shape
from waymeet.types import Answer, Degraded, Query

if TYPE_CHECKING:
    from waymeet.search.estimate import Estimate

_MAX_THREADS = 4
"""Projects that are searched at the same time."""
_FEW_FACTOR = 2
"""Up to so many times the projects that are searched of many, all are searched."""
_WORDS_FACTOR = 4
"""So many times the projects are searched if words alone tell which are likely, because vectors are missing."""
_MIN_EMBEDDING_SECONDS = 0.05
"""Time below which no section is embedded during a query: it does not suffice for a few."""


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
    estimate: float = 0.0
    """Estimated chance of an answer, if the project was not searched because others are likelier."""
    degraded: tuple[Degraded, ...] = ()
    """What limits the estimate of such a project."""


class _Opened(NamedTuple):
    """A project that can be searched."""

    entry: RegisteredProject
    project: Project
    query: Query
    degraded: tuple[Degraded, ...] | None
    """What the index lacks after it was compared with the files; None if it was not compared for this query."""


class FanOut:
    """Searches several projects in a few threads. Threads may share it."""

    def __init__(self, open_project: Callable[[RegisteredProject], Project]) -> None:
        self._open = open_project
        self._checks = FileChecks()
        self._lock = Lock()
        self._threads = max(min(_MAX_THREADS, os.cpu_count() or 1), 2)
        self._pool: ThreadPoolExecutor | None = None
        self._later: set[Future[None]] = set()

    def search(self, question: Question, entries: Sequence[RegisteredProject]) -> list[Searched]:
        """Search projects, the largest index first.

        All together have one time limit for changed files. Of many projects, only those are searched that are the
        likeliest to answer the query.
        """
        started = monotonic()
        if len(entries) == 1:
            return [self._search_entry(question, entries[0], 1, started)]
        number = self._count_searched(question, entries)
        if number == 0 or len(entries) <= _FEW_FACTOR * number:
            sizes = {entry.id: _index_size(entry) for entry in entries}
            ordered = sorted(entries, key=lambda entry: -sizes[entry.id])
            found = self._map(lambda entry: self._search_entry(question, entry, len(entries), started), ordered)
        else:
            found = self._search_likeliest(question, entries, number, started)
        by_name = {searched.name: searched for searched in found}
        return [by_name[entry.name] for entry in entries]

    def finish_checks(self) -> None:
        """Wait until the files of all projects are compared that are to be compared after an answer."""
        wait(tuple(self._later))

    def close(self) -> None:
        """End the threads."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None

    def _map(
        self, function: "Callable[[RegisteredProject], Searched]", entries: Iterable[RegisteredProject]
    ) -> list[Searched]:
        return list(self._start_pool().map(function, entries))

    def _start_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(self._threads, thread_name_prefix="waymeet-projects")
            return self._pool

    def _count_searched(self, question: Question, entries: Sequence[RegisteredProject]) -> int:
        """Compute how many projects are searched, 0 for all.

        The setting is the user's, so that all projects have the same. Facets count the results of all.
        """
        for entry in entries:
            try:
                project = self._open(entry)
            except WaymeetError:
                continue
            if question.make_query(project).facets:
                return 0
            return project.settings.projects.searched * ceil(question.limit / Shape().limit)
        return 0

    def _search_likeliest(
        self, question: Question, entries: Sequence[RegisteredProject], number: int, started: float
    ) -> list[Searched]:
        """Estimate which projects are the likeliest to answer, and search those."""
        opened: dict[str, _Opened] = {}
        failed: list[Searched] = []
        for entry in entries:
            try:
                opened[entry.id] = self._prepare(question, entry, started)
            except WaymeetError as error:
                failed.append(Searched(entry.name, error=error))
        estimates = self._estimate(question, opened.values())
        if any(estimate.is_by_words for estimate in estimates.values()):
            number *= _WORDS_FACTOR
        chances = {id_: estimates[id_].answered if id_ in estimates else 1.0 for id_ in opened}
        chosen = choose_likeliest(chances, number)
        searched = [opened[id_].entry for id_ in chosen]
        is_remote = any(opened[id_].project.address.is_server for id_ in chosen)
        # On this machine, threads were no faster: the projects are few, and their estimates are already in memory.
        found = (self._map if is_remote else _map_here)(
            lambda entry: self._search_opened(question, opened[entry.id], len(chosen), started), searched
        )
        others = [each for id_, each in opened.items() if id_ not in chosen]
        self._check_later(question, others)
        left_out = (
            Searched(each.entry.name, estimate=chances[each.entry.id], degraded=each.degraded or ()) for each in others
        )
        return [*failed, *found, *left_out]

    def _estimate(self, question: Question, opened: Iterable[_Opened]) -> "dict[str, Estimate]":
        """Estimate by id whether projects answer the query, without those whose estimate fails.

        If a word occurs in none of them, words are corrected in each.
        """
        opened = tuple(opened)
        is_remote = any(each.project.address.is_server for each in opened)
        run = self._start_pool().map if is_remote else map  # the answers of a server are waited for together
        estimates: dict[str, Estimate] = {}
        for corrected in (False, True):
            found = run(partial(_estimate_opened, question, corrected=corrected), opened)
            estimates = {
                each.entry.id: estimate for each, estimate in zip(opened, found, strict=True) if estimate is not None
            }
            if not find_unknown_words(estimates.values()):
                break
        return estimates

    def _prepare(self, question: Question, entry: RegisteredProject, started: float) -> _Opened:
        """Open a project for an estimate, and compare its files with the index if that is long ago.

        Raises:
            WaymeetError: it cannot be opened.
        """
        project = self._open(entry)
        query, degraded = question.make_query(project), None
        if question.refresh and self._checks.age(entry.id) >= ESTIMATE_SECONDS:
            degraded = self._checks.run(entry.id, project, _seconds_left(project, started), query.text)
        return _Opened(entry, project, query, degraded)

    def _search_entry(self, question: Question, entry: RegisteredProject, number: int, started: float) -> Searched:
        try:
            project = self._open(entry)
            opened = _Opened(entry, project, question.make_query(project), None)
        except WaymeetError as error:
            return Searched(entry.name, error=error)
        return self._search_opened(question, opened, number, started)

    def _search_opened(self, question: Question, opened: _Opened, number: int, started: float) -> Searched:
        """Search a project, after its files are compared with the index unless that was just done."""
        entry, project = opened.entry, opened.project
        is_checked = opened.degraded is not None or self._checks.age(entry.id) < SEARCH_SECONDS
        refresh = _seconds_left(project, started) if question.refresh and not is_checked else False
        over = (*_divide_embedding_time(project, number), *question.over)
        try:
            answer = project.search(opened.query, refresh=refresh, over=over)
        except WaymeetError as error:
            return Searched(entry.name, error=error)
        if refresh is not False:
            self._checks.note(entry.id, answer.degraded)
        elif question.refresh:
            others = (each for each in answer.degraded if each.code != "not_checked")
            answer = replace(answer, degraded=tuple(dict.fromkeys((*(opened.degraded or ()), *others))))
        return Searched(entry.name, answer)

    def _check_later(self, question: Question, others: Iterable[_Opened]) -> None:
        """Compare the files of projects that were not searched after the answer, for the next query."""
        for each in others:
            if question.refresh and self._checks.is_due(each.entry.id):
                later = self._start_pool().submit(self._checks.run_quietly, each.entry.id, each.project)
                self._later.add(later)
                later.add_done_callback(self._later.discard)


def _estimate_opened(question: Question, opened: _Opened, *, corrected: bool) -> "Estimate | None":
    """Estimate whether a project answers the query, or return None if that fails."""
    try:
        return estimate_answer(opened.project, opened.query, question.over, corrected=corrected)
    except WaymeetError:  # it is searched, and the search reports the error
        return None


def _map_here(
    function: Callable[[RegisteredProject], Searched], entries: Iterable[RegisteredProject]
) -> list[Searched]:
    return list(map(function, entries))


def _seconds_left(project: Project, started: float) -> float:
    """Give the time that is left for changed files."""
    return max(project.settings.ingest.refresh_seconds - (monotonic() - started), 0.0)


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
