"""Embedding models in folders of the user's own: any of the BERT family, static ones, or ONNX graphs."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from waymeet.models.files.model_folder import describe_folder, fingerprint, fitting, weight_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix
    from waymeet.models.local.transformer import Pooling, Tokens
    from waymeet.models.tokenizers.huggingface import Splitter
    from waymeet.ports import Vector


class Forward(Protocol):
    """Turns tokens into one vector per text."""

    def pooled(self, texts: Sequence["Tokens"], pooling: "Pooling") -> "Matrix":
        """Give one vector for each text, not normalised."""
        ...


class LocalEmbedder:
    """Embeds with the model in a folder, as the folder itself describes; loads when it is first used."""

    def __init__(self, folder: Path, query_prefix: str | None = None, passage_prefix: str | None = None) -> None:
        described = describe_folder(folder)
        self._described = replace(
            described,
            query_prefix=described.query_prefix if query_prefix is None else query_prefix,
            passage_prefix=described.passage_prefix if passage_prefix is None else passage_prefix,
        )
        self.space = f"{fingerprint(self._described)}/1"

    @cached_property
    def dimension(self) -> int:
        """Say how long its vectors are; a graph may have to be asked."""
        from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

        config = self._described.config
        if config.hidden_size and not isinstance(self._forward, Graph):
            return config.hidden_size
        return len(self.embed_query(""))

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts, with the model's prefix for passages."""
        return self._embed([self._described.passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> "Vector":
        """Embed a question, with the model's prefix for questions."""
        return self._embed([self._described.query_prefix + text])[0]

    def load(self) -> None:
        """Read the weights now, so that the first text does not wait for it."""
        self.embed_query("")

    def _embed(self, texts: Sequence[str]) -> Sequence["Vector"]:
        from waymeet.models.local.kernels import refusing  # noqa: PLC0415 - start-up is a feature

        if not texts:
            return []
        with fitting(self._described.folder):
            tokens = [self._splitter.one(text) for text in texts]
            return list(refusing(self._forward.pooled(tokens, self._described.pooling), self.space))

    @cached_property
    def _splitter(self) -> "Splitter":
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - start-up is a feature

        return Splitter(self._described.folder, self._described.longest, lower=self._described.lower)

    @cached_property
    def _forward(self) -> Forward:
        files = weight_files(self._described.folder, self._described.config.model_type)
        if files[0].suffix == ".onnx":
            from waymeet.models.local.onnx import Graph  # noqa: PLC0415 - start-up is a feature

            return Graph(files[0])
        from waymeet.models.local.bert import build  # noqa: PLC0415 - likewise

        return build(self._described.config, tensors_of(files))


def tensors_of(files: Sequence[Path]) -> dict[str, "NDArray[np.generic]"]:
    """Read the tensors of all files of a model."""
    from waymeet.models.files.safetensors import read_safetensors  # noqa: PLC0415 - start-up is a feature

    return {name: tensor for path in files for name, tensor in read_safetensors(path).items()}


def open_folder(
    folder: Path, query_prefix: str | None = None, passage_prefix: str | None = None
) -> "LocalEmbedder | StaticEmbedder":
    """Open whatever embedding model a folder holds."""
    from waymeet.models.local.static import StaticEmbedder, is_static  # noqa: PLC0415 - start-up is a feature

    if is_static(folder):
        return StaticEmbedder(folder)
    return LocalEmbedder(folder, query_prefix, passage_prefix)


if TYPE_CHECKING:
    from waymeet.models.local.static import StaticEmbedder
