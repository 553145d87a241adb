"""The state of files when they were compared with the index, to see that nothing changed.

A folder's time changes with every file that is created, renamed or removed in it, and a file's with every write. So it
is enough to look at each of them once, without listing folders and without the ignore rules. A state is recorded only
if its time lies far enough before the comparison: a later change then has another time. This holds on local file
systems.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import Struct

from waymeet.ingest.discover.walk import FoundFile

_VERSION = 1
FINE_TICK_NS = 50_000_000
_COARSE_TICK_NS = 2_000_000_000
"""Resolution of times on file systems such as FAT."""
_MILLISECOND_NS = 1_000_000
_CHECKSUM_BYTES = 4


class PathState(Struct, frozen=True, array_like=True):
    """The state of a folder, or of an ignore file. A missing one has zeros."""

    path: str
    inode: int = 0
    size: int = 0
    modified_ns: int = 0
    changed_ns: int = 0
    """Time of the last change of content, name or permissions (ctime)."""


class FileState(Struct, frozen=True, array_like=True):
    """The state of a file in a folder."""

    name: str
    size: int
    modified_ns: int
    changed_ns: int


class FileStates(Struct, frozen=True):
    """The states of all folders, ignore files and files of a project."""

    circumstances: str
    """Digest of what the comparison depended on besides them."""
    paths: list[PathState]
    files: dict[str, list[FileState]]
    """By folder."""
    version: int = _VERSION

    def are_unchanged(self) -> bool:
        """Return whether all are as they were."""
        return all(map(_is_path_unchanged, self.paths)) and all(
            _are_files_unchanged(folder, files) for folder, files in self.files.items()
        )


def look_at(path: str) -> PathState:
    """Return the present state of a folder or file."""
    try:
        state = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - Path would cost more than the call
    except OSError:
        return PathState(path)
    return PathState(path, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


def _is_path_unchanged(path: PathState) -> bool:
    try:
        state = os.stat(path.path, follow_symlinks=False)  # noqa: PTH116 - likewise
    except OSError:
        return path.inode == 0
    return (
        state.st_ctime_ns == path.changed_ns
        and state.st_mtime_ns == path.modified_ns
        and state.st_ino == path.inode
        and state.st_size == path.size
    )


def _are_files_unchanged(folder: str, files: list[FileState]) -> bool:
    try:
        for file in files:
            state = os.stat(f"{folder}/{file.name}", follow_symlinks=False)  # noqa: PTH116 - likewise
            if state.st_ctime_ns != file.changed_ns or state.st_mtime_ns != file.modified_ns:
                return False
            if state.st_size != file.size:
                return False
    except OSError:
        return False
    return True


def collect_states(
    circumstances: str, paths: Iterable[PathState], files: Iterable[FoundFile], compared_ns: int
) -> FileStates | None:
    """Collect the states of a comparison, or None if one is too recent to be reliable."""
    paths, by_folder = list(paths), dict[str, list[FileState]]()
    for file in files:
        folder, name = os.path.split(file.absolute)
        by_folder.setdefault(folder, []).append(FileState(name, file.size, file.modified_ns, file.changed_ns))
    states = FileStates(circumstances, paths, by_folder)
    return None if any(_is_recent(changed_ns, compared_ns) for changed_ns in _times(states)) else states


def _times(states: FileStates) -> Iterator[int]:
    for path in states.paths:
        yield path.changed_ns
    for files in states.files.values():
        for file in files:
            yield file.changed_ns


def _is_recent(changed_ns: int, compared_ns: int) -> bool:
    """Return whether a change after the comparison could have the same time."""
    return changed_ns >= compared_ns - time_resolution(changed_ns)


def time_resolution(time_ns: int) -> int:
    """Return the time within which two writes may leave a file with the same time.

    It is taken to be short if the time has digits below a millisecond.
    """
    return _COARSE_TICK_NS if time_ns % _MILLISECOND_NS == 0 else FINE_TICK_NS


def read_states(file: Path) -> FileStates | None:
    """Read recorded states, or return None if there are none that can be used."""
    try:
        raw = file.read_bytes()
    except OSError:
        return None
    checksum, encoded = raw[:_CHECKSUM_BYTES], raw[_CHECKSUM_BYTES:]
    if crc32(encoded).to_bytes(_CHECKSUM_BYTES, "big") != checksum:  # not written completely before a power failure
        return None
    try:
        states = msgspec.msgpack.decode(encoded, type=FileStates)
    except msgspec.MsgspecError:
        return None
    return states if states.version == _VERSION else None


def write_states(file: Path, states: FileStates) -> None:
    """Record states in a file, replaced as a whole.

    Raises:
        OSError: the file cannot be written.
    """
    encoded = msgspec.msgpack.encode(states)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as output:  # noqa: PTH123 - a descriptor with the permissions of an index
            output.write(crc32(encoded).to_bytes(_CHECKSUM_BYTES, "big") + encoded)
        unfinished.replace(file)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
