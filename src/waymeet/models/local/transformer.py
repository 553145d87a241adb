"""A transformer encoder of the BERT family (Devlin et al., 2018) in numpy.

The token rows of all texts of a batch are concatenated, so no product is spent on padding; only attention treats texts
one by one. If only the vector of the first token is wanted, the last layer computes nothing but keys and values for
the other tokens.
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

BATCH_TOKENS = 768
"""Tokens per batch: enough to reuse a weight often while it is in the cache, and no more memory than needed."""


class Layer(NamedTuple):
    """The weights of one layer.

    `queries` include the factor 1/√d of attention, `pairs` are keys and values.
    """

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
    """The weights and dimensions of an encoder."""

    words: Callable[["Ids"], "Matrix"]
    """Looks up the embeddings of tokens, as a new matrix."""
    positions: "Matrix"
    """Embeddings of positions from the first token on, plus the embedding of the first token type."""
    second_type: "Matrix | None"
    """Embedding of the second token type minus that of the first; None for models with one type."""
    norm: "Matrix"
    shift: "Matrix"
    layers: tuple[Layer, ...]
    heads: int
    eps: float
    activation: Callable[["Matrix"], "Matrix"]

    def embed_tokens(self, texts: Sequence["Tokens"], pooling: Pooling) -> "Matrix":
        """Compute one vector per text, not normalised."""
        batches = make_batches([len(text.ids) for text in texts], BATCH_TOKENS)
        vectors = np.empty((len(texts), len(self.norm)), dtype=np.float32)

        def work(batch: list[int]) -> None:
            vectors[batch] = _embed_batch(self, [texts[number] for number in batch], pooling)

        run_batches(work, batches)
        return vectors


class Tokens(NamedTuple):
    """The tokens of a text, or of a pair of texts."""

    ids: Sequence[int]
    second: int | None = None
    """Position of the first token of the second text."""


def _embed_batch(encoder: Encoder, texts: Sequence[Tokens], pooling: Pooling) -> "Matrix":
    ends = np.cumsum([0, *(len(text.ids) for text in texts)])
    x = _embed_input(encoder, texts)
    for number, layer in enumerate(encoder.layers, start=1):
        is_first_only = pooling == "cls" and number == len(encoder.layers)
        x = _apply_layer(encoder, layer, x, ends, is_first_only=is_first_only)
    if pooling == "cls":
        return x if encoder.layers else x[ends[:-1]]
    if pooling == "max":
        return np.maximum.reduceat(x, ends[:-1], axis=0)
    return np.divide(np.add.reduceat(x, ends[:-1], axis=0), np.diff(ends)[:, None], dtype=np.float32)


def _embed_input(encoder: Encoder, texts: Sequence[Tokens]) -> "Matrix":
    """Sum the embeddings of words, positions and token types, and normalise."""
    x: Matrix = encoder.words(np.concatenate([np.asarray(text.ids, dtype=np.intp) for text in texts]))
    start = 0
    for ids, second in texts:
        x[start : start + len(ids)] += encoder.positions[: len(ids)]
        if second is not None and encoder.second_type is not None:
            x[start + second : start + len(ids)] += encoder.second_type
        start += len(ids)
    return layer_norm(x, encoder.norm, encoder.shift, encoder.eps)


def _apply_layer(encoder: Encoder, layer: Layer, x: "Matrix", ends: "Ids", *, is_first_only: bool) -> "Matrix":
    """Apply attention and the feed-forward network, for all rows or for the first of each text."""
    residual = x[ends[:-1]] if is_first_only else x
    attended = layer.out.times(_attend(encoder, layer, x, residual, ends))
    attended += layer.out_bias
    attended += residual
    layer_norm(attended, layer.out_norm, layer.out_shift, encoder.eps)
    wide = layer.up.times(attended)
    wide += layer.up_bias
    result = layer.down.times(encoder.activation(wide))
    result += layer.down_bias
    result += attended
    return layer_norm(result, layer.down_norm, layer.down_shift, encoder.eps)


def _attend(encoder: Encoder, layer: Layer, x: "Matrix", query_rows: "Matrix", ends: "Ids") -> "Matrix":
    """Compute multi-head attention within each text, for all rows or for one row of each text."""
    heads, width = encoder.heads, x.shape[1] // encoder.heads
    pairs = layer.pairs.times(x)
    pairs += layer.pairs_bias
    queries = layer.queries.times(query_rows)
    queries += layer.queries_bias
    mixed = np.empty(queries.shape, dtype=np.float32)
    for number, (start, end) in enumerate(pairwise(ends.tolist())):
        rows = slice(start, end) if len(query_rows) == len(x) else slice(number, number + 1)
        q = queries[rows].reshape(-1, heads, width).transpose(1, 0, 2)
        k = pairs[start:end, : heads * width].reshape(-1, heads, width).transpose(1, 2, 0)
        v = pairs[start:end, heads * width :].reshape(-1, heads, width).transpose(1, 0, 2)
        attention = softmax(q @ k)
        np.matmul(attention, v, out=mixed[rows].reshape(-1, heads, width).transpose(1, 0, 2))
    return mixed
