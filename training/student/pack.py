"""Packing of the fitted map into the file that the package ships.

The predictions span fewer dimensions than the model's space: the map is projected on the principal components of the
predicted training vectors, and the rows are rounded to 8 bits.
"""

import argparse
import hashlib
import re
from pathlib import Path

import numpy as np
from fit import Floats, Map, describe, load_training, predict

from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.local.kernels import unit_rows
from waymeet.models.student import file as student_file
from waymeet.models.student.file import Weights, write_student
from waymeet.models.student.predict import Student

RANK = 192
_MAX_BYTES = 15_000_000


def choose_basis(predicted: Floats, rank: int) -> Floats:
    """Return the principal components of predicted vectors, mixed so that all have equal variance.

    Rounding every row with one scale needs columns of similar size; a random rotation gives them that.
    """
    _, vectors = np.linalg.eigh(predicted.T.astype(np.float64) @ predicted)
    basis = vectors[:, ::-1][:, :rank].T
    rotation, _ = np.linalg.qr(np.random.default_rng(17).standard_normal((rank, rank)))
    return np.asarray(rotation @ basis, dtype=np.float32)


def quantise(rows: Floats) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int8]], Floats]:
    """Round rows to 8 bits, with one scale each."""
    scales = np.abs(rows).max(axis=1) / 127
    scales = np.where(scales == 0, 1, scales).astype(np.float32)
    return np.rint(rows / scales[:, None]).clip(-127, 127).astype(np.int8), scales


def pack(fitted: Map, idf: Floats, predicted: Floats, rank: int = RANK) -> Weights:
    """Project and round the map."""
    basis = choose_basis(predicted - fitted.mean, rank)
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
    parser.add_argument("--rank", type=int, default=RANK)
    options = parser.parse_args()
    with np.load(options.build / "map.npz") as arrays:
        fitted, idf, sections = Map(arrays["mean"], arrays["rows"]), arrays["idf"], int(arrays["sections"])
    train, held_out, _ = load_training(options.build)
    weights = pack(fitted, idf, train.matrix() @ fitted.rows + fitted.mean, options.rank)
    write_student(student_file.PATH, weights, GraniteEmbedder.space, sections)
    content = student_file.PATH.read_bytes()
    if len(content) > _MAX_BYTES:
        raise SystemExit(f"The file has {len(content)} bytes, more than {_MAX_BYTES}.")
    digest = hashlib.sha256(content).hexdigest()
    pin_digest(digest)
    student = Student.load(student_file.PATH, digest)
    matrix = held_out.matrix()
    print(f"{len(content):,} bytes, rank {options.rank}")
    print("map:    " + describe(predict(matrix, fitted), held_out.vectors, held_out.kinds))
    print("packed: " + describe(unit_rows(student.predict_raw(held_out.features)), held_out.vectors, held_out.kinds))


if __name__ == "__main__":
    main()
