"""Standard input and output, taken for messages alone; and the end of the process together with its parent."""

import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import NamedTuple

_SURELY = 1.3
"""Seconds after which the process ends, whatever holds it up."""
_LOOK = 0.5


class Pipes(NamedTuple):
    """Where messages come from and go to, as descriptors that nothing else uses."""

    incoming: int
    outgoing: int


def claim_pipes() -> Pipes:
    """Take standard input and output for messages; what anybody prints from now on goes to standard error."""
    wires = Pipes(os.dup(0), os.dup(1))  # not inherited by processes that are started later
    if sys.platform == "win32":
        import msvcrt

        for wire in wires:
            msvcrt.setmode(wire, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    return wires


def end_surely() -> None:
    """End the process after a moment, even if a model or a lock keeps a thread from ending."""
    sleep(_SURELY)
    os._exit(0)


def watch_parent(gone: Callable[[], None]) -> None:
    """End when the process that started this one is no more, for its end of the pipe may outlive it; tell it first."""
    parent = os.getppid()
    if parent > 1 and sys.platform != "win32":  # there, a parent's number says nothing about its life
        threading.Thread(target=_outlived, args=(parent, gone), name="waymeet-parent", daemon=True).start()


def _outlived(parent: int, gone: Callable[[], None]) -> None:
    with suppress(OSError, AttributeError):  # only Linux can tell without asking again and again
        wire = os.pidfd_open(parent)
        waiting = select.poll()
        waiting.register(wire, select.POLLIN)
        if os.getppid() == parent:
            waiting.poll()
    while os.getppid() == parent:
        sleep(_LOOK)
    with suppress(RuntimeError):  # the loop may be gone already
        gone()
    end_surely()
