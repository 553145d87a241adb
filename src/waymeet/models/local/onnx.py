"""Running a model that comes as an ONNX graph, by onnxruntime, which comes with the extra `onnx`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.local.blas_threads import count_cores
from waymeet.models.local.transformer import Pooling, Tokens

if TYPE_CHECKING:
    from waymeet.models.local.kernels import Matrix

_TOGETHER = 8


class Graph:
    """An ONNX graph that takes token ids."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, and only models that come as ONNX need it
        except ImportError as error:
            raise EmbeddingError("ONNX models need the package onnxruntime.", "pip install 'waymeet[onnx]'") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = count_cores()
        options.log_severity_level = 4  # what goes wrong comes as an exception
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its exceptions have no common base but this
            raise EmbeddingError(f"{path} cannot be run: {_short(error)}.", "Export the model again.") from error
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._outputs = [each.name for each in self._session.get_outputs()]

    def pooled(self, texts: Sequence[Tokens], pooling: Pooling) -> "Matrix":
        """Give one vector for each text, not normalised; a graph that pools by itself is believed."""
        for name in ("sentence_embedding", "pooled_output"):
            if name in self._outputs:
                return self._run(texts, name, None)
        known = [name for name in ("last_hidden_state", "token_embeddings") if name in self._outputs]
        return self._run(texts, known[0] if known else self._outputs[0], pooling)

    def logits(self, texts: Sequence[Tokens]) -> "Matrix":
        """Give what the graph's head says of each text."""
        return self._run(texts, "logits" if "logits" in self._outputs else self._outputs[0], None)

    def _run(self, texts: Sequence[Tokens], output: str, pooling: Pooling | None) -> "Matrix":
        """Run texts of similar length together, the shorter ones padded."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at].ids))
        rows: dict[int, Matrix] = {}
        for start in range(0, len(order), _TOGETHER):
            chosen = order[start : start + _TOGETHER]
            found, mask = self._together([texts[at] for at in chosen], output)
            if found.ndim != (2 if pooling is None else 3):
                raise EmbeddingError(f"The model's output {output} has an unexpected shape.", "Export the model again.")
            rows.update(zip(chosen, found if pooling is None else _pool(found, mask, pooling), strict=True))
        return np.stack([rows[at] for at in range(len(texts))])

    def _together(self, texts: Sequence[Tokens], output: str) -> tuple["Matrix", "Matrix"]:
        shape = (len(texts), max(len(text.ids) for text in texts))
        given = {name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, (ids, second) in enumerate(texts):
            given["input_ids"][row, : len(ids)] = ids
            given["attention_mask"][row, : len(ids)] = 1
            if second is not None:
                given["token_type_ids"][row, second : len(ids)] = 1
        try:
            found = self._session.run([output], {name: each for name, each in given.items() if name in self._inputs})
        except Exception as error:  # as above
            raise EmbeddingError(f"The model cannot be run: {_short(error)}.", "Export the model again.") from error
        return np.asarray(found[0], dtype=np.float32), given["attention_mask"].astype(np.float32)


def _pool(found: "Matrix", mask: "Matrix", pooling: Pooling) -> "Matrix":
    if pooling == "cls":
        first: Matrix = found[:, 0]
        return first
    if pooling == "max":
        most: Matrix = np.where(mask[..., None] > 0, found, np.float32(-np.inf)).max(axis=1)
        return most
    total: Matrix = (found * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return total


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
