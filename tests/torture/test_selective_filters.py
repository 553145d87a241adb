"""Filters that one section in a thousand passes lose nothing: every ranking is that of a full scan.

There are 5,000 sections in the ordinary run and 100,000 in `make torture`.
"""

from collections.abc import Iterator
from contextlib import closing
from random import Random

import numpy as np
import pytest
from support.random_tree import LONG

from waymeet.settings.bm25 import AUTO_BM25
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Filters, IndexEntry, Word

SECTIONS = 100_000 if LONG else 5_000
SECTIONS_A_FILE, BATCH = 5, 250
RARE = 1_000
"""One file in so many passes each filter."""
DIMENSION, SPACE = 24, "model@1"
FILTERS = (
    Filters(tags=("rare",)),
    Filters(paths=("few",)),
    Filters(languages=("uncommon",)),
    Filters(properties=(("state", "open"),)),
    Filters(changed_from=1000),
    Filters(doc_types=("decision",), without_kinds=("code",)),
)
QUERIES = (("common",), ("common", "word3"), ("word1", "word40", "word700"), ("word2", "common", "absent"))


def is_rare(number: int) -> bool:
    return number % RARE == RARE // 2


def file_entry(number: int, rng: Random) -> IndexEntry:
    """Make a file of random words; the frequencies of words follow Zipf's law."""
    rare = is_rare(number)
    path = f"{'few' if rare else f'many/{number % 50}'}/{number}.md"
    document = Document(
        id=path,
        kind="docs",
        title=f"file {number}",
        doc_type="decision" if rare else "other",
        tags=("rare",) if rare else ("frequent",),
        properties={"state": "open" if rare else "closed"},
        language="uncommon" if rare else "markdown",
        digest=str(number),
        changed_ns=1000 if rare else 1,
        modified_ns=1,
    )
    words = [
        {f"word{int(rng.paretovariate(0.7))}": 1 + rng.randrange(4) for _ in range(12)} for _ in range(SECTIONS_A_FILE)
    ]
    chunks = [Chunk(f"{path}#L{line}-L{line}", path, line - 1, line, line, "text") for line in range(1, 1 + len(words))]
    terms = [{"body": counts | {"common": 1 + rng.randrange(9)}} for counts in words]
    return IndexEntry(document, tuple(chunks), {"path": {str(number): 1}}, tuple(terms))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """Make a store with as many sections and vectors, and one file in a thousand that passes the filters."""
    rng = Random(7)  # noqa: S311 - the same in each run
    vectors = np.random.default_rng(7)
    files = max(SECTIONS // SECTIONS_A_FILE, RARE)
    with closing(SqliteStore.open(tmp_path_factory.mktemp("index") / "index.db", create=True)) as made:
        for start in range(0, files, BATCH):
            entries = [file_entry(number, rng) for number in range(start, min(start + BATCH, files))]
            made.put(entries)
            chunks = [chunk.id for entry in entries for chunk in entry.chunks]
            rows = vectors.normal(size=(len(chunks), DIMENSION)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            made.put_vectors(SPACE, dict(zip(chunks, rows, strict=True)))
        made.optimize()
        yield made


def passes(document: str) -> bool:
    return document.startswith("few/")


@pytest.mark.parametrize("filters", FILTERS, ids=lambda filters: str(filters)[8:40])
def test_words_rank_what_passes_as_a_full_scan_does(store: SqliteStore, filters: Filters) -> None:
    for terms in QUERIES:
        words = [Word((term,)) for term in terms]
        everything = store.rank_lexical(words, 10 * SECTIONS, Filters(), AUTO_BM25)
        expected = [hit for hit in everything if passes(hit.document)]
        assert list(store.rank_lexical(words, 10 * SECTIONS, filters, AUTO_BM25)) == expected
        assert list(store.rank_lexical(words, 10, filters, AUTO_BM25)) == expected[:10]
        assert expected


@pytest.mark.parametrize("filters", FILTERS, ids=lambda filters: str(filters)[8:40])
def test_vectors_rank_what_passes_as_a_full_scan_does(store: SqliteStore, filters: Filters) -> None:
    generator = np.random.default_rng(11)
    for _ in range(3):
        query = generator.normal(size=DIMENSION).astype(np.float32)
        query /= np.linalg.norm(query)
        found = store.rank_vectors(SPACE, query, 10, filters)
        everything = store.rank_vectors(SPACE, query, 10 * SECTIONS, Filters())
        expected = [hit for hit in everything if passes(hit.document)][:10]
        assert {hit.chunk for hit in found} == {hit.chunk for hit in expected}
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-5)
