"""Leaving out the vector list of a secondary model where words have a clear winner."""

from support.corpus import FixedEmbedder

from waymeet.search.retrieve.first_stage import trim_vector
from waymeet.search.state import Search, Tools
from waymeet.settings import Rrf, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Query, ScoredChunk


class EnglishEmbedder(FixedEmbedder):
    """A main model for English only."""

    def supports_language(self, language: str) -> bool:
        """Take only English and code."""
        return not language


def rank(**scores: float) -> tuple[ScoredChunk, ...]:
    return tuple(ScoredChunk(f"{name}#L1-L1", name, score) for name, score in scores.items())


CLEAR, CLOSE, VECTOR = rank(a=8.0, b=7.2), rank(a=8.0, b=7.3), rank(b=0.5, c=0.4)
MODELS = (EnglishEmbedder((1.0, 0.0)), FixedEmbedder((1.0, 0.0)))
JAPANESE = "鍵はどこに保存されますか"


def trim(lexical: tuple[ScoredChunk, ...], text: str = JAPANESE, clear: float = 0.9, other: str = "") -> Search:
    lists = {"lexical": lexical, "vector": VECTOR}
    others = frozenset(f"{name}#L1-L1" for name in other)
    search = Search(Query(text), text=text, lists=lists, other_language=others)
    return trim_vector(search, Tools(MemoryStore(), MODELS), Settings(rrf=Rrf(clear_lexical=clear)))


def test_a_clear_winner_by_words_leaves_out_the_vectors_of_the_secondary_model() -> None:
    assert trim(CLEAR).lists == {"lexical": CLEAR}
    assert trim(CLEAR[:1]).lists == {"lexical": CLEAR[:1]}


def test_vectors_stay_without_a_clear_winner_and_where_words_cannot_match() -> None:
    skipped = {
        "no section matches the words best by far": trim(CLOSE),
        "vectors of the main model": trim(CLEAR, "where are keys stored"),
        "most similar sections are in another language": trim(CLEAR, other="b"),
        "setting rrf.clear_lexical is 0": trim(CLEAR, clear=0.0),
        "only one list": trim(()),
    }
    for reason, search in skipped.items():
        assert (search.skipped, search.ranking("vector")) == (reason, VECTOR)
