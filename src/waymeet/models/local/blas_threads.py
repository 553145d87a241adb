"""Batches in parallel threads, with numpy's matrix products limited to one thread each.

BLAS starts as many threads as there are cores for every product. With one batch per core on top of that, threads would
outnumber cores and wait for each other.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController, threadpool_limits  # type: ignore[import-untyped]

_MAX_THREADS = 8  # more do not help: memory bandwidth is exhausted


class _Limit:
    """The one limit of this process, shared by all threads that compute vectors."""

    lock = Lock()
    users = 0
    limiter: "threadpool_limits | None" = None


def count_cores() -> int:
    """Count the threads worth starting in this process."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, _MAX_THREADS)


def make_batches(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Group texts, the longest first, into batches of at most so many tokens.

    A text longer than that gets a batch of its own.

    >>> make_batches([1, 5, 2, 2], 4)
    [[1], [2, 3], [0]]
    """
    batches: list[list[int]] = []
    free = 0
    for number in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        if lengths[number] > free:
            batches.append([])
            free = max(tokens, lengths[number])
        batches[-1].append(number)
        free -= lengths[number]
    return batches


def run_batches(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Run work on batches, as many at a time as there are cores."""
    with single_threaded_blas():
        if len(batches) == 1:  # a query: starting threads would only cost time
            work(batches[0])
        elif batches:
            # OpenBLAS built with OpenMP keeps one limit per thread, so every worker sets its own.
            with ThreadPoolExecutor(
                min(count_cores(), len(batches)), initializer=partial(_find_blas().limit, limits=1)
            ) as pool:
                list(pool.map(work, batches))


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread per product until the last concurrent user is done."""
    with _Limit.lock:
        if not _Limit.users:
            _Limit.limiter = _find_blas().limit(limits=1)
        _Limit.users += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.users -= 1
            if not _Limit.users and _Limit.limiter is not None:
                _release_control()
                _Limit.limiter.restore_original_limits()
                _release_control()


@cache
def detect_architecture() -> str:
    """Name the processor that OpenBLAS chose its kernels for, or nothing for another BLAS."""
    libraries = _find_blas().select(internal_api="openblas").lib_controllers
    return (libraries[0].architecture or "") if libraries else ""


@cache
def _find_blas() -> "ThreadpoolController":
    """Inspect the loaded libraries once (1 ms), as late as possible: the import takes longer."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - likewise

    del np  # loaded for its BLAS alone
    return ThreadpoolController().select(user_api="blas")


def _release_control() -> None:
    """Let this thread change limits that another thread set.

    Recent versions of threadpoolctl ignore all threads but the first that sets a limit of OpenBLAS. Here the last user
    restores the limit, whichever thread that is.
    """
    for library in _find_blas().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
