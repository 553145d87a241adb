"""Supervision of a worker process: limits, restart after a crash, at most one file lost.

The workers are plain processes rather than a pool of `multiprocessing`, which would import the program's main module
again and so run its code.

The outcomes arrive in the order of the tasks, so that the file at which a worker dies is known. That file is tried
again as plain text, and rejected if that fails, too. A new worker continues with the remaining tasks.
"""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from msgspec import msgpack
from msgspec.structs import replace

from waymeet.ingest.filetypes import is_bulky
from waymeet.ingest.read.safe_read import Content
from waymeet.ingest.workers.rlimits import EXIT_OUT_OF_MEMORY, HAS_TIMER
from waymeet.ingest.workers.task import Outcome, ParseRules, Task, open_file, parse_content, parses_quickly, reject
from waymeet.ingest.workers.worker import TaskBatch, read_message, time_limit, write_message

_COMMAND = "from waymeet.ingest.workers.worker import main; main()"
_NO_WORKER = "no worker process could be started for it"
_KILLED = -9
_WAIT_FACTOR = 30.0
"""Elapsed time to wait for a file, as a multiple of its processor time: on a busy machine a process may wait long."""
_MIN_WAIT_SECONDS = 60.0
_WAIT_FACTOR_WITHOUT_TIMER = 4.0
"""The same on systems where the elapsed time is the only limit."""


class Supervisor:
    """Runs tasks in a worker process and starts a new one whenever it dies."""

    def __init__(self, rules: ParseRules) -> None:
        self._rules = rules
        self._pending: deque[Task] = deque()
        self._process = _WorkerProcess.start()
        self._killed = ""
        """The file at which a process was last killed from outside, which need not be the file's fault."""

    def submit(self, tasks: Sequence[Task]) -> None:
        """Send tasks to the process."""
        self._pending.extend(tasks)
        if self._process:
            self._process.send(TaskBatch(self._rules, tuple(tasks)))

    def collect(self) -> Outcome:
        """Wait for the outcome of the oldest task."""
        while self._process:
            task = self._pending[0]
            message = self._process.receive(self._wait_seconds(task))
            if message:
                self._pending.popleft()
                return msgpack.decode(message, type=Outcome)
            rejected = self._handle_death(task)
            if rejected:
                return rejected
        return self._run_here(self._pending.popleft())

    def end(self) -> None:
        """End the process at once."""
        if self._process:
            self._process.end()
            self._process = None

    def _handle_death(self, task: Task) -> Outcome | None:
        """Mark the file at which the process died for a retry or reject it, and start a new process."""
        process, self._process = self._process, None
        if process is None:
            return None
        code = process.end()
        if not process.is_ready:  # processes cannot be started here
            return None
        rejected = None
        if code == _KILLED and not process.is_late and self._killed != task.path:
            self._killed = task.path  # by the system or by a user, perhaps not because of the file
        elif not task.plain:
            self._pending[0] = replace(task, plain=self._cause(code, is_late=process.is_late))
        else:
            self._pending.popleft()
            rejected = reject(task, self._rules, task.plain)
        self._process = _WorkerProcess.start()
        if self._process:
            self._process.send(TaskBatch(self._rules, tuple(self._pending)))
        return rejected

    def _cause(self, code: int, *, is_late: bool) -> str:
        if is_late or (HAS_TIMER and code == -signal.SIGPROF):
            return f"takes more than {time_limit(self._pending[0], self._rules):g} s to parse"
        if code == EXIT_OUT_OF_MEMORY:
            return f"takes more than {self._rules.megabytes} MB to parse"
        if code < 0:
            with suppress(ValueError):
                return f"crashes its parser ({signal.Signals(-code).name})"
        return f"crashes its parser (exit code {code})"

    def _wait_seconds(self, task: Task) -> float:
        allowed = time_limit(task, self._rules)
        return max(allowed * _WAIT_FACTOR, _MIN_WAIT_SECONDS) if HAS_TIMER else allowed * _WAIT_FACTOR_WITHOUT_TIMER

    def _run_here(self, task: Task) -> Outcome:
        """Run a task in this process: parse quick files, and index all others as plain text."""
        opened = open_file(task, self._rules)
        if not isinstance(opened, Content):
            return opened
        if parses_quickly(task.path, opened.size):
            return parse_content(task, opened, self._rules)
        if is_bulky(task.path):
            return reject(task, self._rules, _NO_WORKER)
        return parse_content(replace(task, plain=task.plain or _NO_WORKER), opened, self._rules)


class _WorkerProcess:
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
    def start(cls) -> "_WorkerProcess | None":
        """Start a process, or return None where that is not possible."""
        if not sys.executable:
            return None
        own_path = str(Path(__file__).parents[3])
        path = os.pathsep.join(filter(None, (own_path, os.environ.get("PYTHONPATH"))))
        # -P: modules in the current folder, which is not trusted, must not be imported.
        # A new session: Ctrl-C must reach this process only, which then ends the worker.
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

    def send(self, batch: TaskBatch) -> None:
        """Send tasks, and leave it to `receive` to notice the death of the process."""
        if self._process.stdin and batch.tasks:
            with suppress(OSError):
                write_message(self._process.stdin, msgpack.encode(batch))

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
