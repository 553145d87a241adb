"""Embedding of chunks, also with models that fail."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.ingest.embed.batches import embed_chunks
from waymeet.ingest.embed.failures import FailedChunks
from waymeet.ingest.index import index
from waymeet.models.hashing import HashingEmbedder
from waymeet.settings import Embedding, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Chunk, Filters

if TYPE_CHECKING:
    from waymeet.ports import Vector

SETTINGS = Settings(embedding=Embedding(batch_chunks=2))
LARGE = Settings(embedding=Embedding(batch_chunks=64))


def write(folder: Path, number: int, text: str) -> None:
    (folder / f"{number}.md").write_text(f"# Page {number}\n\n## Part\n\n{text}\n", encoding="utf-8")


def pages(folder: Path, number: int) -> MemoryStore:
    for n in range(number):
        write(folder, n, f"Text {n}.")
    store = MemoryStore()
    index(folder, store, SETTINGS)
    return store


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    return pages(tmp_path, 5)


class Recording(HashingEmbedder):
    """An embedder that remembers what it was shown, and fails or answers badly as configured."""

    def __init__(
        self,
        fails: Callable[[int, Sequence[str]], EmbeddingError | None] = lambda *_: None,
        spoils: Callable[[str], "Vector | None"] = lambda _: None,
        lose: int = 0,
    ) -> None:
        super().__init__(16)
        self.shown: list[list[str]] = []
        self.calls = 0
        self._fails = fails
        self._spoils = spoils
        self._lose = lose

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        self.calls += 1
        error = self._fails(self.calls, texts)
        if error:
            raise error
        self.shown.append(list(texts))
        rows = [(text, vector) for text, vector in zip(texts, super().embed_passages(texts), strict=True)]
        vectors = [vector if (bad := self._spoils(text)) is None else bad for text, vector in rows]
        return vectors[self._lose :]

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.shown for text in batch]


def test_every_chunk_gets_a_vector_in_batches(store: MemoryStore) -> None:
    embedder, steps = Recording(), list[tuple[int, int, str]]()
    report = embed_chunks(store, [embedder], SETTINGS, lambda *step: steps.append(step))
    assert (report.embedded, report.remaining, report.failed, report.error) == (5, 0, 0, "")
    assert [len(batch) for batch in embedder.shown] == [2, 2, 1]
    assert [step[:2] for step in steps] == [(2, 5), (4, 5), (5, 5)]
    assert store.counts().vectors == {embedder.space: 5}
    assert embed_chunks(store, [embedder], SETTINGS).embedded == 0


def test_a_model_is_shown_title_headings_and_text(store: MemoryStore) -> None:
    embedder = Recording()
    embed_chunks(store, [embedder], SETTINGS)
    assert "Page 0\nPage 0\n# Page 0\n\n## Part\n\nText 0." in embedder.texts


def test_the_last_changed_are_embedded_first(tmp_path: Path) -> None:
    store = pages(tmp_path, 4)
    write(tmp_path, 2, "Rewritten just now.")
    index(tmp_path, store, SETTINGS)
    embedder = Recording()
    embed_chunks(store, [embedder], SETTINGS)
    assert "Rewritten" in embedder.texts[0]


def test_a_model_that_is_gone_ends_the_run_and_what_was_done_is_kept(tmp_path: Path) -> None:
    store = pages(tmp_path, 40)
    gone = Recording(lambda call, _: EmbeddingError("The model is gone.", "Bring it back.") if call > 1 else None)
    report = embed_chunks(store, [gone], SETTINGS)
    assert (report.embedded, report.remaining, report.error, report.hint) == (
        2,
        38,
        "The model is gone.",
        "Bring it back.",
    )
    assert gone.calls == 6  # not one for every text
    assert store.counts().vectors == {gone.space: 2}
    assert embed_chunks(store, [Recording()], SETTINGS).embedded == 38


def test_who_waits_for_an_answer_does_not_wait_for_a_model_that_fails(store: MemoryStore) -> None:
    failing = Recording(lambda *_: EmbeddingError("Not now."))
    assert embed_chunks(store, [failing], SETTINGS, hasty=True).error == "Not now."
    assert failing.calls == 1


@pytest.mark.parametrize("batch", [1, 2, 7, 64])
def test_a_model_that_fails_every_third_call_embeds_everything_once(tmp_path: Path, batch: int) -> None:
    store = pages(tmp_path, 30)
    moody = Recording(lambda call, _: EmbeddingError("Not now.") if call % 3 == 0 else None)
    report = embed_chunks(store, [moody], Settings(embedding=Embedding(batch_chunks=batch)))
    assert (report.embedded, report.remaining, report.error) == (30, 0, "")
    assert len(moody.texts) == len(set(moody.texts)) == 30
    assert store.counts().vectors == {moody.space: 30}


@pytest.mark.parametrize("poison", [{0}, {1}, {17}, {39}, {0, 1}, {3, 30, 31}])
def test_a_text_that_a_model_fails_at_does_not_keep_others_from_their_vectors(tmp_path: Path, poison: set[int]) -> None:
    store = pages(tmp_path, 40)
    bad = [f"Text {n}." for n in poison]
    choking = Recording(lambda _, texts: EmbeddingError("Ugh.") if any(b in t for t in texts for b in bad) else None)
    report = embed_chunks(store, [choking], LARGE)
    assert (report.embedded, report.remaining, report.failed, report.error) == (
        40 - len(poison),
        len(poison),
        0,
        "Ugh.",
    )
    assert len(choking.texts) == len(set(choking.texts)) == 40 - len(poison)
    assert embed_chunks(store, [Recording()], LARGE).embedded == len(poison)  # tried again the next time


WRONG = {
    "nan": np.full(16, np.nan, np.float32),
    "infinite": np.full(16, np.inf, np.float32),
    "zero": np.zeros(16, np.float32),
    "short": np.ones(15, np.float32),
    "long": np.ones(17, np.float32),
    "a matrix": np.ones((4, 4), np.float32),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_unusable_vector_is_refused_and_not_asked_for_again(
    store: MemoryStore, wrong: "Vector", tmp_path: Path
) -> None:
    def spoiling() -> Recording:
        return Recording(spoils=lambda text: wrong if "Text 3" in text else None)

    report = embed_chunks(store, [spoiling()], LARGE)
    assert (report.embedded, report.remaining, report.failed, report.error) == (4, 0, 1, "")
    (reason,) = FailedChunks(store).reasons(["hashing-16"])
    assert "3.md#L1-L5" in reason
    again = spoiling()
    assert embed_chunks(store, [again], LARGE).failed == 1
    assert again.calls == 0
    write(tmp_path, 3, "Another text.")  # then it is tried again
    index(tmp_path, store, SETTINGS)
    assert embed_chunks(store, [again], LARGE).embedded == 1
    assert FailedChunks(store).reasons(["hashing-16"]) == []


def test_another_model_is_shown_what_one_refused(store: MemoryStore) -> None:
    embed_chunks(store, [Recording(spoils=lambda text: WRONG["nan"] if "Text 3" in text else None)], LARGE)
    other = HashingEmbedder(8)
    assert embed_chunks(store, [other], LARGE).embedded == 5


def test_a_server_that_sends_an_unusable_vector_for_one_text_is_asked_without_it(tmp_path: Path) -> None:
    store = pages(tmp_path, 20)
    odd = Recording(
        lambda _, texts: UnusableVectorError("A vector is zero.") if any("Text 7." in text for text in texts) else None
    )
    report = embed_chunks(store, [odd], LARGE)
    assert (report.embedded, report.remaining, report.failed) == (19, 0, 1)


def test_a_model_that_gives_hardly_any_usable_vector_is_at_fault_itself(tmp_path: Path) -> None:
    store = pages(tmp_path, 60)
    broken = Recording(spoils=lambda _: WRONG["nan"])
    report = embed_chunks(store, [broken], LARGE)
    assert (report.embedded, report.remaining, report.failed) == (0, 60, 0)
    assert "most of those sent to the model" in report.error
    assert embed_chunks(store, [Recording()], LARGE).embedded == 60  # nothing of it was remembered


def test_too_few_vectors_are_an_error(store: MemoryStore) -> None:
    report = embed_chunks(store, [Recording(lose=1)], SETTINGS)
    assert report.embedded == 0
    assert "1 vectors for 2 texts" in report.error


def test_a_file_that_changes_meanwhile_gets_the_vector_of_its_new_text(tmp_path: Path) -> None:
    store = pages(tmp_path, 6)

    def meddle(call: int, _: Sequence[str]) -> None:
        if call == 1:
            for n in range(6):
                write(tmp_path, n, f"Rewritten {n}.")
            index(tmp_path, store, SETTINGS)

    embedder = Recording(meddle)
    report = embed_chunks(store, [embedder], SETTINGS)
    assert report.remaining == 0
    question = embedder.embed_query("Page 4\nPage 4\n# Page 4\n\n## Part\n\nRewritten 4.")
    best = store.rank_vectors(embedder.space, question, 1, Filters())[0]
    assert best.document == "4.md"
    assert best.score == pytest.approx(1.0, abs=1e-6)


class Meddled(MemoryStore):
    """A store whose documents another thread changes as soon as their texts were read."""

    meddle: Callable[[], None] | None = None

    def chunks(self, ids: Collection[str]) -> Mapping[str, Chunk]:
        chunks = super().chunks(ids)
        if self.meddle:
            meddling = Thread(target=self.meddle)
            self.meddle = None
            meddling.start()
            meddling.join()
        return chunks


def test_an_old_text_is_never_taken_for_one_of_the_new_document(tmp_path: Path) -> None:
    write(tmp_path, 0, "Text as it was.")
    store = Meddled()
    index(tmp_path, store, SETTINGS)

    def rewrite() -> None:
        write(tmp_path, 0, "Rewritten text.")
        index(tmp_path, store, SETTINGS)

    store.meddle = rewrite
    embedder = Recording()
    assert embed_chunks(store, [embedder], SETTINGS).remaining == 0
    question = embedder.embed_query("Page 0\nPage 0\n# Page 0\n\n## Part\n\nRewritten text.")
    assert store.rank_vectors(embedder.space, question, 1, Filters())[0].score == pytest.approx(1.0, abs=1e-6)


class Western(Recording):
    """Knows English alone."""

    def supports_language(self, language: str) -> bool:
        return not language


@pytest.mark.parametrize("broken", ["western", "other"])
def test_a_model_that_is_gone_does_not_keep_another_from_its_texts(tmp_path: Path, broken: str) -> None:
    for n in range(12):
        write(tmp_path, n, f"Text {n}.")
        (tmp_path / f"j{n}.md").write_text(f"# 検索 {n}\n\n全文検索のスコアを正規化する。\n", encoding="utf-8")
    store = MemoryStore()
    index(tmp_path, store, SETTINGS)

    def fails(_call: int, _texts: Sequence[str]) -> EmbeddingError:
        return EmbeddingError("Its package is not installed.")

    western = Western(fails) if broken == "western" else Western()
    western.space = "western"
    other = Recording(fails) if broken == "other" else Recording()
    report = embed_chunks(store, [western, other], SETTINGS)
    assert (report.embedded, report.remaining, report.error) == (12, 12, "Its package is not installed.")
    assert (western if broken == "western" else other).calls == 5


def test_a_store_that_keeps_nothing_does_not_hang(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "put_vectors", lambda *_: None)
    embedder = Recording()
    assert embed_chunks(store, [embedder], SETTINGS).remaining == 5
    assert len(embedder.texts) == 5 * 5


def test_it_can_be_ended_after_every_batch(store: MemoryStore) -> None:
    embedder = Recording()
    report = embed_chunks(store, [embedder], SETTINGS, is_late=lambda: embedder.calls >= 1)
    assert (report.embedded, report.remaining, report.error) == (2, 3, "")
