"""Processes that use one index at the same time.

`store_process.py read FILE`, or `store_process.py write FILE NAME ROUNDS`.
"""

from __future__ import annotations

import sys
from contextlib import closing
from time import monotonic
from typing import NamedTuple

from waymeet.analysis import count_terms
from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Chunk, Document, Filters, IndexEntry, Word

LIMITS = MaintenanceLimits(
    max_buffered=6, min_segment=0, max_segment=40, max_vectors=40, max_loop_postings=-1, max_loop_postings_with_numpy=-1
)
PAIR = ("pair/one.md", "pair/two.md")
_PATIENCE = 1200.0


def page(path: str, text: str) -> IndexEntry:
    """Make an entry of one section."""
    chunk = Chunk(f"{path}#L1-L1", path, 0, 1, 1, text)
    document = Document(path, "docs", "", digest=text, size=len(text), modified_ns=1, lines=1)
    return IndexEntry(document, (chunk,), {"path": count_terms(path)}, ({"body": count_terms(text)},))


def write(file: str, name: str, rounds: int) -> str:
    """Write a pair of pages with equal stamps, and further pages that change and are dropped."""
    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        for stamp in range(1, rounds + 1):
            pair = [page(path, f"together stamp{stamp}" + " end" * (stamp == rounds)) for path in PAIR]
            own = [page(f"{name}/{(stamp * 7 + n) % 50}.md", f"own text {name} {stamp} together") for n in range(3)]
            store.put([*(pair if name == "main" else ()), *own, page(f"{name}/kept{stamp}.md", f"kept {name}")])
            if stamp % 5 == 0:
                store.drop([f"{name}/{stamp % 50}.md"])
            if stamp % 3 == 0:
                store.optimize()
    return f"wrote {rounds}"


class Reading(NamedTuple):
    """The result of one snapshot."""

    generation: int
    stamp: int
    ended: bool
    wrong: str


def look(store: SqliteStore, words: list[Word]) -> Reading | None:
    """Compare several reads within one generation, or return None while there is no pair."""
    with store.snapshot() as generation:
        texts = {each.text for of in store.chunks_of(PAIR).values() for each in of}
        digests = {each.digest for each in store.documents(PAIR).values()}
        counts = store.counts()
        hits = store.rank_lexical(words, 1000, Filters(), Bm25())
        chunks = store.chunks([hit.chunk for hit in hits])
        known = store.fingerprints()
        again = {each.text for of in store.chunks_of(PAIR).values() for each in of}
    if not texts:
        return None
    spoken = {chunks[f"{path}#L1-L1"].text for path in PAIR}
    wrong = ""
    if len(texts) != 1 or not texts == digests == again == spoken:
        wrong = f"MIXED {texts} {digests} {again} {spoken}"
    elif counts.documents != len(known) or len(chunks) != len(hits) or {hit.document for hit in hits} - set(known):
        wrong = f"MIXED counts {counts} {len(known)} {len(hits)}"
    elif len(hits) != sum("kept" not in path for path in known):
        wrong = f"MIXED words {len(hits)} of {len(known)}"
    text = min(texts)
    return Reading(generation, int(text.split()[1].removeprefix("stamp")), "end" in text, wrong)


def read(file: str) -> str:
    """Read until the end is seen, and check that each snapshot is of one generation."""
    words = [Word((term,), text=term) for term in count_terms("together")]
    rounds, last = 0, Reading(0, 0, ended=False, wrong="")
    generations = set()
    until = monotonic() + _PATIENCE
    with closing(SqliteStore.open(file, limits=LIMITS)) as store:
        while monotonic() < until and not last.ended:
            now = look(store, words)
            if now is None:
                continue
            if now.wrong:
                return now.wrong
            if now.generation < last.generation or now.stamp < last.stamp:
                return f"BACKWARDS {last} {now}"
            last, rounds = now, rounds + 1
            generations.add(now.generation)
    return f"read {rounds} times, {len(generations)} generations" if last.ended else "LATE"


if __name__ == "__main__":
    role, where, *rest = sys.argv[1:]
    print(read(where) if role == "read" else write(where, rest[0], int(rest[1])))  # noqa: T201 - the test reads it
