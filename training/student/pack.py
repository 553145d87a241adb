"""Packing of the fitted map into the file that the package ships: rows of 4-bit numbers.

A random rotation of the space first spreads every row evenly over the columns, so that one scale per row suffices.
Projecting the map on its principal components instead costs more: 192 dimensions of 8 bits have the same size.
"""

import argparse
import hashlib
import re
from pathlib import Path

import numpy as np
from fit import Floats, Map, describe, load_training, predict
from numpy.typing import NDArray

from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.local.kernels import unit_rows
from waymeet.models.student import file as student_file
from waymeet.models.student.file import Weights, write_student
from waymeet.models.student.predict import Student

_MAX_BYTES = 15_000_000
_CLIP = 2.5
"""Multiple of a row's standard deviation that becomes the largest number."""


def make_rotation(size: int) -> Floats:
    """Make a random rotation, the same in every run."""
    rotation, _ = np.linalg.qr(np.random.default_rng(17).standard_normal((size, size)))
    return np.asarray(rotation, dtype=np.float16).astype(np.float32)


def quantise(rows: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Round rows to numbers from -7 to 7 with one scale each, two numbers in a byte."""
    scales = np.sqrt(np.square(rows).mean(axis=1)) * (_CLIP / 7)
    scales = np.where(scales == 0, 1, scales).astype(np.float32)
    numbers = (np.rint(rows / scales[:, None]).clip(-7, 7) + 8).astype(np.uint8)
    half = rows.shape[1] // 2
    return numbers[:, :half] | numbers[:, half:] << 4, scales


def pack(fitted: Map, idf: Floats) -> Weights:
    """Rotate and round the map."""
    basis = make_rotation(fitted.rows.shape[1])
    rows, scales = quantise(fitted.rows @ basis.T)
    return Weights(idf, rows, scales, basis, fitted.mean)


def pin_digest(digest: str) -> None:
    """Write the digest of the file into the module that verifies it."""
    path = Path(student_file.__file__)
    text = re.sub(
        r'^SHA256 = "[0-9a-f]*"$', f'SHA256 = "{digest}"', path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Pack the fitted map, compare it with the unpacked one, and pin its digest."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("build", type=Path, help="working folder")
    options = parser.parse_args()
    with np.load(options.build / "map.npz") as arrays:
        fitted, idf, sections = Map(arrays["mean"], arrays["rows"]), arrays["idf"], int(arrays["sections"])
    _, held_out, _ = load_training(options.build)
    weights = pack(fitted, idf)
    write_student(student_file.PATH, weights, GraniteEmbedder.space, sections)
    content = student_file.PATH.read_bytes()
    if len(content) > _MAX_BYTES:
        raise SystemExit(f"The file has {len(content)} bytes, more than {_MAX_BYTES}.")
    digest = hashlib.sha256(content).hexdigest()
    pin_digest(digest)
    student = Student.load(student_file.PATH, digest)
    matrix = held_out.matrix()
    print(f"{len(content):,} bytes")
    print("map:    " + describe(predict(matrix, fitted), held_out.vectors, held_out.kinds))
    print("packed: " + describe(unit_rows(student.predict_raw(held_out.features)), held_out.vectors, held_out.kinds))


if __name__ == "__main__":
    main()
