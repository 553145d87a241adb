"""Renames: the document stays, under another name, and what led to it still does."""

import os
from pathlib import Path

import pytest

from waymeet.ingest.discover.run_state import renamed_paths
from waymeet.ingest.index import IndexReport, index
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore

DEFAULT = Settings()
LONG_AGO = 1_000_000_000_000_000_000
PAGES = {
    "start.md": "# Start\n\nBy path [a](docs/setup.md), by name [[setup]], 日本語 [[設定]].\n",
    "docs/setup.md": "# Getting ready\n\nInstall it.\n",
    "docs/設定.md": "# 準備\n\nインストールする。\n",
    "docs/other.md": "# Other\n\nSomething else.\n",
}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def root(tmp_path: Path, store: MemoryStore) -> Path:
    for path, text in PAGES.items():
        write(tmp_path / path, text)
    index(tmp_path, store, DEFAULT)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(root: Path, store: MemoryStore) -> IndexReport:
    """Bring the store up to date and check that a fresh one that knows what moved is the same."""
    report = index(root, store, DEFAULT)
    fresh = MemoryStore()
    fresh.set_metadata("moved", store.metadata("moved"))
    index(root, fresh, DEFAULT)
    ids = fresh.fingerprints().keys()
    assert store.fingerprints().keys() == ids
    assert store.edges(ids) == fresh.edges(ids)
    names = {id_: set(each.names) for id_, each in store.documents(ids).items()}
    assert names == {id_: set(each.names) for id_, each in fresh.documents(ids).items()}
    return report


def targets(store: MemoryStore, source: str = "start.md") -> list[str | None]:
    edges = [edge for edge in store.edges([source]) if edge.source.document == source]
    return [edge.target.document if edge.target else None for edge in edges]


def test_renaming_a_page_keeps_its_links(root: Path, store: MemoryStore) -> None:
    assert targets(store) == ["docs/setup.md", "docs/setup.md", "docs/設定.md"]
    (root / "docs/setup.md").rename(root / "docs/install.md")
    (root / "docs/設定.md").rename(root / "docs/構成.md")
    report = run(root, store)
    assert report.renamed == (("docs/setup.md", "docs/install.md"), ("docs/設定.md", "docs/構成.md"))
    assert (report.added, report.removed) == (2, 2)
    assert targets(store) == ["docs/install.md", "docs/install.md", "docs/構成.md"]
    write(root / "docs/install.md", "# Ready\n\nAn edit does not end that.\n")
    assert run(root, store).renamed == ()
    assert targets(store) == ["docs/install.md", "docs/install.md", "docs/構成.md"]


def test_a_page_may_move_again_and_back(root: Path, store: MemoryStore) -> None:
    (root / "docs/setup.md").rename(root / "docs/install.md")
    run(root, store)
    (root / "guide").mkdir()
    (root / "docs/install.md").rename(root / "guide/begin.md")
    run(root, store)
    assert renamed_paths(store) == {"docs/install.md": "guide/begin.md", "docs/setup.md": "guide/begin.md"}
    assert targets(store)[:2] == ["guide/begin.md"] * 2
    (root / "guide/begin.md").rename(root / "docs/setup.md")
    run(root, store)
    assert renamed_paths(store) == {"docs/install.md": "docs/setup.md", "guide/begin.md": "docs/setup.md"}
    assert targets(store)[:2] == ["docs/setup.md"] * 2


def test_a_folder_may_be_renamed(root: Path, store: MemoryStore) -> None:
    (root / "docs").rename(root / "manual")
    assert len(run(root, store).renamed) == 3
    assert targets(store) == ["manual/setup.md", "manual/setup.md", "manual/設定.md"]


def test_a_new_page_of_the_old_name_is_the_one_that_is_meant(root: Path, store: MemoryStore) -> None:
    (root / "docs/setup.md").rename(root / "docs/install.md")
    run(root, store)
    write(root / "wiki/setup.md", "# Another setup\n")  # the name is taken, the path is not
    run(root, store)
    assert targets(store)[:2] == ["docs/install.md", "wiki/setup.md"]
    (root / "wiki/setup.md").unlink()
    run(root, store)
    assert targets(store)[:2] == ["docs/install.md", "docs/install.md"]
    write(root / "docs/setup.md", "# A new setup\n")
    run(root, store)
    assert targets(store)[:2] == ["docs/setup.md", "docs/setup.md"]
    assert renamed_paths(store) == {}
    (root / "docs/setup.md").unlink()
    run(root, store)
    assert targets(store)[:2] == [None, None]


def test_what_moved_and_vanished_is_forgotten(root: Path, store: MemoryStore) -> None:
    (root / "docs/setup.md").rename(root / "docs/install.md")
    run(root, store)
    (root / "docs/install.md").unlink()
    run(root, store)
    assert renamed_paths(store) == {}
    assert targets(store)[:2] == [None, None]


def test_copies_that_cannot_be_told_apart_are_no_renames(root: Path, store: MemoryStore) -> None:
    for name in ("one.md", "two.md"):
        write(root / name, PAGES["docs/setup.md"])
    (root / "docs/setup.md").unlink()
    assert run(root, store).renamed == ()
    assert targets(store)[:2] == [None, None]


def test_a_file_that_is_not_read_is_known_by_its_size_and_time(root: Path, store: MemoryStore) -> None:
    for name, size in (("a.png", 10), ("b.png", 10), ("c.png", 20)):
        (root / name).write_bytes(b"\x00" * size)
        os.utime(root / name, ns=(LONG_AGO, LONG_AGO + (name == "b.png")))
    run(root, store)
    (root / "img").mkdir()
    for name in ("a.png", "b.png"):
        (root / name).rename(root / "img" / f"new-{name}")
    assert run(root, store).renamed == (("a.png", "img/new-a.png"), ("b.png", "img/new-b.png"))


def test_empty_files_are_not_matched(root: Path, store: MemoryStore) -> None:
    write(root / "empty.md", "")
    run(root, store)
    (root / "empty.md").rename(root / "void.md")
    assert run(root, store).renamed == ()
