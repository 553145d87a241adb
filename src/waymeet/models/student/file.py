"""The student's file: a header in JSON and arrays of numbers.

Layout: eight bytes of magic, the length of the header (8 bytes, little-endian), the header, then the arrays in the
order of the header. Nothing in the file is executed or unpickled, and every length is checked before use.
"""

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.files.checksums import verify_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

PATH = Path(__file__).with_name("granite-30m-en.student")
SHA256 = "693351ee656dbdbfa410ce452b5dfed3431a4e19e262d0fe7f3d9fba216f794c"
MAGIC = b"WAYSTU01"
_HEADER_START = len(MAGIC) + 8
_REINSTALL = "Install Waymeet again."


class ArrayHeader(Struct, frozen=True):
    """Name, type and shape of an array."""

    name: str
    dtype: Literal["uint8", "float16", "float32"]
    shape: tuple[int, ...]


class Header(Struct, frozen=True):
    """Description of a student."""

    space: str
    """Name of the vector space of the embedding model."""
    sections: int
    """Number of sections that it was trained on."""
    arrays: tuple[ArrayHeader, ...]


class Weights(NamedTuple):
    """The numbers of a student.

    The vector of a text is mean + (Σ weight · scale · row of its tokens) · basis, scaled to length 1. A row has numbers
    of 4 bits, 8 means zero.
    """

    idf: "NDArray[np.float32]"
    rows: "NDArray[np.uint8]"
    """One row per token: the low half of each byte is of the first columns, the high half of the others."""
    scales: "NDArray[np.float32]"
    """Factor of each row."""
    basis: "NDArray[np.float32]"
    """Direction of each column of `rows` in the space of the model."""
    mean: "NDArray[np.float32]"


def read_student(path: Path = PATH, sha256: str | None = None) -> Weights:
    """Read and verify a student.

    Raises:
        EmbeddingError: the file is missing, damaged or not the published one.
    """
    verify_file(path, SHA256 if sha256 is None else sha256)
    content = path.read_bytes()
    header, position = _read_header(content)
    arrays: dict[str, NDArray[Any]] = {}
    for array in header.arrays:
        size = prod(array.shape) * np.dtype(array.dtype).itemsize
        if position + size > len(content):
            raise EmbeddingError("The student's file is incomplete.", _REINSTALL)
        values = np.frombuffer(content, array.dtype, prod(array.shape), position).reshape(array.shape)
        arrays[array.name] = values if array.dtype == "uint8" else values.astype(np.float32)
        position += size
    try:
        return Weights(**arrays)
    except TypeError as error:
        raise EmbeddingError("The student's file has other arrays than expected.", _REINSTALL) from error


def _read_header(content: bytes) -> tuple[Header, int]:
    if content[: len(MAGIC)] != MAGIC:
        raise EmbeddingError("The student's file has an unknown format.", _REINSTALL)
    end = _HEADER_START + int.from_bytes(content[len(MAGIC) : _HEADER_START], "little")
    try:
        return msgspec.json.decode(content[_HEADER_START:end], type=Header), end
    except msgspec.MsgspecError as error:
        raise EmbeddingError(f"The header of the student's file cannot be read: {error}.", _REINSTALL) from error


def write_student(path: Path, weights: Weights, space: str, sections: int) -> None:
    """Write a student, its idf and basis in half precision."""
    stored = {
        name: np.ascontiguousarray(values, np.float16 if name in {"idf", "basis"} else values.dtype)
        for name, values in weights._asdict().items()
    }
    arrays = [{"name": name, "dtype": values.dtype.name, "shape": values.shape} for name, values in stored.items()]
    header = msgspec.json.encode({"space": space, "sections": sections, "arrays": arrays})
    header += b" " * (-(_HEADER_START + len(header)) % 64)  # arrays begin at multiples of 64 bytes
    parts = [MAGIC, len(header).to_bytes(8, "little"), header, *(values.tobytes() for values in stored.values())]
    path.write_bytes(b"".join(parts))
