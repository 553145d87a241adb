"""Switch of embedding models: queries use the old vectors until the new ones are complete.

The store's metadata names the spaces that queries use and the settings of their models. It changes in the same
transaction that drops the previous vectors, so that results never mix models, even if a process is killed.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from waymeet.analysis.embedded.space_names import file_space, part_spaces
from waymeet.analysis.embedded.student_state import CORRECTION_KEY, STATE_KEY
from waymeet.ingest.embed.batches import EmbeddingReport, find_misplaced_vectors
from waymeet.ingest.embed.failures import count_failed_chunks
from waymeet.ingest.embed.file_vectors import files_without_vector
from waymeet.ingest.embed.part_vectors import count_missing
from waymeet.ports import Embedder, Store, multilingual_embedder
from waymeet.settings import Embedding

_METADATA_KEY = "embedding"
_MAX_REMAINING_SHARE = 100
"""The new model is used when at most one section of this many failed."""

_IDENTIFYING = (
    "provider",
    "model",
    "url",
    "key_variable",
    "dimension",
    "query_prefix",
    "passage_prefix",
    "text_chars",
)
"""Settings that decide which vectors a model makes. Others may differ from call to call."""


class AnsweringModels(Struct, frozen=True):
    """The spaces that queries use, with the settings of their models, which hold no API keys."""

    spaces: tuple[str, ...]
    settings: Embedding = field(name="made")


def answering_models(store: Store) -> AnsweringModels | None:
    """Load the models that queries use, or None if there are none or of unknown settings."""
    try:
        answering = msgspec.json.decode(store.metadata(_METADATA_KEY) or "null", type=AnsweringModels | None)
        return replace(answering, settings=_identify(answering.settings)) if answering else None
    except msgspec.MsgspecError:  # settings of another version: its models cannot be created here
        return None


def with_model(settings: Embedding, model: Embedding) -> Embedding:
    """Give settings that choose another model, with the time limits and the cache of these."""
    return replace(settings, **{name: getattr(model, name) for name in _IDENTIFYING})


def previous_models(store: Store, embedders: Sequence[Embedder]) -> AnsweringModels | None:
    """Return the models that queries use if they are not the chosen ones and have vectors."""
    answering = answering_models(store)
    if answering is None or not embedders or set(answering.spaces) == set(_spaces(embedders)):
        return None
    return answering if store.coverage(answering.spaces)[0] else None


def is_complete(store: Store, embedders: Sequence[Embedder], settings: Embedding) -> bool:
    """Return whether these models have embedded every chunk and no other vectors are left."""
    spaces = _spaces(embedders)
    embedded, chunks = store.coverage(spaces)
    if answering_models(store) != _describe(embedders, settings):
        return False
    if not store.spaces().keys() <= _used_spaces(store, embedders, settings):
        return False
    if settings.cross_lingual and count_missing(store, embedders):
        return False
    if embedded < chunks and embedded + count_failed_chunks(store, spaces) < chunks:
        return False
    return next(files_without_vector(store, embedders), None) is None


def record_models(store: Store, embedders: Sequence[Embedder], settings: Embedding) -> None:
    """Record the models that queries use, if they are the first ones or the same as before."""
    chosen = _describe(embedders, settings)
    if previous_models(store, embedders) is None and answering_models(store) != chosen:
        store.set_metadata(_METADATA_KEY, _encode(chosen))


def chunks_to_move(store: Store, embedders: Sequence[Embedder]) -> list[str]:
    """List the chunks that have to move between chosen models because one of these is new."""
    if previous_models(store, embedders) is None or set(_spaces(embedders)).isdisjoint(store.spaces()):
        return []
    return [chunk for chunk, _ in find_misplaced_vectors(store, embedders)]


def drop_moved_files(store: Store, embedders: Sequence[Embedder], moved: Sequence[str]) -> None:
    """Drop the file vectors whose first chunk moves to another model, so that they move, too."""
    if moved:
        store.drop_vectors({file_space(space): moved for space in _spaces(embedders)}, {})


def finish_switch(store: Store, embedders: Sequence[Embedder], settings: Embedding, report: EmbeddingReport) -> bool:
    """Use the chosen models for queries once they have embedded all, and drop other vectors.

    Returns whether the chosen models are used. A few sections that fail again and again do not delay the switch.
    """
    spaces = _spaces(embedders)
    embedded, chunks = store.coverage(spaces)
    if report.remaining and (not report.error or report.remaining * _MAX_REMAINING_SHARE > chunks or not embedded):
        return False
    used = _used_spaces(store, embedders, settings)
    dropped: dict[str, list[str] | None] = {space: None for space in store.spaces() if space not in used}
    if previous_models(store, embedders) is not None:
        for chunk, space in find_misplaced_vectors(store, embedders):
            chunks_in_space = dropped.setdefault(space, [])
            if chunks_in_space is not None:  # None drops the whole space
                chunks_in_space.append(chunk)
    chosen = _describe(embedders, settings)
    if dropped or answering_models(store) != chosen or store.metadata(STATE_KEY):
        metadata = {_METADATA_KEY: _encode(chosen), STATE_KEY: "", CORRECTION_KEY: ""}  # no vector is approximate now
        store.drop_vectors(dropped, metadata)
    return True


def _used_spaces(store: Store, embedders: Sequence[Embedder], settings: Embedding) -> frozenset[str]:
    """List the spaces of sections, of files and, unless switched off, of parts of sections."""
    spaces = [name for embedder in embedders for name in (embedder.space, file_space(embedder.space))]
    multilingual = multilingual_embedder(embedders) if settings.cross_lingual else None
    return frozenset((*spaces, *(part_spaces(multilingual.space, store.spaces()) if multilingual else ())))


def _spaces(embedders: Sequence[Embedder]) -> list[str]:
    return [embedder.space for embedder in embedders]


def _describe(embedders: Sequence[Embedder], settings: Embedding) -> AnsweringModels:
    """Describe embedders by spaces and settings, without a URL that holds a password."""
    has_password = "@" in settings.url.partition("://")[2].partition("/")[0]
    settings = _identify(settings)
    return AnsweringModels(tuple(_spaces(embedders)), replace(settings, url="") if has_password else settings)


def _identify(settings: Embedding) -> Embedding:
    """Give the settings that identify a model, without those that decide how long it may take."""
    return Embedding(**{name: getattr(settings, name) for name in _IDENTIFYING})


def _encode(chosen: AnsweringModels) -> str:
    return msgspec.json.encode(chosen).decode()
