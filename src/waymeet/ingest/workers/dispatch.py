"""Who parses: this process what little can be done at once, and worker processes all the rest.

A search that takes in three small files must not wait for a process to start. Everything that may take long, by its
size or its kind (`tame`), is left to a process that can be ended (`guard`), and when there is much to do, to several,
which read, parse and analyse while this one writes to the store. Tasks go round in a fixed order, so that the outcomes
come back in theirs, and only few are under way at a time, so that memory stays bounded.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from time import process_time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.ingest.workers.task import Outcome, ParseRules, Task, is_tame, opening, parsed, refused

if TYPE_CHECKING:
    from waymeet.ingest.workers.supervisor import Guarded

FEWEST = 300
"""Files from which on several processes are worth starting: about a second of work."""
_MUCH = 3_000_000
"""And how much text, however few the files."""
_AT_ONCE = 1.0
"""Seconds of work that this process does itself before it calls for help: many small files may be slow ones, too."""
_MOST_WORKERS = 4
_PORTION = 16
_AHEAD_FILES = 192
"""Files that may be under way: more than one transaction takes, so that the workers need not wait for it."""
_AHEAD_BYTES = 24_000_000
"""And how much text: memory stays bounded, whatever the files."""


def run_tasks(tasks: Sequence[Task], rules: ParseRules) -> Iterator[Outcome]:
    """Do tasks in their order, on several cores if there is much to do."""
    # As many as there are cores, although this process has work too: they often wait for it, and it for them.
    number = min(_cores(), _MOST_WORKERS)
    if number > 1 and (len(tasks) >= FEWEST or _size(tasks) >= _MUCH):
        yield from _by_several(tasks, rules, number)
    else:
        yield from _by_few(tasks, rules)


def _by_few(tasks: Iterable[Task], rules: ParseRules) -> Iterator[Outcome]:
    """Do what is quick here, and the rest in one process, which is started when it is first needed."""
    guarded: Guarded | None = None
    spent = 0.0
    try:
        for task in tasks:
            began = process_time()
            done = _done_here(task, rules, hurried=spent > _AT_ONCE)
            spent += process_time() - began
            if done is None:
                guarded = guarded or _guarded(rules)
                guarded.order([task])
                done = guarded.collect()
            yield done
    finally:
        if guarded:
            guarded.end()


def _guarded(rules: ParseRules) -> "Guarded":
    from waymeet.ingest.workers.supervisor import Guarded  # noqa: PLC0415 - a search that takes in little needs no processes

    return Guarded(rules)


def _done_here(task: Task, rules: ParseRules, *, hurried: bool) -> Outcome | None:
    """Do a task in this process; None if it is better done in another."""
    opened = opening(task, rules)
    if isinstance(opened, Outcome):
        return opened
    if _is_sendable(task) and (hurried or not is_tame(task.path, opened.size)):
        return None
    try:
        return parsed(task, opened, rules)
    except MemoryError:
        return refused(task, rules, "there is not enough memory to parse it")


def _by_several(tasks: Sequence[Task], rules: ParseRules, number: int) -> Iterator[Outcome]:
    workers = [_guarded(rules) for _ in range(number)]
    try:
        yield from _ordered(tasks, rules, workers)
    finally:
        for worker in workers:
            worker.end()


def _ordered(tasks: Sequence[Task], rules: ParseRules, workers: "Sequence[Guarded]") -> Iterator[Outcome]:
    under_way: deque[tuple[Guarded, Sequence[Task]]] = deque()
    files = size = 0
    for worker, portion in zip(cycle(workers), _portions(tasks), strict=False):
        worker.order([task for task in portion if _is_sendable(task)])
        under_way.append((worker, portion))
        files, size = files + len(portion), size + _size(portion)
        while files > _AHEAD_FILES or size > _AHEAD_BYTES:
            done_by, done = under_way.popleft()
            files, size = files - len(done), size - _size(done)
            yield from _collected(done_by, done, rules)
    for each in under_way:
        yield from _collected(*each, rules)


def _collected(worker: "Guarded", portion: Sequence[Task], rules: ParseRules) -> Iterator[Outcome]:
    for task in portion:
        yield worker.collect() if _is_sendable(task) else _plainly(task, rules)


def _plainly(task: Task, rules: ParseRules) -> Outcome:
    """Do a task whose name cannot be told to another process."""
    opened = opening(task, rules)
    return opened if isinstance(opened, Outcome) else parsed(replace(task, plain="has an odd name"), opened, rules)


def _is_sendable(task: Task) -> bool:
    """Tell whether a path can be told to another process: half a character cannot."""
    try:
        task.path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _portions(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    return (tasks[at : at + _PORTION] for at in range(0, len(tasks), _PORTION))


def _size(tasks: Iterable[Task]) -> int:
    return sum(task.size for task in tasks)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
