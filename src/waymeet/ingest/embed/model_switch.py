"""From one embedding model to another while questions go on: the old vectors answer until the new ones are complete.

A remark in the store says which lanes answer and with which settings their models were made. It changes together with
the vectors that are forgotten then, so that an answer never mixes models, whenever a process is killed.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest.embed.batches import Embedded, misplaced
from waymeet.ingest.embed.failures import number_refused
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding

_NOTE = "embedding"
_FEW_FAILED = 100
"""One section of so many may have failed when the new model takes over."""


class Serving(Struct, frozen=True):
    """Which lanes answer, and how their models are made again. Keys are never among the settings."""

    lanes: tuple[str, ...]
    made: Embedding


def serving(store: Store) -> Serving | None:
    """Read which lanes answer; None if nothing was embedded yet, or nobody can tell any more."""
    try:
        return msgspec.json.decode(store.note(_NOTE) or "null", type=Serving | None)
    except msgspec.MsgspecError:  # another version's settings: its models cannot be made here
        return None


def changing(store: Store, embedders: Sequence[Embedder]) -> Serving | None:
    """Tell whether other models answer than those that were chosen: which ones, as long as they have vectors."""
    now = serving(store)
    if now is None or not embedders or set(now.lanes) == set(_lanes(embedders)):
        return None
    return now if store.coverage(now.lanes)[0] else None


def complete(store: Store, embedders: Sequence[Embedder], made: Embedding) -> bool:
    """Tell whether there is nothing to do: all is embedded by these models, and no other vectors are left."""
    lanes = _lanes(embedders)
    embedded, chunks = store.coverage(lanes)
    if serving(store) != _serving(embedders, made) or not store.lanes().keys() <= set(lanes):
        return False
    return embedded == chunks or embedded + number_refused(store, lanes) >= chunks


def begin(store: Store, embedders: Sequence[Embedder], made: Embedding) -> None:
    """Note which models answer, if these will be the first or are the same as before."""
    chosen = _serving(embedders, made)
    if changing(store, embedders) is None and serving(store) != chosen:
        store.keep_note(_NOTE, _written(chosen))


def moving(store: Store, embedders: Sequence[Embedder]) -> list[str]:
    """Name the chunks that have to move from one chosen model to another, because one of the two is new."""
    if changing(store, embedders) is None or set(_lanes(embedders)).isdisjoint(store.lanes()):
        return []
    return [chunk for chunk, _ in misplaced(store, embedders)]


def finish(store: Store, embedders: Sequence[Embedder], made: Embedding, came: Embedded) -> bool:
    """Let the chosen models answer if all is embedded by them, forgetting other vectors at once; say whether they do.

    A few sections that a model fails at again and again do not hold it up.
    """
    lanes = _lanes(embedders)
    embedded, chunks = store.coverage(lanes)
    if came.left and (not came.trouble or came.left * _FEW_FAILED > chunks or not embedded):
        return False
    gone: dict[str, list[str] | None] = {lane: None for lane in store.lanes() if lane not in lanes}
    if changing(store, embedders) is not None:
        for chunk, lane in misplaced(store, embedders):
            places = gone.setdefault(lane, [])
            if places is not None:
                places.append(chunk)
    chosen = _serving(embedders, made)
    if gone or serving(store) != chosen:
        store.swap_lanes(gone, {_NOTE: _written(chosen)})
    return True


def _lanes(embedders: Sequence[Embedder]) -> list[str]:
    return [embedder.lane for embedder in embedders]


def _serving(embedders: Sequence[Embedder], made: Embedding) -> Serving:
    """Describe embedders; an address with a password in it is not kept."""
    secret = "@" in made.url.partition("://")[2].partition("/")[0]
    return Serving(tuple(_lanes(embedders)), replace(made, url="") if secret else made)


def _written(chosen: Serving) -> str:
    return msgspec.json.encode(chosen).decode()
