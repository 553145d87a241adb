"""The network of USE-multilingual (Yang et al., 2019): words, convolutions over two, three and five of them, a sum.

Texts are laid end to end with two rows of zeros between them, so that no convolution reaches from one into the next.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from waymeet.models.local.kernels import layer_norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

TABLES = 17
"""Parts of the word table, each with its own scale: a word's part is its number modulo this."""
_GAP = 2
_WIDTH = 256
_REACH = {2: 0, 3: 1, 5: 2}
"""How far each convolution looks back."""


def embed(weights: Mapping[str, "NDArray[np.generic]"], texts: Sequence[Sequence[int]]) -> "Matrix":
    """Give one vector for each text of word numbers, not normalised."""
    w: dict[str, Matrix] = {name: each for name, each in weights.items() if each.dtype == np.float32}  # type: ignore[misc]
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum([_GAP, *(lengths[:-1] + _GAP)])
    rows = int(starts[-1] + lengths[-1] + _GAP)
    inside = np.zeros((rows, 1), dtype=np.float32)
    features = np.zeros((rows, 512 + 3 * _WIDTH), dtype=np.float32)
    for start, text in zip(starts.tolist(), texts, strict=True):
        words = np.asarray(text, dtype=np.intp)
        part = words % TABLES
        wide = weights["table"][words].astype(np.float32)
        features[start : start + len(words), :512] = wide * w["scale"][part, None] + w["lo"][part, None]
        inside[start : start + len(words)] = 1.0
    together = features[:, :512] @ np.concatenate([w[f"proj{n}"] for n in _REACH], axis=1)
    together += np.concatenate([w[f"proj_b{n}"] for n in _REACH])
    gains, shifts = (np.concatenate([w[f"{name}{n}"] for n in _REACH]) for name in ("ln_g", "ln_b"))
    eps = float(w["eps"])
    layer_norm(together, gains, shifts, eps)
    together *= inside
    for at, (n, back) in enumerate(_REACH.items()):
        x = together[:, at * _WIDTH : (at + 1) * _WIDTH]
        for layer in ("1", "2"):
            x = _convolved(x, w[f"w{layer}_{n}"], w[f"b{layer}_{n}"], back, inside)
        features[:, 512 + at * _WIDTH : 512 + (at + 1) * _WIDTH] = x
    layer_norm(features, w["ln_g"], w["ln_b"], eps)
    ends = np.stack([starts, starts + lengths], axis=1).ravel()
    summed = np.add.reduceat(features, ends, axis=0)[::2] @ w["cnn_W"]
    counts = lengths.astype(np.float32)[:, None]
    return _head(w, np.divide(summed + counts * w["cnn_b"], np.sqrt(counts), dtype=np.float32))


def _convolved(x: "Matrix", weights: "Matrix", bias: "Matrix", back: int, inside: "Matrix") -> "Matrix":
    """Add to every row what the convolution finds around it; rows between texts stay zero."""
    padded = np.zeros((len(x) + 2 * _GAP, _WIDTH), dtype=np.float32)
    padded[_GAP:-_GAP] = x
    found = np.zeros((len(x), _WIDTH), dtype=np.float32)
    for at in range(len(weights) // _WIDTH):
        first = _GAP - back + at
        found += padded[first : first + len(x)] @ weights[at * _WIDTH : (at + 1) * _WIDTH]
    found += bias
    np.maximum(found, 0.0, out=found)
    found += x
    found *= inside
    return found


def _head(w: Mapping[str, "Matrix"], x: "Matrix") -> "Matrix":
    """Pass sums through two residual blocks."""
    middle = np.maximum(x @ w["p1"] + np.maximum(x @ w["d0"], 0.0) @ w["d1"], 0.0)
    last: Matrix = np.tanh(middle @ w["p3"] + np.maximum(middle @ w["d2"], 0.0) @ w["d3"])
    return last
