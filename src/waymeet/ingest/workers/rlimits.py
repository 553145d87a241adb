"""What a worker process may use: time and memory for each file, after which the system itself ends it.

Time is that of the processor, not of the clock, so that a busy machine loses no files: a timer whose signal nobody
handles ends the process, whatever C or Rust it is in the middle of. Where the system has no such timer (Windows), the
one who waits ends it by the clock (`guard`).
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BULKY = 4.0
"""How many times as long reading PDF, Word and notebooks may take: most of their bytes are not text."""
PLAIN = 2 / 3
"""How much of the time is enough for plain text."""
TOO_MUCH_MEMORY = 99
"""The exit code of a worker that ran out of memory."""
_used_first: dict[str, int] = {}
"""How much memory this process used before its first file."""
BY_TIMER = hasattr(signal, "setitimer")


def settle() -> None:
    """Prepare this process: leave no dump of other people's files behind, and let the timer's signal end it."""
    if BY_TIMER:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def limited(seconds: float, megabytes: int) -> Iterator[None]:
    """Hold what is done inside to limits; this process does not survive their being passed."""
    _limit_memory(megabytes)
    if not BY_TIMER:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _limit_memory(megabytes: int) -> None:
    """Allow so much more memory than is in use now, where the system tells and can hold a process to it."""
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
        _used_first.setdefault("bytes", used)
        # What is left behind by one file must not add up over many.
        wanted = min(used + allowed, _used_first["bytes"] + allowed * 3 // 2)
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
