"""A run with little time: some changed files are indexed, the others are left to the next run."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from waymeet.ingest.discover import changes as comparison
from waymeet.ingest.discover import run_state
from waymeet.ingest.index import Changes, Choice, IndexReport, find_changes, index
from waymeet.settings import Chunking, Settings
from waymeet.stores.memory.store import MemoryStore

DEFAULT = Settings()
LONG_AGO = 1_000_000_000_000_000_000


def plant(root: Path, files: dict[str, str], modified_ns: int = LONG_AGO) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(modified_ns, modified_ns))


def found(root: Path, store: MemoryStore, settings: Settings = DEFAULT) -> Changes:
    changes = find_changes(root, store, settings, lambda: False)
    assert changes is not None
    return changes


def take(
    root: Path, store: MemoryStore, most: int, settings: Settings = DEFAULT, order: Iterable[str] = ()
) -> IndexReport:
    """Index the first files of an order, by default that of their paths."""
    changes = found(root, store, settings)
    choice = Choice(list(order) or sorted(changes.found), most, lambda: True)
    return index(root, store, settings, only=changes, choice=choice)


def texts(store: MemoryStore) -> dict[str, str]:
    files = [path for path in store.fingerprints() if not path.endswith("/")]
    return {path: " ".join(chunk.text for chunk in chunks) for path, chunks in store.chunks_of(files).items()}


def test_runs_with_little_time_reach_the_end(tmp_path: Path) -> None:
    store = MemoryStore()
    plant(tmp_path, {f"{number}.md": "old" for number in range(5)})
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {f"{number}.md": "changed" for number in range(5)}, LONG_AGO + 10**9)
    plant(tmp_path, {"new.md": "new"})
    left = []
    while found(tmp_path, store).number:
        left.append(take(tmp_path, store, 2).postponed)
    assert left == [4, 2, 0]
    assert set(texts(store).values()) == {"changed", "new"}


def test_the_chosen_order_decides(tmp_path: Path) -> None:
    store = MemoryStore()
    plant(tmp_path, {"a.md": "a", "b.md": "b", "c.md": "c"})
    report = take(tmp_path, store, 1, order=["c.md", "a.md", "b.md"])
    assert (set(texts(store)), report.added, report.postponed) == ({"c.md"}, 1, 2)


def test_files_that_are_parsed_otherwise_are_remembered_until_all_are_done(tmp_path: Path) -> None:
    store = MemoryStore()
    plant(tmp_path, {f"folder/{name}.md": f"{name} one\n\n{name} two\n" for name in "abc"})
    index(tmp_path, store, DEFAULT)
    short = replace(DEFAULT, chunking=Chunking(max_chars=6, min_chars=0))
    assert take(tmp_path, store, 1, short).postponed == 2
    assert len(store.chunks_of(["folder/a.md"])["folder/a.md"]) == 2
    again = found(tmp_path, store, short)
    assert not again.reparse_all
    assert again.modified == ("folder/b.md", "folder/c.md")
    assert take(tmp_path, store, 5, short).postponed == 0
    assert found(tmp_path, store, short).number == 0
    assert [len(chunks) for chunks in store.chunks_of([f"folder/{name}.md" for name in "abc"]).values()] == [2, 2, 2]


def test_a_change_within_a_tick_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    plant(tmp_path, {"a.md": "one", "b.md": "two"})
    monkeypatch.setattr(comparison, "time_ns", lambda: LONG_AGO)  # as if written at the time of the run
    index(tmp_path, store, DEFAULT)
    monkeypatch.undo()
    plant(tmp_path, {"a.md": "eno", "b.md": "owt"})  # the same size and time
    assert take(tmp_path, store, 1).postponed == 1
    assert take(tmp_path, store, 1).postponed == 0
    assert texts(store) == {"a.md": "eno", "b.md": "owt"}


def test_a_renamed_file_stays_until_its_new_path_is_indexed(tmp_path: Path) -> None:
    store = MemoryStore()
    plant(tmp_path, {"old.md": "# Kettle\n\nHow to boil water.\n", "link.md": "See [it](old.md).\n", "z.md": "z"})
    index(tmp_path, store, DEFAULT)
    (tmp_path / "old.md").rename(tmp_path / "new.md")
    plant(tmp_path, {"z.md": "zz"})
    assert take(tmp_path, store, 1, order=["z.md", "new.md"]).postponed == 1
    assert "old.md" in texts(store)
    assert take(tmp_path, store, 1).postponed == 0
    assert set(texts(store)) == {"new.md", "link.md", "z.md"}
    targets = [edge.target for edge in store.edges(["link.md"]) if edge.kind == "references"]
    assert [target and target.document for target in targets] == ["new.md"]


def test_an_extra_concerns_the_files_that_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    plant(tmp_path, {"a.md": "a", "page.html": "<!DOCTYPE html><p>Hi", "b.py": "b = 1"})
    monkeypatch.setattr(run_state, "_EXTRAS", {"html": "no_such_module_here", "pdf": "no_such_module_here"})
    index(tmp_path, store, DEFAULT)
    assert found(tmp_path, store).number == 0
    monkeypatch.setattr(run_state, "_EXTRAS", {"html": "json", "pdf": "no_such_module_here"})
    changes = found(tmp_path, store)
    assert (changes.reparse_all, changes.modified, changes.must_rebuild) == (False, ("page.html",), {"page.html"})
    assert index(tmp_path, store, DEFAULT).updated == 1
    assert found(tmp_path, store).number == 0
