"""Reading weights from safetensors files: a JSON header and plain numbers, nothing to execute."""

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
_LONGEST_HEADER = 100_000_000  # as the format's own documentation has it


class _Declared(Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def read_safetensors(path: Path) -> Mapping[str, "NDArray[np.generic]"]:
    """Map a file and give its tensors as views; those of unknown types are left out.

    Raises:
        EmbeddingError: the file is missing or is not what its header says.
    """
    try:
        with path.open("rb") as file:
            held = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        length = int.from_bytes(held[:8], "little")
        if length > min(len(held) - 8, _LONGEST_HEADER):
            raise ValueError("it is cut short")
        header = msgspec.json.decode(held[8 : 8 + length], type=dict[str, msgspec.Raw])
        return {
            name: _tensor(declared, held[8 + length :])
            for name, raw in header.items()
            if name != "__metadata__" and (declared := msgspec.json.decode(raw, type=_Declared)).dtype in _TYPES
        }
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"{path} is not a usable safetensors file: {error}.", "Fetch the model again.") from error


def _tensor(declared: _Declared, held: memoryview) -> "NDArray[np.generic]":
    start, end = declared.data_offsets
    kind = np.dtype(_TYPES[declared.dtype])
    if not 0 <= start <= end <= len(held) or min(declared.shape, default=1) < 0:
        raise ValueError("a tensor lies outside of the file")
    if end - start != prod(declared.shape) * kind.itemsize:
        raise ValueError("a tensor has a wrong length")
    found = np.frombuffer(held[start:end], dtype=kind).reshape(declared.shape)
    if declared.dtype == "BF16":  # the upper half of a float32
        return (found.astype(np.uint32) << 16).view(np.float32)
    return found
