"""`waymeet status --size`: the bytes of an index by purpose."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from waymeet.paths import index_bytes
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.database.connection import connect
from waymeet.stores.sqlite.read import sizes
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

if TYPE_CHECKING:
    from interfaces.conftest import Run

FLAGS = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")


@pytest.fixture
def index(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Index the project, with everything in segments."""
    file = project.with_name("kept") / "index.db"
    monkeypatch.setenv("WAYMEET_INDEX", str(file))
    assert run("index", "-C", str(project), *FLAGS).code == 0
    with closing(SqliteStore.open(file, limits=MaintenanceLimits(max_buffered=0, min_segment=0))) as store:
        store.optimize()
    return file


def test_every_byte_has_a_purpose(index: Path, project: Path, run: Run) -> None:
    size = json.loads(run("status", "--size", "--json", "-C", str(project)).out)
    by_name = {part["name"]: part["bytes"] for part in size["parts"] if part["name"] != "log"}
    logs = (index.with_name(index.name + suffix) for suffix in ("-wal", "-shm"))
    assert sum(by_name.values()) == index_bytes(index) - sum(log.stat().st_size for log in logs if log.exists())
    assert by_name.keys() >= {"texts", "terms", "postings", "impacts", "links", "names", "vectors", "documents"}
    with closing(SqliteStore.open(index)) as store:
        texts = [chunk.text for chunks in store.chunks_of(store.fingerprints()).values() for chunk in chunks]
    assert size["text_bytes"] == sum(len(text.encode()) for text in texts)


def test_the_table_shows_the_ratio_to_the_text(index: Path, project: Path, run: Run) -> None:
    lines = run("status", "--size", "-C", str(project)).out.splitlines()
    assert lines[0].split() == ["bytes", "of", "text"]
    assert lines[-1].endswith("of all sections")
    total, without_vectors = (int(line.split()[-2].replace(",", "")) for line in lines[-3:-1])
    assert index_bytes(index) >= total > without_vectors > 0


def test_every_table_has_a_purpose(index: Path) -> None:
    with closing(connect(index, 1.0)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables - {"sqlite_sequence"} == sizes._TABLES.keys()


def test_without_an_index_there_is_nothing_to_measure(project: Path, run: Run) -> None:
    answer = run("status", "--size", "-C", str(project))
    assert answer.code == 3
    assert "waymeet index" in answer.err


def test_an_index_of_the_format_before_is_announced_and_converted(index: Path, project: Path, run: Run) -> None:
    index.unlink()
    with closing(apsw.Connection(str(index))) as connection:
        dump = Path(__file__).parents[1] / "conformance" / "index_format_7.sql"
        connection.execute(dump.read_text(encoding="utf-8"))
    first, second = (run("status", "--size", "-C", str(project)) for _ in range(2))
    assert first.code == second.code == 0
    assert "The index was made by an earlier version; converting it once." in first.err
    assert "earlier version" not in second.err
