"""Copying an index between stores: nothing is lost, and an interrupted copy continues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from support.postgres_server import missing_reason, shared_server

from waymeet.settings import Bm25
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.shared import transfer
from waymeet.stores.shared.transfer import Side, copy_index
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.transfer import SqliteTransfer
from waymeet.types import Filters

from .make import entry, link, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from waymeet.ports import Store
    from waymeet.types import IndexEntry

pytestmark = pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())
ENTRIES = [
    entry(
        "a.md", ("Rank", "rank fusion of lists"), "text \x00 and 検索語", title="A\x00", tags=["Guide"], names=["a", ""]
    ),
    entry("docs/b.md", "rank other", properties={"Team": "Red, Blue"}, links=[link("a", says="fusion"), link("no")]),
    entry("c.py", "code", kind="code", triggers="when ranking", links=[link("b", says="the b page", kind="imports")]),
    entry("empty.md"),
]
SPACES = {"model/1": 8, "model/1 student/1": 8, "model/1 parts/1 en": 64}


def fill(store: Store) -> None:
    store.put(ENTRIES)
    rng = np.random.default_rng(5)
    chunks = [chunk.id for each in ENTRIES for chunk in each.chunks]
    for place, (space, size) in enumerate(SPACES.items()):
        rows = rng.standard_normal((len(chunks), size)).astype(np.float32)
        store.put_vectors(space, dict(zip(chunks[place:], rows, strict=False)))
    store.set_metadata("indexed_at", "now \x00")
    store.set_commit_dates({"a.md": 77})


def sqlite_side(path: Path) -> Side:
    return Side("sqlite", SqliteStore.open(path, create=True), SqliteTransfer(path, 5.0))


def postgres_side(name: str) -> Side:
    store = PostgresStore.open(shared_server(), name, create=True)
    return Side("postgres", store, store.content)


def describe(side: Side) -> Mapping[str, Any]:
    store = side.store
    paths = list(store.fingerprints())
    return {
        "entries": [comparable(each) for each in side.content.read_entries(paths)],
        "vectors": {space: dict(side.content.read_vectors(space)) for space in store.spaces()},
        "metadata": {key: value for key, value in side.content.read_metadata().items() if value},
        "counts": store.counts(),
        "edges": store.edges(paths),
        "ranking": store.rank_lexical(words("rank fusion text b"), 9, Filters(), Bm25()),
        "nearest": [store.rank_vectors(name, np.ones(size, np.float32), 9, Filters()) for name, size in SPACES.items()],
    }


def comparable(stored: IndexEntry) -> Any:
    """Leave out empty fields, and order terms."""
    fields = [stored.terms, *stored.chunk_terms]
    terms = [{field: sorted(own.items()) for field, own in each.items() if own} for each in fields]
    links = [(link, sorted(link.terms.items())) for link in stored.links]
    return stored.document, stored.chunks, terms, [(str(each.refs), each.kind, own) for each, own in links]


def test_a_copy_to_a_server_and_back_is_equal(tmp_path: Path) -> None:
    first, server, back = (
        sqlite_side(tmp_path / "a.db"),
        postgres_side(f"{tmp_path} copy"),
        sqlite_side(tmp_path / "b.db"),
    )
    fill(first.store)
    expected = describe(first)
    documents: list[tuple[int, int]] = []
    vectors: list[tuple[int, int]] = []
    copied = copy_index(
        first,
        server,
        lambda done, total, _: documents.append((done, total)),
        lambda done, total, _: vectors.append((done, total)),
    )
    assert copied == expected["counts"]
    assert documents[-1] == (len(ENTRIES), len(ENTRIES))
    assert vectors[-1] == (sum(copied.vectors.values()),) * 2
    assert describe(server) == expected
    copy_index(server, back)
    assert describe(back) == expected
    for side in (first, server, back):
        side.store.close()


def test_an_interrupted_copy_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "_DOCUMENTS", 1)
    monkeypatch.setattr(transfer, "_VECTORS", 2)
    first, server = sqlite_side(tmp_path / "a.db"), postgres_side(f"{tmp_path} interrupted")
    fill(first.store)
    server.store.put([entry("stale.md", "of another index")])
    for most in (1, 2, 3):
        calls = Interrupted(server.store, server.content, most)
        with pytest.raises(KeyboardInterrupt):
            copy_index(first, Side("postgres", calls, calls))
    copy_index(first, server)
    assert describe(server) == describe(first)
    for side in (first, server):
        side.store.close()


class Interrupted:
    """A target whose process is ended after some writes."""

    def __init__(self, store: Store, content: Any, most: int) -> None:
        self._targets = content, store
        self._left = most

    def __getattr__(self, name: str) -> Any:
        if name in {"put", "write_vectors"}:
            self._left -= 1
            if self._left < 0:
                raise KeyboardInterrupt
        return next(getattr(target, name) for target in self._targets if hasattr(target, name))


def test_the_copied_order_of_documents_does_not_matter(tmp_path: Path) -> None:
    paths: Sequence[str] = [each.document.id for each in ENTRIES]
    side = sqlite_side(tmp_path / "a.db")
    fill(side.store)
    assert {each.document.id for each in side.content.read_entries(paths[::-1])} == set(paths)
    assert side.content.read_entries(["unknown.md"]) == []
    side.store.close()
