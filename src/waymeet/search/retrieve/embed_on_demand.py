"""Embed the best candidates during a query, as long as chunks lack vectors."""

from collections.abc import Sequence
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING

from waymeet.analysis.embedded.section_text import chunk_language, embedding_text
from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, choose_embedder
from waymeet.search.state import Tools
from waymeet.types import Chunk, Document, Ranking, ScoredChunk

if TYPE_CHECKING:
    from waymeet.ports import Vector

_MAX_CHUNKS = 48
"""Best results of a list that are considered: more than an answer shows."""
_MAX_CORRECTED = 12
"""Chunks embedded at most if the others have approximate vectors: more of them hardly change the order."""
_MAX_BATCH = 8
_MIN_RANKED = 5
"""Chunks that must be embedded for them to take part, unless all are."""


class OnDemandEmbedder:
    """Embeds the best results that have no vector yet, within a time limit.

    These are the best lexical results and, in turn with them, those with the most similar approximate vectors.
    Loading a model does not count towards the limit: time is measured from the first chunk on. Vectors are passed to
    `Tools.save_vectors`. Without it nothing is embedded, because the work would be repeated for every query.
    """

    def __init__(self, tools: Tools, best: Ranking, seconds: float) -> None:
        """Choose the chunks to embed from the best lexical results."""
        self._tools = tools
        self._seconds_left = seconds if tools.save_vectors is not None else 0.0
        self._pending: list[Chunk] = []
        self._documents: dict[str, Document] = {}
        self._considered = self._with_vector = 0
        self.embedded = 0
        """Number of chunks that were embedded."""
        if not best:
            return
        ids = [row.chunk for row in best[:_MAX_CHUNKS]]
        known = tools.store.chunks_with_vector([embedder.space for embedder in tools.embedders], ids)
        self._considered, self._with_vector = len(ids), len(known)
        if self._seconds_left > 0:
            self._pending = self._load([chunk for chunk in ids if chunk not in known])

    @property
    def coverage(self) -> float:
        """Share of the considered chunks that have a vector."""
        return self._with_vector / self._considered if self._considered else 0.0

    @property
    def has_chunks(self) -> bool:
        """Whether there is any chunk to embed."""
        return bool(self._pending)

    def has_chunks_for(self, embedder: Embedder) -> bool:
        """Check whether a model has any chunk to embed.

        If not, the model need not be loaded.
        """
        return any(self._is_for(embedder, chunk) for chunk in self._pending)

    def rank(self, embedder: Embedder, query: "Vector", approximate: Ranking = ()) -> Ranking:
        """Embed chunks for a model until the time is over, and score them by cosine with the query.

        `approximate` ranks chunks by approximate vectors. If only very few are done in time, they are saved but not
        ranked: being embedded first would favour them.
        """
        pending = self._choose(embedder, approximate)
        rows: list[ScoredChunk] = []
        size = 1  # the first batch measures the speed of the model
        while pending and self._seconds_left > 0:
            batch, pending = pending[:size], pending[size:]
            started = monotonic()
            try:
                rows += self._embed_batch(embedder, batch, query)
            except EmbeddingError:
                break  # the query itself was embedded; the indexing job reports this error
            spent = monotonic() - started
            self._seconds_left -= spent
            size = max(1, min(_MAX_BATCH, int(self._seconds_left * len(batch) / max(spent, 1e-6))))
        if pending and len(rows) < _MIN_RANKED:
            return ()
        lexical = {chunk.id for chunk in self._pending}
        self._with_vector += sum(row.chunk in lexical for row in rows)
        return tuple(rows)

    def _load(self, ids: Sequence[str]) -> list[Chunk]:
        """Load the chunks that are embedded, and their documents."""
        chunks = self._tools.store.chunks(ids)
        loaded = [chunks[chunk] for chunk in ids if chunk in chunks and chunks[chunk].is_embedded]
        self._documents |= self._tools.store.documents({chunk.document for chunk in loaded})
        return loaded

    def _choose(self, embedder: Embedder, approximate: Ranking) -> list[Chunk]:
        """List the chunks to embed: in turn the best lexical result and the most similar one."""
        lexical = [chunk for chunk in self._pending if self._is_for(embedder, chunk)]
        similar = self._load([row.chunk for row in approximate[:_MAX_CHUNKS]]) if self._seconds_left > 0 else []
        in_turn = (chunk for pair in zip_longest(lexical, similar) for chunk in pair if chunk)
        chosen = list({chunk.id: chunk for chunk in in_turn}.values())
        return chosen[:_MAX_CORRECTED] if approximate else chosen

    def _is_for(self, embedder: Embedder, chunk: Chunk) -> bool:
        """Check whether a chunk is embedded by this model, by its language."""
        language = chunk_language(chunk, self._documents.get(chunk.document))
        return choose_embedder(self._tools.embedders, language) is embedder

    def _embed_batch(self, embedder: Embedder, chunks: Sequence[Chunk], query: "Vector") -> list[ScoredChunk]:
        """Embed chunks, save their vectors, and compute their cosines with the query."""
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        from waymeet.formulas.vector_codes import cosines, encode_vectors, rotate  # noqa: PLC0415 - likewise

        texts = [embedding_text(chunk, self._documents.get(chunk.document)) for chunk in chunks]
        rows = np.array(embedder.embed_passages(texts), dtype=np.float64)
        if rows.shape != (len(chunks), len(query)) or not np.isfinite(rows).all() or not rows.any(axis=1).all():
            raise EmbeddingError(f"{embedder.space} returned unusable vectors.")
        vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        self._save(embedder, dict(zip([chunk.id for chunk in chunks], vectors, strict=True)), chunks)
        self.embedded += len(chunks)
        exact = np.asarray(query, dtype=np.float64)
        unit = (exact / np.linalg.norm(exact)).astype(np.float32)
        scores = cosines(encode_vectors(vectors), rotate(unit[np.newaxis])[0])  # as stores compute them
        return [ScoredChunk(chunk.id, chunk.document, score) for chunk, score in zip(chunks, scores, strict=True)]

    def _save(self, embedder: Embedder, vectors: dict[str, "Vector"], chunks: Sequence[Chunk]) -> None:
        digests = {chunk.id: self._documents[chunk.document].digest for chunk in chunks}
        if self._tools.save_vectors:
            self._tools.save_vectors(embedder.space, vectors, digests)
