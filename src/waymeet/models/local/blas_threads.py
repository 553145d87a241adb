"""Sharing the cores: while several batches are computed side by side, each product uses one thread."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ctypes import CDLL

_MOST = 8  # memory bandwidth ends the gain


class _Switch(NamedTuple):
    read: Callable[[], int]
    write: Callable[[int], object]


class _Users:
    """How many want single threads now, and what was set before the first of them."""

    count = 0
    before = 0


_lock = Lock()


def cores() -> int:
    """Say how many threads are worth starting in this process."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, _MOST)


def together(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Put texts together, the longest first, until there are enough tokens.

    >>> together([1, 5, 2, 2], 4)
    [[1], [2, 3], [0]]
    """
    batches: list[list[int]] = []
    room = 0
    for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if lengths[at] > room:
            batches.append([])
            room = max(tokens, lengths[at])
        batches[-1].append(at)
        room -= lengths[at]
    return batches


def side_by_side(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Work on batches, as many at a time as there are cores."""
    with one_thread_each():
        if len(batches) == 1:  # a question: threads would only cost
            work(batches[0])
        elif batches:
            with ThreadPoolExecutor(min(cores(), len(batches))) as pool:
                list(pool.map(work, batches))


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep numpy's matrix products to one thread each; without effect where its library offers no switch."""
    switch = _switch()
    if switch is None:
        yield
        return
    with _lock:
        if not _Users.count:
            _Users.before = switch.read()
            switch.write(1)
        _Users.count += 1
    try:
        yield
    finally:
        with _lock:
            _Users.count -= 1
            if not _Users.count:
                switch.write(_Users.before)


@cache
def core() -> str:
    """Name the kernels that numpy's matrix products use on this processor, as OpenBLAS does; else nothing."""
    import ctypes  # noqa: PLC0415 - only long work needs it

    asked = _asked("get_corename")
    if asked is None:
        return ""
    asked.restype = ctypes.c_char_p
    named: bytes = asked()
    return named.decode("ascii", "replace")


@cache
def _switch() -> _Switch | None:
    read, write = _asked("get_num_threads"), _asked("set_num_threads")
    return _Switch(read, write) if read and write else None


def _asked(function: str) -> Any:  # noqa: ANN401 - ctypes has no public type for it
    """Find a function of the OpenBLAS that comes with numpy."""
    names = (f"scipy_openblas_{function}64_", f"scipy_openblas_{function}", f"openblas_{function}")
    return next((getattr(each, name) for each in _libraries() for name in names if hasattr(each, name)), None)


@cache
def _libraries() -> "list[CDLL]":
    import ctypes  # noqa: PLC0415 - only long work needs it
    from pathlib import Path  # noqa: PLC0415 - likewise

    import numpy as np  # noqa: PLC0415 - likewise

    package = Path(np.__file__).parent
    beside = (package.parent / "numpy.libs", package / ".dylibs", package.parent / "numpy.dylibs")
    found = []
    for library in sorted(path for folder in beside for path in folder.glob("*openblas*")):
        with suppress(OSError):  # not for this machine: products then use their own threads
            found.append(ctypes.CDLL(str(library)))
    return found
