"""Which mapped files are what was written: small ones are looked through at once, the rest a little later.

A checksum runs at about 3 GB/s. Looking through everything before the first answer would cost a large index half its
start-up, so what exceeds a budget is left to a thread that waits until a short-lived process has ended, and to the
next `tidy`. What was found broken stays so, and is made anew by whoever asks for it next.
"""

from __future__ import annotations

from collections import deque
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING

from waymeet.stores.segments.array_file import BrokenContainerError

if TYPE_CHECKING:
    from waymeet.stores.segments.array_file import Container

_AT_ONCE = 128_000_000
"""Bytes that are looked through when they are mapped: about 40 ms, of 300 or more that a search of so much takes."""
_PATIENCE = 2.0
"""Seconds after which the rest is looked through in the background."""


class Trust:
    """Remembers what was looked through in this process."""

    def __init__(self, at_once: int = _AT_ONCE, patience: float = _PATIENCE) -> None:
        self._left = at_once
        self._patience = patience
        self._waiting: deque[Container] = deque()
        self._busy = Lock()
        self._thread: Thread | None = None
        self.broken: set[str] = set()
        """The names of files that are not what was written."""

    def admit(self, container: Container) -> None:
        """Look through a file that was just mapped, or put that off.

        Raises:
            BrokenContainerError: it is known not to be what was written.
        """
        name = container.path.name
        if name not in self.broken and container.size <= self._left:
            self._left -= container.size
            self._judge(container)
        elif name not in self.broken:
            self._waiting.append(container)
            self._start()
        if name in self.broken:
            raise BrokenContainerError("bytes in it changed since they were written")

    def finish(self) -> None:
        """Look through what was put off."""
        with self._busy:
            while self._waiting:
                container = self._waiting.popleft()
                self._judge(container)
                container.let_go()  # few of its pages are asked for, as a rule

    def _judge(self, container: Container) -> None:
        if not container.whole():
            self.broken.add(container.path.name)

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._later, name="waymeet-trust", daemon=True)
            self._thread.start()

    def _later(self) -> None:
        sleep(self._patience)
        self.finish()
