"""Supervision of a worker process: limits, restart after a crash, at most one file lost.

The outcomes arrive in the order of the tasks, so that the file at which a worker dies is known. That file is tried
again as plain text, and rejected if that fails, too. A new worker continues with the remaining tasks.
"""

import signal
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress

from msgspec import msgpack
from msgspec.structs import replace

from waymeet.ingest.filetypes import is_bulky
from waymeet.ingest.read.safe_read import Content
from waymeet.ingest.workers.process import WorkerProcess
from waymeet.ingest.workers.rlimits import EXIT_OUT_OF_MEMORY, HAS_TIMER
from waymeet.ingest.workers.task import Outcome, ParseRules, Task, open_file, parse_content, parses_quickly, reject
from waymeet.ingest.workers.worker import TaskBatch, time_limit

_COMMAND = "from waymeet.ingest.workers.worker import main; main()"
_ONE_THREAD = "1"
"""Threads of numpy's linear algebra, which a parser does not use. Each would count against its limit of memory."""
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
        self._process = WorkerProcess.start(_COMMAND, OPENBLAS_NUM_THREADS=_ONE_THREAD)
        self._killed = ""
        """The file at which a process was last killed from outside, which need not be the file's fault."""

    def submit(self, tasks: Sequence[Task]) -> None:
        """Send tasks to the process."""
        self._pending.extend(tasks)
        self._send(tasks)

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
        self._process = WorkerProcess.start(_COMMAND, OPENBLAS_NUM_THREADS=_ONE_THREAD)
        self._send(self._pending)
        return rejected

    def _send(self, tasks: Collection[Task]) -> None:
        if self._process and tasks:
            self._process.send(msgpack.encode(TaskBatch(self._rules, tuple(tasks))))

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
