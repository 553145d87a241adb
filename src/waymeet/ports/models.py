"""The interfaces of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from waymeet.ports.store import Vector


class Reranker(Protocol):
    """Scores how well texts answer a query, reading both together."""

    @property
    def name(self) -> str:
        """Return the name used in results and as a cache key."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score each text from 0 to 1, in their order.

        Raises:
            ModelError: the model failed, timed out, or returned something unusable.
        """
        ...


class Expander(Protocol):
    """Rewrites a query in other words."""

    @property
    def name(self) -> str:
        """Return the name used in results and as a cache key."""
        ...

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Return at most `number` other wordings of the query.

        Raises:
            ModelError: the model failed, timed out, or returned something unusable.
        """
        ...


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def space(self) -> str:
        """Return the name of the vector space: the model and all else that makes vectors comparable."""
        ...

    @property
    def dimension(self) -> int:
        """Return the length of the vectors."""
        ...

    def supports_language(self, language: str) -> bool:
        """Return whether the model understands a language, named as by `analysis.detect_language`."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Embed texts to be searched, one vector each, with the model's prefix for passages."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Embed a query, with the model's prefix for queries."""
        ...


@runtime_checkable
class Vocabulary(Protocol):
    """The words that a model knows."""

    def is_word(self, word: str) -> bool:
        """Return whether the model knows a word as a whole, so that it is no misspelling.

        Raises:
            EmbeddingError: the model cannot be read.
        """
        ...


def choose_embedder(embedders: Sequence[Embedder], language: str) -> Embedder:
    """Choose the embedder for a language: the first that supports it, else the last.

    The last is the most multilingual one.
    """
    return next((embedder for embedder in embedders if embedder.supports_language(language)), embedders[-1])


def multilingual_embedder(embedders: Sequence[Embedder]) -> Embedder | None:
    """Return the model in whose space every section is, too: the last of several.

    Its vectors are quantised, which needs a power of two of at least 64 dimensions.
    """
    last = embedders[-1] if len(embedders) > 1 else None
    return last if last is not None and last.dimension >= 64 and not last.dimension & (last.dimension - 1) else None


class Refit(NamedTuple):
    """Result of correcting a student by true vectors of a project."""

    correction: str
    trust: float
    """Correlation of its similarities with those of true vectors, from 0 to 1."""


class Student(Protocol):
    """Predicts the vectors of a slow model from tokens alone, thousands of texts a second."""

    @property
    def space(self) -> str:
        """Return the name of the model whose vectors it predicts."""
        ...

    @property
    def version(self) -> str:
        """Return the version of the student: vectors of different versions are not mixed."""
        ...

    def predict(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Predict a unit vector for each text."""
        ...

    def prepare(self) -> None:
        """Start what predicting many texts needs."""
        ...

    def release(self) -> None:
        """End what `prepare` started, if it was not used."""
        ...

    def predict_portions(self, portions: Iterable[Sequence[str]], count: int) -> Iterator[Sequence[Vector]]:
        """Predict portions of texts in order, about `count` in all.

        A portion is read only when its prediction can begin.
        """
        ...

    def select(self, texts: Sequence[str], count: int) -> Sequence[int]:
        """Select about so many texts that represent all, and return their numbers."""
        ...

    def refit(self, texts: Sequence[str], vectors: Sequence[Vector]) -> Refit:
        """Compute the correction that brings the predictions for texts nearer to their true vectors."""
        ...

    def correct(self, correction: str) -> Self:
        """Return a student with a correction, or without one if it is empty.

        Raises:
            EmbeddingError: the correction is damaged.
        """
        ...
