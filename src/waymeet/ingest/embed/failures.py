"""Texts for which a model gives no usable vector: remembered, so that they are not tried for ever."""

from collections.abc import Collection
from hashlib import blake2b

import msgspec
from msgspec import Struct

from waymeet.analysis.embedding_text import embedding_text
from waymeet.ports import Store

_NOTE = "refused"
_MOST = 2000
"""Refusals that are remembered; of more the last ones."""


class Refusal(Struct, frozen=True, array_like=True):
    """That a model gave no usable vector for a text."""

    space: str
    chunk: str
    mark: str
    """Stands for the text: when it changes, the text is tried again."""
    reason: str


class FailedChunks:
    """What is remembered of an index."""

    def __init__(self, store: Store) -> None:
        self._store = store
        known = msgspec.json.decode(store.metadata(_NOTE) or "[]", type=list[Refusal])
        marks = self._marks([each.chunk for each in known])
        self._known = {each.chunk: each for each in known if each.mark == marks.get(each.chunk)}
        self._before = dict(self._known)

    def still(self, spaces: Collection[str]) -> set[str]:
        """Name the chunks that are not tried again with the models of these spaces."""
        return {each.chunk for each in self._known.values() if each.space in spaces}

    def reasons(self, spaces: Collection[str]) -> list[str]:
        """Say why, chunk by chunk."""
        return sorted(each.reason for each in self._known.values() if each.space in spaces)

    def add(self, space: str, chunk: str, text: str, reason: str) -> None:
        """Remember one more."""
        self._known[chunk] = Refusal(space, chunk, _mark(text), reason)
        self._write()

    def take_back(self) -> None:
        """Forget what was added: it was not the texts' fault."""
        self._known = dict(self._before)
        self._write()

    def _write(self) -> None:
        kept = list(self._known.values())[-_MOST:]
        self._store.set_metadata(_NOTE, msgspec.json.encode(kept).decode())

    def _marks(self, ids: Collection[str]) -> dict[str, str]:
        """Mark the texts that chunks have now."""
        chunks = self._store.chunks(ids)
        documents = self._store.documents({chunk.document for chunk in chunks.values()})
        return {id_: _mark(embedding_text(chunk, documents.get(chunk.document))) for id_, chunk in chunks.items()}


def count_failed_chunks(store: Store, spaces: Collection[str]) -> int:
    """Count the chunks that models give no usable vector for."""
    return len(FailedChunks(store).still(spaces)) if store.metadata(_NOTE) else 0


def _mark(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
