"""Vectors of recent queries are computed once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from waymeet.models.query_memo import QueryMemo


def test_threads_with_the_same_query_share_one_vector() -> None:
    memo, barrier, embedded = QueryMemo(), Barrier(4), list[str]()

    def embed(text: str) -> Any:
        embedded.append(text)
        return [1.0]

    def ask(_: int) -> object:
        barrier.wait(60)
        return memo.get("water", embed)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [[1.0]] * 4
    assert embedded == ["water"]


def test_errors_are_not_remembered_and_old_queries_are_forgotten() -> None:
    memo, calls = QueryMemo(size=2), list[str]()

    def fail(text: str) -> Any:
        raise ValueError(text)

    def embed(text: str) -> Any:
        calls.append(text)
        return [0.0]

    with pytest.raises(ValueError, match="a"):
        memo.get("a", fail)
    for text in ("a", "b", "c", "a", "c"):
        memo.get(text, embed)
    assert calls == ["a", "b", "c", "a"]
