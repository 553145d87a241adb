"""Giving vectors to chunks."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.ingest.embed import embed
from waymeet.ingest.index import index
from waymeet.models.hashing import HashingEmbedder
from waymeet.settings import Settings
from waymeet.stores.memory import MemoryStore

if TYPE_CHECKING:
    from waymeet.ports import Vector

SETTINGS = Settings(embedding=replace(Settings().embedding, batch_chunks=2))


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    for n in range(5):
        (tmp_path / f"{n}.md").write_text(f"# Page {n}\n\n## Part\n\nText {n}.\n", encoding="utf-8")
    made = MemoryStore()
    index(tmp_path, made, SETTINGS)
    return made


class Recording(HashingEmbedder):
    """An embedder that remembers what it was shown, and can fail or return too little."""

    def __init__(self, fail_at: int = -1, lose: int = 0) -> None:
        super().__init__(16)
        self.shown: list[list[str]] = []
        self._fail_at = fail_at
        self._lose = lose

    def passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        if len(self.shown) == self._fail_at:
            raise EmbeddingError("The model is gone.")
        self.shown.append(list(texts))
        return super().passages(texts)[self._lose :]


def test_every_chunk_gets_a_vector_in_batches(store: MemoryStore) -> None:
    embedder, told = Recording(), list[tuple[int, int, str]]()
    assert embed(store, [embedder], SETTINGS, lambda *step: told.append(step)) == 5
    assert [len(batch) for batch in embedder.shown] == [2, 2, 1]
    assert told == [(2, 5, "1.md"), (4, 5, "3.md"), (5, 5, "4.md")]
    assert store.counts().vectors == {embedder.lane: 5}
    assert embed(store, [embedder], SETTINGS) == 0


def test_a_model_is_shown_title_headings_and_text(store: MemoryStore) -> None:
    embedder = Recording()
    embed(store, [embedder], SETTINGS)
    assert embedder.shown[0][0] == "Page 0\nPage 0\n# Page 0\n\n## Part\n\nText 0."


def test_what_was_done_before_a_failure_is_kept(store: MemoryStore) -> None:
    embedder = Recording(fail_at=1)
    with pytest.raises(EmbeddingError, match="The model is gone"):
        embed(store, [embedder], SETTINGS)
    assert store.counts().vectors == {embedder.lane: 2}
    assert embed(store, [Recording()], SETTINGS) == 3


def test_too_few_vectors_are_an_error(store: MemoryStore) -> None:
    with pytest.raises(EmbeddingError, match="1 vectors for 2 texts"):
        embed(store, [Recording(lose=1)], SETTINGS)


def test_a_store_that_keeps_nothing_does_not_hang(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = store.without_vector(["hashing-16"], 2)
    monkeypatch.setattr(store, "without_vector", lambda *_: chunks)
    with pytest.raises(EmbeddingError, match="does not keep the vector"):
        embed(store, [Recording()], SETTINGS)
