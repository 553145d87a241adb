"""Cross-encoders in folders of the user's own: a model that reads question and text together."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import describe_folder, fingerprint, fitting, weight_files

if TYPE_CHECKING:
    from waymeet.models.local.bert import Tensors
    from waymeet.models.local.kernels import Matrix
    from waymeet.models.local.transformer import Encoder, Tokens
    from waymeet.models.tokenizers.huggingface import Splitter


class _Head(Protocol):
    def logits(self, texts: Sequence["Tokens"]) -> "Matrix": ...


class LocalReranker:
    """Scores with the cross-encoder in a folder, by safetensors or ONNX; loads when it is first used."""

    def __init__(self, folder: Path) -> None:
        self._described = describe_folder(folder)
        self.name = f"{fingerprint(self._described, 'rerank')}/1"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Give every text a score from 0 to 1: the logistic of the model's one number, or its share for `yes`."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        if not texts:
            return []
        with fitting(self._described.folder):
            logits = self._head.logits([self._splitter.two(query, text) for text in texts]).astype(np.float64)
        if logits.shape[1] > 2:
            raise EmbeddingError(f"{self.name} gives {logits.shape[1]} numbers per text, not one.", "Choose another.")
        if not np.isfinite(logits).all():
            raise EmbeddingError(f"{self.name} gave a score that is not a number.", "Choose another model.")
        margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        scores: list[float] = (0.5 * (1.0 + np.tanh(0.5 * margin))).tolist()  # the logistic, without overflow
        return scores

    @cached_property
    def _splitter(self) -> "Splitter":
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - start-up is a feature

        return Splitter(self._described.folder, self._described.longest, lower=self._described.lower)

    @cached_property
    def _head(self) -> _Head:
        files = weight_files(self._described.folder, self._described.config.model_type)
        if files[0].suffix == ".onnx":
            from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

            return Graph(files[0])
        from waymeet.models.local.bert import build  # noqa: PLC0415 - likewise
        from waymeet.models.local.folder_embedder import tensors_of  # noqa: PLC0415 - likewise

        tensors = tensors_of(files)
        return _Classifier(build(self._described.config, tensors), tensors)


class _Classifier:
    """The head of a cross-encoder: the first token's vector through a dense layer and tanh to the labels."""

    def __init__(self, encoder: "Encoder", tensors: "Tensors") -> None:
        from waymeet.models.local.bert import Named  # noqa: PLC0415 - start-up is a feature

        self._encoder = encoder
        named = Named(tensors, "")
        if "classifier.out_proj.weight" in tensors:  # RoBERTa and XLM-R
            dense, last = "classifier.dense", "classifier.out_proj"
        else:
            prefix = "bert." if "bert.pooler.dense.weight" in tensors else ""
            dense, last = f"{prefix}pooler.dense", "classifier"
        self._dense, self._dense_bias = named.vector(f"{dense}.weight").T, named.vector(f"{dense}.bias")
        self._last, self._last_bias = named.vector(f"{last}.weight").T, named.vector(f"{last}.bias")

    def logits(self, texts: Sequence["Tokens"]) -> "Matrix":
        """Give what the head says of each text."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        first = self._encoder.pooled(texts, "cls")
        logits: Matrix = np.tanh(first @ self._dense + self._dense_bias) @ self._last + self._last_bias
        return logits
