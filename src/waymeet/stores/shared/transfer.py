"""Copying of an index from one store to another, without embedding anything again.

Documents are written in batches, each a transaction of the target. An interrupted copy continues where it stopped: what
the target has already is compared by digest. Vectors are copied as they are stored.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from waymeet.errors import DamagedIndexError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from waymeet.ports import Counts, Progress, Store
    from waymeet.types import IndexEntry

_SOURCE_KEY = "copied_from"
"""Metadata of the target while a copy is not complete: the source and its generation."""
_DOCUMENTS, _VECTORS = 100, 2000
"""Documents and vectors of a batch."""


class Transfer(Protocol):
    """Reads and writes the content of a store as it is stored."""

    def read_entries(self, documents: Sequence[str]) -> list[IndexEntry]:
        """Read documents with all that was put."""
        ...

    def read_vectors(self, space: str) -> Iterator[tuple[str, bytes]]:
        """Read the chunk and the stored bytes of each vector of a space."""
        ...

    def read_metadata(self) -> Mapping[str, str]:
        """Read all metadata."""
        ...

    def write_vectors(self, space: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of known chunks as they were stored elsewhere."""
        ...


class Side(NamedTuple):
    """A store with access to its content."""

    name: str
    store: Store
    content: Transfer


def copy_index(source: Side, target: Side, progress: Progress | None = None, vectors: Progress | None = None) -> Counts:
    """Make a target equal to a source, and return what was copied.

    `progress` receives the progress of documents, `vectors` that of vectors; what the target had before counts.

    Raises:
        DamagedIndexError: the target has other counts afterwards.
    """
    mark = f"{source.name} {source.store.generation}"
    if target.store.metadata(_SOURCE_KEY) != mark:
        target.store.drop(list(target.store.fingerprints()))
        target.store.set_metadata(_SOURCE_KEY, mark)
    _copy_documents(source, target, progress)
    _copy_vectors(source, target, vectors)
    for key, value in source.content.read_metadata().items():
        if key != _SOURCE_KEY:
            target.store.set_metadata(key, value)
    counts = source.store.counts()
    if target.store.counts() != counts:
        raise DamagedIndexError(
            f"The copy on {target.name} has other counts than {source.name}: {target.store.counts()}, not {counts}.",
            "The index is used where it was. Run the command again to continue.",
        )
    target.store.set_metadata(_SOURCE_KEY, "")
    target.store.optimize()
    return counts


def _copy_documents(source: Side, target: Side, progress: Progress | None) -> None:
    present, wanted = target.store.fingerprints(), source.store.fingerprints()
    missing = [id_ for id_, fingerprint in wanted.items() if present.get(id_) != fingerprint]
    done = len(wanted) - len(missing)
    for start in range(0, len(missing), _DOCUMENTS):
        batch = missing[start : start + _DOCUMENTS]
        target.store.put(source.content.read_entries(batch))
        if progress:
            progress(done + min(start + _DOCUMENTS, len(missing)), len(wanted), batch[-1])


def _copy_vectors(source: Side, target: Side, progress: Progress | None) -> None:
    total, done = sum(source.store.counts().vectors.values()), 0
    for space in source.store.spaces():
        vectors = iter(source.content.read_vectors(space))
        while batch := dict(islice(vectors, _VECTORS)):
            _write_missing(target, space, batch)
            done += len(batch)
            if progress:
                progress(done, total, space)


def _write_missing(target: Side, space: str, batch: Mapping[str, bytes]) -> None:
    present = target.store.chunks_with_vector([space], batch)
    missing = {chunk: value for chunk, value in batch.items() if chunk not in present}
    if missing:
        target.content.write_vectors(space, missing)
