"""Reader of the file of the default English model (`.hmsemb`): 8-bit tensors and tokenizer.

Layout: eight bytes of magic, the length of the JSON header (8 bytes, little-endian), the header, the tokenizer's JSON,
then the tensors in the order of the header. Nothing in the file is executed or unpickled, and every length is checked
against the file's size before use.
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
from waymeet.models.local.matmul import Weight, choose_block_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"HMSEMB01"
_HEADER_START = len(MAGIC) + 8
_REINSTALL = "Install Waymeet's packages again."


class Meta(Struct, frozen=True):
    """Name, pooling, prefixes and length limit of the model."""

    model: str
    revision: str
    pooling: Literal["cls", "mean"]
    query_prefix: str
    passage_prefix: str
    max_length: int


class Arch(Struct, frozen=True):
    """The dimensions of a transformer encoder."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocab: int
    max_positions: int
    layer_norm_eps: float
    position_offset: int


class _TensorHeader(Struct, frozen=True):
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
    tensors: tuple[_TensorHeader, ...]


class Quantised(NamedTuple):
    """A matrix of 8-bit numbers (out, in).

    Every group of consecutive inputs in a row has one scale.
    """

    values: "NDArray[np.int8]"
    scales: "NDArray[np.float32]"

    def dequantise(self, rows: "NDArray[np.intp] | slice") -> "NDArray[np.float32]":
        """Convert some rows to float32: value × scale of its group."""
        values, scales = self.values[rows], self.scales[rows]
        wide = values.reshape(*scales.shape, -1) * scales[..., None]
        return wide.reshape(values.shape)

    def make_weight(self, first: int, last: int) -> Weight:
        """Make a weight from some of the rows.

        The 8-bit numbers are moved into the block layout before they are dequantised: a quarter of the bytes to move.
        """
        group = self.values.shape[1] // self.scales.shape[1]
        parts, count, depth, width = choose_block_shape(self.values.shape[1], last - first, group)
        groups = depth // group
        # rows (block, column) and columns (part, group, row in group) become (part, block, group, row, column)
        values = self.values[first:last].reshape(count, width, parts, groups, group).transpose(2, 0, 3, 4, 1)
        scales = self.scales[first:last].reshape(count, width, parts, groups).transpose(2, 0, 3, 1)
        wide = np.ascontiguousarray(values) * scales[..., None, :]
        return Weight(wide.reshape(parts, count, depth, width))


class GraniteFile(NamedTuple):
    """An opened container.

    Its tensors are views of the mapped file.
    """

    meta: Meta
    arch: Arch
    tokenizer: bytes
    tensors: Mapping[str, "Quantised | NDArray[np.float32]"]

    def vector(self, name: str) -> "NDArray[np.float32]":
        """Return a tensor stored as float32."""
        tensor = self.tensors[name]
        if isinstance(tensor, Quantised):
            raise EmbeddingError(f"The model file has an unexpected precision of {name}.", _REINSTALL)
        return tensor

    def matrix(self, name: str) -> Quantised:
        """Return a tensor stored as 8-bit numbers."""
        tensor = self.tensors[name]
        if not isinstance(tensor, Quantised):
            raise EmbeddingError(f"The model file has an unexpected precision of {name}.", _REINSTALL)
        return tensor


def read_granite_file(path: Path) -> GraniteFile:
    """Map a container and check that its header describes every byte.

    Raises:
        EmbeddingError: the file is not such a container, or does not match its header.
    """
    try:
        with path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        header, position = _read_header(content)
        tokenizer = bytes(_slice(content, position, header.tokenizer_len))
        position += header.tokenizer_len
        tensors = {}
        for tensor in header.tensors:
            tensors[tensor.name] = _view_tensor(tensor, _slice(content, position, tensor.len))
            position += tensor.len
        if position != len(content):
            raise ValueError(f"{len(content) - position} bytes too many")
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"{path} is not a usable model file: {error}.", _REINSTALL) from error
    return GraniteFile(header.meta, header.arch, tokenizer, tensors)


def _read_header(content: memoryview) -> tuple[_Header, int]:
    if bytes(content[: len(MAGIC)]) != MAGIC:
        raise ValueError("its first bytes are those of another format")
    end = _HEADER_START + int.from_bytes(content[len(MAGIC) : _HEADER_START], "little")
    if end > len(content):
        raise ValueError("it is truncated")
    header = msgspec.json.decode(content[_HEADER_START:end], type=_Header)
    if header.format != 1:
        raise ValueError(f"its format {header.format} is not known")
    return header, end


def _slice(content: memoryview, start: int, length: int) -> memoryview:
    if length < 0 or start + length > len(content):
        raise ValueError("it is truncated")
    return content[start : start + length]


def _view_tensor(header: _TensorHeader, content: memoryview) -> "Quantised | NDArray[np.float32]":
    """View the bytes of a tensor.

    A quantised one stores all values, then all scales.
    """
    size = prod(header.shape)
    if header.dtype == "f32":
        if size * 4 != len(content):
            raise ValueError(f"{header.name} has a wrong length")
        return np.frombuffer(content, dtype="<f4").reshape(header.shape)
    if len(header.shape) != 2 or header.group <= 0 or header.shape[1] % header.group:
        raise ValueError(f"{header.name} cannot be divided into groups")
    rows, groups = header.shape[0], header.shape[1] // header.group
    if size + rows * groups * 4 != len(content):
        raise ValueError(f"{header.name} has a wrong length")
    values = np.frombuffer(content[:size], dtype=np.int8).reshape(header.shape)
    return Quantised(values, np.frombuffer(content[size:], dtype="<f4").reshape(rows, groups))
