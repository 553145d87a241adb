"""Vectors of whole files: their texts, their place in the store, and how `files` uses them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace
from support.corpus import FixedEmbedder, Page, chunk_id, entry, store_of, unit

from waymeet.analysis.embedded.file_text import file_embedding_text
from waymeet.analysis.embedded.space_names import file_space
from waymeet.errors import EmbeddingError
from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ingest.embed.file_vectors import FileReport, embed_files, files_without_vector
from waymeet.models.hashing import HashingEmbedder
from waymeet.recipes.neighbours import FILES
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Chunk, Document, Query, Symbol

if TYPE_CHECKING:
    from waymeet.ports import Vector

PAGES = {
    "src/auth/session.py": Page(("def renew(): ...", "more"), kind="code", links=("src/db.py|imports",)),
    "src/db.py": Page(("rows",), kind="code"),
    "img/logo.png": Page(("",), title="logo.png", kind="files"),
    "src/": Page(("auth\ndb.py",), kind="folders"),
}


class Recorder(HashingEmbedder):
    """An embedder that records its texts, and fails at some."""

    def __init__(self, poison: str = "", answer: float | None = None) -> None:
        super().__init__(8)
        self.texts: list[str] = []
        self.poison = poison
        self.answer = answer

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        self.texts.extend(texts)
        if self.poison and any(self.poison in text for text in texts):
            if self.answer is None:
                raise EmbeddingError("the model has died")
            return [np.full(8, self.answer, dtype=np.float32) for _ in texts]
        return super().embed_passages(texts)


def embed(store: MemoryStore, embedder: HashingEmbedder, size: int = 2) -> FileReport:
    return embed_files(store, [embedder], size, lambda: False)


def test_the_text_names_path_exports_and_imports_or_headings() -> None:
    symbols = [("Session.close", "method", True), ("renew", "function", True), ("_hidden", "function", False)]
    made = tuple(Symbol(name, kind, 1, 2, exported=exported) for name, kind, exported in symbols)
    code = Document("src/auth/session.py", "code", "session")
    chunks = [Chunk("c", code.id, 0, 1, 9, "text", symbols=made)]
    text = "src auth session py\nrenew, Session.close\nimports db, user store"
    assert file_embedding_text(code, chunks, ["db", "user_store", "db"]) == text
    long = [replace(chunks[0], symbols=tuple(replace(made[0], name=f"name{number}") for number in range(999)))]
    assert len(file_embedding_text(code, long)) == 600


def test_each_file_gets_one_vector_under_its_first_section() -> None:
    store, embedder = store_of(PAGES), Recorder()
    report = embed(store, embedder)
    assert (report.embedded, report.error) == (3, None)
    assert sorted(embedder.texts) == ["img logo png", "src auth session py\nimports db", "src db py"]
    assert store.counts().vectors == {file_space(embedder.space): 3}
    first = [chunk_id("src/auth/session.py", 0)]
    assert store.chunks_with_vector([file_space(embedder.space)], first) == frozenset(first)
    assert store.coverage([embedder.space])[0] == 0


def test_only_changed_files_are_embedded_again() -> None:
    store, embedder = store_of(PAGES), Recorder()
    embed(store, embedder)
    embedder.texts.clear()
    assert (embed(store, embedder).embedded, embedder.texts) == (0, [])
    store.put([entry("src/db.py", Page(("other rows",), kind="code"))])
    assert list(files_without_vector(store, [embedder])) == ["src/db.py"]
    assert (embed(store, embedder).embedded, embedder.texts) == (1, ["src db py"])


@pytest.mark.parametrize("answer", [None, 0.0, float("nan")])
def test_a_model_that_fails_leaves_files_for_the_next_run(answer: float | None) -> None:
    store = store_of(PAGES)
    report = embed(store, Recorder("logo", answer), size=1)
    assert report.error is not None
    assert "img/logo.png" in set(files_without_vector(store, [Recorder()]))
    assert report.add_to(EmbeddingReport()).error
    assert report.add_to(EmbeddingReport(error="first")).error == "first"
    assert embed(store, Recorder()).error is None
    assert list(files_without_vector(store, [Recorder()])) == []


def test_it_ends_when_the_time_is_up() -> None:
    store = store_of(PAGES)
    calls = iter([False, True])
    assert embed_files(store, [Recorder()], 1, lambda: next(calls)).embedded == 1


def ask(store: MemoryStore, query: str, mode: str = "", *, explain: bool = False) -> Answer:
    settings = resolve((Layer("files", FILES.overrides),))
    tools = Tools(store, (FixedEmbedder((1.0, 0.0)),))
    return answer_query(FILES, Query(query, mode=mode, explain=explain), tools, settings)


def with_file_vectors(vectors: dict[str, tuple[float, float]]) -> MemoryStore:
    store = store_of(PAGES)
    rows = {chunk_id(path, 0): unit(vector) for path, vector in vectors.items()}
    store.put_vectors(file_space(FixedEmbedder.space), rows)
    return store


def test_files_are_found_by_meaning() -> None:
    store = with_file_vectors({"src/auth/session.py": (1.0, 0.1), "src/db.py": (0.1, 1.0)})
    answer = ask(store, "login helpers", "vector")
    assert [hit.document for hit in answer.hits] == ["src/auth/session.py"]
    assert answer.search_type == "vector"
    assert ask(store, "login helpers", "keyword").hits == ()


def test_the_better_of_file_and_section_counts_once() -> None:
    store = with_file_vectors({"src/auth/session.py": (0.6, 0.8), "src/db.py": (0.8, 0.6)})
    store.put_vectors(FixedEmbedder.space, {chunk_id("src/auth/session.py", 1): unit((1.0, 0.0))})
    answer = ask(store, "login helpers", "vector", explain=True)
    assert [(hit.document, hit.id, round(hit.score, 2)) for hit in answer.hits] == [
        ("src/auth/session.py", chunk_id("src/auth/session.py", 1), 1.0),
        ("src/db.py", chunk_id("src/db.py", 0), 0.8),
    ]


@pytest.mark.parametrize("name", ["db.py", "src/db.py", "DB.py "])
def test_the_name_of_a_file_means_that_file(name: str) -> None:
    store = with_file_vectors({"src/auth/session.py": (1.0, 0.1), "src/db.py": (0.9, 0.2)})
    answer = ask(store, name)
    assert (answer.mode, answer.search_type, answer.hits[0].document) == ("hybrid", "lexical", "src/db.py")


def test_words_and_meaning_are_fused() -> None:
    store = with_file_vectors({"src/auth/session.py": (0.9, 0.2), "src/db.py": (1.0, 0.1)})
    answer = ask(store, "the db")
    assert (answer.mode, answer.hits[0].document) == ("hybrid", "src/db.py")
    assert {source.source for source in answer.hits[0].sources} == {"lexical", "vector"}


def test_missing_file_vectors_are_announced() -> None:
    store = with_file_vectors({"src/db.py": (1.0, 0.0)})
    chunks = store.chunks_without_vector([FixedEmbedder.space], 100)
    store.put_vectors(FixedEmbedder.space, dict.fromkeys(chunks, unit((1.0, 0.0))))
    (entry_,) = ask(store, "the db").degraded
    assert (entry_.code, entry_.detail) == ("partial_vectors", "1 of 2 files have a vector of their own so far")
