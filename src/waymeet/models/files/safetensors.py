"""Reader of safetensors files: a JSON header and plain numbers, nothing to execute."""

import mmap
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I8": "<i1", "U8": "<u1"}
_MAX_HEADER = 100_000_000  # the limit of the format's specification


class _TensorHeader(Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def read_safetensors(path: Path) -> Mapping[str, "NDArray[np.generic]"]:
    """Map a file and return its tensors as views.

    Tensors of unsupported types are left out.

    Raises:
        EmbeddingError: the file is missing or does not match its header.
    """
    try:
        with path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        length = int.from_bytes(content[:8], "little")
        if length > min(len(content) - 8, _MAX_HEADER):
            raise ValueError("it is truncated")
        header = msgspec.json.decode(content[8 : 8 + length], type=dict[str, msgspec.Raw])
        return {
            name: _view_tensor(tensor, content[8 + length :])
            for name, raw in header.items()
            if name != "__metadata__" and (tensor := msgspec.json.decode(raw, type=_TensorHeader)).dtype in _TYPES
        }
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(
            f"{path} is not a usable safetensors file: {error}.", "Download the model again."
        ) from error


def _view_tensor(header: _TensorHeader, content: memoryview) -> "NDArray[np.generic]":
    start, end = header.data_offsets
    kind = np.dtype(_TYPES[header.dtype])
    if not 0 <= start <= end <= len(content) or min(header.shape, default=1) < 0:
        raise ValueError("a tensor lies outside the file")
    if end - start != prod(header.shape) * kind.itemsize:
        raise ValueError("a tensor has a wrong length")
    tensor = np.frombuffer(content[start:end], dtype=kind).reshape(header.shape)
    if header.dtype == "BF16":  # bfloat16 is the upper half of a float32; numpy has no such type
        return (tensor.astype(np.uint32) << 16).view(np.float32)
    return tensor
