"""The other end of `workers`: reads tasks from standard input and writes outcomes to standard output, in order.

A message is its length in 8 bytes and then its content. The process ends when nobody writes to it any more, so that
it does not outlive the run, however that ends.
"""

import sys
from typing import IO

from msgspec import Struct, msgpack

from waymeet.ingest.outcome import Outcome, Rules, Task, outcome


class Order(Struct, frozen=True):
    """Some tasks to be done."""

    rules: Rules
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


def main() -> None:
    """Work until there is nothing more to do."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever a parser may print must not get into the messages
    while (message := receive(source)) is not None:
        order = msgpack.decode(message, type=Order)
        send(sink, msgpack.encode([_encoded(outcome(task, order.rules)) for task in order.tasks]))


def _encoded(done: Outcome) -> bytes:
    """Pack an outcome; what cannot be packed, such as half a character, is left to the one who asked."""
    try:
        return msgpack.encode(done)
    except (UnicodeError, ValueError, TypeError):
        return b""
