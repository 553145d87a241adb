"""Flipped bits and truncated files are found and repaired, without a traceback."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from msgspec.structs import replace
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, change, contents, dice, fresh_contents

from waymeet.errors import WaymeetError
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.repair import check_index

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from waymeet.stores.sqlite.check.check import CheckResult

FLIPS = 2000 if LONG else 500
CUTS = 400 if LONG else 40
REPAIRED = 1 if LONG else 10
"""One in so many is repaired, which takes much longer than finding the problem."""
PARTS = 4


class Index(NamedTuple):
    """An index to be damaged in copies."""

    root: Path
    whole: Path
    copy: Path
    contents: dict[str, Any]

    @property
    def file(self) -> Path:
        return self.copy / "index.db"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    root, whole = tmp_path / "root", tmp_path / "whole"
    rng = dice("index")
    change(root, rng, 60)
    whole.mkdir()
    with closing(SqliteStore.open(whole / "index.db", create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
        change(root, rng, 15)
        bring_up_to_date(root, store)
        assert not store.check().findings
    return Index(root, whole, tmp_path / "copy", fresh_contents(root))


def answers(file: Path) -> tuple[dict[str, Any] | None, int]:
    """Read everything, or None if the store raises one of our errors, and count the vectors reported as lost."""
    try:
        with closing(SqliteStore.open(file, limits=LIMITS)) as store:
            return contents(store), sum(each.lost_vectors for each in store.repaired_files())
    except WaymeetError:
        return None, 0


def only_lacks_vectors(found: dict[str, Any], expected: dict[str, Any], lost: int) -> bool:
    """Compare all but vectors, of which so many may be missing and none may be wrong."""
    near = [name for name in expected if name.startswith("near ")]
    hidden = {"vectors", "counts", *near}
    return (
        {name: found[name] for name in found if name not in hidden}
        == {name: expected[name] for name in expected if name not in hidden}
        and replace(found["counts"], vectors={}) == replace(expected["counts"], vectors={})
        and found["vectors"] <= lost
        and all(hit in expected[name] or hit[1] <= expected[name][-1][1] for name in near for hit in found[name])
    )


def check(file: Path, *, repair: bool) -> CheckResult | None:
    """Check, or return None if the file is not recognised as an index."""
    try:
        return check_index(file, repair=repair)
    except WaymeetError:
        return None


def hurt(index: Index, rng: Random, how: str) -> str:
    """Damage one file of a new copy, larger ones more often."""
    shutil.rmtree(index.copy, ignore_errors=True)
    shutil.copytree(index.whole, index.copy)
    files = [path for path in sorted(index.copy.rglob("*")) if path.is_file() and path.stat().st_size]
    path = rng.choices(files, [each.stat().st_size for each in files])[0]
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content))
    if how == "cut":
        del content[at:]
    else:
        content[at] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    return f"{how} {path.relative_to(index.copy)} at {at} of {len(content)}"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(("how", "times"), [("flip", FLIPS), ("cut", CUTS)])
def test_damage_is_found_and_repaired(index: Index, how: str, times: int, part: int) -> None:
    rng = dice(f"{how} {part}")
    harmless = 0
    for number in range(times // PARTS):
        what = hurt(index, rng, how)
        verdict = check(index.file, repair=False)
        found, lost_vectors = answers(index.file)
        if found == index.contents:
            harmless += 1
        else:
            assert verdict is None or verdict.damaged, f"{what} was not found"
            if found is not None:
                assert lost_vectors, f"{what} changed an answer"
                assert only_lacks_vectors(found, index.contents, lost_vectors), f"{what} changed an answer"
        if verdict is None or not verdict.findings or number % REPAIRED:
            continue
        repaired = check(index.file, repair=True)
        assert repaired is not None, what
        assert not repaired.damaged, f"{what}: {repaired}"
        with closing(SqliteStore.open(index.file, limits=LIMITS)) as store:
            bring_up_to_date(index.root, store)
            assert contents(store) == index.contents, what
            assert not store.check().findings, what
    assert harmless < times // PARTS
