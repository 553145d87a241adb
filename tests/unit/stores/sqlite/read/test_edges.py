"""Edges that a store keeps in memory."""

from contextlib import closing
from pathlib import Path

from support.corpus import Page, entry

from waymeet.stores.sqlite import SqliteStore


def _cached(store: SqliteStore) -> set[tuple[str, str]]:
    with store._reader.reading() as session:
        return set(store._cache(session).edges)


def test_edges_that_every_answer_needs_are_kept_and_read_again_after_a_change(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "index.db", create=True)) as store:
        store.put([entry("a.md", Page(("a",), links=("b.md|mentions",))), entry("b.md", Page(("b",)))])
        for kinds in (("source", "mentions"), ("mentions", "source", "mentions")):
            assert [edge.kind for edge in store.edges(["a.md"], kinds)] == ["mentions"]
        assert _cached(store) == {("a.md", '["mentions","source"]')}
        store.put([entry("a.md", Page(("a",)))])
        assert not store.edges(["a.md"], ("source", "mentions"))


def test_edges_of_other_kinds_are_not_kept(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "index.db", create=True)) as store:
        store.put([entry("a.md", Page(("a",), links=("b.md|cites",))), entry("b.md", Page(("b",)))])
        assert [edge.kind for edge in store.edges(["a.md"], ("cites", "x" * 1000))] == ["cites"]
        assert not _cached(store)
