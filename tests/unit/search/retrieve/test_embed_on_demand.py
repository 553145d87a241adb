"""Embedding of the best lexical results while a query is answered."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.ingest.embed.batches import embed_chunks
from waymeet.ingest.index import index
from waymeet.models.hashing import HashingEmbedder
from waymeet.recipes import find_recipe
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Embedding, Layer, Settings, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query

if TYPE_CHECKING:
    from waymeet.ports import Vector


class Watched(HashingEmbedder):
    """Counts what it embeds, and can fail or return invalid vectors."""

    def __init__(self, *, fails: bool = False, spoils: bool = False) -> None:
        super().__init__(64)
        self.shown: list[str] = []
        self.asked = 0
        self._fails = fails
        self._spoils = spoils

    def embed_query(self, text: str) -> "Vector":
        self.asked += 1
        return super().embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        if self._fails:
            raise EmbeddingError("Not now.")
        self.shown += texts
        made = super().embed_passages(texts)
        return [np.full(64, np.nan, np.float32) for _ in made] if self._spoils else made


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    for n in range(30):
        words = "how to rotate the signing keys" if n % 3 == 0 else "something else entirely"
        (tmp_path / f"{n}.md").write_text(f"# Page {n}\n\nThis tells {words}, page {n}.\n", encoding="utf-8")
    made = MemoryStore()
    index(tmp_path, made, Settings())
    return made


class Kept:
    """Takes what is made."""

    def __init__(self, store: MemoryStore) -> None:
        self.vectors: dict[str, Vector] = {}
        self.digests: dict[str, str] = {}
        self._store = store

    def __call__(self, space: str, vectors: Mapping[str, "Vector"], digests: Mapping[str, str]) -> None:
        assert space == "hashing-64"
        self.vectors.update(vectors)
        self.digests.update(digests)


def ask(store: MemoryStore, embedder: HashingEmbedder, kept: Kept | None, seconds: float = 3600.0) -> Answer:
    recipe = find_recipe("auto", {})
    settings = resolve(
        (Layer("recipe", recipe.overrides), Layer("test", {"embedding": {"on_demand_seconds": seconds}}))
    )
    tools = Tools(store, (embedder,), save_vectors=kept)
    return answer_query(recipe, Query("rotate signing keys"), tools, settings)


def details(found: Answer, code: str) -> list[str]:
    return [each.detail for each in found.degraded if each.code == code]


def test_the_likeliest_are_embedded_and_take_part(store: MemoryStore) -> None:
    embedder, kept = Watched(), Kept(store)
    found = ask(store, embedder, kept)
    assert kept.vectors.keys() == {f"{n}.md#L1-L3" for n in range(0, 30, 3)}
    assert len(embedder.shown) == 10
    assert "vector" in {each.source for hit in found.hits for each in hit.sources}
    assert found.search_type == "hybrid"
    assert details(found, "partial_vectors") == [
        f"0 of {store.coverage([])[1]} sections have a vector so far; 10 were embedded for this query"
    ]
    assert found.vector_coverage == 0.0
    assert kept.digests == {f"{n}.md#L1-L3": store.fingerprints()[f"{n}.md"].digest for n in range(0, 30, 3)}


def test_they_count_as_they_would_if_the_store_had_them(store: MemoryStore) -> None:
    embedder, kept = Watched(), Kept(store)
    found = ask(store, embedder, kept)
    store.put_vectors("hashing-64", kept.vectors)
    again = ask(store, embedder, kept)
    assert len(embedder.shown) == 10  # not again
    mine = [[each for each in hit.sources if each.source == "vector"] for hit in found.hits]
    theirs = [[each for each in hit.sources if each.source == "vector"] for hit in again.hits]
    assert [each.score for (each,) in mine] == pytest.approx([each.score for (each,) in theirs], abs=1e-12)


def test_nothing_is_embedded_without_time_or_without_somebody_to_keep_it(store: MemoryStore) -> None:
    embedder = Watched()
    for found in (ask(store, embedder, Kept(store), 0.0), ask(store, embedder, None)):
        assert embedder.shown == []
        assert details(found, "no_vectors")
        assert found.vector_coverage is None


def test_time_ends_it_after_the_first(store: MemoryStore) -> None:
    embedder, kept = Watched(), Kept(store)
    found = ask(store, embedder, kept, 1e-9)
    assert len(embedder.shown) == len(kept.vectors) == 1
    assert {each.source for hit in found.hits for each in hit.sources} == {"lexical"}  # one alone would be favoured


@pytest.mark.parametrize("embedder", [Watched(fails=True), Watched(spoils=True)], ids=["fails", "spoils"])
def test_a_model_that_fails_at_them_does_not_spoil_the_answer(store: MemoryStore, embedder: Watched) -> None:
    kept = Kept(store)
    found = ask(store, embedder, kept)
    assert found.hits
    assert kept.vectors == {}
    assert details(found, "partial_vectors")


def test_when_all_is_embedded_nothing_is_done(store: MemoryStore) -> None:
    embed_chunks(store, [Watched()], Settings(embedding=Embedding()))
    embedder = Watched()
    found = ask(store, embedder, Kept(store))
    assert embedder.shown == []
    assert not details(found, "partial_vectors")
    assert found.vector_coverage == 1.0


def test_meaning_counts_by_how_many_of_the_likeliest_have_a_vector(store: MemoryStore) -> None:
    from waymeet.search.pipeline import start
    from waymeet.search.retrieve.first_stage import lexical, vector
    from waymeet.search.understand.query import understand

    def covered(seconds: float) -> float:
        settings = Settings(embedding=Embedding(on_demand_seconds=seconds))
        search = start(find_recipe("auto", {}), Query("rotate signing keys"))
        tools = Tools(store, (Watched(),), save_vectors=Kept(store))
        for stage in (understand, lexical, vector):
            search = stage(search, tools, settings)
        return search.vector_share

    assert covered(3600.0) == 1.0
    assert covered(1e-9) == 0.0


class Western(Watched):
    """Knows English alone."""

    def __init__(self) -> None:
        super().__init__()
        self.space = "western"

    def supports_language(self, language: str) -> bool:
        return not language


def test_a_model_that_has_nothing_to_embed_is_not_asked(store: MemoryStore) -> None:
    made: list[str] = []
    western, other = Western(), Watched()
    recipe = find_recipe("auto", {})
    settings = resolve((Layer("recipe", recipe.overrides), Layer("test", {"embedding": {"on_demand_seconds": 3600.0}})))
    tools = Tools(store, (western, other), save_vectors=lambda space, *_: made.append(space))
    answer_query(recipe, Query("rotate signing keys"), tools, settings)
    assert western.asked
    assert set(made) == {"western"}
    assert other.asked == 0


class Broken(Watched):
    """Cannot be used."""

    def embed_query(self, text: str) -> "Vector":
        raise EmbeddingError(f"Cannot embed {text}.", "Install it again.")


class BrokenWestern(Broken, Western):
    """Cannot be used, either."""


@pytest.fixture
def mixed(tmp_path: Path) -> MemoryStore:
    for n in range(3):
        (tmp_path / f"{n}.md").write_text(f"# Page {n}\n\nHow to rotate the signing keys, {n}.\n", encoding="utf-8")
        (tmp_path / f"j{n}.md").write_text(f"# 検索 {n}\n\n全文検索のスコアを正規化する。\n", encoding="utf-8")
    made = MemoryStore()
    index(tmp_path, made, Settings())
    embed_chunks(made, [Western(), Watched()], Settings())
    return made


@pytest.mark.parametrize(
    ("embedders", "sources"),
    [((Western(), Broken()), {"lexical", "vector"}), ((BrokenWestern(), Watched()), {"lexical"})],
    ids=["of another language", "of the question's language"],
)
def test_a_model_that_fails_is_told_of_with_the_remedy(
    mixed: MemoryStore, embedders: tuple[Watched, ...], sources: set[str]
) -> None:
    recipe = find_recipe("auto", {})
    settings = resolve((Layer("recipe", recipe.overrides),))
    found = answer_query(recipe, Query("rotate signing keys"), Tools(mixed, embedders), settings)
    assert details(found, "embedding_failed") == ["Cannot embed rotate signing keys. Install it again."]
    assert {each.source for hit in found.hits for each in hit.sources} == sources
