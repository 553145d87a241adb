"""Giving vectors to the chunks that have none: the most urgent first, batch by batch, whatever the model does."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec import Struct

from waymeet.analysis.embedding_text import chunk_language, embedding_text
from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.ingest.embed.failures import FailedChunks
from waymeet.ports import Embedder, Progress, Store, choose_embedder
from waymeet.settings import Settings
from waymeet.types import Chunk, Document

if TYPE_CHECKING:
    from waymeet.ports import Vector

_WHILE_WAITING = 8
"""Chunks embedded at once while somebody waits for an answer."""
_PORTION = 4096
"""Chunks that a store is asked for at a time: putting them in order costs as much for all of them as for few."""
_IN_A_ROW = 5
"""Failures without any success between them after which a model is left alone."""
_TRIES = 5
"""How often a chunk is tried in one run."""
_MANY_REFUSED = 32
"""Unusable vectors that are borne with until they outnumber the usable ones."""


class EmbeddingReport(Struct, frozen=True):
    """What came of a run."""

    embedded: int = 0
    """Sections that got their vector."""
    remaining: int = 0
    """Sections that still have none and are tried again the next time."""
    failed: int = 0
    """Sections that got no usable vector, in this run or before: until they change, words alone find them."""
    error: str = ""
    """What kept it from embedding all; empty if it did, or if there was no time."""
    hint: str = ""
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


def embed_chunks(
    store: Store,
    embedders: Sequence[Embedder],
    settings: Settings,
    progress: Progress | None = None,
    late: Callable[[], bool] | None = None,
    *,
    also: Iterable[str] = (),
    hasty: bool = False,
) -> EmbeddingReport:
    """Embed the chunks that have no vector yet, and some `also` that have, each by the model that suits it.

    Each batch is kept as soon as it is made, so that what was done stays done whatever happens to the next. A batch at
    which a model fails is taken apart; a model that fails at everything is left alone, and the rest for another time.
    `late` ends it after any batch; who is waiting for an answer is `hasty`, so that batches are small and a failure is
    the end.
    """
    started = perf_counter()
    run = _Run(store, embedders, settings.embedding.batch_chunks, progress, late, hasty=hasty)
    run.work(also)
    return run.outcome(perf_counter() - started)


class _Run:
    """One run: what was tried, and what came of it."""

    def __init__(
        self,
        store: Store,
        embedders: Sequence[Embedder],
        at_once: int,
        progress: Progress | None,
        late: Callable[[], bool] | None,
        *,
        hasty: bool,
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._spaces = [embedder.space for embedder in embedders]
        self._at_once = _WHILE_WAITING if hasty else at_once
        self._progress = progress
        self._late = late or (lambda: False)
        self._hasty = hasty
        self._refusals = FailedChunks(store)
        self._tried: dict[str, int] = {}
        self._put_off: list[str] = []
        self._done = self._unusable = 0
        self._in_a_row = dict.fromkeys(self._spaces, 0)
        """Failures of each model since its last success."""
        self._error: EmbeddingError | None = None
        self._alone: set[str] = set()
        """The spaces of models that are left alone from now on; the others go on."""

    def work(self, also: Iterable[str]) -> None:
        """Embed until nothing is left that could be."""
        embedded, chunks = self._store.coverage(self._spaces)
        self._total = chunks - embedded - len(self._refusals.still(self._spaces))
        for some in _by(also, self._at_once):
            self._total += len(some)
            self._batch(some, anew=True)
        while not self._ended() and (portion := self._portion()):
            for batch in _by(portion, self._at_once):
                self._batch(batch)
        while self._put_off and not self._ended():  # one by one, now that all others are done
            self._batch([self._put_off.pop(0)])

    def outcome(self, seconds: float) -> EmbeddingReport:
        """Say what came of it."""
        embedded, chunks = self._store.coverage(self._spaces)
        refused = len(self._refusals.still(self._spaces))
        left = max(chunks - embedded - refused, 0)
        told = self._error if left else None
        return EmbeddingReport(
            embedded=self._done,
            remaining=left,
            failed=refused,
            error=told.message if told else "",
            hint=told.hint if told else "",
            seconds=seconds,
        )

    def _ended(self) -> bool:
        return self._alone.issuperset(self._spaces) or self._late()

    def _portion(self) -> list[str]:
        """Choose what to embed next; what was tried too often is left out, though its text may have changed since."""
        refused = self._refusals.still(self._spaces)
        put_off = set(self._put_off)
        out = {chunk for chunk, times in self._tried.items() if times >= _TRIES} | refused | put_off
        found = self._store.chunks_without_vector(self._spaces, _PORTION + len(out))
        return [chunk for chunk in found if chunk not in out]

    def _batch(self, ids: Sequence[str], *, anew: bool = False) -> None:
        """Embed some chunks; other processes may have embedded or removed them since they were listed."""
        if self._ended():
            return
        with self._store.snapshot():  # or an old text could be taken for one of the document as it is now
            known = frozenset[str]() if anew else self._store.chunks_with_vector(self._spaces, ids)
            chunks = list(self._store.chunks([each for each in ids if each not in known]).values())
            documents = self._store.documents({chunk.document for chunk in chunks})
        for each in chunks:
            self._tried[each.id] = self._tried.get(each.id, 0) + 1
        shared: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            space = choose_embedder(self._embedders, chunk_language(chunk, documents.get(chunk.document))).space
            if space in self._alone:
                self._tried[chunk.id] = _TRIES
            shared.setdefault(space, []).append(chunk)
        for embedder in self._embedders:
            self._embed(embedder, shared.get(embedder.space, []), documents)
        if self._progress and chunks:
            self._progress(self._done, max(self._total, self._done), chunks[-1].document)

    def _embed(self, embedder: Embedder, chunks: list[Chunk], documents: Mapping[str, Document]) -> None:
        parts = [chunks] if chunks else []
        while parts and embedder.space not in self._alone:
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
                parts += self._after(error, embedder, part, documents)
            else:
                self._in_a_row[embedder.space] = 0
                self._keep(embedder, dict(zip([chunk.id for chunk in part], vectors, strict=True)), part, documents)

    def _after(
        self, error: EmbeddingError, embedder: Embedder, part: list[Chunk], documents: Mapping[str, Document]
    ) -> list[list[Chunk]]:
        """Take a batch apart at which a model failed, to go on without what it fails at; the last is the next."""
        self._error = self._error or error
        self._in_a_row[embedder.space] += 1
        if self._hasty or self._in_a_row[embedder.space] >= _IN_A_ROW:
            self._alone.update(self._spaces if self._hasty else (embedder.space,))
            return []
        if len(part) > 1:  # first a single text: if even that fails, it is hardly the texts' fault
            half = (len(part) + 1) // 2
            return [rest for rest in (part[half:], part[1:half], part[:1]) if rest]
        chunk = part[0]
        if self._tried[chunk.id] < _TRIES:
            self._put_off.append(chunk.id)
        elif isinstance(error, UnusableVectorError):
            self._refuse(embedder, chunk, documents, error.message)
        return []

    def _keep(
        self, embedder: Embedder, vectors: dict[str, "Vector"], part: list[Chunk], documents: Mapping[str, Document]
    ) -> None:
        dimension = self._store.spaces().get(embedder.space) or embedder.dimension
        good: dict[str, Vector] = {}
        for chunk in part:
            wrong = fault(vectors[chunk.id], dimension)
            if wrong:
                self._refuse(embedder, chunk, documents, f"{embedder.space} returned {wrong} for {chunk.id}.")
            else:
                good[chunk.id] = vectors[chunk.id]
        digests = {chunk.id: documents[chunk.document].digest for chunk in part if chunk.document in documents}
        self._store.put_vectors(embedder.space, good, digests)
        self._done += len(good)

    def _refuse(self, embedder: Embedder, chunk: Chunk, documents: Mapping[str, Document], reason: str) -> None:
        """Remember a text that gets no vector, unless the model gives hardly any: then the model is at fault."""
        self._unusable += 1
        if self._unusable > max(_MANY_REFUSED, self._done):
            self._error = EmbeddingError(
                f"{reason} So it did for {self._unusable} sections, most of what it was shown.",
                "Check the embedding model and its settings; search works from words and links meanwhile.",
            )
            self._alone.add(embedder.space)
            self._refusals.take_back()
            return
        self._refusals.add(embedder.space, chunk.id, embedding_text(chunk, documents.get(chunk.document)), reason)


def texts_without_vector(store: Store, embedders: Sequence[Embedder], space: str) -> Iterator[str]:
    """Give the texts that the model of a space would be shown by a run."""
    spaces = [embedder.space for embedder in embedders]
    for some in _by(store.chunks_without_vector(spaces, store.coverage(spaces)[1]), _PORTION):
        chunks = store.chunks(some).values()
        documents = store.documents({chunk.document for chunk in chunks})
        for chunk in chunks:
            document = documents.get(chunk.document)
            if choose_embedder(embedders, chunk_language(chunk, document)).space == space:
                yield embedding_text(chunk, document)


def fault(vector: "Vector", dimension: int) -> str:
    """Say what is wrong with a vector; empty if nothing is."""
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    found = np.asarray(vector, dtype=np.float64)
    if found.shape != (dimension,):
        return f"a vector of shape {found.shape}, not ({dimension},),"
    length = float(np.linalg.norm(found))
    if not np.isfinite(length):
        return "a vector that is not finite"
    return "" if length else "a vector that is zero"


def _by(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """Give items in lists of some size."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def misplaced(store: Store, embedders: Sequence[Embedder]) -> Iterator[tuple[str, str]]:
    """Name chunks whose vector is in the space of a model that does not suit them, each with that space.

    There are some after a model was added to others that stay.
    """
    spaces = [embedder.space for embedder in embedders]
    for some in _by(sorted(store.fingerprints()), 200):
        documents = store.documents(some)
        found = [chunk for chunks in store.chunks_of(some).values() for chunk in chunks]
        suits = {
            chunk.id: choose_embedder(embedders, chunk_language(chunk, documents.get(chunk.document))).space
            for chunk in found
        }
        for space in spaces:
            for chunk in store.chunks_with_vector([space], [id_ for id_, own in suits.items() if own != space]):
                yield chunk, space
