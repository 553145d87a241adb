"""Changing models: the old one answers until the new one is complete, and they never mix."""

from pathlib import Path

import pytest

from waymeet.analysis.embedded.space_names import file_space, section_space
from waymeet.ingest.embed import model_switch
from waymeet.ingest.embed.batches import EmbeddingReport, embed_chunks, find_misplaced_vectors
from waymeet.ingest.embed.file_vectors import embed_files
from waymeet.ingest.index import index
from waymeet.models.hashing import HashingEmbedder
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding, Settings
from waymeet.stores.memory.store import MemoryStore

SETTINGS = Settings()
OLD, NEW = HashingEmbedder(8), HashingEmbedder(16)


class Western(HashingEmbedder):
    """Knows English alone."""

    def supports_language(self, language: str) -> bool:
        return not language


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    for n in range(4):
        (tmp_path / f"{n}.md").write_text(f"# Page {n}\n\nText {n} of the page.\n", encoding="utf-8")
    for n in range(3):
        (tmp_path / f"j{n}.md").write_text(f"# 検索 {n}\n\n全文検索のスコアを正規化する。\n", encoding="utf-8")
    made = MemoryStore()
    index(tmp_path, made, SETTINGS)
    return made


def run(store: Store, *embedders: Embedder, most: int | None = None, url: str = "") -> EmbeddingReport:
    """Do what the job does, up to a number of batches."""
    numbers = Embedding(provider="hashing", url=url)
    model_switch.record_models(store, embedders, numbers)
    calls = iter(range(most)) if most is not None else None
    late = (lambda: next(calls, None) is None) if calls else None
    also = model_switch.chunks_to_move(store, embedders)
    settings = Settings(embedding=Embedding(batch_chunks=2))
    model_switch.drop_moved_files(store, embedders, also)
    if most is None:
        embed_files(store, embedders, 2, lambda: False)
    report = embed_chunks(store, embedders, settings, is_late=late, also=also)
    model_switch.finish_switch(store, embedders, numbers, report)
    return report


def section_spaces(store: Store) -> set[str]:
    """Name the spaces without those of file vectors, which must belong to one of them."""
    sections = {section_space(space) for space in store.spaces()}
    assert sections <= store.spaces().keys()
    return sections


def counts(store: Store) -> dict[str, int]:
    """Count the section vectors by space: each page has one section, and as many vectors as a file."""
    vectors = store.counts().vectors
    sections = {space: number for space, number in vectors.items() if space == section_space(space)}
    assert vectors == sections | {file_space(space): number for space, number in sections.items()}
    return sections


def test_the_first_model_answers_from_the_beginning(store: MemoryStore) -> None:
    assert model_switch.answering_models(store) is None
    run(store, OLD, most=2)
    assert model_switch.previous_models(store, [OLD]) is None
    found = model_switch.answering_models(store)
    assert found is not None
    assert found.spaces == (OLD.space,)


def test_the_old_model_answers_until_the_new_one_is_complete(store: MemoryStore) -> None:
    run(store, OLD)
    assert model_switch.is_complete(store, [OLD], Embedding(provider="hashing"))
    report = run(store, NEW, most=2)
    assert report.remaining
    old = model_switch.previous_models(store, [NEW])
    assert old is not None
    assert old.spaces == (OLD.space,)
    assert section_spaces(store) == {OLD.space, NEW.space}
    run(store, NEW)
    assert model_switch.previous_models(store, [NEW]) is None
    assert section_spaces(store) == {NEW.space}
    assert model_switch.is_complete(store, [NEW], Embedding(provider="hashing"))


def test_going_back_to_the_old_model_is_at_once_and_leaves_nothing_behind(store: MemoryStore) -> None:
    run(store, OLD)
    run(store, NEW, most=2)
    assert model_switch.previous_models(store, [OLD]) is None
    assert not model_switch.is_complete(store, [OLD], Embedding(provider="hashing"))  # there are vectors to forget
    assert run(store, OLD).embedded == 0
    assert section_spaces(store) == {OLD.space}


def test_old_vectors_that_are_gone_do_not_answer(store: MemoryStore) -> None:
    run(store, OLD)
    store.drop_vectors({OLD.space: None}, {})
    assert model_switch.previous_models(store, [NEW]) is None


def test_a_model_that_joins_another_takes_over_what_suits_it(store: MemoryStore) -> None:
    western, all_ = Western(8), HashingEmbedder(16)
    chunks = store.coverage([])[1]
    run(store, western)
    assert counts(store) == {western.space: chunks}  # there was no other
    foreign = {chunk for chunk, _ in find_misplaced_vectors(store, [western, all_])}
    assert foreign
    report = run(store, western, all_, most=1)
    if report.remaining or model_switch.previous_models(store, [western, all_]):
        assert store.chunks_with_vector([western.space], foreign) == foreign  # the old one answers with all it had
    run(store, western, all_)
    assert store.chunks_with_vector([western.space], foreign) == frozenset()
    assert store.chunks_with_vector([all_.space], foreign) == foreign
    assert counts(store) == {western.space: chunks - len(foreign), all_.space: len(foreign)}


def test_a_model_that_leaves_is_replaced_by_the_one_that_stays(store: MemoryStore) -> None:
    western, all_ = Western(8), HashingEmbedder(16)
    chunks = store.coverage([])[1]
    run(store, western, all_)
    run(store, all_)
    assert counts(store) == {all_.space: chunks}


def test_passwords_in_addresses_are_not_kept(store: MemoryStore) -> None:
    run(store, OLD, url="https://me:secret@example.org/v1")
    assert "secret" not in store.metadata("embedding")
    run(store, OLD, url="http://localhost:11434/v1?x=a@b")
    assert "localhost" in store.metadata("embedding")


def test_settings_of_another_version_mean_that_nobody_can_tell(store: MemoryStore) -> None:
    run(store, OLD)
    store.set_metadata("embedding", store.metadata("embedding").replace('"provider"', '"purveyor"'))
    assert model_switch.answering_models(store) is None
    assert model_switch.previous_models(store, [NEW]) is None
