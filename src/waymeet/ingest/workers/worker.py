"""The worker process: reads tasks from standard input, writes outcomes to standard output.

The message that it is ready is followed by one per task, in order, so that the supervisor knows which file the process
is working on. The process ends when the other end of either pipe is closed, so that it never outlives the run.
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from msgspec import Struct, msgpack

from waymeet.ingest.filetypes import is_bulky
from waymeet.ingest.workers.process import read_message, write_message
from waymeet.ingest.workers.rlimits import (
    BULKY_TIME_FACTOR,
    EXIT_OUT_OF_MEMORY,
    PLAIN_TIME_FACTOR,
    limit_resources,
    prepare_process,
)
from waymeet.ingest.workers.task import ParseRules, Task, run_task

_BULK_BYTES = 1_000_000
"""Bytes of files after which importing numpy pays: secrets are searched faster with it."""


class TaskBatch(Struct, frozen=True):
    """Tasks for a worker process, with the rules of the run."""

    rules: ParseRules
    tasks: tuple[Task, ...]


def time_limit(task: Task, rules: ParseRules) -> float:
    """Return the processor time of a task in seconds."""
    bulky = BULKY_TIME_FACTOR if is_bulky(task.path) else 1.0
    plain = PLAIN_TIME_FACTOR if task.plain else 1.0
    return rules.seconds * bulky * plain


def main() -> None:
    """Run tasks until the standard input ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # output of a parser must not get into the messages
    prepare_process()
    try:
        write_message(sink, b"")
        with Path(os.devnull).open("wb") as null:  # messages of a crashing parser must not get to the terminal
            os.dup2(null.fileno(), 2)
        size = 0
        while (message := read_message(source)) is not None:
            batch = msgpack.decode(message, type=TaskBatch)
            for task in batch.tasks:
                if size <= _BULK_BYTES < size + task.size:
                    import_module("numpy")  # outside of the limits of a file
                size += task.size
                write_message(sink, _run_limited(task, batch.rules))
    except MemoryError:
        os._exit(EXIT_OUT_OF_MEMORY)
    except (BrokenPipeError, KeyboardInterrupt):  # the supervisor is gone
        os._exit(1)


def _run_limited(task: Task, rules: ParseRules) -> bytes:
    with limit_resources(time_limit(task, rules), rules.megabytes):
        return msgpack.encode(run_task(task, rules))
