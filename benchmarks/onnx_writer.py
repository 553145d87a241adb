"""Write small ONNX files without the `onnx` package: encode protocol buffer messages.

Tests write tiny models with it, the benchmark the graph of the default model.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT, INT32, INT64 = 1, 6, 7
_KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}

Attribute = int | float | str | Sequence[int]


class Node(NamedTuple):
    """One operation of a graph."""

    operation: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Attribute] = {}
    domain: str = ""


class Value(NamedTuple):
    """An input or output of a graph. A name instead of a size makes that dimension variable."""

    name: str
    kind: int
    shape: Sequence[int | str]


def model(
    nodes: Sequence[Node],
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    weights: Mapping[str, "NDArray[np.generic]"],
    opset: int = 20,
) -> bytes:
    """Encode a model."""
    graph = b"".join(
        [
            *(_field(1, _node(node)) for node in nodes),
            _field(2, b"graph"),
            *(_field(5, _tensor(name, value)) for name, value in weights.items()),
            *(_field(11, _value(value)) for value in inputs),
            *(_field(12, _value(value)) for value in outputs),
        ]
    )
    sets = _field(8, _field(1, b"") + _number(2, opset)) + _field(8, _field(1, b"com.microsoft") + _number(2, 1))
    return _number(1, 9) + sets + _field(7, graph)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(node: Node) -> bytes:
    parts = [_field(1, name.encode()) for name in node.inputs]
    parts += [_field(2, name.encode()) for name in node.outputs]
    parts += [_field(4, node.operation.encode())]
    parts += [_field(5, _attribute(name, value)) for name, value in node.attributes.items()]
    return b"".join([*parts, _field(7, node.domain.encode())])


def _attribute(name: str, value: Attribute) -> bytes:
    named = _field(1, name.encode())
    if isinstance(value, int):
        return named + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return named + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, str):
        return named + _field(4, value.encode()) + _number(20, 3)
    return named + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _tensor(name: str, value: "NDArray[np.generic]") -> bytes:
    shape = b"".join(_number(1, size) for size in value.shape)
    return shape + _number(2, _KINDS[value.dtype]) + _field(8, name.encode()) + _field(9, value.tobytes())


def _value(value: Value) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in value.shape)
    shape = b"".join(_field(1, size) for size in sizes)
    return _field(1, value.name.encode()) + _field(2, _field(1, _number(1, value.kind) + _field(2, shape)))
