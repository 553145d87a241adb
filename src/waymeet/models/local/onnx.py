"""Models as ONNX graphs, run by onnxruntime (extra `onnx`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.local.blas_threads import count_cores
from waymeet.models.local.transformer import Pooling, Tokens

if TYPE_CHECKING:
    from waymeet.models.local.kernels import Matrix

_BATCH_TEXTS = 8


class Graph:
    """An ONNX graph over token ids."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, and only ONNX models need it
        except ImportError as error:
            raise EmbeddingError("ONNX models need the package onnxruntime.", "pip install 'waymeet[onnx]'") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = count_cores()
        options.log_severity_level = 4  # errors are raised as exceptions, too
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its exceptions have no common base but this
            raise EmbeddingError(f"{path} cannot be run: {_shorten(error)}.", "Export the model again.") from error
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._outputs = [value.name for value in self._session.get_outputs()]

    def embed_tokens(self, texts: Sequence[Tokens], pooling: Pooling) -> "Matrix":
        """Compute one vector per text, not normalised.

        The graph's own pooling takes precedence.
        """
        for name in ("sentence_embedding", "pooled_output"):
            if name in self._outputs:
                return self._run(texts, name, None)
        known = [name for name in ("last_hidden_state", "token_embeddings") if name in self._outputs]
        return self._run(texts, known[0] if known else self._outputs[0], pooling)

    def logits(self, texts: Sequence[Tokens]) -> "Matrix":
        """Compute the logits of each text."""
        return self._run(texts, "logits" if "logits" in self._outputs else self._outputs[0], None)

    def _run(self, texts: Sequence[Tokens], output: str, pooling: Pooling | None) -> "Matrix":
        """Run texts in batches of similar length, with padding."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number].ids))
        rows: dict[int, Matrix] = {}
        for start in range(0, len(order), _BATCH_TEXTS):
            batch = order[start : start + _BATCH_TEXTS]
            result, mask = self._run_batch([texts[number] for number in batch], output)
            if result.ndim != (2 if pooling is None else 3):
                raise EmbeddingError(f"The model's output {output} has an unexpected shape.", "Export the model again.")
            rows.update(zip(batch, result if pooling is None else _pool(result, mask, pooling), strict=True))
        return np.stack([rows[number] for number in range(len(texts))])

    def _run_batch(self, texts: Sequence[Tokens], output: str) -> tuple["Matrix", "Matrix"]:
        shape = (len(texts), max(len(text.ids) for text in texts))
        names = ("input_ids", "attention_mask", "token_type_ids")
        inputs = {name: np.zeros(shape, dtype=np.int64) for name in names}
        for row, (ids, second) in enumerate(texts):
            inputs["input_ids"][row, : len(ids)] = ids
            inputs["attention_mask"][row, : len(ids)] = 1
            if second is not None:
                inputs["token_type_ids"][row, second : len(ids)] = 1
        supported = {name: value for name, value in inputs.items() if name in self._inputs}
        try:
            results = self._session.run([output], supported)
        except Exception as error:  # as above
            raise EmbeddingError(f"The model cannot be run: {_shorten(error)}.", "Export the model again.") from error
        return np.asarray(results[0], dtype=np.float32), inputs["attention_mask"].astype(np.float32)


def _pool(states: "Matrix", mask: "Matrix", pooling: Pooling) -> "Matrix":
    if pooling == "cls":
        first: Matrix = states[:, 0]
        return first
    if pooling == "max":
        maximum: Matrix = np.where(mask[..., None] > 0, states, np.float32(-np.inf)).max(axis=1)
        return maximum
    mean: Matrix = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return mean


def _shorten(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
