"""The other end of `guard`: reads tasks from standard input and writes outcomes to standard output, one by one.

A message is its length in 8 bytes and then its content. The first one is empty and says that work can begin. Then
comes one for each task, in their order, so that the one who asked always knows which file this process is at. It ends
when nobody writes to it or listens any more, so that it does not outlive the run, however that ends.
"""

import os
import sys
from pathlib import Path
from typing import IO

from msgspec import Struct, msgpack

from waymeet.ingest.filetypes import is_bulky
from waymeet.ingest.workers.rlimits import BULKY, PLAIN, TOO_MUCH_MEMORY, limited, settle
from waymeet.ingest.workers.task import ParseRules, Task, outcome


class Order(Struct, frozen=True):
    """Some tasks to be done."""

    rules: ParseRules
    tasks: tuple[Task, ...]


def send(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(len(content).to_bytes(8, "little") + content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    length = int.from_bytes(head, "little")
    content = stream.read(length)
    return content if len(content) == length else None


def seconds(task: Task, rules: ParseRules) -> float:
    """Say how long a task may take."""
    return rules.seconds * (BULKY if is_bulky(task.path) else 1.0) * (PLAIN if task.plain else 1.0)


def main() -> None:
    """Work until there is nothing more to do."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever a parser may print must not get into the messages
    settle()
    try:
        send(sink, b"")
        with Path(os.devnull).open("wb") as nowhere:  # what a parser says when it dies is not for the terminal
            os.dup2(nowhere.fileno(), 2)
        while (message := receive(source)) is not None:
            order = msgpack.decode(message, type=Order)
            for task in order.tasks:
                send(sink, _done(task, order.rules))
    except MemoryError:
        os._exit(TOO_MUCH_MEMORY)
    except (BrokenPipeError, KeyboardInterrupt):  # the one who asked has died: nobody is left to tell
        os._exit(1)


def _done(task: Task, rules: ParseRules) -> bytes:
    with limited(seconds(task, rules), rules.megabytes):
        return msgpack.encode(outcome(task, rules))
