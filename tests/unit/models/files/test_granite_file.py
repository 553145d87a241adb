"""Containers of weights: every length is checked before it is believed."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.models.files.granite_file import MAGIC, Quantised, read_granite_file
from waymeet.models.files.safetensors import read_safetensors

VALUES = np.arange(-128, 128, dtype=np.int8).reshape(2, 128)
SCALES = np.array([[0.5, 1.0], [2.0, 0.25]], dtype=np.float32)
BIAS = np.array([1.5, -2.5], dtype=np.float32)


def _header() -> dict[str, Any]:
    meta = {"model": "m", "revision": "r", "pooling": "cls", "query_prefix": "", "passage_prefix": "", "max_length": 8}
    arch: dict[str, float] = {
        "hidden": 128,
        "layers": 0,
        "heads": 1,
        "intermediate": 1,
        "vocab": 2,
        "max_positions": 10,
    }
    tensors = [
        {"name": "w", "dtype": "i8", "shape": [2, 128], "len": 256 + 16, "group": 64},
        {"name": "b", "dtype": "f32", "shape": [2], "len": 8, "group": 0},
    ]
    arch |= {"layer_norm_eps": 1e-12, "position_offset": 2}
    return {"format": 1, "meta": meta, "arch": arch, "tokenizer_len": 2, "tensors": tensors}


def _write(path: Path, header: dict[str, Any], more: bytes = b"", magic: bytes = MAGIC) -> Path:
    written = json.dumps(header).encode()
    body = b"{}" + VALUES.tobytes() + SCALES.tobytes() + BIAS.tobytes() + more
    path.write_bytes(magic + struct.pack("<Q", len(written)) + written + body)
    return path


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    pack = read_granite_file(_write(tmp_path / "pack", _header()))
    expected = VALUES.astype(np.float64) * np.repeat(SCALES, 64, axis=1)
    weights = pack.tensors["w"]
    assert isinstance(weights, Quantised)
    assert np.array_equal(weights.dequantise(np.array([1, 0, 1])), expected[[1, 0, 1]])
    assert np.array_equal(pack.matrix("w").make_weight(0, 2).to_matrix(), expected.T)
    assert np.array_equal(pack.matrix("w").make_weight(1, 2).to_matrix(), expected[1:].T)
    assert np.array_equal(pack.vector("b"), BIAS)
    for wrong in (pack.matrix, pack.vector):
        with pytest.raises(EmbeddingError, match="unexpected precision"):
            wrong("b" if wrong == pack.matrix else "w")
    assert pack.tokenizer == b"{}"
    assert pack.meta.max_length == 8


def _tensor(**changes: object) -> Callable[[dict[str, Any]], None]:
    return lambda header: header["tensors"][0].update(changes)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(format=2),
        lambda header: header.update(tokenizer_len=-1),
        lambda header: header.update(tokenizer_len=10**12),
        lambda header: header.pop("arch"),
        _tensor(len=10**15),
        _tensor(len=100),
        _tensor(shape=[2, -128]),
        _tensor(shape=[3, 128]),
        _tensor(group=0),
        _tensor(group=7),
        _tensor(shape=[256]),
        _tensor(dtype="pickle"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    header = _header()
    change(header)
    with pytest.raises(EmbeddingError, match="not a usable model file"):
        read_granite_file(_write(tmp_path / "pack", header))


def test_another_file_is_refused(tmp_path: Path) -> None:
    for number, path in enumerate(
        [
            _write(tmp_path / "more", _header(), more=b"!"),
            _write(tmp_path / "magic", _header(), magic=b"HMSEMB99"),
            tmp_path / "missing",
        ]
    ):
        with pytest.raises(EmbeddingError):
            read_granite_file(path)
        assert number < 3
    for content in (b"", b"short", MAGIC + b"\xff" * 8, MAGIC + struct.pack("<Q", 3) + b"{]}"):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(EmbeddingError):
            read_granite_file(tmp_path / "bad")


def test_safetensors_are_read_and_liars_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"

    def write(header: object, content: bytes) -> None:
        written = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(written)) + written + content)

    half = np.array([1.5, -2.0], dtype="<f2").tobytes()
    brain = (np.array([3.0], dtype="<f4").view(np.uint32) >> 16).astype("<u2").tobytes()
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
        "b": {"dtype": "BF16", "shape": [1], "data_offsets": [4, 6]},
        "c": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [6, 7]},
    }
    write(header, half + brain + b"!")
    tensors = read_safetensors(path)
    assert tensors["a"].tolist() == [1.5, -2.0]
    assert tensors["b"].tolist() == [3.0]
    assert "c" not in tensors
    for offsets, shape in (((0, 400), [200]), ((4, 0), [2]), ((0, 4), [3]), ((-4, 0), [2]), ((0, 4), [-2])):
        write({"a": {"dtype": "F16", "shape": shape, "data_offsets": offsets}}, half)
        with pytest.raises(EmbeddingError, match="not a usable safetensors file"):
            read_safetensors(path)
    for content in (b"", b"\xff" * 8, struct.pack("<Q", 2) + b"[]"):
        path.write_bytes(content)
        with pytest.raises(EmbeddingError):
            read_safetensors(path)
