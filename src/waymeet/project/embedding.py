"""Meaning for a project: which models answer, and the job that embeds by those that were chosen."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from threading import RLock
from time import monotonic, time
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.errors import BusyIndexError, EmbeddingError, IndexUnavailableError
from waymeet.paths import cache_folder
from waymeet.ports import Embedder, Progress, Store
from waymeet.settings import Embedding, Settings
from waymeet.types import Answer, Degraded

if TYPE_CHECKING:
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.ingest.status import VectorStatus
    from waymeet.models.remote.cost import Consent, Estimate
    from waymeet.models.vector_cache import CachedEmbedder, VectorCache
    from waymeet.ports import Vector

    Keep = Callable[[str, Mapping[str, Vector], Mapping[str, str]], None]

_FEW = 256
"""Sections without a vector up to which a search embeds those of files it has just taken in."""
_ELSEWHERE = frozenset({"voyage", "openai", "cohere", "compatible", "auto"})
_REST = 60.0
_LONG_REST = 600.0
"""Seconds after which what failed is tried again, and a job that had trouble is started again by itself."""


class Answering(NamedTuple):
    """The models that questions are asked of, and what there is to say about that."""

    embedders: tuple[Embedder, ...]
    degraded: tuple[Degraded, ...] = ()
    here: bool = True
    """Whether they run on this machine."""
    refused: int = 0
    """Sections that they give no usable vector for."""
    keep: "Keep | None" = None
    """Takes vectors that were made while a question was answered: space, vectors, digests of the documents."""


class Models:
    """The embedding models of one index. Threads may share it."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._made: dict[Embedding, tuple[CachedEmbedder, ...]] = {}
        self._failed: dict[Embedding, tuple[str, float]] = {}
        """Models of old vectors that could not be used, why, and until when they are left alone."""
        self._cache: VectorCache | None = None
        self._making = RLock()

    def chosen(self, numbers: Embedding) -> "tuple[CachedEmbedder, ...]":
        """Give the models that settings choose; the same for the same settings."""
        with self._making:
            if numbers not in self._made:
                self._made[numbers] = self._make(numbers)
            return self._made[numbers]

    def answering(self, store: Store, numbers: Embedding) -> Answering:
        """Give the models that answer: as long as not all is embedded by those that were chosen, those of before."""
        embedders = self.chosen(numbers)
        if not embedders:
            return Answering(())
        from waymeet.ingest.embed.failures import count_failed_chunks
        from waymeet.ingest.embed.model_switch import previous_models

        here = numbers.provider not in _ELSEWHERE
        old = previous_models(store, embedders)
        spaces = [each.space for each in embedders]
        if old is None:
            return Answering(embedders, here=here, refused=count_failed_chunks(store, spaces))
        embedded, chunks = store.coverage(spaces)
        far = f"{embedded} of {chunks} sections are embedded by {' + '.join(spaces)} so far"
        before, why = self._before(old.spaces, old.made)
        if before:
            detail = f"{far}; until all are, {' + '.join(old.spaces)} answers"
            was_here = old.made.provider not in _ELSEWHERE
            return Answering(before, (Degraded("vector", "model_change", detail),), was_here)
        detail = f"{' + '.join(old.spaces)}, which made the vectors, cannot be used ({why}); {far}"
        return Answering(embedders, (Degraded("vector", "model_change", detail),), here)

    def asked(self, store: Store, numbers: Embedding, ask: Callable[[Answering], Answer]) -> Answer:
        """Have a question answered, by models and vectors of the same moment."""
        made: list[tuple[str, Mapping[str, Vector], Mapping[str, str]]] = []
        with store.snapshot():
            models = self.answering(store, numbers)
            if models.here:  # a server may keep a question waiting far too long
                models = models._replace(keep=lambda *each: made.append(each))
            found = ask(models)
        if made:
            self._keep(made, numbers)
        failed = next((each.detail for each in found.degraded if each.code == "embedding_failed"), "")
        if failed and models.degraded and self._spoil(store, numbers, failed):
            return self.asked(store, numbers, ask)
        return replace(found, degraded=(*models.degraded, *found.degraded)) if models.degraded else found

    def _keep(self, made: "Iterable[tuple[str, Mapping[str, Vector], Mapping[str, str]]]", numbers: Embedding) -> None:
        """Keep vectors for the next question, if that can be done at once and their model still answers."""
        from waymeet.ingest.embed.model_switch import answering_models
        from waymeet.stores.sqlite import SqliteStore

        try:
            with closing(SqliteStore.open(self._index, timeout=0.0)) as hasty:
                now = answering_models(hasty)
                spaces = {*(now.spaces if now else ()), *(each.space for each in self.chosen(numbers))}
                for space, vectors, digests in made:
                    if space in spaces:
                        hasty.put_vectors(space, vectors, digests)
        except IndexUnavailableError:
            return  # somebody else is writing: the job will embed them

    def _spoil(self, store: Store, numbers: Embedding, why: str) -> bool:
        """Take note that a model of old vectors failed, and say whether another answers from now on."""
        from waymeet.ingest.embed.model_switch import previous_models

        old = previous_models(store, self.chosen(numbers))
        if old is None or self._resting(old.made):
            return False
        self._failed[old.made] = why, monotonic() + _REST
        return True

    def _resting(self, made: Embedding) -> str:
        """Say why a model of old vectors is left alone; empty if it is not."""
        why, until = self._failed.get(made, ("", 0.0))
        return why if monotonic() < until else ""

    def embed(
        self,
        store: Store,
        settings: Settings,
        progress: Progress | None = None,
        stopped: Callable[[], bool] | None = None,
        *,
        consent: "Consent | None" = None,
        waiting: Callable[[], None] | None = None,
    ) -> "EmbeddingReport":
        """Embed what the chosen models have not embedded yet, one process at a time, and let them answer then.

        A large paid run needs consent.
        """
        from waymeet.ingest.embed import batches, job, model_switch

        numbers = settings.embedding
        embedders = self.chosen(numbers)
        if not embedders or model_switch.is_complete(store, embedders, numbers):
            return batches.EmbeddingReport()
        unpaid = self._refused(store, numbers, consent)
        if unpaid:
            return unpaid
        from waymeet.models.trusted import trust_model

        trust_model(numbers)
        with job.embedding_lock(self._index, waiting, wait=True) as telling:

            def told(done: int, total: int, item: str) -> None:
                telling.progress(done, total, item)
                if progress:
                    progress(done, total, item)

            def ended() -> bool:
                return telling.is_index_replaced or (stopped is not None and stopped())

            model_switch.record_models(store, embedders, numbers)
            also = model_switch.chunks_to_move(store, embedders)
            came = batches.embed_chunks(store, embedders, settings, told, ended, also=also)
            if (
                telling.is_index_replaced
            ):  # to tidy up now would be to remove the files of the index that took its place
                trouble = f"The index {self._index} was removed or replaced while it was being embedded."
                return replace(came, error=trouble, hint="Run `waymeet index` again.")
            model_switch.finish_switch(store, embedders, numbers, came)
            if came.embedded:
                store.optimize()
            telling.end(came.error)
        return self._with_remarks(came)

    def embed_few(self, store: Store, settings: Settings, late: Callable[[], bool]) -> None:
        """Embed the sections of a few files while somebody waits for an answer, unless another process is at it.

        A server may keep one waiting far too long: it is asked by the job alone.
        """
        from waymeet.ingest.embed import batches, job, model_switch

        embedders = self.chosen(settings.embedding)
        if not embedders or settings.embedding.provider in _ELSEWHERE:
            return
        embedded, chunks = store.coverage([each.space for each in embedders])
        if not 0 < chunks - embedded <= _FEW:
            return
        try:
            with job.try_embedding_lock(self._index):
                model_switch.record_models(store, embedders, settings.embedding)
                batches.embed_chunks(store, embedders, settings, late=late, hasty=True)
        except BusyIndexError:
            return  # whoever is at it embeds these, too

    def forget(self, store: Store, numbers: Embedding) -> list[str]:
        """Remove the vectors that no model of now nor the one that still answers has made, and name their spaces."""
        unused = list(self.status(store, numbers).unused_spaces)
        if unused:
            store.drop_vectors(dict.fromkeys(unused), {})
            store.optimize()
        return unused

    def status(self, store: Store, numbers: Embedding) -> "VectorStatus":
        """Say how an index stands to its models."""
        from waymeet.ingest.embed import job, model_switch
        from waymeet.ingest.embed.failures import FailedChunks
        from waymeet.ingest.status import VectorStatus

        spaces = tuple(each.space for each in self.chosen(numbers))
        embedded, chunks = store.coverage(spaces)
        old = model_switch.previous_models(store, self.chosen(numbers))
        answering = old.spaces if old else spaces
        last = job.last_job(self._index)
        return VectorStatus(
            spaces=spaces,
            embedded=embedded,
            chunks=chunks,
            answering_spaces=answering,
            unused_spaces=tuple(space for space in store.spaces() if space not in {*spaces, *answering}),
            failures=tuple(FailedChunks(store).reasons(spaces)),
            job=job.running_job(self._index),
            error=last.error if last and last.ended and embedded < chunks else "",
        )

    def estimate(self, store: Store, numbers: Embedding) -> "list[Estimate]":
        """Estimate what is sent elsewhere to embed the rest; nothing if all stays on this machine."""
        if numbers.provider not in _ELSEWHERE:
            return []
        from waymeet.models.remote.cost import estimate_costs

        return estimate_costs(store, self.chosen(numbers))

    def paid(self, numbers: Embedding) -> bool:
        """Tell whether somebody may want money for embedding, without looking at what there is to embed."""
        if numbers.provider not in _ELSEWHERE:
            return False
        from waymeet.models.remote.cost import is_any_paid

        return is_any_paid(self.chosen(numbers))

    def go_on(self, root: Path, flags: Iterable[str], store: Store, settings: Settings) -> bool:
        """Have a process of its own embed the rest, if the user lets that happen by itself; say whether one began.

        It does not happen if somebody wants money for it, nor soon after it failed.
        """
        from waymeet.ingest.embed import job, model_switch

        numbers = settings.embedding
        embedders = self.chosen(numbers)
        if not (numbers.background and embedders) or model_switch.is_complete(store, embedders, numbers):
            return False
        last = job.last_job(self._index)
        if last and (last.error or not (last.ended and last.done)):
            long = last.error or not (last.ended or last.done)  # it may well have been killed for its size
            if time() - last.updated < (_LONG_REST if long else _REST):
                return False
        if job.running_job(self._index) or self.paid(numbers):
            return False
        from waymeet.ingest.embed.background import start_embedding_process

        job.JobReporter(self._index)  # so that who asks next does not start another before this one gets to say so
        try:
            start_embedding_process(root, self._index, flags)
        except OSError:  # no more processes, or no place for what it says: the answer said what it lacks
            return False
        return True

    def close(self) -> None:
        """Let go of files."""
        with self._making:
            self._made.clear()
            if self._cache:
                self._cache.close()

    def _before(self, spaces: Iterable[str], made: Embedding) -> tuple[tuple[Embedder, ...], str]:
        """Make the models of old vectors again, or say why that cannot be."""
        from waymeet.models.trusted import is_trusted

        resting = self._resting(made)
        if resting:
            return (), resting
        if not is_trusted(made):
            return (), "it was not chosen by you, and is not asked"
        try:
            found = self.chosen(made)
        except EmbeddingError as error:
            return (), error.message
        from waymeet.models.vector_cache import model_of_space

        names = {model_of_space(space): space for space in spaces}
        if {model_of_space(each.space) for each in found} != names.keys():
            return (), "its settings give another model now"
        return tuple(each.with_space(names[model_of_space(each.space)]) for each in found), ""

    def _refused(self, store: Store, numbers: Embedding, consent: "Consent | None") -> "EmbeddingReport | None":
        if numbers.provider not in _ELSEWHERE:
            return None
        from waymeet.models.remote.cost import check_consent

        return check_consent(store, self.chosen(numbers), numbers, consent)

    def _with_remarks(self, came: "EmbeddingReport") -> "EmbeddingReport":
        if self._cache is None or not self._cache.warnings:
            return came
        remarks = tuple(self._cache.warnings)
        self._cache.warnings.clear()
        return replace(came, warnings=remarks)

    def _make(self, numbers: Embedding) -> "tuple[CachedEmbedder, ...]":
        if numbers.provider == "none":
            return ()
        from waymeet.models.choose_embedders import choose_embedders
        from waymeet.models.vector_cache import CachedEmbedder, VectorCache

        cached = numbers.cache_megabytes and numbers.provider != "hashing"  # which is quicker than looking it up
        if cached and self._cache is None:
            self._cache = VectorCache(cache_folder() / "vectors.sqlite", numbers.cache_megabytes * 1_000_000)
        return tuple(CachedEmbedder(each, self._cache if cached else None) for each in choose_embedders(numbers))
