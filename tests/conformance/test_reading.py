"""Snapshots of one generation while others write."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Event

import numpy as np
import pytest

from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.types import Filters

from .make import entry, words


def test_reading_tells_the_generation(store: Store) -> None:
    store.put([entry("a.md", "x")])
    with store.snapshot() as generation:
        assert generation == store.generation == 1


def test_inside_every_answer_comes_from_one_generation(store: Store) -> None:
    store.put([entry("a.md", "old")])
    with ThreadPoolExecutor(1) as other, store.snapshot():
        other.submit(store.put, [entry("a.md", "new"), entry("b.md", "new")]).result()
        other.submit(store.set_metadata, "key", "new").result()
        assert other.submit(lambda: store.generation).result() == 2
        with store.snapshot() as nested:
            assert nested == 1
        assert store.generation == 1
        assert store.metadata("key") == ""
        assert store.fingerprints().keys() == {"a.md"}
        assert [hit.document for hit in store.rank_lexical(words("old new"), 10, Filters(), Bm25())] == ["a.md"]
    assert store.generation == 2
    assert store.metadata("key") == "new"
    assert len(store.rank_lexical(words("old new"), 10, Filters(), Bm25())) == 2


def test_an_error_inside_lets_go(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.snapshot():
        raise ZeroDivisionError
    store.put([entry("a.md", "x")])
    assert store.generation == 1


def test_a_store_cannot_be_changed_inside_a_snapshot(store: Store) -> None:
    with store.snapshot():
        with pytest.raises(RuntimeError, match="snapshot"):
            store.put([entry("a.md", "x")])
        with pytest.raises(RuntimeError, match="snapshot"):
            store.drop(["a.md"])
        with pytest.raises(RuntimeError, match="snapshot"):
            store.put_vectors("space", {"a.md#L1-L1": np.ones(2, np.float32)})
        with pytest.raises(RuntimeError, match="snapshot"):
            store.set_metadata("a", "b")
        assert store.generation == 0


def test_readers_never_see_half_a_change(store: Store) -> None:
    """Each change puts two documents that only make sense together."""
    done = Event()

    def read() -> list[int]:
        seen = []
        while not done.is_set():
            with store.snapshot() as generation:
                texts = {chunk.text for chunks in store.chunks_of(["a.md", "b.md"]).values() for chunk in chunks}
                assert texts == ({f"state{generation}"} if generation else set())
                assert len(store.rank_lexical(words(f"state{generation}"), 10, Filters(), Bm25())) == (
                    2 if generation else 0
                )
            seen.append(generation)
        return seen

    with ThreadPoolExecutor(3) as readers:
        reading = [readers.submit(read) for _ in range(3)]
        try:
            for number in range(1, 40):
                store.put([entry("a.md", f"state{number}"), entry("b.md", f"state{number}")])
        finally:
            done.set()
        for each in reading:
            assert all(before <= after for before, after in pairwise(each.result()))
    assert store.generation == 39


def test_several_threads_may_write(store: Store) -> None:
    def write(name: str) -> None:
        for number in range(10):
            store.put([entry(f"{name}{number}.md", f"{name} shared")])

    with ThreadPoolExecutor(3) as writers:
        for each in [writers.submit(write, name) for name in "abc"]:
            each.result()
    assert store.generation == 30
    assert len(store.rank_lexical(words("shared"), 100, Filters(), Bm25())) == 30
