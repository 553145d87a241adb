"""Cross-encoders in local folders: rerankers that read query and text together."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import describe_folder, fingerprint, report_mismatch, weight_files

if TYPE_CHECKING:
    from waymeet.models.local.bert import Tensors
    from waymeet.models.local.kernels import Matrix
    from waymeet.models.local.transformer import Encoder, Tokens
    from waymeet.models.tokenizers.huggingface import Splitter


class _Head(Protocol):
    def logits(self, texts: Sequence["Tokens"]) -> "Matrix": ...


class LocalReranker:
    """Scores by the cross-encoder in a folder, which is loaded on first use."""

    def __init__(self, folder: Path) -> None:
        self._description = describe_folder(folder)
        self.name = f"{fingerprint(self._description, 'rerank')}/1"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts from 0 to 1.

        The score is the logistic of the model's single logit, or the softmax share of the second of two labels.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        if not texts:
            return []
        with report_mismatch(self._description.folder):
            tokens = [self._splitter.encode_pair(query, text) for text in texts]
            logits = self._head.logits(tokens).astype(np.float64)
        if logits.shape[1] > 2:
            raise EmbeddingError(
                f"{self.name} gives {logits.shape[1]} numbers per text, not one.", "Choose another model."
            )
        if not np.isfinite(logits).all():
            raise EmbeddingError(f"{self.name} gave a score that is not a number.", "Choose another model.")
        margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        scores: list[float] = (0.5 * (1.0 + np.tanh(0.5 * margin))).tolist()  # the logistic, without overflow
        return scores

    @cached_property
    def _splitter(self) -> "Splitter":
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - start-up is a feature

        description = self._description
        return Splitter(description.folder, description.max_tokens, is_lowercase=description.is_lowercase)

    @cached_property
    def _head(self) -> _Head:
        files = weight_files(self._description.folder, self._description.config.model_type)
        if files[0].suffix == ".onnx":
            from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

            return Graph(files[0])
        from waymeet.models.local.bert import build_encoder  # noqa: PLC0415 - likewise
        from waymeet.models.local.folder_embedder import read_tensors  # noqa: PLC0415 - likewise

        tensors = read_tensors(files)
        return _Classifier(build_encoder(self._description.config, tensors), tensors)


class _Classifier:
    """The head of a cross-encoder: a dense layer with tanh and the labels, on the first token."""

    def __init__(self, encoder: "Encoder", tensors: "Tensors") -> None:
        from waymeet.models.local.bert import NamedTensors  # noqa: PLC0415 - start-up is a feature

        self._encoder = encoder
        named = NamedTensors(tensors, "")
        if "classifier.out_proj.weight" in tensors:  # RoBERTa and XLM-R
            dense, last = "classifier.dense", "classifier.out_proj"
        else:
            prefix = "bert." if "bert.pooler.dense.weight" in tensors else ""
            dense, last = f"{prefix}pooler.dense", "classifier"
        self._dense, self._dense_bias = named.tensor(f"{dense}.weight").T, named.tensor(f"{dense}.bias")
        self._last, self._last_bias = named.tensor(f"{last}.weight").T, named.tensor(f"{last}.bias")

    def logits(self, texts: Sequence["Tokens"]) -> "Matrix":
        """Compute the logits of each text."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        first = self._encoder.embed_tokens(texts, "cls")
        logits: Matrix = np.tanh(first @ self._dense + self._dense_bias) @ self._last + self._last_bias
        return logits
