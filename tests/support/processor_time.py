"""Limits on processor time, which other programs on the machine hardly change, unlike the time on the clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time


@contextmanager
def processor_seconds(limit: float) -> Iterator[None]:
    """Fail if the block takes more than `limit` seconds of processor time in this thread.

    Choose a limit far above what the block takes and far below what the mistake would take.
    """
    started = thread_time()
    yield
    used = thread_time() - started
    assert used < limit, f"{used:.1f} s of processor time, the limit is {limit:g} s"
