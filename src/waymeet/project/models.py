"""The embedding models of one index: those of the settings, and those that embed queries.

The two differ while the model is being changed: until every section has a vector of the new model, queries are
embedded by the old one.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError, IndexUnavailableError
from waymeet.paths import cache_folder
from waymeet.ports import Embedder, Store, Student
from waymeet.project.backend import open_store
from waymeet.project.store_address import StoreAddress
from waymeet.settings import Embedding
from waymeet.types import Answer, Degraded

if TYPE_CHECKING:
    from waymeet.models.query_memo import QueryMemo
    from waymeet.models.vector_cache import CachedEmbedder, VectorCache
    from waymeet.ports import Vector

_REMOTE = frozenset({"voyage", "openai", "cohere", "compatible", "auto"})
_RETRY_SECONDS = 60.0
"""How long a previous model that failed is not tried again."""
_MANY_CHUNKS = 3000
"""Sections after whose indexing the answer comes as soon as possible."""


def is_remote(settings: Embedding) -> bool:
    """Tell whether the chosen models run on a server of a provider."""
    return settings.provider in _REMOTE


class ActiveModels(NamedTuple):
    """The models that embed queries now."""

    embedders: tuple[Embedder, ...]
    degraded: tuple[Degraded, ...] = ()
    is_local: bool = True
    failed_chunks: int = 0
    """Sections that got no usable vector from these models."""


class NewVectors:
    """Vectors that were made on demand while a query was answered."""

    def __init__(self) -> None:
        self.batches: list[tuple[str, Mapping[str, Vector], Mapping[str, str]]] = []
        """Space, vectors by chunk, and digests of the documents they were made from."""

    def add(self, space: str, vectors: "Mapping[str, Vector]", digests: Mapping[str, str]) -> None:
        """Collect vectors to be stored after the answer."""
        self.batches.append((space, vectors, digests))


class SharedEmbedders:
    """Models that several projects use, each loaded once, with the vectors of the last queries."""

    def __init__(self) -> None:
        self._embedders: dict[Embedding, tuple[tuple[Embedder, QueryMemo], ...]] = {}
        self._lock = RLock()

    def choose(self, settings: Embedding) -> "tuple[tuple[Embedder, QueryMemo], ...]":
        """Give the models that the settings choose, the same objects for the same settings."""
        from waymeet.models.choose_embedders import choose_embedders
        from waymeet.models.query_memo import QueryMemo

        with self._lock:
            if settings not in self._embedders:
                self._embedders[settings] = tuple((each, QueryMemo()) for each in choose_embedders(settings))
            return self._embedders[settings]


class Models:
    """The embedding models of one index. Threads may share it."""

    shared: SharedEmbedders | None = None
    """Models shared with other projects, if there are such."""

    def __init__(self, address: StoreAddress, min_cache_megabytes: int = 0) -> None:
        """Set the size that a cache keeps in any case, so that no single call evicts vectors."""
        self.address = address
        self.index = address.index
        self._min_cache_megabytes = min_cache_megabytes
        self._embedders: dict[Embedding, tuple[CachedEmbedder, ...]] = {}
        self._failed: dict[Embedding, tuple[str, float]] = {}
        """Previous models that failed: why, and until when they are not tried again."""
        self._cache: VectorCache | None = None
        self._student: Student | None = None
        self._is_answer_awaited = False
        """Whether many sections just got approximate vectors, and the answer has been waited for long enough."""
        self._lock = RLock()

    def note_first_vectors(self, chunks: int) -> None:
        """Note that so many sections were indexed and got approximate vectors before an answer."""
        self._is_answer_awaited = chunks >= _MANY_CHUNKS

    def may_embed_on_demand(self) -> bool:
        """Tell whether an answer may embed its best candidates: the one after long indexing may not."""
        is_awaited, self._is_answer_awaited = self._is_answer_awaited, False
        return not is_awaited

    def chosen(self, settings: Embedding) -> "tuple[CachedEmbedder, ...]":
        """Give the models that the settings choose, the same objects for the same settings."""
        with self._lock:
            if settings not in self._embedders:
                self._embedders[settings] = self._create(settings)
            return self._embedders[settings]

    def student(self, settings: Embedding) -> Student | None:
        """Give the student of the main model that the settings choose, if there is one for it."""
        embedders = self.chosen(settings) if settings.student and not is_remote(settings) else ()
        if not embedders:
            return None
        from waymeet.models.choose_embedders import choose_student
        from waymeet.models.vector_cache import model_of_space

        with self._lock:
            self._student = self._student or choose_student(model_of_space(embedders[0].space))
            return self._student

    def active(self, store: Store, settings: Embedding, own: Embedding | None = None) -> ActiveModels:
        """Give the models that embed queries: the chosen ones once every section has their vectors.

        `own` are the settings of the index, if the call may have others.
        """
        embedders = self.chosen(settings)
        if not embedders:
            return ActiveModels(())
        from waymeet.ingest.embed.failures import count_failed_chunks
        from waymeet.ingest.embed.model_switch import previous_models

        is_local = not is_remote(settings)
        previous = previous_models(store, embedders)
        spaces = [embedder.space for embedder in embedders]
        if previous is None:
            return ActiveModels(embedders, is_local=is_local, failed_chunks=count_failed_chunks(store, spaces))
        embedded, chunks = store.coverage(spaces)
        progress = f"{embedded} of {chunks} sections have a vector of {' + '.join(spaces)}"
        old_embedders, reason = self._previous(previous.spaces, previous.settings, settings)
        if old_embedders:
            until = "until all have one" if own in {None, settings} else "to embed the others run `waymeet index`; here"
            detail = f"{progress}; {until}, queries use {' + '.join(previous.spaces)}"
            return ActiveModels(
                old_embedders, (Degraded("vector", "model_change", detail),), not is_remote(previous.settings)
            )
        detail = f"{' + '.join(previous.spaces)}, which made the vectors, cannot be used ({reason}); {progress}"
        return ActiveModels(embedders, (Degraded("vector", "model_change", detail),), is_local)

    def note_failure(self, store: Store, settings: Embedding, active: ActiveModels, answer: Answer) -> bool:
        """Note that a previous model failed, and return whether others answer from now on."""
        reason = next((item.detail for item in answer.degraded if item.code == "embedding_failed"), "")
        if not (reason and active.degraded):
            return False
        from waymeet.ingest.embed.model_switch import previous_models

        previous = previous_models(store, self.chosen(settings))
        if previous is None or self._failure(previous.settings):
            return False
        self._failed[previous.settings] = reason, monotonic() + _RETRY_SECONDS
        return True

    def save_vectors(self, new_vectors: NewVectors, settings: Embedding) -> None:
        """Store vectors that were made on demand, unless another process is writing."""
        if not new_vectors.batches:
            return
        from waymeet.ingest.embed.model_switch import answering_models

        try:
            with closing(open_store(self.address, timeout=0.0)) as store:
                answering = answering_models(store)
                spaces = {*(answering.spaces if answering else ()), *(each.space for each in self.chosen(settings))}
                for space, vectors, digests in new_vectors.batches:
                    if space in spaces:
                        store.put_vectors(space, vectors, digests)
        except IndexUnavailableError:
            return  # the embedding job will embed these sections

    def take_warnings(self) -> tuple[str, ...]:
        """Give the warnings of the vector cache since the last call."""
        if self._cache is None or not self._cache.warnings:
            return ()
        warnings = tuple(self._cache.warnings)
        self._cache.warnings.clear()
        return warnings

    def close(self) -> None:
        """Close the vector cache and forget the models."""
        with self._lock:
            self._embedders.clear()
            if self._cache:
                self._cache.close()

    def _failure(self, settings: Embedding) -> str:
        """Return why a previous model is not tried now, or the empty string."""
        reason, until = self._failed.get(settings, ("", 0.0))
        return reason if monotonic() < until else ""

    def _previous(
        self, spaces: Iterable[str], settings: Embedding, call: Embedding
    ) -> tuple[tuple[Embedder, ...], str]:
        """Create the models that made the stored vectors, or return why that is not possible."""
        from waymeet.ingest.embed.model_switch import with_model
        from waymeet.models.trusted import is_trusted

        failure = self._failure(settings)
        if failure:
            return (), failure
        if not is_trusted(settings):
            return (), "it was not chosen by you and is not used"
        try:
            embedders = self.chosen(with_model(call, settings))
        except EmbeddingError as error:
            return (), error.message
        from waymeet.models.vector_cache import model_of_space

        space_of_model = {model_of_space(space): space for space in spaces}
        if {model_of_space(embedder.space) for embedder in embedders} != space_of_model.keys():
            return (), "its settings now give another model"
        return tuple(each.with_space(space_of_model[model_of_space(each.space)]) for each in embedders), ""

    def _create(self, settings: Embedding) -> "tuple[CachedEmbedder, ...]":
        if settings.provider == "none":
            return ()
        from waymeet.models.choose_embedders import choose_embedders
        from waymeet.models.vector_cache import CachedEmbedder, VectorCache

        is_cached = settings.cache_megabytes and settings.provider != "hashing"  # hashing is faster than a lookup
        if is_cached and self._cache is None:
            megabytes = max(settings.cache_megabytes, self._min_cache_megabytes)
            self._cache = VectorCache(cache_folder() / "vectors.sqlite", megabytes * 1_000_000)
        cache = self._cache if is_cached else None
        if self.shared:
            return tuple(CachedEmbedder(each, cache, "", queries) for each, queries in self.shared.choose(settings))
        return tuple(CachedEmbedder(embedder, cache) for embedder in choose_embedders(settings))
