"""The network of USE-multilingual (Yang et al., 2019).

Word embeddings, convolutions over 2, 3 and 5 words, and a sum over the text.
Texts are concatenated with two rows of zeros between them, so that no convolution reaches from one into the next.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from waymeet.models.local.kernels import layer_norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

    Weights = Mapping[str, Matrix]

TABLES = 17
"""Parts of the word table, each with its own quantisation scale; word w is in part w modulo 17."""
_EMBEDDING = 512
_CONVOLUTION = 256
_GAP = 2
"""Rows of zeros between texts: the farthest reach of a convolution."""
_REACH = {2: 0, 3: 1, 5: 2}
"""Words before the current one that the convolution of each width covers."""


def embed_tokens(weights: Mapping[str, "NDArray[np.generic]"], texts: Sequence[Sequence[int]]) -> "Matrix":
    """Compute one vector per text of word numbers, not normalised."""
    w: dict[str, Matrix] = {name: each for name, each in weights.items() if each.dtype == np.float32}  # type: ignore[misc]
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum([_GAP, *(lengths[:-1] + _GAP)])
    rows = int(starts[-1] + lengths[-1] + _GAP)
    is_word = np.zeros((rows, 1), dtype=np.float32)
    features = np.zeros((rows, _EMBEDDING + len(_REACH) * _CONVOLUTION), dtype=np.float32)
    for start, text in zip(starts.tolist(), texts, strict=True):
        features[start : start + len(text), :_EMBEDDING] = _look_up(w, weights["table"], text)
        is_word[start : start + len(text)] = 1.0
    _add_convolutions(w, features, is_word)
    layer_norm(features, w["ln_g"], w["ln_b"], float(w["eps"]))
    # reduceat sums from each boundary to the next; every second sum is of a gap
    boundaries = np.stack([starts, starts + lengths], axis=1).ravel()
    sums = np.add.reduceat(features, boundaries, axis=0)[::2] @ w["cnn_W"]
    counts = lengths.astype(np.float32)[:, None]
    return _apply_head(w, np.divide(sums + counts * w["cnn_b"], np.sqrt(counts), dtype=np.float32))


def _look_up(w: "Weights", table: "NDArray[np.generic]", text: Sequence[int]) -> "Matrix":
    """Look up 8-bit word embeddings and dequantise them."""
    words = np.asarray(text, dtype=np.intp)
    part = words % TABLES
    rows: Matrix = table[words].astype(np.float32) * w["scale"][part, None] + w["lo"][part, None]
    return rows


def _add_convolutions(w: "Weights", features: "Matrix", is_word: "Matrix") -> None:
    """Fill the columns behind the embeddings with the output of the three convolutions."""
    projected = features[:, :_EMBEDDING] @ np.concatenate([w[f"proj{n}"] for n in _REACH], axis=1)
    projected += np.concatenate([w[f"proj_b{n}"] for n in _REACH])
    gains, shifts = (np.concatenate([w[f"{name}{n}"] for n in _REACH]) for name in ("ln_g", "ln_b"))
    layer_norm(projected, gains, shifts, float(w["eps"]))
    projected *= is_word
    for number, (n, back) in enumerate(_REACH.items()):
        x = projected[:, number * _CONVOLUTION : (number + 1) * _CONVOLUTION]
        for layer in ("1", "2"):
            x = _convolve(x, w[f"w{layer}_{n}"], w[f"b{layer}_{n}"], back, is_word)
        first = _EMBEDDING + number * _CONVOLUTION
        features[:, first : first + _CONVOLUTION] = x


def _convolve(x: "Matrix", weights: "Matrix", bias: "Matrix", back: int, is_word: "Matrix") -> "Matrix":
    """Apply one convolution with ReLU and residual.

    Rows between texts stay zero.
    """
    padded = np.zeros((len(x) + 2 * _GAP, _CONVOLUTION), dtype=np.float32)
    padded[_GAP:-_GAP] = x
    result = np.zeros((len(x), _CONVOLUTION), dtype=np.float32)
    for tap in range(len(weights) // _CONVOLUTION):
        first = _GAP - back + tap
        result += padded[first : first + len(x)] @ weights[tap * _CONVOLUTION : (tap + 1) * _CONVOLUTION]
    result += bias
    np.maximum(result, 0.0, out=result)
    result += x
    result *= is_word
    return result


def _apply_head(w: "Weights", x: "Matrix") -> "Matrix":
    """Apply the two residual blocks of the output."""
    middle = np.maximum(x @ w["p1"] + np.maximum(x @ w["d0"], 0.0) @ w["d1"], 0.0)
    last: Matrix = np.tanh(middle @ w["p3"] + np.maximum(middle @ w["d2"], 0.0) @ w["d3"])
    return last
