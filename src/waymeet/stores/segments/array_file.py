"""Named arrays in one file: written beside, synced, renamed; read by mapping it into memory.

The file is `WYMSEG02`, the length and the checksum of a JSON header, the header, and the arrays, each at a multiple of
64 bytes. The header says of what type and how long every array is, holds a few facts, and the checksum of all arrays,
by which a flipped byte is found. Numbers are little-endian.
"""

from __future__ import annotations

import mmap
import os
import sys
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


MAGIC = b"WYMSEG02"
_ALIGN = 64
_PREFIX = len(MAGIC) + 16
_DTYPES = {"B": "u1", "I": "<u4", "Q": "<u8", "f": "<f4", "d": "<f8"}
_SIZES = {"B": 1, "I": 4, "Q": 8, "f": 4, "d": 8}


class BrokenContainerError(Exception):
    """A file is not what was written."""


class _Header(Struct, frozen=True):
    arrays: dict[str, tuple[str, int, int]]
    """Type, offset behind the header, and number of items, by name."""
    facts: dict[str, Any]
    checksum: int
    """Of what is behind the header."""
    size: int
    """Bytes behind the header."""


def write(path: Path, arrays: Mapping[str, tuple[str, NDArray[Any]]], facts: Mapping[str, Any]) -> int:
    """Write arrays, each given with its type (`B`, `I`, `Q`, `f` or `d`), and give the size of the file.

    The file appears under its name complete and on disk, or not at all.
    """
    places, pieces, size, checksum = {}, [], 0, 0
    for name, (kind, array) in arrays.items():
        gap, content = bytes(-size % _ALIGN), array.astype(_DTYPES[kind], order="C", copy=False)
        places[name] = (kind, size + len(gap), len(content))
        for piece in (gap, content.data):  # arrays may be large: none of them is copied
            checksum = crc32(piece, checksum)
            pieces.append(piece)
            size += piece.nbytes if isinstance(piece, memoryview) else len(piece)
    header = msgspec.json.encode(_Header(places, dict(facts), checksum, size))
    header += b" " * (-(_PREFIX + len(header)) % _ALIGN)
    unfinished = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(MAGIC + len(header).to_bytes(8, "little") + crc32(header).to_bytes(8, "little") + header)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return _PREFIX + len(header) + size


def sync_folder(folder: Path) -> None:
    """Make sure that a new name survives a power failure, where the system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Container:
    """The arrays of one file, mapped."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise BrokenContainerError(f"{path.name} is empty") from error
        self.path = path
        self._start, self._header = self._opened()
        self._view = memoryview(self._map)

    @property
    def size(self) -> int:
        """Give the number of bytes."""
        return len(self._map)

    @property
    def facts(self) -> Mapping[str, Any]:
        """Give the facts written with the arrays."""
        return self._header.facts

    def __contains__(self, name: str) -> bool:
        return name in self._header.arrays

    def array(self, name: str) -> memoryview[int]:
        """Give an array of whole numbers as plain numbers."""
        kind, offset, count = self._place(name)
        start = self._start + offset
        data = self._view[start : start + count * _SIZES[kind]]
        return data.cast("Q") if kind == "Q" else data.cast("B") if kind == "B" else data.cast("I")

    def numbers(self, name: str) -> NDArray[np.generic]:
        """Give an array as numpy sees it."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        kind, offset, count = self._place(name)
        return np.frombuffer(self._map, dtype=_DTYPES[kind], count=count, offset=self._start + offset)

    def whole(self) -> bool:
        """Tell whether every byte is as it was written."""
        body = self._view[self._start : self._start + self._header.size]
        return crc32(body) == self._header.checksum

    def let_go(self) -> None:
        """Give back memory that holds parts of the file; what is needed is read again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def _place(self, name: str) -> tuple[str, int, int]:
        try:
            return self._header.arrays[name]
        except KeyError as error:
            raise BrokenContainerError(f"{self.path.name} has no array {name}") from error

    def _opened(self) -> tuple[int, _Header]:
        name, size = self.path.name, len(self._map)
        if size < _PREFIX or self._map[: len(MAGIC)] != MAGIC:
            raise BrokenContainerError(f"{name} is not a segment")
        at = len(MAGIC)
        length, checksum = (int.from_bytes(self._map[start : start + 8], "little") for start in (at, at + 8))
        written = self._map[_PREFIX : _PREFIX + length]
        if len(written) != length or crc32(written) != checksum:
            raise BrokenContainerError(f"the header of {name} changed since it was written")
        try:
            header = msgspec.json.decode(written, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
            raise BrokenContainerError(f"the header of {name} cannot be read") from error
        if size != _PREFIX + length + header.size:
            raise BrokenContainerError(f"{name} is {size} bytes long, not {_PREFIX + length + header.size}")
        for kind, offset, count in header.arrays.values():
            if kind not in _SIZES or offset < 0 or count < 0 or offset + count * _SIZES[kind] > header.size:
                raise BrokenContainerError(f"the header of {name} cannot be true")
        return _PREFIX + length, header
