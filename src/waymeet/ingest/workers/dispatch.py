"""Distribution of tasks: small files are parsed in this process, others in workers.

A search that indexes three small changed files must not wait for a process to start. Files that may take long, by size
or type (`parses_quickly`), go to a worker process that can be ended (`supervisor`). If there are many files, several
workers read, parse and analyse them while this process writes to the store. Portions are assigned to workers in turn,
so that the outcomes come back in order, and few are in progress at a time, so that memory stays bounded.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from time import process_time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.ingest.workers.task import Outcome, ParseRules, Task, open_file, parse_content, parses_quickly, reject

if TYPE_CHECKING:
    from waymeet.ingest.workers.supervisor import Supervisor

MIN_PARALLEL_FILES = 300
"""Number of files from which several workers are started: about a second of work."""
_MIN_PARALLEL_BYTES = 3_000_000
"""The same as a total size."""
_MAX_SECONDS_HERE = 1.0
"""Processor time that this process spends on small files before it starts a worker, because they may be slow, too."""
_MAX_WORKERS = 4
_PORTION_FILES = 16
_MAX_PENDING_FILES = 192
"""Files in progress: more than one transaction holds, so that the workers need not wait for it."""
_MAX_PENDING_BYTES = 24_000_000
"""The same as a total size, to bound memory."""


def run_tasks(tasks: Sequence[Task], rules: ParseRules) -> Iterator[Outcome]:
    """Run tasks and yield their outcomes in order, on several cores if there are many."""
    # One worker per core, although this process works, too: they often wait for each other.
    number = min(_cores(), _MAX_WORKERS)
    if number > 1 and (len(tasks) >= MIN_PARALLEL_FILES or _size(tasks) >= _MIN_PARALLEL_BYTES):
        yield from _run_parallel(tasks, rules, number)
    else:
        yield from _run_sequential(tasks, rules)


def _run_sequential(tasks: Iterable[Task], rules: ParseRules) -> Iterator[Outcome]:
    """Run quick tasks in this process and the others in one worker, started on demand."""
    worker: Supervisor | None = None
    spent = 0.0
    try:
        for task in tasks:
            started = process_time()
            outcome = _run_here(task, rules, is_time_up=spent > _MAX_SECONDS_HERE)
            spent += process_time() - started
            if outcome is None:
                worker = worker or _start_worker(rules)
                worker.submit([task])
                outcome = worker.collect()
            yield outcome
    finally:
        if worker:
            worker.end()


def _start_worker(rules: ParseRules) -> "Supervisor":
    from waymeet.ingest.workers.supervisor import Supervisor  # noqa: PLC0415 - not needed for few files

    return Supervisor(rules)


def _run_here(task: Task, rules: ParseRules, *, is_time_up: bool) -> Outcome | None:
    """Run a task in this process, or return None if it needs a worker."""
    opened = open_file(task, rules)
    if isinstance(opened, Outcome):
        return opened
    if _is_sendable(task) and (is_time_up or not parses_quickly(task.path, opened.size)):
        return None
    try:
        return parse_content(task, opened, rules)
    except MemoryError:
        return reject(task, rules, "there is not enough memory to parse it")


def _run_parallel(tasks: Sequence[Task], rules: ParseRules, number: int) -> Iterator[Outcome]:
    workers = [_start_worker(rules) for _ in range(number)]
    try:
        yield from _run_in_turn(tasks, rules, workers)
    finally:
        for worker in workers:
            worker.end()


def _run_in_turn(tasks: Sequence[Task], rules: ParseRules, workers: "Sequence[Supervisor]") -> Iterator[Outcome]:
    pending: deque[tuple[Supervisor, Sequence[Task]]] = deque()
    files = size = 0
    for worker, portion in zip(cycle(workers), _portions(tasks), strict=False):
        worker.submit([task for task in portion if _is_sendable(task)])
        pending.append((worker, portion))
        files, size = files + len(portion), size + _size(portion)
        while files > _MAX_PENDING_FILES or size > _MAX_PENDING_BYTES:
            oldest_worker, oldest = pending.popleft()
            files, size = files - len(oldest), size - _size(oldest)
            yield from _collect(oldest_worker, oldest, rules)
    for pending_worker, portion in pending:
        yield from _collect(pending_worker, portion, rules)


def _collect(worker: "Supervisor", portion: Sequence[Task], rules: ParseRules) -> Iterator[Outcome]:
    for task in portion:
        yield worker.collect() if _is_sendable(task) else _run_unsendable(task, rules)


def _run_unsendable(task: Task, rules: ParseRules) -> Outcome:
    """Run a task in this process whose path cannot be sent to a worker, as plain text."""
    opened = open_file(task, rules)
    return (
        opened
        if isinstance(opened, Outcome)
        else parse_content(replace(task, plain="has a name that is not valid UTF-8"), opened, rules)
    )


def _is_sendable(task: Task) -> bool:
    """Return whether a path can be sent to a worker, as one without lone surrogates can."""
    try:
        task.path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _portions(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    return (tasks[start : start + _PORTION_FILES] for start in range(0, len(tasks), _PORTION_FILES))


def _size(tasks: Iterable[Task]) -> int:
    return sum(task.size for task in tasks)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
