"""Mapped files that are looked through: at once, later, or by a tidy; and what an answer says of it."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.analysis import count_terms
from waymeet.project import Project
from waymeet.settings import Bm25
from waymeet.stores.segments import array_file
from waymeet.stores.segments.array_file import BrokenContainerError, Container
from waymeet.stores.segments.checksums import Trust
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters, Word

if TYPE_CHECKING:
    from pathlib import Path

EFFORT = MaintenanceLimits(loose=0, few=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.segment"
    array_file.write(path, {"numbers": ("I", np.arange(1000))}, {"fact": 1})
    return path


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_a_small_file_is_looked_through_at_once(file: Path) -> None:
    Trust().admit(Container(file))
    flip(file, -1)
    with pytest.raises(BrokenContainerError):
        Trust().admit(Container(file))


def test_a_header_has_a_checksum(file: Path) -> None:
    facts = file.read_bytes().index(b'"fact":1')
    flip(file, facts + 7)
    with pytest.raises(BrokenContainerError, match="header"):
        Container(file)


def test_a_large_file_is_looked_through_later(file: Path) -> None:
    flip(file, -1)
    mapped, trust = Container(file), Trust(at_once=100, patience=3600.0)
    trust.admit(mapped)
    assert not trust.broken
    trust.finish()
    assert trust.broken == {file.name}
    with pytest.raises(BrokenContainerError):
        trust.admit(mapped)


def test_or_in_the_background(file: Path) -> None:
    flip(file, -1)
    trust = Trust(at_once=100, patience=0.0)
    with suppress(BrokenContainerError):  # the thread may be that quick
        trust.admit(Container(file))
    assert trust._thread is not None
    trust._thread.join(20)
    assert trust.broken == {file.name}


def test_an_answer_says_that_something_was_made_anew(tmp_path: Path) -> None:
    root, file = tmp_path / "root", tmp_path / "index.db"
    root.mkdir()
    for number in range(5):
        (root / f"page{number}.md").write_text(f"# Page {number}\n\nsomething to find\n")
    with Project.open(root, index=file) as project:
        project.index()
    with closing(SqliteStore.open(file, effort=EFFORT)) as store:
        store.optimize()
    (segment,) = file.with_name("index.db.segments").glob("*.segment")
    flip(segment, -1)
    with Project.open(root, index=file) as project:
        for expected in (1, 0):
            answer = project.search("something to find")
            assert len(answer.hits) == 5
            assert sum(each.code == "mended" for each in answer.degraded) == expected
        assert {each.what for each in project.check().findings} == {STRAY}


def test_what_is_found_broken_later_is_mended_too(tmp_path: Path) -> None:
    root, file = tmp_path / "root", tmp_path / "index.db"
    root.mkdir()
    (root / "page.md").write_text("# Page\n\nsomething to find\n")
    with Project.open(root, index=file) as project:
        project.index()
    with closing(SqliteStore.open(file, effort=EFFORT)) as store:
        store.optimize()
        (segment,) = file.with_name("index.db.segments").glob("*.segment")
        store._library._trust = Trust(at_once=0, patience=3600.0)
        store._library._containers = {}
        store._library._opened = store._library._opened._replace(shelving=-1)
        flip(segment, -1)
        words = [Word((term,), text=term) for term in count_terms("find")]
        store.rank_lexical(words, 10, Filters(), Bm25())
        assert not store.repaired_files()
        store.optimize()
        assert len(store.repaired_files()) == 1
        assert len(store.rank_lexical(words, 10, Filters(), Bm25())) == 1
        assert not store.check().findings
