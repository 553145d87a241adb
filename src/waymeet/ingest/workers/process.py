"""A worker process and the messages that it exchanges with this one.

Workers are plain processes rather than a pool of `multiprocessing`, which would import the program's main module again
and so run its code. A message is its length in 8 bytes and then its content. The first message of a worker is empty and
means that it is ready.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO


def write_message(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(len(content).to_bytes(8, "little") + content)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Read one message, or return None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    length = int.from_bytes(head, "little")
    content = stream.read(length)
    return content if len(content) == length else None


class WorkerProcess:
    """A worker process, and the thread that reads its messages."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.is_ready = False
        """Whether it has started to work."""
        self.is_late = False
        """Whether the time to wait for it has passed."""
        self._process = process
        self._is_closed = False
        self._messages: SimpleQueue[bytes | None] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def start(cls, code: str, **variables: str) -> "WorkerProcess | None":
        """Start a process that runs code of this package, or return None where that is not possible.

        `variables` are set in its environment.
        """
        if not sys.executable:
            return None
        own_path = str(Path(__file__).parents[3])
        path = os.pathsep.join(filter(None, (own_path, os.environ.get("PYTHONPATH"))))
        # -P: modules in the current folder, which is not trusted, must not be imported.
        # A new session: Ctrl-C must reach this process only, which then ends the worker.
        try:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path, **variables},
                start_new_session=True,
            )
        except OSError:
            return None
        return cls(process)

    def send(self, content: bytes) -> None:
        """Send a message, and leave it to `receive` to notice the death of the process."""
        if self._process.stdin:
            with suppress(OSError):
                write_message(self._process.stdin, content)

    @property
    def has_message(self) -> bool:
        """Whether `receive` has something to return at once."""
        return not self._messages.empty()

    def check_ready(self) -> bool:
        """Return whether it has started to work, without waiting."""
        if not self.is_ready and self.has_message:
            first = self._messages.get()
            self.is_ready = first == b""
            if not self.is_ready:
                self._messages.put(first)
        return self.is_ready

    def receive(self, seconds: float) -> bytes | None:
        """Wait for the next outcome, or return None if the process has died or is too slow."""
        try:
            message = self._messages.get(timeout=seconds)
            if message == b"":
                self.is_ready = True
                message = self._messages.get(timeout=seconds)
        except Empty:
            self.is_late = True
            return None
        return message

    def end(self) -> int:
        """End the process, if it has not ended by itself, and return its exit code."""
        if self._is_closed:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1.0)  # its output is closed, so it is about to end by itself
        self._process.kill()
        code = self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with suppress(OSError):  # unsent data cannot be flushed
                    stream.close()
        return code

    def _read(self) -> None:
        stream = self._process.stdout
        try:
            while stream and (message := read_message(stream)) is not None:
                self._messages.put(message)
        finally:
            self._is_closed = True
            self._messages.put(None)
