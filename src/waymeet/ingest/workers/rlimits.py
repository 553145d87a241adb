"""Limits of a worker process: processor time and memory for each file.

The limit is on processor time, not on elapsed time, so that no file fails on a busy machine. A timer whose signal has
no handler ends the process, also inside of C or Rust code. Where the system has no such timer (Windows), the supervisor
ends the process after the elapsed time.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BULKY_TIME_FACTOR = 4.0
"""Factor of the time limit for PDF, Word and notebooks: most of their bytes are not text."""
PLAIN_TIME_FACTOR = 2 / 3
"""Factor of the time limit for plain text."""
EXIT_OUT_OF_MEMORY = 99
"""Exit code of a worker that ran out of memory."""
HAS_TIMER = hasattr(signal, "setitimer")
_first_use: dict[str, int] = {}
"""Memory that this process used before its first file, in bytes."""


def prepare_process() -> None:
    """Disable core dumps, which hold file contents, and let the timer's signal end the process."""
    if HAS_TIMER:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def limit_resources(seconds: float, megabytes: int) -> Iterator[None]:
    """Limit processor time and memory in a context, and end this process above the limits."""
    _limit_memory(megabytes)
    if not HAS_TIMER:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _limit_memory(megabytes: int) -> None:
    """Limit memory to the present use plus the given amount, on Linux only."""
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - Windows has none

    with suppress(OSError, ValueError):
        descriptor = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            pages = int(os.read(descriptor, 100).split()[0])
        finally:
            os.close(descriptor)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        used, allowed = pages * resource.getpagesize(), megabytes * 1_000_000
        _first_use.setdefault("bytes", used)
        # Memory that each file leaves behind must not add up over many files.
        limit = min(used + allowed, _first_use["bytes"] + allowed * 3 // 2)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
