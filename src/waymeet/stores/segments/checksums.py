"""Verification of mapped files by their checksums: small ones at once, the rest later.

CRC-32 runs at about 3 GB/s. To verify everything before the first result would double the start-up time of a large
index. So what exceeds a budget is left to a thread, which starts after most short-lived processes have ended, and to
the next `optimize`. A corrupt file stays marked and is rebuilt by the next read session.
"""

from __future__ import annotations

from collections import deque
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING

from waymeet.stores.segments.array_file import CorruptFileError

if TYPE_CHECKING:
    from waymeet.stores.segments.array_file import ArrayFile

_IMMEDIATE_BYTES = 40_000_000
"""Bytes verified when they are mapped, in about 13 ms: the postings of 100,000 sections."""
_DELAY_SECONDS = 2.0
"""Seconds after which the rest is verified in the background."""


class ChecksumVerifier:
    """Verifies mapped files, each once per process."""

    def __init__(self, immediate_bytes: int = _IMMEDIATE_BYTES, delay_seconds: float = _DELAY_SECONDS) -> None:
        self._budget = immediate_bytes
        self._delay = delay_seconds
        self._pending: deque[ArrayFile] = deque()
        self._lock = Lock()
        self._thread: Thread | None = None
        self.corrupt: set[str] = set()
        """The names of corrupt files."""

    def verify(self, file: ArrayFile) -> None:
        """Verify a file that was just mapped, or put it in the queue.

        Raises:
            CorruptFileError: the file is known to be corrupt.
        """
        name = file.path.name
        if name not in self.corrupt and file.size <= self._budget:
            self._budget -= file.size
            self._check(file)
        elif name not in self.corrupt:
            self._pending.append(file)
            self._start()
        if name in self.corrupt:
            raise CorruptFileError("its content does not match its checksum")

    def verify_pending(self) -> None:
        """Verify the files in the queue."""
        with self._lock:
            while self._pending:
                file = self._pending.popleft()
                self._check(file)
                file.release_pages()  # most of its pages are not needed by queries

    def _check(self, file: ArrayFile) -> None:
        if not file.is_intact():
            self.corrupt.add(file.path.name)

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._verify_later, name="waymeet-checksums", daemon=True)
            self._thread.start()

    def _verify_later(self) -> None:
        sleep(self._delay)
        self.verify_pending()
