"""Embedding models in local folders: the BERT family, static models, ONNX graphs."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from waymeet.models.files.model_folder import describe_folder, fingerprint, report_mismatch, weight_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix
    from waymeet.models.local.static import StaticEmbedder
    from waymeet.models.local.transformer import Pooling, Tokens
    from waymeet.models.tokenizers.huggingface import Splitter
    from waymeet.ports import Vector


class Forward(Protocol):
    """A model that computes one vector per text."""

    def embed_tokens(self, texts: Sequence["Tokens"], pooling: "Pooling") -> "Matrix":
        """Compute one vector per text, not normalised."""
        ...


class LocalEmbedder:
    """Embeds by the model in a folder, which is loaded on first use."""

    def __init__(self, folder: Path, query_prefix: str | None = None, passage_prefix: str | None = None) -> None:
        description = describe_folder(folder)
        self._description = replace(
            description,
            query_prefix=description.query_prefix if query_prefix is None else query_prefix,
            passage_prefix=description.passage_prefix if passage_prefix is None else passage_prefix,
        )
        self.space = f"{fingerprint(self._description)}/1"

    @cached_property
    def dimension(self) -> int:
        """Return the length of the vectors.

        A graph is run to find out.
        """
        from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

        config = self._description.config
        if config.hidden_size and not isinstance(self._forward, Graph):
            return config.hidden_size
        return len(self.embed_query(""))

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Support every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts with the model's prefix for passages."""
        return self._embed([self._description.passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> "Vector":
        """Embed a query with the model's prefix for queries."""
        return self._embed([self._description.query_prefix + text])[0]

    def load(self) -> None:
        """Read the weights now instead of on first use."""
        self.embed_query("")

    def _embed(self, texts: Sequence[str]) -> Sequence["Vector"]:
        from waymeet.models.local.kernels import finite_unit_rows  # noqa: PLC0415 - start-up is a feature

        if not texts:
            return []
        with report_mismatch(self._description.folder):
            tokens = [self._splitter.encode(text) for text in texts]
            rows = self._forward.embed_tokens(tokens, self._description.pooling)
            return list(finite_unit_rows(rows, self.space))

    @cached_property
    def _splitter(self) -> "Splitter":
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - start-up is a feature

        description = self._description
        return Splitter(description.folder, description.max_tokens, is_lowercase=description.is_lowercase)

    @cached_property
    def _forward(self) -> Forward:
        files = weight_files(self._description.folder, self._description.config.model_type)
        if files[0].suffix == ".onnx":
            from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

            return Graph(files[0])
        from waymeet.models.local.bert import build_encoder  # noqa: PLC0415 - likewise

        return build_encoder(self._description.config, read_tensors(files))


def read_tensors(files: Sequence[Path]) -> dict[str, "NDArray[np.generic]"]:
    """Read the tensors of all files of a model."""
    from waymeet.models.files.safetensors import read_safetensors  # noqa: PLC0415 - start-up is a feature

    return {name: tensor for path in files for name, tensor in read_safetensors(path).items()}


def open_folder(
    folder: Path, query_prefix: str | None = None, passage_prefix: str | None = None
) -> "LocalEmbedder | StaticEmbedder":
    """Open the embedding model in a folder."""
    from waymeet.models.local.static import StaticEmbedder, is_static  # noqa: PLC0415 - start-up is a feature

    if is_static(folder):
        return StaticEmbedder(folder)
    return LocalEmbedder(folder, query_prefix, passage_prefix)
