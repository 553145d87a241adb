"""A student for tests, whose predictions show by which version and correction they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from waymeet.models.hashing import HashingEmbedder
from waymeet.ports import Refit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from waymeet.ports import Vector

DIMENSION = 64
PLAIN, CORRECTED = np.eye(DIMENSION, dtype=np.float32)[:2]
"""What the student predicts without and with a correction."""


class EnglishModel(HashingEmbedder):
    """A model for English and code that records its texts."""

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.texts: list[str] = []

    def supports_language(self, language: str) -> bool:
        """Support English and code."""
        return not language

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Record and embed texts."""
        self.texts.extend(texts)
        return super().embed_passages(texts)


class ConstantStudent:
    """Predicts the same vector for all texts."""

    space = EnglishModel().space

    def __init__(self, version: str = "v1", correction: str = "") -> None:
        self.version, self.correction = version, correction

    def predict(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Predict a vector that shows whether there is a correction."""
        return [CORRECTED if self.correction else PLAIN] * len(texts)

    def prepare(self) -> None:
        """Need nothing."""

    def release(self) -> None:
        """Need nothing."""

    def predict_portions(self, portions: Iterable[Sequence[str]], count: int) -> Iterator[Sequence[Vector]]:
        """Predict one portion after another."""
        assert count
        return map(self.predict, portions)

    def select(self, texts: Sequence[str], count: int) -> Sequence[int]:
        """Select texts at equal distances."""
        return range(0, len(texts), max(1, len(texts) // count))

    def refit(self, texts: Sequence[str], vectors: Sequence[Vector]) -> Refit:
        """Return a correction that tells how many texts it was made of."""
        assert len(texts) == len(vectors)
        return Refit(f"made of {len(texts)}", 0.75)

    def correct(self, correction: str) -> Self:
        """Return a student with a correction."""
        return type(self)(self.version, correction)
