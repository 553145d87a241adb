"""A transformer encoder of the BERT family in plain numpy (Devlin et al., 2018; RoBERTa, XLM-R).

Sequences are laid end to end, so that no product is spent on padding; only attention looks at them one by one. Where
the vector of the first token is all that is wanted, the last layer computes nothing for the others but their keys and
values.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from waymeet.models.local.blas_threads import make_batches, run_batches
from waymeet.models.local.kernels import layer_norm, softmax
from waymeet.models.local.matmul import Weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

    Ids = NDArray[np.intp]

Pooling = Literal["cls", "mean", "max"]

TOKENS = 768
"""Tokens that are worked on together: enough to use a weight often once it is in the cache, and no more memory."""


class Layer(NamedTuple):
    """The weights of one layer; queries carry the 1/√d of attention, pairs are keys and values."""

    queries: Weight
    queries_bias: "Matrix"
    pairs: Weight
    pairs_bias: "Matrix"
    out: Weight
    out_bias: "Matrix"
    out_norm: "Matrix"
    out_shift: "Matrix"
    up: Weight
    up_bias: "Matrix"
    down: Weight
    down_bias: "Matrix"
    down_norm: "Matrix"
    down_shift: "Matrix"


class Encoder(NamedTuple):
    """Everything that is needed to turn token ids into vectors."""

    words: Callable[["Ids"], "Matrix"]
    """Gives the embeddings of tokens as a new matrix."""
    places: "Matrix"
    """The embeddings of positions from the first on, that of the first token type already added."""
    second: "Matrix | None"
    """What the second token type adds to the first; none if the model knows only one."""
    norm: "Matrix"
    shift: "Matrix"
    layers: tuple[Layer, ...]
    heads: int
    eps: float
    activation: Callable[["Matrix"], "Matrix"]

    def pooled(self, texts: Sequence["Tokens"], pooling: Pooling) -> "Matrix":
        """Give one vector for each text, not normalised."""
        batches = make_batches([len(text.ids) for text in texts], TOKENS)
        result = np.empty((len(texts), len(self.norm)), dtype=np.float32)

        def work(batch: list[int]) -> None:
            result[batch] = _pooled(self, [texts[at] for at in batch], pooling)

        run_batches(work, batches)
        return result


class Tokens(NamedTuple):
    """The tokens of a text, or of two that are looked at together."""

    ids: Sequence[int]
    second: int | None = None
    """Where the second text begins."""


def _pooled(encoder: Encoder, texts: Sequence[Tokens], pooling: Pooling) -> "Matrix":
    ends = np.cumsum([0, *(len(text.ids) for text in texts)])
    x = _embedded(encoder, texts)
    for number, layer in enumerate(encoder.layers, start=1):
        first_only = pooling == "cls" and number == len(encoder.layers)
        x = _layer(encoder, layer, x, ends, first_only=first_only)
    if pooling == "cls":
        return x if encoder.layers else x[ends[:-1]]
    if pooling == "max":
        return np.maximum.reduceat(x, ends[:-1], axis=0)
    return np.divide(np.add.reduceat(x, ends[:-1], axis=0), np.diff(ends)[:, None], dtype=np.float32)


def _embedded(encoder: Encoder, texts: Sequence[Tokens]) -> "Matrix":
    x: Matrix = encoder.words(np.concatenate([np.asarray(text.ids, dtype=np.intp) for text in texts]))
    at = 0
    for ids, second in texts:
        x[at : at + len(ids)] += encoder.places[: len(ids)]
        if second is not None and encoder.second is not None:
            x[at + second : at + len(ids)] += encoder.second
        at += len(ids)
    return layer_norm(x, encoder.norm, encoder.shift, encoder.eps)


def _layer(encoder: Encoder, layer: Layer, x: "Matrix", ends: "Ids", *, first_only: bool) -> "Matrix":
    asking = x[ends[:-1]] if first_only else x
    kept = layer.out.times(_attended(encoder, layer, x, asking, ends))
    kept += layer.out_bias
    kept += asking
    layer_norm(kept, layer.out_norm, layer.out_shift, encoder.eps)
    wide = layer.up.times(kept)
    wide += layer.up_bias
    result = layer.down.times(encoder.activation(wide))
    result += layer.down_bias
    result += kept
    return layer_norm(result, layer.down_norm, layer.down_shift, encoder.eps)


def _attended(encoder: Encoder, layer: Layer, x: "Matrix", asking: "Matrix", ends: "Ids") -> "Matrix":
    """Mix the values of every text by its own attention, for every row or for one row of each text."""
    heads, width = encoder.heads, x.shape[1] // encoder.heads
    pairs = layer.pairs.times(x)
    pairs += layer.pairs_bias
    queries = layer.queries.times(asking)
    queries += layer.queries_bias
    mixed = np.empty(queries.shape, dtype=np.float32)
    for number, (start, end) in enumerate(pairwise(ends.tolist())):
        rows = slice(start, end) if len(asking) == len(x) else slice(number, number + 1)
        q = queries[rows].reshape(-1, heads, width).transpose(1, 0, 2)
        k = pairs[start:end, : heads * width].reshape(-1, heads, width).transpose(1, 2, 0)
        v = pairs[start:end, heads * width :].reshape(-1, heads, width).transpose(1, 0, 2)
        shares = softmax(q @ k)
        np.matmul(shares, v, out=mixed[rows].reshape(-1, heads, width).transpose(1, 0, 2))
    return mixed
