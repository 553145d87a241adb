"""Background processes, such as the job that indexes and embeds the rest of a project."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Thread

from waymeet.ingest.embed.job import log_path
from waymeet.ingest.embed.job_queue import QueuedJob, next_job

_MAX_LOG_BYTES = 1_000_000
"""Size of a log above which the next process truncates it."""


def start_job(job: QueuedJob) -> "subprocess.Popen[bytes]":
    """Start a process that indexes and embeds the rest of a project.

    It is independent of this process. It stores by the settings of the index, so none are passed on.
    """
    index = Path(job.index)
    return start_process(["index", "--background-job"], Path(job.root), index, (), log_path(index), folder=job.folder)


def start_next_job() -> None:
    """Start the process of the first job that waits, if there is one."""
    job = next_job()
    if job:
        start_job(job)


def start_process(
    arguments: Iterable[str], root: Path, index: Path, flags: Iterable[str], log: Path, *, folder: str = ""
) -> "subprocess.Popen[bytes]":
    """Start this program as a background process for the same project.

    It has no terminal, and its output goes to a log file beside the index. It runs in `folder`, by default the current
    one, because settings may hold relative paths, but imports nothing from there (`-P`).
    """
    command = [sys.executable, "-P", "-m", "waymeet", *arguments, "--project", str(root)]
    command += ["--index", str(index), *(part for flag in flags for part in ("--set", flag))]
    windows = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    truncate = os.O_TRUNC if log.exists() and log.stat().st_size > _MAX_LOG_BYTES else 0
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | truncate, 0o600)
    try:
        process = subprocess.Popen(  # noqa: S603 - this program itself
            command,
            cwd=folder or None,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
            creationflags=windows,
        )
    finally:
        os.close(handle)
    Thread(target=process.wait, daemon=True).start()  # a server must not collect zombie processes
    return process
