"""Embedding the likeliest chunks while a question is answered, as long as not all of a project is embedded."""

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from waymeet.analysis.embedding_text import chunk_language, embedding_text
from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, choose_embedder
from waymeet.search.state import Tools
from waymeet.types import Chunk, Document, Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.ports import Vector

_MOST = 48
"""Chunks that are looked at: more than a list of answers shows."""
_AT_ONCE = 8
_ENOUGH = 5


class OnDemandEmbedder:
    """The likeliest chunks of a question that have no vector yet, and a little time to give them one.

    The time is counted from the first chunk on: that a model has to be loaded is no fault of theirs. What is made is
    handed to whoever keeps it; without somebody to keep it, it would be made for every question, and nothing is.
    """

    def __init__(self, tools: Tools, likely: Ranking, seconds: float) -> None:
        self._tools = tools
        self._left = seconds
        self._waiting: list[Chunk] = []
        self._documents: dict[str, Document] = {}
        self._likely = self._present = 0
        self.embedded = 0
        """How many got a vector."""
        if not likely:
            return
        ids = [each.chunk for each in likely[:_MOST]]
        known = tools.store.chunks_with_vector([each.space for each in tools.embedders], ids)
        self._likely, self._present = len(ids), len(known)
        if seconds > 0 and tools.save_vectors is not None:
            found = tools.store.chunks([chunk for chunk in ids if chunk not in known])
            self._waiting = [found[chunk] for chunk in ids if chunk in found]
            self._documents = dict(tools.store.documents({chunk.document for chunk in self._waiting}))

    @property
    def covered(self) -> float:
        """Say which part of the likeliest takes part."""
        return self._present / self._likely if self._likely else 0.0

    @property
    def hopeful(self) -> bool:
        """Tell whether there is anything to embed, and time."""
        return bool(self._waiting)

    def wants(self, embedder: Embedder) -> bool:
        """Tell whether there is anything for a model to embed: if not, it need not be loaded."""
        return any(self._suits(embedder, chunk) for chunk in self._waiting)

    def near(self, embedder: Embedder, point: "Vector") -> Ranking:
        """Embed chunks that suit a model, as many as there is time for, and say how near to a point they are.

        If there is time for very few, they are kept but do not take part: that they were the first is no merit.
        """
        mine = [chunk for chunk in self._waiting if self._suits(embedder, chunk)]
        found: list[ScoredChunk] = []
        size = 1  # the first shows how quick the model is
        while mine and self._left > 0:
            some, mine = mine[:size], mine[size:]
            started = monotonic()
            try:
                found += self._embedded(embedder, some, point)
            except EmbeddingError:
                break  # the job that embeds them all will tell; the question itself was embedded well
            spent = monotonic() - started
            self._left -= spent
            size = max(1, min(_AT_ONCE, int(self._left * len(some) / max(spent, 1e-6))))
        if mine and len(found) < _ENOUGH:
            return ()
        self._present += len(found)
        return tuple(found)

    def _suits(self, embedder: Embedder, chunk: Chunk) -> bool:
        return (
            choose_embedder(self._tools.embedders, chunk_language(chunk, self._documents.get(chunk.document)))
            is embedder
        )

    def _embedded(self, embedder: Embedder, chunks: Sequence[Chunk], point: "Vector") -> list[ScoredChunk]:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        texts = [embedding_text(chunk, self._documents.get(chunk.document)) for chunk in chunks]
        rows = np.array(embedder.embed_passages(texts), dtype=np.float64)
        if rows.shape != (len(chunks), len(point)) or not np.isfinite(rows).all() or not rows.any(axis=1).all():
            raise EmbeddingError(f"{embedder.space} returned something unusable.")
        kept = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        self._keep(embedder, dict(zip([chunk.id for chunk in chunks], kept, strict=True)), chunks)
        self.embedded += len(chunks)
        asked = np.asarray(point, dtype=np.float64)
        asked = (asked / np.linalg.norm(asked)).astype(np.float32).astype(np.float64)  # as a store compares
        scores = (kept.astype(np.float64) @ asked).tolist()
        return [ScoredChunk(chunk.id, chunk.document, score) for chunk, score in zip(chunks, scores, strict=True)]

    def _keep(self, embedder: Embedder, vectors: dict[str, "Vector"], chunks: Sequence[Chunk]) -> None:
        digests = {chunk.id: self._documents[chunk.document].digest for chunk in chunks}
        if self._tools.save_vectors:
            self._tools.save_vectors(embedder.space, vectors, digests)
