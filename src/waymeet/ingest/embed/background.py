"""A process of its own for the embedding job, for when nobody wants to wait."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Thread

from waymeet.ingest.embed.job import log_path

_LONG = 1_000_000
"""Bytes of a log after which it is begun anew."""


def start_embedding_process(root: Path, index: Path, flags: Iterable[str]) -> "subprocess.Popen[bytes]":
    """Start a process that embeds the rest and ends by itself, whatever becomes of this one."""
    return start_process(["index", "--only-embed"], root, index, flags, log_path(index))


def start_process(
    arguments: Iterable[str], root: Path, index: Path, flags: Iterable[str], log: Path
) -> "subprocess.Popen[bytes]":
    """Start this very program as a process of its own for the same project.

    It belongs to no terminal, and what it has to say goes into a file beside the index. It stands where this one does,
    for settings may name folders from here, but imports nothing that lies there (`-P`).
    """
    command = [sys.executable, "-P", "-m", "waymeet", *arguments, "--project", str(root)]
    command += ["--index", str(index), *(part for flag in flags for part in ("--set", flag))]
    windows = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    anew = os.O_TRUNC if log.exists() and log.stat().st_size > _LONG else 0
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | anew, 0o600)
    try:
        started = subprocess.Popen(  # noqa: S603 - this very program
            command,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
            creationflags=windows,
        )
    finally:
        os.close(handle)
    Thread(target=started.wait, daemon=True).start()  # one that stays must not collect the dead
    return started
