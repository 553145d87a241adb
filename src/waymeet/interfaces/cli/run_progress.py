"""Progress of an indexing run in words."""

from waymeet.interfaces.cli.common import format_duration
from waymeet.ports import RunProgress


def format_run(progress: RunProgress) -> str:
    """Format the progress of a run.

    >>> format_run(RunProgress(1, 50, 200, 1_000_000, 9_000_000, 400_000.0, 20.0))
    '50 of 200 files, 0.4 MB/s, about 20 s left'
    """
    left = "" if progress.seconds_left is None else f", about {format_duration(progress.seconds_left)} left"
    return f"{progress.files} of {progress.total_files} files, {progress.rate / 1e6:.1f} MB/s{left}"
