"""What entries said before: a few past versions of each, kept beside the index.

An editor that asks nobody may overwrite what was written through the API a moment ago. That cannot be prevented, but it
need not be lost: every text that the API wrote or replaced can be brought back for a while.
"""

import os
from hashlib import blake2b
from pathlib import Path
from tempfile import mkstemp
from time import time_ns

from msgspec import Struct

from waymeet.notebook.atomic_replace import version_of


class PastVersion(Struct, frozen=True):
    """A version that an entry once was of."""

    version: str
    kept_ns: int
    """When it was kept, in nanoseconds."""
    size: int


class History:
    """Past versions of entries. Whoever keeps one holds the lock."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most

    def keep(self, path: str, raw: bytes) -> None:
        """Keep a version as the newest, and forget the oldest if there are too many."""
        if not self._most:
            return
        place, version = self._place(path), version_of(raw)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = mkstemp(dir=place)
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        Path(draft).replace(place / f"{time_ns():016x}-{version}")
        known: set[str] = set()
        for file_name in sorted((each.name for each in place.iterdir()), reverse=True):
            if file_name.partition("-")[2] in known or len(known) >= self._most or "-" not in file_name:
                (place / file_name).unlink(missing_ok=True)
            known.add(file_name.partition("-")[2])

    def versions(self, path: str) -> tuple[PastVersion, ...]:
        """List the versions that are kept, the newest first."""
        place = self._place(path)
        files = sorted(place.glob("*-*"), reverse=True) if place.is_dir() else []
        return tuple(
            PastVersion(file.name.partition("-")[2], int(file.name.partition("-")[0], 16), file.stat().st_size)
            for file in files
        )

    def recalled(self, path: str, version: str) -> bytes | None:
        """Give the content of a version, if it is kept."""
        found = sorted(self._place(path).glob(f"*-{version}")) if version.isalnum() else []
        return found[-1].read_bytes() if found else None

    def _place(self, path: str) -> Path:
        return self._folder / blake2b(path.encode(), digest_size=8).hexdigest()
