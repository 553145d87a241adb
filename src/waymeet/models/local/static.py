"""Static embedding models (model2vec): a text is the mean of its tokens' vectors."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import FAMILIES, describe_folder, fingerprint, report_mismatch, weight_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix
    from waymeet.models.tokenizers.huggingface import Splitter
    from waymeet.ports import Vector

_MAX_TOKENS = 512


class _Model(NamedTuple):
    vectors: "NDArray[np.generic]"
    weights: "Matrix | None"
    """Weight of each token, if the model has any."""
    rows: "NDArray[np.integer] | None"
    """Row of the vector of each token, if several tokens share one."""
    splitter: "Splitter"


def is_static(folder: Path) -> bool:
    """Check whether a folder holds a static model: a table of embeddings and no layers."""
    if describe_folder(folder).config.model_type in FAMILIES or not (folder / "model.safetensors").is_file():
        return False  # without opening weights, which may be large
    from waymeet.models.files.safetensors import read_safetensors  # noqa: PLC0415 - start-up is a feature

    return bool({"embeddings", "embedding.weight"} & set(read_safetensors(folder / "model.safetensors")))


class StaticEmbedder:
    """Embeds by the mean of the token vectors.

    The model is loaded on first use.
    """

    def __init__(self, folder: Path) -> None:
        self._description = describe_folder(folder)
        self.space = f"{fingerprint(self._description, 'static')}/1"

    @property
    def dimension(self) -> int:
        """Return the length of the vectors."""
        return int(self._model.vectors.shape[1])

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Support every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts.

        One without a known token gets the first unit vector.
        """
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.models.local.kernels import finite_unit_rows  # noqa: PLC0415 - likewise

        if not texts:
            return []
        with report_mismatch(self._description.folder):
            return list(finite_unit_rows(np.stack([self._compute_mean(text) for text in texts]), self.space))

    def embed_query(self, text: str) -> "Vector":
        """Embed a query like a passage: static models have no prefixes."""
        return self.embed_passages([text])[0]

    def load(self) -> None:
        """Read the weights now instead of on first use."""
        self.embed_query("")

    def _compute_mean(self, text: str) -> "Vector":
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        model = self._model
        ids = model.splitter.encode_known_words(text)[:_MAX_TOKENS]
        if not ids:
            return np.zeros(self.dimension, dtype=np.float32)
        rows = model.vectors[ids if model.rows is None else model.rows[ids]].astype(np.float32)
        if model.weights is not None:
            rows *= model.weights[ids][:, None]
        mean: Vector = rows.mean(axis=0)
        return mean

    @cached_property
    def _model(self) -> _Model:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.models.local.folder_embedder import read_tensors  # noqa: PLC0415 - likewise
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - likewise

        folder = self._description.folder
        tensors = read_tensors(weight_files(folder))
        vectors = tensors["embeddings"] if "embeddings" in tensors else tensors["embedding.weight"]
        if vectors.ndim != 2 or vectors.dtype.kind != "f":
            raise EmbeddingError(f"The embeddings in {folder} are not a matrix of floats.", "Choose another model.")
        weights, rows = tensors.get("weights"), tensors.get("mapping")
        return _Model(
            vectors,
            None if weights is None else np.asarray(weights, dtype=np.float32),
            None if rows is None else np.asarray(rows, dtype=np.intp),
            Splitter(folder, self._description.config.seq_length or _MAX_TOKENS),
        )
