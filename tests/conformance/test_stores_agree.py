"""The same project and questions in three stores: every recipe gives the same answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from store_equality import RECIPES, AllStores, compare_stores, largest_score_difference
from support.postgres_server import missing_reason, shared_server

from waymeet import Project
from waymeet.evaluate.mining.read_project import index_folder
from waymeet.project.embedding.job import embed_missing
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from waymeet.ports import Store

DEMO = Path(__file__).parents[2] / "docs/demo"
QUESTIONS = (
    "charging a card",
    "same payment twice",
    "declined",
    "支払い",
    "付款失败",
    "how do we send a request again?",
)
FLAGS = ["embedding.provider=hashing", "embedding.dimension=64", "embedding.background=false"]


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())
def test_three_stores_answer_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    stores: dict[str, Store] = {
        "memory": MemoryStore(),
        "sqlite": SqliteStore.open(tmp_path / "index.db", create=True),
        "postgres": PostgresStore.open(shared_server(), str(tmp_path), create=True),
    }
    everywhere: Any = AllStores(list(stores.values()))
    with Project.open(DEMO, index=tmp_path / "other.db", flags=FLAGS) as project:
        index_folder(DEMO, everywhere, project.settings)
        assert not embed_missing(project.models, everywhere, project.settings).error
        assert stores["postgres"].counts() == stores["memory"].counts()
        different = compare_stores(project, stores, QUESTIONS, RECIPES)
        assert {key: count for key, count in different.items() if count} == {}
        assert largest_score_difference(stores, QUESTIONS) < 1e-12
        for store in stores.values():
            store.close()
