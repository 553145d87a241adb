"""Embed the sections of a project: the job, its cost and its status."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.analysis.embedded.space_names import part_spaces, section_space, student_space
from waymeet.analysis.embedded.student_state import STATE_KEY, decode_state
from waymeet.errors import BusyIndexError
from waymeet.ports import Embedder, Progress, Store, multilingual_embedder
from waymeet.project.embedding.student import correct_student
from waymeet.project.models import Models, is_remote
from waymeet.settings import Embedding, Settings

if TYPE_CHECKING:
    from waymeet.ingest.embed.batches import EmbeddingReport
    from waymeet.ingest.embed.job import JobReporter
    from waymeet.ingest.status import VectorStatus
    from waymeet.models.remote.cost import Consent
    from waymeet.models.vector_cache import CachedEmbedder

_FEW_CHUNKS = 256
"""Sections without a vector up to which a search embeds those of changed files before it answers."""


def embed_missing(
    models: Models,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] | None = None,
    *,
    consent: "Consent | None" = None,
    waiting: Callable[[], None] | None = None,
) -> "EmbeddingReport":
    """Embed the sections that have no vector of the chosen models, one process at a time.

    When all have one, the chosen models answer queries. A large run at a paid provider needs consent.
    """
    from waymeet.ingest.embed import batches, job, model_switch

    embedders = models.chosen(settings.embedding)
    if not embedders or model_switch.is_complete(store, embedders, settings.embedding):
        return batches.EmbeddingReport()
    refusal = _check_consent(models, store, settings.embedding, consent)
    if refusal:
        return refusal
    from waymeet.models.trusted import trust_model

    trust_model(settings.embedding)
    with job.embedding_lock(models.index, waiting, wait=True) as reporter:
        report = _run_job(models, store, settings, reporter, progress=progress, is_stopped=is_stopped)
    return replace(report, warnings=(*report.warnings, *models.take_warnings()))


def _run_job(
    models: Models,
    store: Store,
    settings: Settings,
    reporter: "JobReporter",
    *,
    progress: Progress | None,
    is_stopped: Callable[[], bool] | None,
) -> "EmbeddingReport":
    """Embed in batches under the lock of the job, and report how far it is."""
    from waymeet.ingest.embed import model_switch

    def report_progress(done: int, total: int, item: str) -> None:
        reporter.progress(done, total, item)
        if progress:
            progress(done, total, item)

    def must_stop() -> bool:
        return reporter.is_index_replaced or (is_stopped is not None and is_stopped())

    embedders = models.chosen(settings.embedding)
    model_switch.record_models(store, embedders, settings.embedding)
    problem = correct_student(models, store, settings.embedding, must_stop)
    report, has_changed = _embed_all(embedders, store, settings, report_progress, must_stop)
    report = replace(report, warnings=(problem,)) if problem else report
    if reporter.is_index_replaced:  # maintenance now would remove files of the index that replaced this one
        error = f"The index {models.index} was removed or replaced while it was being embedded."
        return replace(report, error=error, hint="Run `waymeet index` again.")
    model_switch.finish_switch(store, embedders, settings.embedding, report)
    if has_changed:
        store.optimize()
    reporter.end(report.error)
    return report


def _embed_all(
    embedders: "Sequence[CachedEmbedder]",
    store: Store,
    settings: Settings,
    progress: Progress,
    must_stop: Callable[[], bool],
) -> "tuple[EmbeddingReport, bool]":
    """Embed files, parts of sections and sections, and tell whether anything was stored.

    What is quick comes first: files are few and short, and the multilingual model is several times faster.
    """
    from waymeet.ingest.embed import batches, file_vectors, model_switch, part_vectors

    moved = model_switch.chunks_to_move(store, embedders)
    model_switch.drop_moved_files(store, embedders, moved)
    uncached = [embedder.without_cache() for embedder in embedders] if settings.embedding.cross_lingual else []
    embedded, chunks = store.coverage([embedder.space for embedder in embedders])
    total, size = chunks - embedded + part_vectors.count_missing(store, uncached), settings.embedding.batch_chunks
    files = file_vectors.embed_files(store, embedders, size, must_stop, partial(progress, 0, total))
    parts = part_vectors.embed_parts(store, uncached, size, must_stop, lambda done, item: progress(done, total, item))
    report = batches.embed_chunks(
        store,
        embedders,
        settings,
        lambda done, of, item: progress(parts.embedded + done, parts.embedded + of, item),
        must_stop,
        also=moved,
    )
    later = file_vectors.embed_files(store, embedders, size, must_stop)  # those that failed or were indexed meanwhile
    report = parts.add_to(later.add_to(replace(report, files=files.embedded)))
    return report, bool(report.embedded or report.files or parts.embedded)


def embed_few(models: Models, store: Store, settings: Settings, is_late: Callable[[], bool]) -> None:
    """Embed the sections of a few changed files before a query is answered.

    Remote models are left to the job: a slow server would delay the answer.
    """
    from waymeet.ingest.embed import batches, file_vectors, job, model_switch, part_vectors

    embedders = models.chosen(settings.embedding)
    if not embedders or is_remote(settings.embedding):
        return
    embedded, chunks = store.coverage([embedder.space for embedder in embedders])
    if not 0 < chunks - embedded <= _FEW_CHUNKS:
        return
    try:
        with job.try_embedding_lock(models.index):
            model_switch.record_models(store, embedders, settings.embedding)
            batches.embed_chunks(store, embedders, settings, is_late=is_late, hasty=True)
            if settings.embedding.cross_lingual:
                uncached = [embedder.without_cache() for embedder in embedders]
                part_vectors.embed_parts(store, uncached, settings.embedding.batch_chunks, is_late)
            file_vectors.embed_files(store, embedders, settings.embedding.batch_chunks, is_late)
    except BusyIndexError:
        return  # the running job embeds these sections, too


def drop_unused_vectors(models: Models, store: Store, settings: Embedding) -> list[str]:
    """Remove vectors of models that are neither chosen nor in use, and name their spaces."""
    unused = vector_status(models, store, settings).unused_spaces
    if unused:
        store.drop_vectors(dict.fromkeys(space for space in store.spaces() if section_space(space) in unused), {})
        store.optimize()
    return list(unused)


def vector_status(models: Models, store: Store, settings: Embedding) -> "VectorStatus":
    """Describe which sections have vectors, of which models, and how the embedding job stands."""
    from waymeet.ingest.embed import job, model_switch
    from waymeet.ingest.embed.failures import FailedChunks
    from waymeet.ingest.status import VectorStatus

    embedders = models.chosen(settings)
    spaces = tuple(embedder.space for embedder in embedders)
    embedded, chunks = store.coverage(spaces)
    previous = model_switch.previous_models(store, embedders)
    answering = previous.spaces if previous else spaces
    last, state = job.last_job(models.index), decode_state(store.metadata(STATE_KEY))
    return VectorStatus(
        spaces=spaces,
        embedded=embedded,
        chunks=chunks,
        any_language=_count_any_language(store, embedders) if settings.cross_lingual else None,
        approximate=store.coverage([*spaces, *map(student_space, spaces)])[0] - embedded,
        student_trust=state.trust if state else None,
        answering_spaces=answering,
        unused_spaces=tuple(
            dict.fromkeys(each for each in map(section_space, store.spaces()) if each not in {*spaces, *answering})
        ),
        failures=tuple(FailedChunks(store).reasons(spaces)),
        job=job.running_job(models.index),
        error=last.error if last and last.ended and embedded < chunks else "",
    )


def _count_any_language(store: Store, embedders: Sequence[Embedder]) -> int | None:
    """Count the sections that the multilingual model has embedded with their parts."""
    multilingual = multilingual_embedder(embedders)
    return store.coverage(part_spaces(multilingual.space, store.spaces()))[0] if multilingual else None


def is_paid(models: Models, settings: Embedding) -> bool:
    """Tell whether the provider of the chosen models may charge for embedding."""
    if not is_remote(settings):
        return False
    from waymeet.models.remote.cost import is_any_paid

    return is_any_paid(models.chosen(settings))


def _check_consent(
    models: Models, store: Store, settings: Embedding, consent: "Consent | None"
) -> "EmbeddingReport | None":
    """Return a report if the run needs consent and has none, else None."""
    if not is_remote(settings):
        return None
    from waymeet.models.remote.cost import check_consent

    return check_consent(store, models.chosen(settings), settings, consent)
