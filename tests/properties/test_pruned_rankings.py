"""Rankings that skip chunks which cannot be among the best are those of the reference store, to the last bit."""

import random
from collections.abc import Iterator

import pytest
from conformance.make import entry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waymeet.settings import Bm25, FieldNorms, FieldWeights
from waymeet.settings.bm25 import AUTO_BM25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.segments import top_chunks
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters, Word

LIMITS = MaintenanceLimits(
    max_buffered=30, min_segment=0, max_segment=70, max_loop_postings=-1, max_loop_postings_with_numpy=-1
)
TERMS = [f"word{number}" for number in range(30)]
FREQUENT = TERMS[:3]
NUMBERS = (
    AUTO_BM25,
    Bm25(),
    Bm25(k1=1.4),
    Bm25(k1=0.0),
    Bm25(b=FieldNorms(*[1.0] * 8)),
    Bm25(fields=FieldWeights(title=0.0)),
)


def make_text(chance: random.Random, words: int) -> str:
    rare = chance.choices(TERMS, [1 / (rank + 1) for rank in range(len(TERMS))], k=words)
    return " ".join(rare + chance.choices(FREQUENT, k=chance.randrange(6)))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqliteStore, MemoryStore]]:
    """Fill both stores alike, with several segments, deleted documents and a buffer."""
    chance = random.Random(5)  # noqa: S311 - the same texts each time
    path = tmp_path_factory.mktemp("pruned") / "index.db"
    store, reference = SqliteStore.open(path, create=True, limits=LIMITS), MemoryStore()
    entries = [
        entry(
            f"{chance.choice(['docs', 'src'])}/{number:03}.md",
            *(make_text(chance, chance.randrange(1, 40)) for _ in range(chance.randrange(7))),
            title=make_text(chance, chance.randrange(3)),
        )
        for number in range(90)
    ]
    for each in (store, reference):
        each.put(entries[:70])
    store.optimize()
    for each in (store, reference):
        each.put(entries[60:75])
        each.drop([entry.document.id for entry in entries[:60:7]])
        each.put(entries[75:87])
        each.put(entries[87:])
    yield store, reference
    store.close()


words = st.lists(
    st.builds(
        Word,
        st.lists(st.sampled_from([*TERMS, "docs", "md", "unknown"]), min_size=1, max_size=3).map(tuple),
        st.sampled_from([1.0, 0.3, 2.5]),
    ),
    min_size=1,
    max_size=6,
)
filters = st.sampled_from([Filters(), Filters(paths=("src",)), Filters(paths=("docs/001.md", "docs/002.md"))])
searches = st.tuples(words, st.sampled_from([1, 3, 10, 400]), filters, st.sampled_from(NUMBERS))


@given(searches, st.sampled_from([0, 10, 1000]))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_lost_by_skipping(
    stores: tuple[SqliteStore, MemoryStore],
    monkeypatch: pytest.MonkeyPatch,
    search: tuple[list[Word], int, Filters, Bm25],
    few: int,
) -> None:
    for name, value in (("_GROUP", 4), ("_FEW", few), ("_MIN_ENTRIES", 1), ("_MIN_ENTRIES_FOR_THRESHOLD", 1)):
        monkeypatch.setattr(top_chunks, name, value)
    store, reference = stores
    assert store.rank_lexical(*search) == reference.rank_lexical(*search)


@pytest.mark.parametrize("chosen", [Filters(), Filters(paths=("docs/001.md",))])
def test_unknown_words_find_nothing(stores: tuple[SqliteStore, MemoryStore], chosen: Filters) -> None:
    for store in stores:
        assert store.rank_lexical([Word(("unknown",))], 10, chosen, Bm25()) == ()


def test_several_segments_are_searched(stores: tuple[SqliteStore, MemoryStore]) -> None:
    store, _ = stores
    with store._reader.reading() as session:
        lexicon = store._segments.lexicon(session)
        assert len(lexicon.segments) > 2
        assert any(segment.deleted for segment in lexicon.segments.values())
        assert lexicon.buffer.chunks
