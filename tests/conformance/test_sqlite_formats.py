"""Index files of earlier formats."""

from contextlib import closing
from pathlib import Path

import apsw

from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database.schema import VERSION
from waymeet.types import Filters

from .make import entry, words


def test_an_index_of_format_5_is_emptied_but_keeps_the_roots_that_a_user_added(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(Path(__file__).with_name("index_format_5.sql").read_text(encoding="utf-8"))
    with closing(SqliteStore.open(path)) as store:
        assert (store.generation, store.counts().documents, store.spaces()) == (0, 0, {})
        assert [store.metadata(key) for key in ("roots", "outdated_version", "root", "indexed_at")] == [
            '{"notes":"/notes"}',
            "5",
            "",
            "",
        ]
        assert not store.check().findings
        store.put([entry("a.md", "rank fusion")])
        assert store.rank_lexical(words("rank"), 1, Filters(), Bm25())


def test_an_older_format_is_emptied_to_be_filled_again(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    store = SqliteStore.open(path, create=True)
    store.put([entry("a.md", "rank fusion")])
    store.set_metadata("indexed_at", "1")
    store.close()
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE gone_since (a); PRAGMA user_version = {VERSION - 1}")
    connection.close()
    store = SqliteStore.open(path)
    assert (store.counts().documents, store.metadata("indexed_at")) == (0, "")
    store.put([entry("a.md", "rank fusion")])
    assert store.rank_lexical(words("rank"), 1, Filters(), Bm25())
    store.close()
