"""The history of items: a few past versions of each, saved next to the index.

An editor may overwrite a text that was written through the API a moment ago. That cannot be prevented, because editors
take no lock. But every text that the API wrote or replaced can be restored for a while.
"""

import os
from hashlib import blake2b
from pathlib import Path
from tempfile import mkstemp
from time import time_ns

from msgspec import Struct

from waymeet.notebook.atomic_replace import version_of


class PastVersion(Struct, frozen=True):
    """A past version of an item."""

    version: str
    kept_ns: int
    """The time at which it was saved, in nanoseconds."""
    size: int


class History:
    """Past versions of items. The caller holds the write lock to save one."""

    def __init__(self, folder: Path, max_versions: int) -> None:
        self._folder = folder
        self._max_versions = max_versions

    def save(self, path: str, raw: bytes) -> None:
        """Save a version as the newest, and remove the oldest above the limit."""
        if not self._max_versions:
            return
        folder, version = self._folder_of(path), version_of(raw)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        Path(draft).replace(folder / f"{time_ns():016x}-{version}")
        versions: set[str] = set()
        for file_name in sorted((file.name for file in folder.iterdir()), reverse=True):
            saved_version = file_name.partition("-")[2]
            if saved_version in versions or len(versions) >= self._max_versions or "-" not in file_name:
                (folder / file_name).unlink(missing_ok=True)
            versions.add(saved_version)

    def list_versions(self, path: str) -> tuple[PastVersion, ...]:
        """List the saved versions of an item, the newest first."""
        folder = self._folder_of(path)
        files = sorted(folder.glob("*-*"), reverse=True) if folder.is_dir() else []
        return tuple(
            PastVersion(file.name.partition("-")[2], int(file.name.partition("-")[0], 16), file.stat().st_size)
            for file in files
        )

    def load(self, path: str, version: str) -> bytes | None:
        """Load the content of a version, or None if it is not saved."""
        files = sorted(self._folder_of(path).glob(f"*-{version}")) if version.isalnum() else []
        return files[-1].read_bytes() if files else None

    def _folder_of(self, path: str) -> Path:
        return self._folder / blake2b(path.encode(), digest_size=8).hexdigest()
