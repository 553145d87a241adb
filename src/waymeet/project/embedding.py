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
    from waymeet.ingest.embed.batches import Embedded
    from waymeet.ingest.status import Meaning
    from waymeet.models.remote.cost import Consent, Estimate
    from waymeet.models.vector_cache import KeptEmbedder, VectorCache
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
    """Takes vectors that were made while a question was answered: lane, vectors, digests of the documents."""


class Models:
    """The embedding models of one index. Threads may share it."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._made: dict[Embedding, tuple[KeptEmbedder, ...]] = {}
        self._failed: dict[Embedding, tuple[str, float]] = {}
        """Models of old vectors that could not be used, why, and until when they are left alone."""
        self._cache: VectorCache | None = None
        self._making = RLock()

    def chosen(self, numbers: Embedding) -> "tuple[KeptEmbedder, ...]":
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
        from waymeet.ingest.embed.failures import number_refused
        from waymeet.ingest.embed.model_switch import changing

        here = numbers.provider not in _ELSEWHERE
        old = changing(store, embedders)
        lanes = [each.lane for each in embedders]
        if old is None:
            return Answering(embedders, here=here, refused=number_refused(store, lanes))
        embedded, chunks = store.coverage(lanes)
        far = f"{embedded} of {chunks} sections are embedded by {' + '.join(lanes)} so far"
        before, why = self._before(old.lanes, old.made)
        if before:
            detail = f"{far}; until all are, {' + '.join(old.lanes)} answers"
            was_here = old.made.provider not in _ELSEWHERE
            return Answering(before, (Degraded("vector", "model_change", detail),), was_here)
        detail = f"{' + '.join(old.lanes)}, which made the vectors, cannot be used ({why}); {far}"
        return Answering(embedders, (Degraded("vector", "model_change", detail),), here)

    def asked(self, store: Store, numbers: Embedding, ask: Callable[[Answering], Answer]) -> Answer:
        """Have a question answered, by models and vectors of the same moment."""
        made: list[tuple[str, Mapping[str, Vector], Mapping[str, str]]] = []
        with store.reading():
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
        from waymeet.ingest.embed.model_switch import serving
        from waymeet.stores.sqlite import SqliteStore

        try:
            with closing(SqliteStore.open(self._index, timeout=0.0)) as hasty:
                now = serving(hasty)
                lanes = {*(now.lanes if now else ()), *(each.lane for each in self.chosen(numbers))}
                for lane, vectors, digests in made:
                    if lane in lanes:
                        hasty.put_vectors(lane, vectors, digests)
        except IndexUnavailableError:
            return  # somebody else is writing: the job will embed them

    def _spoil(self, store: Store, numbers: Embedding, why: str) -> bool:
        """Take note that a model of old vectors failed, and say whether another answers from now on."""
        from waymeet.ingest.embed.model_switch import changing

        old = changing(store, self.chosen(numbers))
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
    ) -> "Embedded":
        """Embed what the chosen models have not embedded yet, one process at a time, and let them answer then.

        A large paid run needs consent.
        """
        from waymeet.ingest.embed import batches, job, model_switch

        numbers = settings.embedding
        embedders = self.chosen(numbers)
        if not embedders or model_switch.complete(store, embedders, numbers):
            return batches.Embedded()
        unpaid = self._refused(store, numbers, consent)
        if unpaid:
            return unpaid
        from waymeet.models.trusted import vouch

        vouch(numbers)
        with job.the_only(self._index, waiting, wait=True) as telling:

            def told(done: int, total: int, item: str) -> None:
                telling.progress(done, total, item)
                if progress:
                    progress(done, total, item)

            def ended() -> bool:
                return telling.useless or (stopped is not None and stopped())

            model_switch.begin(store, embedders, numbers)
            also = model_switch.moving(store, embedders)
            came = batches.embed(store, embedders, settings, told, ended, also=also)
            if telling.useless:  # to tidy up now would be to remove the files of the index that took its place
                trouble = f"The index {self._index} was removed or replaced while it was being embedded."
                return replace(came, trouble=trouble, hint="Run `waymeet index` again.")
            model_switch.finish(store, embedders, numbers, came)
            if came.done:
                store.tidy()
            telling.end(came.trouble)
        return self._with_remarks(came)

    def embed_few(self, store: Store, settings: Settings, late: Callable[[], bool]) -> None:
        """Embed the sections of a few files while somebody waits for an answer, unless another process is at it.

        A server may keep one waiting far too long: it is asked by the job alone.
        """
        from waymeet.ingest.embed import batches, job, model_switch

        embedders = self.chosen(settings.embedding)
        if not embedders or settings.embedding.provider in _ELSEWHERE:
            return
        embedded, chunks = store.coverage([each.lane for each in embedders])
        if not 0 < chunks - embedded <= _FEW:
            return
        try:
            with job.alone(self._index):
                model_switch.begin(store, embedders, settings.embedding)
                batches.embed(store, embedders, settings, late=late, hasty=True)
        except BusyIndexError:
            return  # whoever is at it embeds these, too

    def forget(self, store: Store, numbers: Embedding) -> list[str]:
        """Remove the vectors that no model of now nor the one that still answers has made, and name their lanes."""
        unused = list(self.status(store, numbers).unused)
        if unused:
            store.swap_lanes(dict.fromkeys(unused), {})
            store.tidy()
        return unused

    def status(self, store: Store, numbers: Embedding) -> "Meaning":
        """Say how an index stands to its models."""
        from waymeet.ingest.embed import job, model_switch
        from waymeet.ingest.embed.failures import Refusals
        from waymeet.ingest.status import Meaning

        lanes = tuple(each.lane for each in self.chosen(numbers))
        embedded, chunks = store.coverage(lanes)
        old = model_switch.changing(store, self.chosen(numbers))
        answering = old.lanes if old else lanes
        last = job.last(self._index)
        return Meaning(
            lanes=lanes,
            embedded=embedded,
            chunks=chunks,
            answering=answering,
            unused=tuple(lane for lane in store.lanes() if lane not in {*lanes, *answering}),
            refused=tuple(Refusals(store).reasons(lanes)),
            job=job.running(self._index),
            trouble=last.trouble if last and last.ended and embedded < chunks else "",
        )

    def estimate(self, store: Store, numbers: Embedding) -> "list[Estimate]":
        """Estimate what is sent elsewhere to embed the rest; nothing if all stays on this machine."""
        if numbers.provider not in _ELSEWHERE:
            return []
        from waymeet.models.remote.cost import estimates

        return estimates(store, self.chosen(numbers))

    def paid(self, numbers: Embedding) -> bool:
        """Tell whether somebody may want money for embedding, without looking at what there is to batches."""
        if numbers.provider not in _ELSEWHERE:
            return False
        from waymeet.models.remote.cost import paid

        return paid(self.chosen(numbers))

    def go_on(self, root: Path, flags: Iterable[str], store: Store, settings: Settings) -> bool:
        """Have a process of its own embed the rest, if the user lets that happen by itself; say whether one began.

        It does not happen if somebody wants money for it, nor soon after it failed.
        """
        from waymeet.ingest.embed import job, model_switch

        numbers = settings.embedding
        embedders = self.chosen(numbers)
        if not (numbers.background and embedders) or model_switch.complete(store, embedders, numbers):
            return False
        last = job.last(self._index)
        if last and (last.trouble or not (last.ended and last.done)):
            long = last.trouble or not (last.ended or last.done)  # it may well have been killed for its size
            if time() - last.updated < (_LONG_REST if long else _REST):
                return False
        if job.running(self._index) or self.paid(numbers):
            return False
        from waymeet.ingest.embed.background import detached

        job.Telling(self._index)  # so that who asks next does not start another before this one gets to say so
        try:
            detached(root, self._index, flags)
        except OSError:  # no more processes, or no place for what it says: the answer said what it lacks
            return False
        return True

    def close(self) -> None:
        """Let go of files."""
        with self._making:
            self._made.clear()
            if self._cache:
                self._cache.close()

    def _before(self, lanes: Iterable[str], made: Embedding) -> tuple[tuple[Embedder, ...], str]:
        """Make the models of old vectors again, or say why that cannot be."""
        from waymeet.models.trusted import vouched

        resting = self._resting(made)
        if resting:
            return (), resting
        if not vouched(made):
            return (), "it was not chosen by you, and is not asked"
        try:
            found = self.chosen(made)
        except EmbeddingError as error:
            return (), error.message
        from waymeet.models.vector_cache import model_of

        names = {model_of(lane): lane for lane in lanes}
        if {model_of(each.lane) for each in found} != names.keys():
            return (), "its settings give another model now"
        return tuple(each.under(names[model_of(each.lane)]) for each in found), ""

    def _refused(self, store: Store, numbers: Embedding, consent: "Consent | None") -> "Embedded | None":
        if numbers.provider not in _ELSEWHERE:
            return None
        from waymeet.models.remote.cost import refused

        return refused(store, self.chosen(numbers), numbers, consent)

    def _with_remarks(self, came: "Embedded") -> "Embedded":
        if self._cache is None or not self._cache.remarks:
            return came
        remarks = tuple(self._cache.remarks)
        self._cache.remarks.clear()
        return replace(came, remarks=remarks)

    def _make(self, numbers: Embedding) -> "tuple[KeptEmbedder, ...]":
        if numbers.provider == "none":
            return ()
        from waymeet.models.choose_embedders import chosen_embedders
        from waymeet.models.vector_cache import KeptEmbedder, VectorCache

        cached = numbers.cache_megabytes and numbers.provider != "hashing"  # which is quicker than looking it up
        if cached and self._cache is None:
            self._cache = VectorCache(cache_folder() / "vectors.sqlite", numbers.cache_megabytes * 1_000_000)
        return tuple(KeptEmbedder(each, self._cache if cached else None) for each in chosen_embedders(numbers))
