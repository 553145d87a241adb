"""Reserve standard input and output for messages, and end the process with its parent."""

import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import NamedTuple

_EXIT_SECONDS = 1.3
"""Seconds after which the process exits even if threads are still running."""
_POLL_SECONDS = 0.5


class Pipes(NamedTuple):
    """Descriptors for messages that nothing else uses."""

    incoming: int
    outgoing: int


def claim_pipes() -> Pipes:
    """Reserve standard input and output for messages, and redirect prints to standard error."""
    pipes = Pipes(os.dup(0), os.dup(1))  # duplicates are not inherited by child processes
    if sys.platform == "win32":
        import msvcrt

        for descriptor in pipes:
            msvcrt.setmode(descriptor, os.O_BINARY)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(null, 1)
    os.close(null)
    return pipes


def exit_soon() -> None:
    """Exit the process after a moment, even if a model or a lock blocks a thread."""
    sleep(_EXIT_SECONDS)
    os._exit(0)


def watch_parent(on_exit: Callable[[], None]) -> None:
    """Call `on_exit` and exit when the parent process ends.

    The parent's end of the pipe may stay open in another process, so the end of the input is not enough.
    """
    parent = os.getppid()
    if parent > 1 and sys.platform != "win32":  # on Windows, the parent's id does not change when it ends
        threading.Thread(target=_wait_for_parent, args=(parent, on_exit), name="waymeet-parent", daemon=True).start()


def _wait_for_parent(parent: int, on_exit: Callable[[], None]) -> None:
    with suppress(OSError, AttributeError):  # pidfd_open exists only on Linux; elsewhere poll
        descriptor = os.pidfd_open(parent)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if os.getppid() == parent:
            poll.poll()
    while os.getppid() == parent:
        sleep(_POLL_SECONDS)
    with suppress(RuntimeError):  # the event loop may be closed
        on_exit()
    exit_soon()
