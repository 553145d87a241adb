"""Static models (model2vec): a vector per token, looked up and averaged; thousands of texts a second."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import FAMILIES, describe_folder, fingerprint, fitting, weight_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix
    from waymeet.models.tokenizers.huggingface import Splitter
    from waymeet.ports import Vector

_LONGEST = 512


class _Loaded(NamedTuple):
    vectors: "NDArray[np.generic]"
    weights: "Matrix | None"
    """How much each token counts, if the model says so."""
    rows: "NDArray[np.integer] | None"
    """Which vector belongs to each token, if several share one."""
    splitter: "Splitter"


def is_static(folder: Path) -> bool:
    """Tell whether a folder holds a static model: its weights have a table of embeddings and no layers."""
    if describe_folder(folder).config.model_type in FAMILIES or not (folder / "model.safetensors").is_file():
        return False  # without a look at weights, which may be large
    from waymeet.models.files.safetensors import read_safetensors  # noqa: PLC0415 - start-up is a feature

    return bool({"embeddings", "embedding.weight"} & set(read_safetensors(folder / "model.safetensors")))


class StaticEmbedder:
    """Embeds by the mean of the vectors of a text's tokens; loads when it is first used."""

    def __init__(self, folder: Path) -> None:
        self._described = describe_folder(folder)
        self.space = f"{fingerprint(self._described, 'static')}/1"

    @property
    def dimension(self) -> int:
        """Say how long its vectors are."""
        return int(self._loaded.vectors.shape[1])

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts; one without any known token becomes the first axis."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.models.local.kernels import refusing  # noqa: PLC0415 - likewise

        if not texts:
            return []
        with fitting(self._described.folder):
            return list(refusing(np.stack([self._mean(text) for text in texts]), self.space))

    def embed_query(self, text: str) -> "Vector":
        """Embed a question as if it were a passage: static models know no prefix."""
        return self.embed_passages([text])[0]

    def load(self) -> None:
        """Read the weights now, so that the first text does not wait for it."""
        self.embed_query("")

    def _mean(self, text: str) -> "Vector":
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        loaded = self._loaded
        ids = loaded.splitter.bare(text)[:_LONGEST]
        if not ids:
            return np.zeros(self.dimension, dtype=np.float32)
        rows = loaded.vectors[ids if loaded.rows is None else loaded.rows[ids]].astype(np.float32)
        if loaded.weights is not None:
            rows *= loaded.weights[ids][:, None]
        mean: Vector = rows.mean(axis=0)
        return mean

    @cached_property
    def _loaded(self) -> _Loaded:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.models.local.folder_embedder import tensors_of  # noqa: PLC0415 - likewise
        from waymeet.models.tokenizers.huggingface import Splitter  # noqa: PLC0415 - likewise

        folder = self._described.folder
        tensors = tensors_of(weight_files(folder))
        vectors = tensors["embeddings"] if "embeddings" in tensors else tensors["embedding.weight"]
        if vectors.ndim != 2 or vectors.dtype.kind != "f":
            raise EmbeddingError(f"The embeddings in {folder} are of an unknown kind.", "Choose another model.")
        weights, rows = tensors.get("weights"), tensors.get("mapping")
        return _Loaded(
            vectors,
            None if weights is None else np.asarray(weights, dtype=np.float32),
            None if rows is None else np.asarray(rows, dtype=np.intp),
            Splitter(folder, self._described.config.seq_length or _LONGEST),
        )
