"""A worker process under guard: what it may use is limited, and whatever becomes of it costs no more than one file.

The workers are plain processes of our own rather than a pool of `multiprocessing`, which would import the program's
main module again, whatever that does.

The outcomes come in the order of the tasks, so that when a worker dies, it is known at which file. That file is tried
once more as plain text, and given up if that fails, too; a new worker goes on with the rest.
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
from waymeet.ingest.workers.rlimits import BY_TIMER, TOO_MUCH_MEMORY
from waymeet.ingest.workers.task import Outcome, ParseRules, Task, is_tame, opening, parsed, refused
from waymeet.ingest.workers.worker import Order, receive, seconds, send

_COMMAND = "from waymeet.ingest.workers.worker import main; main()"
_UNGUARDED = "no process with limits could be started for it"
_KILLED = -9
_PATIENCE = 30.0
"""How many times a file's time to wait for it by the clock: a process may get little of a busy machine."""
_LEAST_PATIENCE = 60.0
_HASTE = 4.0
"""The same where the clock is all there is to tell how long a process has worked."""


class Guarded:
    """Does tasks in another process, of which there is a new one whenever the last has died."""

    def __init__(self, rules: ParseRules) -> None:
        self._rules = rules
        self._pending: deque[Task] = deque()
        self._process = _Process.started()
        self._killed = ""
        """The file at which a process was last ended by somebody else, who may not have meant the file."""

    def order(self, tasks: Sequence[Task]) -> None:
        """Hand over tasks."""
        self._pending.extend(tasks)
        if self._process:
            self._process.send(Order(self._rules, tuple(tasks)))

    def collect(self) -> Outcome:
        """Wait for the outcome of the oldest task."""
        while self._process:
            task = self._pending[0]
            done = self._process.receive(self._patience(task))
            if done:
                self._pending.popleft()
                return msgpack.decode(done, type=Outcome)
            given_up = self._mourn(task)
            if given_up:
                return given_up
        return self._done_here(self._pending.popleft())

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._process:
            self._process.end()
            self._process = None

    def _mourn(self, task: Task) -> Outcome | None:
        """Judge the file at which the process died, and let a new one go on with the rest."""
        process, self._process = self._process, None
        if process is None:
            return None
        code = process.end()
        if not process.worked:  # it cannot be started at all, here and now
            return None
        given_up = None
        if code == _KILLED and not process.late and self._killed != task.path:
            self._killed = task.path  # by the system or by a person: that may have nothing to do with the file
        elif not task.plain:
            self._pending[0] = replace(task, plain=self._cause(code, late=process.late))
        else:
            self._pending.popleft()
            given_up = refused(task, self._rules, task.plain)
        self._process = _Process.started()
        if self._process:
            self._process.send(Order(self._rules, tuple(self._pending)))
        return given_up

    def _cause(self, code: int, *, late: bool) -> str:
        if late or (BY_TIMER and code == -signal.SIGPROF):
            return f"takes more than {seconds(self._pending[0], self._rules):g} s to parse"
        if code == TOO_MUCH_MEMORY:
            return f"takes more than {self._rules.megabytes} MB to parse"
        if code < 0:
            with suppress(ValueError):
                return f"ends its parser by {signal.Signals(-code).name}"
        return f"ends its parser with exit code {code}"

    def _patience(self, task: Task) -> float:
        allowed = seconds(task, self._rules)
        return max(allowed * _PATIENCE, _LEAST_PATIENCE) if BY_TIMER else allowed * _HASTE

    def _done_here(self, task: Task) -> Outcome:
        """Do a task without a process to do it in: understand what is tame, and take the rest for plain text."""
        opened = opening(task, self._rules)
        if not isinstance(opened, Content):
            return opened
        if is_tame(task.path, opened.size):
            return parsed(task, opened, self._rules)
        if is_bulky(task.path):
            return refused(task, self._rules, _UNGUARDED)
        return parsed(replace(task, plain=task.plain or _UNGUARDED), opened, self._rules)


class _Process:
    """A process that parses, and the thread that takes from it what it has done."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.worked = False
        """Whether it got as far as working."""
        self.late = False
        """Whether it was given up because of the clock."""
        self._process = process
        self._silent = False
        self._done: SimpleQueue[bytes | None] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def started(cls) -> "_Process | None":
        """Start a process; None where that cannot be done."""
        if not sys.executable:
            return None
        own = str(Path(__file__).parents[3])
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

    def send(self, order: Order) -> None:
        """Hand over an order; if the process has died, the one who waits for the outcome learns of it."""
        if self._process.stdin and order.tasks:
            with suppress(OSError):
                send(self._process.stdin, msgpack.encode(order))

    def receive(self, patience: float) -> bytes | None:
        """Wait for the next outcome; None if the process has died, or taken longer than anybody should wait."""
        try:
            done = self._done.get(timeout=patience)
            if done == b"":
                self.worked = True
                done = self._done.get(timeout=patience)
        except Empty:
            self.late = True
            return None
        return done

    def end(self) -> int:
        """End the process, if it has not ended by itself, and give its exit code."""
        if self._silent:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1.0)  # it has closed its end, and so is about to die by itself
        self._process.kill()
        code = self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with suppress(OSError):  # of what was not sent any more
                    stream.close()
        return code

    def _read(self) -> None:
        stream = self._process.stdout
        try:
            while stream and (message := receive(stream)) is not None:
                self._done.put(message)
        finally:
            self._silent = True
            self._done.put(None)
