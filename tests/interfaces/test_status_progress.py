"""`waymeet status` shows the progress of a run in another process, and only while it runs."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from waymeet.ingest.lock import index_lock
from waymeet.ports import RunProgress
from waymeet.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from interfaces.conftest import Run

PROGRESS = RunProgress(1, 50, 200, 1_000_000, 9_000_000, 400_000.0, 20.0)


def test_the_progress_of_a_run_is_shown_until_it_ends(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project.with_name("kept") / "index.db"
    monkeypatch.setenv("WAYMEET_INDEX", str(file))
    assert run("index", "-C", str(project), "--no-embed").code == 0
    with closing(SqliteStore.open(file)) as store:
        assert store.metadata("indexing") == ""
        store.set_metadata("indexing", msgspec.json.encode(PROGRESS).decode())
    with index_lock(file, wait=True):
        assert "indexing  50 of 200 files, 0.4 MB/s, about 20 s left" in run("status", "-C", str(project)).out
        shown = json.loads(run("status", "--json", "-C", str(project)).out)["indexing"]
        assert shown == msgspec.to_builtins(PROGRESS)
    assert "50 of 200" not in run("status", "-C", str(project)).out  # the run was killed
