"""Named arrays in one file, written atomically and read by memory-mapping.

Layout, all numbers little-endian:

    8 bytes   magic `WYMSEG03`
    8 bytes   length of the header
    8 bytes   CRC-32 of the header
    header    JSON, padded with spaces so that the body starts at a multiple of 64
    body      the arrays, each at a multiple of 64 bytes from the start of the body

The header lists type, offset and length of every array, a few attributes, and size and CRC-32 of the body.
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

    Arrays = dict[str, tuple[str, NDArray[Any]]]
    """Arrays to write, by name, each with its type code."""


MAGIC = b"WYMSEG03"
_ALIGNMENT = 64
"""A cache line, and enough for any SIMD load: an array starts at its own line in the mapped file."""
_PREFIX_BYTES = len(MAGIC) + 16
_DTYPES = {"B": "u1", "H": "<u2", "I": "<u4", "Q": "<u8", "f": "<f4", "d": "<f8"}
_ITEM_BYTES = {"B": 1, "H": 2, "I": 4, "Q": 8, "f": 4, "d": 8}
_INTEGERS = "BHIQ"
"""Codes of unsigned integers, the smallest first."""


class CorruptFileError(Exception):
    """A file is not as it was written."""


class _Header(Struct, frozen=True):
    arrays: dict[str, tuple[str, int, int]]
    """Type code, offset in the body, and number of items, by name."""
    attributes: dict[str, Any]
    checksum: int
    """CRC-32 of the body."""
    size: int
    """Bytes of the body."""


def write_arrays(path: Path, arrays: Mapping[str, tuple[str, NDArray[Any]]], attributes: Mapping[str, Any]) -> int:
    """Write arrays with their type codes, and return the file's size.

    The codes are `B`, `H`, `I`, `Q`, `f` and `d`. The file is written under another name, synced and renamed, so that
    it is either complete or absent.
    """
    pieces = _encode(arrays, attributes)
    unfinished = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return sum(map(len, pieces))


def encode_arrays(arrays: Mapping[str, tuple[str, NDArray[Any]]], attributes: Mapping[str, Any]) -> bytes:
    """Encode arrays with their type codes as a file would contain them."""
    return b"".join(_encode(arrays, attributes))


def _encode(
    arrays: Mapping[str, tuple[str, NDArray[Any]]], attributes: Mapping[str, Any]
) -> list[bytes | memoryview[int]]:
    """Return header and body in pieces: large arrays are not copied."""
    entries, size, checksum = {}, 0, 0
    pieces: list[bytes | memoryview[int]] = []
    for name, (code, array) in arrays.items():
        padding, content = bytes(-size % _ALIGNMENT), array.astype(_DTYPES[code], order="C", copy=False)
        entries[name] = (code, size + len(padding), len(content))
        for piece in (padding, content.data.cast("B") if len(content) else b""):
            checksum = crc32(piece, checksum)
            pieces.append(piece)
            size += len(piece)
    header = msgspec.json.encode(_Header(entries, dict(attributes), checksum, size))
    header += b" " * (-(_PREFIX_BYTES + len(header)) % _ALIGNMENT)
    prefix = MAGIC + len(header).to_bytes(8, "little") + crc32(header).to_bytes(8, "little")
    return [prefix + header, *pieces]


def integer_code(highest: int) -> str:
    """Return the code of the smallest type of integers that holds a number.

    >>> integer_code(255), integer_code(65_536)
    ('B', 'I')
    """
    return next(code for code in _INTEGERS if highest < 1 << 8 * _ITEM_BYTES[code])


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a renamed file survives a power failure. Windows cannot do that."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class ArrayContent:
    """Named arrays in memory, as `encode_arrays` made them."""

    def __init__(self, content: bytes | mmap.mmap, name: str) -> None:
        self.name = name
        """What errors call it."""
        self._map = content
        self._body_start, self._header = self._read_header()
        self._view = memoryview(content)

    @property
    def size(self) -> int:
        """Return the size in bytes."""
        return len(self._map)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Return the attributes written with the arrays."""
        return self._header.attributes

    @property
    def sizes(self) -> Mapping[str, int]:
        """Return the bytes of each array."""
        return {name: count * _ITEM_BYTES[code] for name, (code, _, count) in self._header.arrays.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._header.arrays

    def integers(self, name: str) -> memoryview[int]:
        """Return an array of integers without importing numpy."""
        code, offset, count = self._entry(name)
        start = self._body_start + offset
        content = self._view[start : start + count * _ITEM_BYTES[code]]
        return content.cast("B" if code == "B" else "H" if code == "H" else "Q" if code == "Q" else "I")

    def array(self, name: str) -> NDArray[np.generic]:
        """Return an array as a numpy array on the same memory."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        code, offset, count = self._entry(name)
        return np.frombuffer(self._map, dtype=_DTYPES[code], count=count, offset=self._body_start + offset)

    def is_intact(self) -> bool:
        """Return whether the body matches its checksum."""
        body = self._view[self._body_start : self._body_start + self._header.size]
        return crc32(body) == self._header.checksum

    def _entry(self, name: str) -> tuple[str, int, int]:
        try:
            return self._header.arrays[name]
        except KeyError as error:
            raise CorruptFileError(f"{self.name} has no array {name}") from error

    def _read_header(self) -> tuple[int, _Header]:
        """Read and validate the header, and return it with the start of the body."""
        name, size = self.name, len(self._map)
        if size < _PREFIX_BYTES or self._map[: len(MAGIC)] != MAGIC:
            raise CorruptFileError(f"{name} is not a segment")
        length, checksum = (
            int.from_bytes(self._map[start : start + 8], "little") for start in (len(MAGIC), len(MAGIC) + 8)
        )
        content = self._map[_PREFIX_BYTES : _PREFIX_BYTES + length]
        if len(content) != length or crc32(content) != checksum:
            raise CorruptFileError(f"the header of {name} does not match its checksum")
        try:
            header = msgspec.json.decode(content, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
            raise CorruptFileError(f"the header of {name} cannot be decoded") from error
        if size != _PREFIX_BYTES + length + header.size:
            raise CorruptFileError(f"{name} has {size} bytes, not {_PREFIX_BYTES + length + header.size}")
        for code, offset, count in header.arrays.values():
            if code not in _ITEM_BYTES or offset < 0 or count < 0 or offset + count * _ITEM_BYTES[code] > header.size:
                raise CorruptFileError(f"the header of {name} is invalid")
        return _PREFIX_BYTES + length, header


class ArrayFile(ArrayContent):
    """A memory-mapped file of arrays."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise CorruptFileError(f"{path.name} is empty") from error
        self.path = path
        self._file = mapped
        super().__init__(mapped, path.name)

    def release_pages(self) -> None:
        """Release the memory of cached pages. The system reads them again when needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._file.madvise(mmap.MADV_DONTNEED)
