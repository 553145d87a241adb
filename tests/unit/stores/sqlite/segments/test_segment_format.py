"""Segments of an earlier format are written again from the tables."""

from contextlib import closing
from pathlib import Path

import numpy as np
from conformance.make import entry, words

from waymeet.ports import RepairedFile
from waymeet.settings import Bm25
from waymeet.stores.segments.array_file import ArrayFile, write_arrays
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters

LIMITS = MaintenanceLimits(max_buffered=0, min_segment=0, max_segment=4)
OUTDATED = "the segments of words have the format of an earlier version"


def make_outdated(index: Path) -> list[str]:
    """Replace all segments by files without a format, and return their names."""
    files = sorted(index.with_name(f"{index.name}.segments").glob("*.segment"))
    for path in files:
        write_arrays(path, {"positions": ("I", np.arange(3))}, {"lengths": {}})
    return [path.name for path in files]


def test_they_are_rebuilt_together_and_reported_once(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with closing(SqliteStore.open(index, create=True, limits=LIMITS)) as store:
        for number in range(5):
            store.put([entry(f"{number}.md", "rank fusion", "other words", f"word{number}")])
        store.optimize()
        expected = store.rank_lexical(words("rank word3"), 10, Filters(), Bm25())
    outdated = make_outdated(index)
    assert len(outdated) > 2
    with closing(SqliteStore.open(index, limits=LIMITS)) as store:
        found = store.check().findings
        assert {finding.what for finding in found} == {"it has the format of an earlier version"}
        assert store.rank_lexical(words("rank word3"), 10, Filters(), Bm25()) == expected
        assert store.repaired_files() == (RepairedFile(OUTDATED),)
        store.optimize()
        assert not store.check().findings
    files = sorted(index.with_name(f"{index.name}.segments").glob("*.segment"))
    assert {path.name for path in files}.isdisjoint(outdated)
    assert all(ArrayFile(path).attributes["format"] for path in files)
