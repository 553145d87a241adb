"""Say on standard error what a command is doing, if it takes longer than two seconds.

On a terminal there are progress bars; these lines are for pipes, logs and agents, which would see nothing. The time is
`terminal.notice_seconds`.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import TracebackType
from typing import Self

import click

from waymeet.interfaces.render.text import to_single_line
from waymeet.ports import Progress
from waymeet.settings import Terminal, resolve, user_settings_file

_REPEAT_SECONDS = 30.0
"""Time between two further lines."""
Cancel = Callable[[], None]
StartTimer = Callable[[float, Callable[[], None]], Cancel]


def _start_timer(seconds: float, function: Callable[[], None]) -> Cancel:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer.cancel


class SlowNotice:
    """Writes a line about what a command is doing, again and again while the context is open."""

    def __init__(self, text: str, seconds: float, start_timer: StartTimer = _start_timer) -> None:
        """Write the first line after `seconds`, or none if they are 0.

        `start_timer` calls a function after some seconds and returns how to cancel that.
        """
        self.text = text
        self._seconds = seconds
        self._start_timer = start_timer
        self._cancel: Cancel = lambda: None
        self._is_open = True

    def progress(self, title: str) -> Progress:
        """Make a function that takes the progress of a task.

        With a total of 0, the item is the whole line.
        """

        def report(done: int, total: int, item: str) -> None:
            self.text = f"{title}: {done} of {total} so far." if total else item

        return report

    def _write(self) -> None:
        if not self._is_open:
            return
        click.echo(to_single_line(self.text), err=True)
        self._cancel = self._start_timer(_REPEAT_SECONDS, self._write)

    def __enter__(self) -> Self:
        if self._seconds:
            self._cancel = self._start_timer(self._seconds, self._write)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_open = False
        self._cancel()


def terminal_settings(flags: Iterable[str] = ()) -> Terminal:
    """Read the settings of the terminal for a command without a project, which cannot set them."""
    from waymeet.settings.sources import from_environment, from_file, from_flag

    user_file = user_settings_file()
    layers = (from_file(user_file, str(user_file)), *from_environment(os.environ), *map(from_flag, flags))
    return resolve(layers).terminal


@contextmanager
def say_if_slow(text: str, terminal: Terminal) -> Iterator[None]:
    """Say what the command is doing if it takes long, unless on a terminal."""
    if sys.stderr.isatty():
        yield
        return
    with SlowNotice(text, terminal.notice_seconds):
        yield
