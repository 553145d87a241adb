"""A process that indexes a folder with much shelving and merging, and tells what was acknowledged; made to be killed.

`python worker.py ROOT INDEX` prints `ready`, then one line of JSON after every change that was kept.
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
    max_buffered=12, min_segment=0, max_segment=60, max_loop_postings=-1, max_loop_postings_with_numpy=-1
)
"""Every few files make a segment, and every few segments are merged."""
SETTINGS = Settings(ingest=Ingest(batch_files=4), embedding=Embedding(batch_chunks=16))
EMBEDDER = HashingEmbedder(16)


class Telling(SqliteStore):
    """A store that says aloud what it has kept."""

    def put(self, entries: Sequence[IndexEntry]) -> None:
        """Put, then tell the digests that were put."""
        super().put(entries)
        say({"put": {entry.document.id: entry.document.digest for entry in entries}, "generation": self.generation})

    def drop(self, documents: Collection[str]) -> None:
        """Drop, then tell what was dropped."""
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
    """Index, and say in one line what went wrong if something did."""
    root, file = map(Path, sys.argv[1:3])
    say("ready")
    try:
        store = Telling.open(file, create=True, limits=LIMITS)
        bring_up_to_date(root, store)
        store.close()
    except WaymeetError as error:
        print(f"waymeet: {error.message}", file=sys.stderr)  # noqa: T201 - likewise
        return error.exit_code
    say("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
