"""Reading the container in which the default English model is published: a header, a tokenizer, tensors.

Eight bytes of magic, the length of a JSON header, the header, the tokenizer's JSON, then the tensors one after the
other. Weights are data: nothing in the file is ever executed or unpickled, and no length is believed before it was
checked against the file's size.
"""

import mmap
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.local.matmul import Weight, shape_of_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"HMSEMB01"
_START = len(MAGIC) + 8
_REINSTALL = "Install Waymeet's packages again."


class Meta(Struct, frozen=True):
    """What the model is and how it wants to be used."""

    model: str
    revision: str
    pooling: Literal["cls", "mean"]
    query_prefix: str
    passage_prefix: str
    max_length: int


class Arch(Struct, frozen=True):
    """The measures of a transformer encoder."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocab: int
    max_positions: int
    layer_norm_eps: float
    position_offset: int


class _Declared(Struct, frozen=True):
    name: str
    dtype: Literal["i8", "f32"]
    shape: tuple[int, ...]
    len: int
    group: int


class _Header(Struct, frozen=True):
    format: int
    meta: Meta
    arch: Arch
    tokenizer_len: int
    tensors: tuple[_Declared, ...]


class Quantised(NamedTuple):
    """A matrix kept as 8-bit numbers: every group of columns in a row has one scale."""

    values: "NDArray[np.int8]"
    scales: "NDArray[np.float32]"

    def rows(self, index: "NDArray[np.intp] | slice") -> "NDArray[np.float32]":
        """Give some rows in full precision."""
        values, scales = self.values[index], self.scales[index]
        wide = values.reshape(*scales.shape, -1) * scales[..., None]
        return wide.reshape(values.shape)

    def cut(self, first: int, last: int) -> Weight:
        """Lay out some of the rows as weights; small numbers are moved, then widened, for that is quicker."""
        size = self.values.shape[1] // self.scales.shape[1]
        parts, count, deep, width = shape_of_blocks(self.values.shape[1], last - first, size)
        groups = deep // size
        values = self.values[first:last].reshape(count, width, parts, groups, size).transpose(2, 0, 3, 4, 1)
        scales = self.scales[first:last].reshape(count, width, parts, groups).transpose(2, 0, 3, 1)
        wide = np.ascontiguousarray(values) * scales[..., None, :]
        return Weight(wide.reshape(parts, count, deep, width))


class Pack(NamedTuple):
    """An opened container; its tensors are views of the mapped file."""

    meta: Meta
    arch: Arch
    tokenizer: bytes
    tensors: Mapping[str, "Quantised | NDArray[np.float32]"]

    def vector(self, name: str) -> "NDArray[np.float32]":
        """Give a tensor that was kept in full precision."""
        tensor = self.tensors[name]
        if isinstance(tensor, Quantised):
            raise EmbeddingError(f"The model pack holds {name} in an unknown precision.", _REINSTALL)
        return tensor

    def matrix(self, name: str) -> Quantised:
        """Give a matrix of 8-bit numbers."""
        tensor = self.tensors[name]
        if not isinstance(tensor, Quantised):
            raise EmbeddingError(f"The model pack holds {name} in an unknown precision.", _REINSTALL)
        return tensor


def read_pack(path: Path) -> Pack:
    """Map a container and check that its header describes it to the last byte.

    Raises:
        EmbeddingError: it is no such container, or does not hold what it says.
    """
    try:
        with path.open("rb") as file:
            held = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        header, at = _header(held)
        tokenizer = bytes(_cut(held, at, header.tokenizer_len))
        at += header.tokenizer_len
        tensors = {}
        for declared in header.tensors:
            tensors[declared.name] = _tensor(declared, _cut(held, at, declared.len))
            at += declared.len
        if at != len(held):
            raise ValueError(f"{len(held) - at} bytes too many")
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"{path} is not a usable model pack: {error}.", _REINSTALL) from error
    return Pack(header.meta, header.arch, tokenizer, tensors)


def _header(held: memoryview) -> tuple[_Header, int]:
    if bytes(held[: len(MAGIC)]) != MAGIC:
        raise ValueError("it does not begin as one")
    end = _START + int.from_bytes(held[len(MAGIC) : _START], "little")
    if end > len(held):
        raise ValueError("it is cut short")
    header = msgspec.json.decode(held[_START:end], type=_Header)
    if header.format != 1:
        raise ValueError(f"its format {header.format} is not known")
    return header, end


def _cut(held: memoryview, at: int, length: int) -> memoryview:
    if length < 0 or at + length > len(held):
        raise ValueError("it is cut short")
    return held[at : at + length]


def _tensor(declared: _Declared, held: memoryview) -> "Quantised | NDArray[np.float32]":
    """View the bytes of a tensor; those of quantised ones are all values, then all scales."""
    size = prod(declared.shape)
    if declared.dtype == "f32":
        if size * 4 != len(held):
            raise ValueError(f"{declared.name} has a wrong length")
        return np.frombuffer(held, dtype="<f4").reshape(declared.shape)
    if len(declared.shape) != 2 or declared.group <= 0 or declared.shape[1] % declared.group:
        raise ValueError(f"{declared.name} cannot be cut into groups")
    rows, groups = declared.shape[0], declared.shape[1] // declared.group
    if size + rows * groups * 4 != len(held):
        raise ValueError(f"{declared.name} has a wrong length")
    values = np.frombuffer(held[:size], dtype=np.int8).reshape(declared.shape)
    return Quantised(values, np.frombuffer(held[size:], dtype="<f4").reshape(rows, groups))
