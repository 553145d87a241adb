"""Checksums of mapped files, verified at once, later or by `optimize`."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.analysis import count_terms
from waymeet.project import Project
from waymeet.settings import Bm25
from waymeet.stores.segments import array_file
from waymeet.stores.segments.array_file import ArrayFile, CorruptFileError
from waymeet.stores.segments.checksums import ChecksumVerifier
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters, Word

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = MaintenanceLimits(max_buffered=0, min_segment=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.segment"
    array_file.write_arrays(path, {"numbers": ("I", np.arange(1000))}, {"fact": 1})
    return path


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_a_small_file_is_verified_at_once(file: Path) -> None:
    ChecksumVerifier().verify(ArrayFile(file))
    flip(file, -1)
    with pytest.raises(CorruptFileError):
        ChecksumVerifier().verify(ArrayFile(file))


def test_a_header_has_a_checksum(file: Path) -> None:
    start = file.read_bytes().index(b'"fact":1')
    flip(file, start + 7)
    with pytest.raises(CorruptFileError, match="header"):
        ArrayFile(file)


def test_a_large_file_is_verified_later(file: Path) -> None:
    flip(file, -1)
    mapped, verifier = ArrayFile(file), ChecksumVerifier(immediate_bytes=100, delay_seconds=3600.0)
    verifier.verify(mapped)
    assert not verifier.corrupt
    verifier.verify_pending()
    assert verifier.corrupt == {file.name}
    with pytest.raises(CorruptFileError):
        verifier.verify(mapped)


def test_a_large_file_is_verified_in_the_background(file: Path) -> None:
    flip(file, -1)
    verifier = ChecksumVerifier(immediate_bytes=100, delay_seconds=0.0)
    with suppress(CorruptFileError):  # the thread may be that fast
        verifier.verify(ArrayFile(file))
    assert verifier._thread is not None
    verifier._thread.join(20)
    assert verifier.corrupt == {file.name}


def test_a_search_reports_that_a_file_was_rebuilt(tmp_path: Path) -> None:
    root, file = tmp_path / "root", tmp_path / "index.db"
    root.mkdir()
    for number in range(5):
        (root / f"page{number}.md").write_text(f"# Page {number}\n\nsomething to find\n")
    with Project.open(root, index=file) as project:
        project.index()
    with closing(SqliteStore.open(file, limits=LIMITS)) as store:
        store.optimize()
    (segment,) = file.with_name("index.db.segments").glob("*.segment")
    flip(segment, -1)
    with Project.open(root, index=file) as project:
        for expected in (1, 0):
            answer = project.search("something to find")
            assert len(answer.hits) == 5
            assert sum(each.code == "mended" for each in answer.degraded) == expected
        assert {each.what for each in project.check().findings} == {STRAY}


def test_a_file_found_corrupt_later_is_repaired_too(tmp_path: Path) -> None:
    root, file = tmp_path / "root", tmp_path / "index.db"
    root.mkdir()
    (root / "page.md").write_text("# Page\n\nsomething to find\n")
    with Project.open(root, index=file) as project:
        project.index()
    with closing(SqliteStore.open(file, limits=LIMITS)) as store:
        store.optimize()
        (segment,) = file.with_name("index.db.segments").glob("*.segment")
        store._segments._verifier = ChecksumVerifier(immediate_bytes=0, delay_seconds=3600.0)
        store._segments._files = {}
        store._segments._mapped = store._segments._mapped._replace(registry_version=-1)
        flip(segment, -1)
        words = [Word((term,), text=term) for term in count_terms("find")]
        store.rank_lexical(words, 10, Filters(), Bm25())
        assert not store.repaired_files()
        store.optimize()
        assert len(store.repaired_files()) == 1
        assert len(store.rank_lexical(words, 10, Filters(), Bm25())) == 1
        assert not store.check().findings
