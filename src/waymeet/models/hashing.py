"""An embedder without a model: the hashing trick over terms (Weinberger et al., 2009).

It is deterministic and serves to test everything around a model. Synonyms get unrelated vectors.
"""

from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from waymeet.analysis import count_terms

if TYPE_CHECKING:
    from waymeet.ports import Vector


class HashingEmbedder:
    """Adds the square root of each term's frequency, with a hashed sign, to a hashed dimension."""

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.space = f"hashing-{dimension}"

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Support every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts.

        One without terms gets the first unit vector.
        """
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> "Vector":
        """Embed a query like a passage."""
        return self._embed(text)

    def _embed(self, text: str) -> "Vector":
        vector = np.zeros(self.dimension, dtype=np.float32)
        for term, frequency in count_terms(text).items():
            digest = int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")
            sign = 1.0 if digest & 1 else -1.0
            vector[(digest >> 1) % self.dimension] += sign * sqrt(frequency)
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            vector[0] = 1.0
            return vector
        return vector / np.float32(length)
