"""Chunks without a usable vector, remembered so that they are not tried again and again."""

from collections.abc import Collection
from hashlib import blake2b

import msgspec
from msgspec import Struct

from waymeet.analysis.embedded.section_text import embedding_text
from waymeet.ports import Store

_METADATA_KEY = "refused"
_MAX_FAILURES = 2000
"""Failures that are remembered, the latest ones if there are more."""


class Failure(Struct, frozen=True, array_like=True):
    """A chunk for which a model returned no usable vector."""

    space: str
    chunk: str
    digest: str
    """Digest of the text: when it changes, the chunk is tried again."""
    reason: str


class FailedChunks:
    """The failures of an index, kept in the store's metadata."""

    def __init__(self, store: Store) -> None:
        self._store = store
        known = msgspec.json.decode(store.metadata(_METADATA_KEY) or "[]", type=list[Failure])
        digests = self._digests([failure.chunk for failure in known])
        self._known = {failure.chunk: failure for failure in known if failure.digest == digests.get(failure.chunk)}
        self._before = dict(self._known)

    def chunk_ids(self, spaces: Collection[str]) -> set[str]:
        """Return the chunks that are not tried again with the models of these spaces."""
        return {failure.chunk for failure in self._known.values() if failure.space in spaces}

    def reasons(self, spaces: Collection[str]) -> list[str]:
        """Return the reason of each failure in these spaces."""
        return sorted(failure.reason for failure in self._known.values() if failure.space in spaces)

    def add(self, space: str, chunk: str, text: str, reason: str) -> None:
        """Add a failure."""
        self._known[chunk] = Failure(space, chunk, _digest(text), reason)
        self._write()

    def discard_added(self) -> None:
        """Discard the failures added since the start, because the model caused them, not the texts."""
        self._known = dict(self._before)
        self._write()

    def _write(self) -> None:
        latest = list(self._known.values())[-_MAX_FAILURES:]
        self._store.set_metadata(_METADATA_KEY, msgspec.json.encode(latest).decode())

    def _digests(self, ids: Collection[str]) -> dict[str, str]:
        """Return the digests of the chunks' present texts."""
        chunks = self._store.chunks(ids)
        documents = self._store.documents({chunk.document for chunk in chunks.values()})
        return {id_: _digest(embedding_text(chunk, documents.get(chunk.document))) for id_, chunk in chunks.items()}


def count_failed_chunks(store: Store, spaces: Collection[str]) -> int:
    """Count the chunks without a usable vector in the given spaces."""
    return len(FailedChunks(store).chunk_ids(spaces)) if store.metadata(_METADATA_KEY) else 0


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
