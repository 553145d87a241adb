"""The end of the lexical list before it is fused by rank."""

from waymeet.search.retrieve.first_stage import trim_lexical
from waymeet.search.state import Search, Tools
from waymeet.settings import Rrf, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Query, ScoredChunk

LEXICAL = tuple(ScoredChunk(f"{name}#L1-L1", name, score) for name, score in (("a", 8.0), ("b", 4.0), ("c", 3.9)))
VECTOR = (ScoredChunk("c#L1-L1", "c", 0.7),)


def trim(lists: dict[str, tuple[ScoredChunk, ...]], least: float = 0.5) -> Search:
    settings = Settings(rrf=Rrf(min_lexical=least))
    return trim_lexical(Search(Query("x"), lists=lists), Tools(MemoryStore()), settings)


def test_the_list_ends_below_a_share_of_its_best_score() -> None:
    trimmed = trim({"lexical": LEXICAL, "vector": VECTOR})
    assert [row.document for row in trimmed.ranking("lexical")] == ["a", "b"]
    assert trimmed.ranking("vector") == VECTOR
    assert trim({"lexical": LEXICAL, "vector": VECTOR}, 0.0).skipped == "no weak scores"


def test_a_single_list_stays_whole() -> None:
    single: list[dict[str, tuple[ScoredChunk, ...]]] = [
        {"lexical": LEXICAL},
        {"lexical": LEXICAL, "vector": ()},
        {"vector": VECTOR},
    ]
    for lists in single:
        trimmed = trim(lists)
        assert (trimmed.skipped, trimmed.lists) == ("only one list", lists)
