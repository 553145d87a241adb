"""Parsing on several cores: worker processes read, parse and analyse while this one writes to the store.

The workers are plain processes of our own rather than a pool of `multiprocessing`, which would import the program's
main module again, whatever that does. Tasks go round in a fixed order, so that the outcomes come back in theirs, and
only few are under way at a time, so that memory stays bounded. Where a worker cannot be started or dies, this process
does the work itself.
"""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from msgspec import msgpack

from waymeet.ingest.outcome import Outcome, Rules, Task, outcome
from waymeet.ingest.worker import Order, receive, send

FEWEST = 300
"""Files from which on starting a process is worth its while: about a second of work."""
_MOST_WORKERS = 4
_PORTION = 16
_AHEAD_FILES = 192
"""Files that may be under way: more than one transaction takes, so that the workers need not wait for it."""
_AHEAD_BYTES = 24_000_000
"""And how much text: memory stays bounded, whatever the files."""
_COMMAND = "from waymeet.ingest.worker import main; main()"


def outcomes(tasks: Sequence[Task], rules: Rules) -> Iterator[Outcome]:
    """Do tasks in their order, on several cores if there are many."""
    # As many as there are cores, although this process has work too: they often wait for it, and it for them.
    number = min(_cores(), _MOST_WORKERS) if len(tasks) >= FEWEST and _cores() > 1 else 0
    workers = [worker for _ in range(number) if (worker := _Worker.started())]
    if not workers:
        yield from (outcome(task, rules) for task in tasks)
        return
    try:
        yield from _ordered(tasks, rules, workers)
    finally:
        for worker in workers:
            worker.end()


def _ordered(tasks: Sequence[Task], rules: Rules, workers: list["_Worker"]) -> Iterator[Outcome]:
    under_way: deque[tuple[_Worker, Sequence[Task]]] = deque()
    files = size = 0
    for worker, portion in zip(cycle(workers), _portions(tasks), strict=False):
        worker.order(Order(rules, tuple(portion)))
        under_way.append((worker, portion))
        files, size = files + len(portion), size + _size(portion)
        while files > _AHEAD_FILES or size > _AHEAD_BYTES:
            done_by, done = under_way.popleft()
            files, size = files - len(done), size - _size(done)
            yield from _collected(done_by, done, rules)
    for each in under_way:
        yield from _collected(*each, rules)


def _collected(worker: "_Worker", tasks: Sequence[Task], rules: Rules) -> Iterator[Outcome]:
    """Take what a worker has done, and do what it could not."""
    for task, done in zip(tasks, worker.collect(len(tasks)), strict=True):
        yield msgpack.decode(done, type=Outcome) if done else outcome(task, rules)


def _portions(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    return (tasks[at : at + _PORTION] for at in range(0, len(tasks), _PORTION))


def _size(tasks: Iterable[Task]) -> int:
    return sum(task.size for task in tasks)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A process that parses, and the thread that takes from it what it has done."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._done: SimpleQueue[bytes | None] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def started(cls) -> "_Worker | None":
        """Start a worker; None where that cannot be done."""
        if not sys.executable:
            return None
        own = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))
        # -P: a module in the current folder, which may be a stranger's, must not be imported.
        # A session of its own: Ctrl-C is for this process, which then ends the worker.
        try:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-P", "-c", _COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )
        except OSError:
            return None
        return cls(process)

    def order(self, order: Order) -> None:
        """Hand over tasks."""
        try:
            message = msgpack.encode(order)
        except UnicodeError:  # a name with half a character: nothing is done then, and so all of it here
            message = msgpack.encode(Order(order.rules, ()))
        if self._process.stdin:
            with suppress(OSError):  # it has died; the reader tells
                send(self._process.stdin, message)

    def collect(self, number: int) -> list[bytes]:
        """Wait for the outcomes of the oldest order; empty ones stand for what was not done."""
        message = self._done.get()
        if message is None:
            self._done.put(None)  # for those who ask after the next order
            return [b""] * number
        found = msgpack.decode(message, type=list[bytes])
        return found if len(found) == number else [b""] * number

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with suppress(OSError):  # of what was not sent any more
                    stream.close()

    def _read(self) -> None:
        stream = self._process.stdout
        try:
            while stream and (message := receive(stream)) is not None:
                self._done.put(message)
        finally:
            self._done.put(None)
