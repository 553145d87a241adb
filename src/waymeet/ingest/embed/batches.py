"""Embedding of chunks without a vector, the most urgent first, in batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec import Struct

from waymeet.analysis.embedded.section_text import chunk_language, embedding_text
from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.ingest.embed.failures import FailedChunks
from waymeet.ports import Embedder, Progress, Store, choose_embedder
from waymeet.settings import Settings
from waymeet.types import Chunk, Document

if TYPE_CHECKING:
    from waymeet.ports import Vector

_HASTY_BATCH = 8
"""Chunks per batch while a search waits for its results."""
_PORTION = 4096
"""Chunks requested from the store at a time: ordering them costs as much for all as for a few."""
_MAX_ERRORS_IN_A_ROW = 5
"""Errors without a success between them after which a model is not used any more in this run."""
_MAX_TRIES = 5
"""Attempts to embed a chunk in one run."""
_MISPLACED_PORTION = 200
"""Documents that are checked for misplaced vectors at a time."""
_MIN_UNUSABLE = 32
"""Unusable vectors from which on a model is given up if they outnumber the usable ones."""


class EmbeddingReport(Struct, frozen=True):
    """Result of an embedding run."""

    embedded: int = 0
    """Sections that were embedded."""
    files: int = 0
    """Files whose own vector, of path and names, was embedded."""
    remaining: int = 0
    """Sections without a vector that the next run tries again."""
    failed: int = 0
    """Sections without a usable vector, of this run or earlier ones, which are tried again when they change."""
    error: str = ""
    """The error that kept the run from embedding all sections; empty if there was none or the time was up."""
    hint: str = ""
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


def embed_chunks(
    store: Store,
    embedders: Sequence[Embedder],
    settings: Settings,
    progress: Progress | None = None,
    is_late: Callable[[], bool] | None = None,
    *,
    also: Iterable[str] = (),
    hasty: bool = False,
) -> EmbeddingReport:
    """Embed the chunks without a vector and those in `also`, each by the model for its language.

    Each batch is stored at once, so that it is not lost when a later one fails. A batch that fails is split; a model
    that always fails is not used any more, and its chunks remain for the next run. `is_late` ends the run after any
    batch. With `hasty`, for a search that waits, batches are small and the first error ends the run.
    """
    started = perf_counter()
    run = _Run(store, embedders, settings.embedding.batch_chunks, progress, is_late, hasty=hasty)
    run.embed_all(also)
    return run.report(perf_counter() - started)


class _Run:
    """One embedding run with its attempts and results."""

    def __init__(
        self,
        store: Store,
        embedders: Sequence[Embedder],
        batch_chunks: int,
        progress: Progress | None,
        is_late: Callable[[], bool] | None,
        *,
        hasty: bool,
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._spaces = [embedder.space for embedder in embedders]
        self._batch_chunks = _HASTY_BATCH if hasty else batch_chunks
        self._progress = progress
        self._is_late = is_late or (lambda: False)
        self._hasty = hasty
        self._failures = FailedChunks(store)
        self._tries: dict[str, int] = {}
        self._postponed: list[str] = []
        self._done = self._unusable = 0
        self._errors_in_a_row = dict.fromkeys(self._spaces, 0)
        """Errors of each model since its last success."""
        self._error: EmbeddingError | None = None
        self._given_up: set[str] = set()
        """The spaces of models that are not used any more in this run."""

    def embed_all(self, also: Iterable[str]) -> None:
        """Embed until no chunk is left or every model is given up."""
        embedded, chunks = self._store.coverage(self._spaces)
        self._total = chunks - embedded - len(self._failures.chunk_ids(self._spaces))
        for batch in _split(also, self._batch_chunks):
            self._total += len(batch)
            self._embed_batch(batch, replace=True)
        while not self._is_over() and (portion := self._next_portion()):
            for batch in _split(portion, self._batch_chunks):
                self._embed_batch(batch)
        while self._postponed and not self._is_over():  # one by one, now that all others are done
            self._embed_batch([self._postponed.pop(0)])

    def report(self, seconds: float) -> EmbeddingReport:
        """Report the result of the run."""
        embedded, chunks = self._store.coverage(self._spaces)
        failed = len(self._failures.chunk_ids(self._spaces))
        remaining = max(chunks - embedded - failed, 0)
        error = self._error if remaining else None
        return EmbeddingReport(
            embedded=self._done,
            remaining=remaining,
            failed=failed,
            error=error.message if error else "",
            hint=error.hint if error else "",
            seconds=seconds,
        )

    def _is_over(self) -> bool:
        return self._given_up.issuperset(self._spaces) or self._is_late()

    def _next_portion(self) -> list[str]:
        """List the chunks to embed next, without those that failed or were tried too often."""
        tried_out = {chunk for chunk, tries in self._tries.items() if tries >= _MAX_TRIES}
        excluded = tried_out | self._failures.chunk_ids(self._spaces) | set(self._postponed)
        chunks = self._store.chunks_without_vector(self._spaces, _PORTION + len(excluded))
        return [chunk for chunk in chunks if chunk not in excluded]

    def _embed_batch(self, ids: Sequence[str], *, replace: bool = False) -> None:
        """Embed chunks that other processes have not embedded or removed since they were listed."""
        if self._is_over():
            return
        with self._store.snapshot():  # chunks and documents must be of the same version
            embedded = frozenset[str]() if replace else self._store.chunks_with_vector(self._spaces, ids)
            found = self._store.chunks([id_ for id_ in ids if id_ not in embedded]).values()
            chunks = [chunk for chunk in found if chunk.is_embedded]
            documents = self._store.documents({chunk.document for chunk in chunks})
        by_space: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            self._tries[chunk.id] = self._tries.get(chunk.id, 0) + 1
            space = choose_embedder(self._embedders, chunk_language(chunk, documents.get(chunk.document))).space
            if space in self._given_up:
                self._tries[chunk.id] = _MAX_TRIES
            by_space.setdefault(space, []).append(chunk)
        for embedder in self._embedders:
            self._embed_chunks(embedder, by_space.get(embedder.space, []), documents)
        if self._progress and chunks:
            self._progress(self._done, max(self._total, self._done), chunks[-1].document)

    def _embed_chunks(self, embedder: Embedder, chunks: list[Chunk], documents: Mapping[str, Document]) -> None:
        parts = [chunks] if chunks else []
        while parts and embedder.space not in self._given_up:
            part = parts.pop()
            try:
                vectors = embedder.embed_passages(
                    [embedding_text(chunk, documents.get(chunk.document)) for chunk in part]
                )
                if len(vectors) != len(part):
                    raise UnusableVectorError(
                        f"{embedder.space} returned {len(vectors)} vectors for {len(part)} texts."
                    )
            except EmbeddingError as error:
                parts += self._handle_error(error, embedder, part, documents)
            else:
                self._errors_in_a_row[embedder.space] = 0
                self._store_vectors(
                    embedder, dict(zip([chunk.id for chunk in part], vectors, strict=True)), part, documents
                )

    def _handle_error(
        self, error: EmbeddingError, embedder: Embedder, part: list[Chunk], documents: Mapping[str, Document]
    ) -> list[list[Chunk]]:
        """Split a batch after an error, to isolate the chunk that causes it.

        Returns the parts to try again, the next one last.
        """
        self._error = self._error or error
        self._errors_in_a_row[embedder.space] += 1
        if self._hasty or self._errors_in_a_row[embedder.space] >= _MAX_ERRORS_IN_A_ROW:
            self._given_up.update(self._spaces if self._hasty else (embedder.space,))
            return []
        if len(part) > 1:  # first a single text: if that fails, too, the model is the likely cause
            half = (len(part) + 1) // 2
            return [smaller for smaller in (part[half:], part[1:half], part[:1]) if smaller]
        chunk = part[0]
        if self._tries[chunk.id] < _MAX_TRIES:
            self._postponed.append(chunk.id)
        elif isinstance(error, UnusableVectorError):
            self._add_failure(embedder, chunk, documents, error.message)
        return []

    def _store_vectors(
        self, embedder: Embedder, vectors: dict[str, "Vector"], part: list[Chunk], documents: Mapping[str, Document]
    ) -> None:
        dimension = self._store.spaces().get(embedder.space) or embedder.dimension
        usable: dict[str, Vector] = {}
        for chunk in part:
            problem = vector_problem(vectors[chunk.id], dimension)
            if problem:
                self._add_failure(embedder, chunk, documents, f"{embedder.space} returned {problem} for {chunk.id}.")
            else:
                usable[chunk.id] = vectors[chunk.id]
        digests = {chunk.id: documents[chunk.document].digest for chunk in part if chunk.document in documents}
        self._store.put_vectors(embedder.space, usable, digests)
        self._done += len(usable)

    def _add_failure(self, embedder: Embedder, chunk: Chunk, documents: Mapping[str, Document], reason: str) -> None:
        """Record a chunk without a usable vector, or give up the model if most vectors are unusable."""
        self._unusable += 1
        if self._unusable > max(_MIN_UNUSABLE, self._done):
            self._error = EmbeddingError(
                f"{reason} {self._unusable} sections got no usable vector, most of those sent to the model.",
                "Check the embedding model and its settings. Until then, search uses words and links only.",
            )
            self._given_up.add(embedder.space)
            self._failures.discard_added()
            return
        self._failures.add(embedder.space, chunk.id, embedding_text(chunk, documents.get(chunk.document)), reason)


def texts_without_vector(store: Store, embedders: Sequence[Embedder], space: str) -> Iterator[str]:
    """Yield the texts that a run would send to the model of a space."""
    spaces = [embedder.space for embedder in embedders]
    for portion in _split(store.chunks_without_vector(spaces, store.coverage(spaces)[1]), _PORTION):
        chunks = store.chunks(portion).values()
        documents = store.documents({chunk.document for chunk in chunks})
        for chunk in chunks:
            document = documents.get(chunk.document)
            if choose_embedder(embedders, chunk_language(chunk, document)).space == space:
                yield embedding_text(chunk, document)


def vector_problem(vector: "Vector", dimension: int) -> str:
    """Describe why a vector is unusable, or return "" if it is usable."""
    import numpy as np  # noqa: PLC0415 - slow to import

    values = np.asarray(vector, dtype=np.float64)
    if values.shape != (dimension,):
        return f"a vector of shape {values.shape}, not ({dimension},),"
    length = float(np.linalg.norm(values))
    if not np.isfinite(length):
        return "a vector that is not finite"
    return "" if length else "a vector that is zero"


def _split(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """Split items into lists of the given size."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def find_misplaced_vectors(store: Store, embedders: Sequence[Embedder]) -> Iterator[tuple[str, str]]:
    """Yield chunks with a vector in the space of a model that is not for their language.

    Each comes with that space. There are such vectors after a model was added to others that stay.
    """
    spaces = [embedder.space for embedder in embedders]
    for ids in _split(sorted(store.fingerprints()), _MISPLACED_PORTION):
        documents = store.documents(ids)
        chunks = [chunk for document_chunks in store.chunks_of(ids).values() for chunk in document_chunks]
        right_space = {
            chunk.id: choose_embedder(embedders, chunk_language(chunk, documents.get(chunk.document))).space
            for chunk in chunks
        }
        for space in spaces:
            others = [id_ for id_, right in right_space.items() if right != space]
            for misplaced in store.chunks_with_vector([space], others):
                yield misplaced, space
