"""Vectors of sections and their parts in the space of the multilingual model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from support.corpus import Page, chunk_id, store_of

from waymeet.analysis.embedded.space_names import SHORT, part_space, part_spaces
from waymeet.errors import EmbeddingError
from waymeet.ingest.embed import model_switch
from waymeet.ingest.embed.batches import EmbeddingReport, embed_chunks
from waymeet.ingest.embed.file_vectors import embed_files
from waymeet.ingest.embed.part_vectors import count_missing, embed_parts
from waymeet.models.hashing import HashingEmbedder
from waymeet.settings import Embedding, Settings
from waymeet.stores.memory.store import MemoryStore

if TYPE_CHECKING:
    from waymeet.ports import Vector

LONG = " ".join(f"Sentence {number} says something about water and tea." for number in range(12))
PAGES = {
    "a.md": Page((LONG, "Short."), title="Tea"),
    "b.md": Page(("お茶は熱いうちに飲みます。",)),
    "c.py": Page((LONG,), kind="code"),
}


class English(HashingEmbedder):
    """A model for English and code."""

    def __init__(self) -> None:
        super().__init__(128)

    def supports_language(self, language: str) -> bool:
        return not language


class Multilingual(HashingEmbedder):
    """A model that records its texts, fails at one, and returns an unusable vector for another."""

    def __init__(self, failing: str = "", unusable: str = "") -> None:
        super().__init__(64)
        self.texts: list[str] = []
        self.failing, self.unusable = failing, unusable

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        self.texts.extend(texts)
        if self.failing and any(self.failing in text for text in texts):
            raise EmbeddingError("the model has died")
        vectors = super().embed_passages(texts)
        bad = np.zeros(64, dtype=np.float32)
        return [
            bad if self.unusable and self.unusable in text else vector
            for text, vector in zip(texts, vectors, strict=True)
        ]


def embed(store: MemoryStore, model: Multilingual, size: int = 2) -> int:
    return embed_parts(store, [English(), model], size, lambda: False).embedded


def test_every_section_is_embedded_in_the_space_of_its_language() -> None:
    store, model = store_of(PAGES), Multilingual()
    assert embed(store, model) == 4
    english, japanese, short = (part_space(model.space, language) for language in ("", "ja", SHORT))
    assert part_spaces(model.space, store.spaces()) == {english: "", japanese: "ja", short: SHORT}
    assert store.counts().vectors == {english: 2, japanese: 1, short: 1}
    assert count_missing(store, [English(), model]) == 0
    model.texts.clear()
    assert embed(store, model) == 0
    assert not model.texts


def test_long_prose_has_parts_with_its_heading_and_code_has_none() -> None:
    model = Multilingual()
    embed(store_of(PAGES), model)
    of_prose = [text for text in model.texts if text.startswith("Tea\nSentence")]
    assert [text.count("Sentence") for text in of_prose] == [12, 3, 3, 3, 3]
    assert sum("Sentence" in text for text in model.texts) == 6  # one more for the code
    assert model.texts.count("Tea\nShort.") == 1


def test_an_error_ends_the_run_and_the_next_one_goes_on() -> None:
    store = store_of(PAGES)
    report = embed_parts(store, [English(), Multilingual(failing="お茶")], 1, lambda: False)
    assert report.error is not None
    assert report.add_to(EmbeddingReport()).error == "the model has died"
    assert count_missing(store, [English(), Multilingual()])
    assert report.embedded + embed(store, Multilingual()) == 4


def test_a_section_with_an_unusable_vector_is_left_out() -> None:
    store = store_of(PAGES)
    assert embed(store, Multilingual(unusable="Short.")) == 3
    assert chunk_id("a.md", 1) in store.chunks_without_vector(part_spaces("hashing-64", store.spaces()), 10)


def test_it_can_be_stopped_and_needs_several_models() -> None:
    store = store_of(PAGES)
    calls = iter([False, True, True])
    assert embed_parts(store, [English(), Multilingual()], 1, lambda: next(calls)).embedded == 1
    assert embed_parts(store, [Multilingual()], 1, lambda: False).embedded == 0
    assert count_missing(store, [Multilingual()]) == 0


def test_switching_it_off_drops_the_vectors() -> None:
    store, models = store_of(PAGES), [English(), Multilingual()]
    on, off = Embedding(provider="hashing"), Embedding(provider="hashing", cross_lingual=False)
    model_switch.record_models(store, models, on)
    report = embed_chunks(store, models, Settings())
    embed_files(store, models, 8, lambda: False)
    assert not model_switch.is_complete(store, models, on)
    assert model_switch.is_complete(store, models, off)
    embed_parts(store, models, 8, lambda: False)
    assert model_switch.is_complete(store, models, on)
    assert not model_switch.is_complete(store, models, off)
    model_switch.finish_switch(store, models, off, report)
    assert not part_spaces("hashing-64", store.spaces())
    assert model_switch.is_complete(store, models, off)
