"""From one embedding model to another while questions go on: the old vectors answer until the new ones are complete.

A remark in the store says which spaces answer and with which settings their models were made. It changes together with
the vectors that are forgotten then, so that an answer never mixes models, whenever a process is killed.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest.embed.batches import EmbeddingReport, misplaced
from waymeet.ingest.embed.failures import count_failed_chunks
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding

_NOTE = "embedding"
_FEW_FAILED = 100
"""One section of so many may have failed when the new model takes over."""


class AnsweringModels(Struct, frozen=True):
    """Which spaces answer, and how their models are made again. Keys are never among the settings."""

    spaces: tuple[str, ...]
    made: Embedding


def answering_models(store: Store) -> AnsweringModels | None:
    """Read which spaces answer; None if nothing was embedded yet, or nobody can tell any more."""
    try:
        return msgspec.json.decode(store.metadata(_NOTE) or "null", type=AnsweringModels | None)
    except msgspec.MsgspecError:  # another version's settings: its models cannot be made here
        return None


def previous_models(store: Store, embedders: Sequence[Embedder]) -> AnsweringModels | None:
    """Tell whether other models answer than those that were chosen: which ones, as long as they have vectors."""
    now = answering_models(store)
    if now is None or not embedders or set(now.spaces) == set(_spaces(embedders)):
        return None
    return now if store.coverage(now.spaces)[0] else None


def is_complete(store: Store, embedders: Sequence[Embedder], made: Embedding) -> bool:
    """Tell whether there is nothing to do: all is embedded by these models, and no other vectors are left."""
    spaces = _spaces(embedders)
    embedded, chunks = store.coverage(spaces)
    if answering_models(store) != _serving(embedders, made) or not store.spaces().keys() <= set(spaces):
        return False
    return embedded == chunks or embedded + count_failed_chunks(store, spaces) >= chunks


def record_models(store: Store, embedders: Sequence[Embedder], made: Embedding) -> None:
    """Note which models answer, if these will be the first or are the same as before."""
    chosen = _serving(embedders, made)
    if previous_models(store, embedders) is None and answering_models(store) != chosen:
        store.set_metadata(_NOTE, _written(chosen))


def chunks_to_move(store: Store, embedders: Sequence[Embedder]) -> list[str]:
    """Name the chunks that have to move from one chosen model to another, because one of the two is new."""
    if previous_models(store, embedders) is None or set(_spaces(embedders)).isdisjoint(store.spaces()):
        return []
    return [chunk for chunk, _ in misplaced(store, embedders)]


def finish_switch(store: Store, embedders: Sequence[Embedder], made: Embedding, came: EmbeddingReport) -> bool:
    """Let the chosen models answer if all is embedded by them, forgetting other vectors at once; say whether they do.

    A few sections that a model fails at again and again do not hold it up.
    """
    spaces = _spaces(embedders)
    embedded, chunks = store.coverage(spaces)
    if came.remaining and (not came.error or came.remaining * _FEW_FAILED > chunks or not embedded):
        return False
    gone: dict[str, list[str] | None] = {space: None for space in store.spaces() if space not in spaces}
    if previous_models(store, embedders) is not None:
        for chunk, space in misplaced(store, embedders):
            places = gone.setdefault(space, [])
            if places is not None:
                places.append(chunk)
    chosen = _serving(embedders, made)
    if gone or answering_models(store) != chosen:
        store.drop_vectors(gone, {_NOTE: _written(chosen)})
    return True


def _spaces(embedders: Sequence[Embedder]) -> list[str]:
    return [embedder.space for embedder in embedders]


def _serving(embedders: Sequence[Embedder], made: Embedding) -> AnsweringModels:
    """Describe embedders; an address with a password in it is not kept."""
    secret = "@" in made.url.partition("://")[2].partition("/")[0]
    return AnsweringModels(tuple(_spaces(embedders)), replace(made, url="") if secret else made)


def _written(chosen: AnsweringModels) -> str:
    return msgspec.json.encode(chosen).decode()
