"""Files of checkpoints: contents by digest, and a list of paths for each checkpoint.

A checkpoint exists as soon as its list does, which is written last and in one step. A content that several checkpoints
have is stored once.
"""

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.search.feedback.json_file import write_bytes, write_json

_LIST_SUFFIX = ".json"


class Checkpoint(Struct, frozen=True):
    """A saved state of all notes, tasks and skills."""

    name: str
    created_ns: int
    """Nanoseconds since 1970."""
    files: dict[str, str]
    """Digest of each file, by its path below the root."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Files that are not part of it, with the reason."""


class CheckpointFolder:
    """The folder of checkpoints. The caller holds the write lock to change it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._contents = folder / "contents"

    def save(self, checkpoint: Checkpoint, contents: Mapping[str, bytes]) -> None:
        """Save a checkpoint with its contents by digest.

        Raises:
            OSError: it cannot be written; then there is no such checkpoint.
        """
        self._contents.mkdir(mode=0o700, parents=True, exist_ok=True)
        for digest, raw in contents.items():
            file = self._contents / digest
            if not _has_digest(file, digest):  # also replaces a damaged file
                write_bytes(file, raw)
        write_json(self._list_file(checkpoint.name), checkpoint)

    def all(self) -> list[Checkpoint]:
        """List the checkpoints, the newest first.

        Raises:
            UsageError: one of them is damaged.
        """
        files = self._folder.glob(f"*{_LIST_SUFFIX}") if self._folder.is_dir() else ()
        checkpoints = [_read_list(file) for file in files]
        return sorted(checkpoints, key=lambda checkpoint: (-checkpoint.created_ns, checkpoint.name))

    def find(self, name: str) -> Checkpoint:
        """Find a checkpoint by its name.

        Raises:
            ItemNotFoundError: there is none of that name.
        """
        file = self._list_file(name)
        if not file.exists():
            newest = ", ".join(checkpoint.name for checkpoint in self.all()[:5])
            hint = f"The newest are {newest}." if newest else "To make one: waymeet checkpoint create"
            raise ItemNotFoundError(f"There is no checkpoint {name!r}.", hint)
        return _read_list(file)

    def exists(self, name: str) -> bool:
        """Tell whether there is a checkpoint of a name."""
        return self._list_file(name).exists()

    def content(self, digest: str) -> bytes:
        """Read a content, and check that it is what was saved.

        Raises:
            UsageError: it is missing or damaged.
        """
        file = self._contents / digest
        if not _has_digest(file, digest):
            hint = "Restore the other items one by one: waymeet note restore, or choose another checkpoint."
            raise UsageError(f"{file} of the checkpoint is missing or damaged.", hint)
        return file.read_bytes()

    def delete(self, name: str) -> Checkpoint:
        """Delete a checkpoint, and the contents that no other one has."""
        checkpoint = self.find(name)
        others = {digest for other in self.all() if other.name != name for digest in other.files.values()}
        self._list_file(name).unlink()
        for file in list(self._contents.iterdir()) if self._contents.is_dir() else ():
            if file.name not in others:
                file.unlink(missing_ok=True)
        return checkpoint

    def _list_file(self, name: str) -> Path:
        """Return the file of a name, which may have characters that a file name cannot have."""
        return self._folder / f"{digest_of(name.encode('utf-8', 'surrogatepass'))}{_LIST_SUFFIX}"


def digest_of(raw: bytes) -> str:
    """Compute the digest of a content.

    >>> digest_of(b"")
    '3345524abf6bbe1809449224b5972c41790b6cf2'
    """
    return blake2b(raw, digest_size=20).hexdigest()


def _has_digest(file: Path, digest: str) -> bool:
    try:
        return digest_of(file.read_bytes()) == digest
    except FileNotFoundError:
        return False


def _read_list(file: Path) -> Checkpoint:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Checkpoint)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Move it away to use the other checkpoints.") from error
