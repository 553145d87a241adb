"""A process that indexes a folder with many flushes and merges, to be killed.

`python index_process.py ROOT INDEX` prints `ready`, then one line of JSON after every change that was kept.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from waymeet.errors import WaymeetError
from waymeet.ingest.embed.batches import embed_chunks
from waymeet.ingest.index import index
from waymeet.models.hashing import HashingEmbedder
from waymeet.settings import Embedding, Ingest, Settings
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from waymeet.types import IndexEntry

LIMITS = MaintenanceLimits(
    max_buffered=12,
    min_segment=0,
    max_segment=60,
    max_vectors=60,
    max_loop_postings=-1,
    max_loop_postings_with_numpy=-1,
)
"""Every few files are flushed to a segment, and every few segments are merged."""
SETTINGS = Settings(ingest=Ingest(batch_files=4), embedding=Embedding(batch_chunks=16))
EMBEDDER = HashingEmbedder(16)


class ReportingStore(SqliteStore):
    """A store that prints what it has committed."""

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Put, then print the digests."""
        super().put(entries)
        say({"put": {entry.document.id: entry.document.digest for entry in entries}, "generation": self.generation})

    def drop(self, documents: Collection[str]) -> None:
        """Drop, then print the ids."""
        super().drop(documents)
        say({"dropped": sorted(documents), "generation": self.generation})


def say(what: object) -> None:
    """Print a line at once."""
    print(msgspec.json.encode(what).decode(), flush=True)  # noqa: T201 - it is read by the test


def bring_up_to_date(root: Path, store: SqliteStore) -> None:
    """Do what `waymeet index` does."""
    index(root, store, SETTINGS)
    if embed_chunks(store, [EMBEDDER], SETTINGS).embedded:
        store.optimize()


def main() -> int:
    """Index, and print an error in one line."""
    root, file = map(Path, sys.argv[1:3])
    say("ready")
    try:
        store = ReportingStore.open(file, create=True, limits=LIMITS)
        bring_up_to_date(root, store)
        store.close()
    except WaymeetError as error:
        print(f"waymeet: {error.message}", file=sys.stderr)  # noqa: T201 - likewise
        return error.exit_code
    say("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
