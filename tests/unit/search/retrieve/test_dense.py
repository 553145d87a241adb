"""Vector search: similarity steps, and old vectors while a model is replaced."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from support.corpus import FixedEmbedder, unit
from support.projects import indexed

from waymeet.formulas.relevance import similarity_steps
from waymeet.ingest.embed.model_switch import AnsweringModels
from waymeet.ingest.embed.part_vectors import embed_parts
from waymeet.models.hashing import HashingEmbedder
from waymeet.project.models import Models
from waymeet.project.store_address import StoreAddress
from waymeet.search.retrieve.dense import rank_by_vector
from waymeet.search.retrieve.embed_on_demand import OnDemandEmbedder
from waymeet.search.state import Tools
from waymeet.settings import Embedding
from waymeet.types import Filters, ScoredChunk

PAGES = {"a.md": "# One\n\nThe first page.\n", "b.md": "# 二\n\n第二页。\n"}


class Named(FixedEmbedder):
    """Has the scale of a known model."""

    def __init__(self, space: str, question: Sequence[float]) -> None:
        super().__init__(question)
        self.space = space


def test_the_nearest_is_measured_on_the_scale_of_its_own_model() -> None:
    store = indexed(PAGES)
    chunks = {path: [chunk.id for chunk in each] for path, each in store.chunks_of(list(PAGES)).items()}
    english, other = Named("granite-30m-en/1+2", (1.0, 0.0)), Named("use-multilingual/1+2", (1.0, 0.0))
    near = unit((0.6, 0.8))
    store.put_vectors(english.space, dict.fromkeys(chunks["a.md"], near))
    store.put_vectors(other.space, dict.fromkeys(chunks["b.md"], near))
    found = rank_by_vector(Tools(store, (english, other)), "the first page", 5, Filters())
    steps = [similarity_steps(space, 0.6, 2) or 0.0 for space in (english.space, other.space)]
    assert found.similarity_steps == pytest.approx(max(steps))
    unknown = Named("somebody/7", (1.0, 0.0))
    store.put_vectors(unknown.space, dict.fromkeys(chunks["a.md"], near))
    assert rank_by_vector(Tools(store, (unknown,)), "the first page", 5, Filters()).similarity_steps is None


def test_vectors_of_passages_that_were_shown_otherwise_answer_until_all_are_made_anew(tmp_path: Path) -> None:
    store = indexed(PAGES)
    numbers = Embedding(provider="hashing")
    models = Models(StoreAddress(tmp_path / "index.db"))
    (chosen,) = models.chosen(numbers)
    before = HashingEmbedder(chosen.dimension)
    assert chosen.space.startswith(f"{before.space}+")
    chunks = [chunk.id for each in store.chunks_of(list(PAGES)).values() for chunk in each]
    store.put_vectors(before.space, dict(zip(chunks, before.embed_passages(chunks), strict=True)))
    store.set_metadata("embedding", msgspec.json.encode(AnsweringModels((before.space,), numbers)).decode())
    answering = models.active(store, numbers)
    assert [each.space for each in answering.embedders] == [before.space]
    assert [each.code for each in answering.degraded] == ["model_change"]
    assert "until all have one" in answering.degraded[0].detail


class Speaks(HashingEmbedder):
    """A model for English, or for every language."""

    def __init__(self, dimension: int, *, only_english: bool) -> None:
        super().__init__(dimension)
        self.only_english = only_english

    def supports_language(self, language: str) -> bool:
        return not (self.only_english and language)


def test_a_section_with_vectors_of_its_parts_is_not_embedded_on_demand() -> None:
    store = indexed(
        {"a.md": "# One\n\nThe first page about water.\n", "b.md": "# 二\n\n第二页说明茶叶和水的温度以及时间。\n"}
    )
    models = (Speaks(32, only_english=True), Speaks(64, only_english=False))
    embed_parts(store, models, 8, lambda: False)
    tools = Tools(store, models, save_vectors=lambda *_: None)
    rows = tuple(ScoredChunk(chunk.id, path, 1.0) for path, (chunk, *_) in store.chunks_of(["a.md", "b.md"]).items())
    found = rank_by_vector(tools, "the first page", 9, Filters(), on_demand=OnDemandEmbedder(tools, rows, 60.0))
    assert sorted(row.document for row in found.ranking) == ["a.md", "b.md"]
    assert {row.document for row in found.ranking if row.chunk in found.other_language} == {"b.md"}


def test_a_query_in_another_language_is_compared_with_all_sections() -> None:
    store = indexed(
        {"a.md": "# One\n\nThe first page about water.\n", "b.md": "# 二\n\n第二页说明茶叶和水的温度以及时间。\n"}
    )
    models = (Speaks(32, only_english=True), Speaks(64, only_english=False))
    tools = Tools(store, models)
    assert rank_by_vector(tools, "第二页", 9, Filters()).ranking == ()
    embed_parts(store, models, 8, lambda: False)
    found = rank_by_vector(tools, "第二页", 9, Filters())
    assert [row.document for row in found.ranking] == ["b.md", "a.md"]
    assert {row.document for row in found.ranking if row.chunk in found.other_language} == {"a.md"}
