"""Fit of the student: a linear map from features to true vectors.

The row of a token is the sum of three parts, each fitted to what the earlier ones leave unexplained:
a share of the model's own vector of the token alone; a linear map of that vector and of the model's input embedding,
which also serves tokens that the training text hardly has; and a ridge regression on the token itself, solved by
conjugate gradients for all dimensions at once (Hestenes and Stiefel, 1952).
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from embed import KINDS, Pairs, Teacher, is_held_out, read_pairs
from numpy.typing import NDArray

from waymeet.models.files.checksums import find_package_file
from waymeet.models.files.granite_file import read_granite_file
from waymeet.models.local.granite import FILE, PACKAGE
from waymeet.models.student.features import Features, count_keys, weigh_counts

VOCABULARY = 50_265
PRIOR = 0.5
"""Share of the vector of a token alone in its row."""
MAP_RIDGE = 100.0
RIDGE = 2.0
ITERATIONS = 12
LONG_TOKENS = 49
LONG_WEIGHT = 2.0
"""Weight of sections of that many tokens: most training sections are cut, and sections of projects are longer."""
Floats = NDArray[np.float32]


class Training(NamedTuple):
    """Sections with true vectors, as matrices."""

    features: Features
    vectors: Floats
    kinds: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    """Number of tokens of each section."""

    def matrix(self) -> sp.csr_matrix:
        """Return the features as a sparse matrix."""
        return to_matrix(self.features)


class Map(NamedTuple):
    """A linear map from features to vectors."""

    mean: Floats
    rows: Floats


def read_all(build: Path, *, held_out: bool) -> Pairs:
    """Read the pairs of the held-out packages or of all others."""
    paths = sorted((build / "vectors").glob("*.npz"))
    parts = [read_pairs(path) for path in paths if is_held_out(path.stem.rpartition("-")[0]) == held_out]
    ends, before = [], 0
    for part in parts:
        ends.append(part.ends + before)
        before += int(part.ends[-1])
    return Pairs(
        np.concatenate([part.tokens for part in parts]),
        np.concatenate(ends),
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.kinds for part in parts]),
    )


def count_tokens(pairs: Pairs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the tokens of sections by keys, which are section · vocabulary + token."""
    lengths = np.diff(pairs.ends, prepend=0)
    section = np.repeat(np.arange(len(pairs.ends)), lengths)
    place = np.arange(len(pairs.tokens)) - np.repeat(pairs.ends - lengths, lengths)
    return count_keys(section * VOCABULARY + pairs.tokens, place)


def compute_idf(keys: NDArray[np.int64], sections: int) -> Floats:
    """Compute ln((N + 1) / (n + 1)) of every token, at least .05."""
    df = np.bincount(keys % VOCABULARY, minlength=VOCABULARY) + 1
    return np.log((sections + 1) / df).clip(0.05).astype(np.float32)


def to_matrix(features: Features) -> sp.csr_matrix:
    """Return features as a sparse matrix."""
    bounds = np.concatenate(([0], features.ends))
    return sp.csr_matrix((features.weights, features.tokens, bounds), (len(features), VOCABULARY))


def solve(apply: Callable[[Floats], Floats], target: Floats, ridge: float, iterations: int = ITERATIONS) -> Floats:
    """Solve (A + ridge) x = target by conjugate gradients, every column at once."""
    solution, residual = np.zeros_like(target), target.copy()
    direction, norm = residual.copy(), np.square(residual).sum(axis=0)
    for _ in range(iterations):
        product = apply(direction) + ridge * direction
        step = norm / ((direction * product).sum(axis=0) + 1e-12)
        solution += step * direction
        residual -= step * product
        new = np.square(residual).sum(axis=0)
        direction = residual + new / (norm + 1e-12) * direction
        norm = new
    return solution


def fit(train: Training, own: Floats, inputs: Floats) -> Map:
    """Fit the map from features to vectors.

    `own` has the vectors of tokens alone, `inputs` their input embeddings.
    """
    weights = np.where(train.lengths >= LONG_TOKENS, LONG_WEIGHT, 1.0).astype(np.float32)
    x, roots = train.matrix(), np.sqrt(weights)[:, None]
    rows = np.float32(PRIOR) * (own - own.mean(axis=0))
    mean = np.average(train.vectors - x @ rows, axis=0, weights=weights).astype(np.float32)
    known = np.hstack([_scale(own), _scale(inputs)])
    sums = x @ known
    middle = np.average(sums, axis=0, weights=weights).astype(np.float32)
    mapping = _regress((sums - middle) * roots, (train.vectors - mean - x @ rows) * roots)
    rows += known @ mapping
    mean -= middle @ mapping
    weighted = sp.diags(roots[:, 0]) @ x
    transposed = weighted.T.tocsr()
    target = np.asarray(transposed @ ((train.vectors - mean - x @ rows) * roots), dtype=np.float32)
    rows += solve(lambda direction: transposed @ (weighted @ direction), target, RIDGE)
    return Map(mean, rows.astype(np.float32))


def _scale(rows: Floats) -> Floats:
    """Centre rows and give them length 1 on average."""
    centred = rows - rows.mean(axis=0)
    return np.asarray(centred / np.sqrt(np.square(centred).sum(axis=1).mean()), dtype=np.float32)


def _regress(x: Floats, y: Floats) -> Floats:
    """Return the ridge regression of y on x."""
    kernel = (x.T @ x).astype(np.float64)
    kernel[np.diag_indices(len(kernel))] += MAP_RIDGE
    return np.asarray(np.linalg.solve(kernel, (x.T @ y).astype(np.float64)), dtype=np.float32)


def predict(x: sp.csr_matrix, fitted: Map) -> Floats:
    """Predict unit vectors."""
    guess = x @ fitted.rows + fitted.mean
    return np.asarray(guess / np.linalg.norm(guess, axis=1, keepdims=True), dtype=np.float32)


def embed_tokens(build: Path) -> Floats:
    """Embed every token of the vocabulary alone, once."""
    path = build / "tokens.npy"
    if not path.exists():
        vectors = Teacher().embed([[token] for token in range(VOCABULARY)])
        np.save(path, vectors.astype(np.float16))
    return np.asarray(np.load(path), dtype=np.float32)


def read_inputs() -> Floats:
    """Read the input embedding of every token."""
    file = read_granite_file(find_package_file(PACKAGE, FILE))
    return np.asarray(file.matrix("word_emb").dequantise(np.arange(VOCABULARY)), dtype=np.float32)


def describe(predicted: Floats, true: Floats, kinds: NDArray[np.uint8]) -> str:
    """Describe the mean cosine of predicted and true vectors by kind of text."""
    cosines = (predicted * true).sum(axis=1)
    parts = [f"{name} {cosines[kinds == number].mean():.4f}" for number, name in enumerate(KINDS)]
    return f"cosine {cosines.mean():.4f}: " + ", ".join(parts)


def load_training(build: Path) -> tuple[Training, Training, Floats]:
    """Read training and held-out sections and compute their features, with the idf of training."""
    idf: Floats | None = None
    results = []
    for held_out in (False, True):
        pairs = read_all(build, held_out=held_out)
        keys, frequencies = count_tokens(pairs)
        idf = compute_idf(keys, len(pairs.ends)) if idf is None else idf
        features = weigh_counts(keys, frequencies, len(pairs.ends), idf)
        lengths = np.diff(pairs.ends, prepend=0)
        results.append(Training(features, pairs.vectors.astype(np.float32), pairs.kinds, lengths))
    assert idf is not None
    return results[0], results[1], idf


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the student and measure it on the held-out packages."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("build", type=Path, help="working folder")
    options = parser.parse_args(arguments)
    train, held_out, idf = load_training(options.build)
    print(f"{len(train.vectors)} sections to train on, {len(held_out.vectors)} held out")
    fitted = fit(train, embed_tokens(options.build), read_inputs())
    print(describe(predict(held_out.matrix(), fitted), held_out.vectors, held_out.kinds))
    with (options.build / "map.npz").open("wb") as file:
        np.savez(file, idf=idf, mean=fitted.mean, rows=fitted.rows, sections=np.array(len(train.vectors)))


if __name__ == "__main__":
    main()
