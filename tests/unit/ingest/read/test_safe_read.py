"""Files that cannot be read, decoded or parsed: listed with the reason, and nothing else is lost."""

import os
from pathlib import Path
from typing import Any

import pytest

from waymeet import analysis
from waymeet.ingest.build.entry import BuiltEntry, build_entry
from waymeet.ingest.index import Changes, IndexReport, find_changes, index
from waymeet.ingest.read.safe_read import Content, read_file
from waymeet.ingest.workers import task
from waymeet.settings import Bm25, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, Word

DEFAULT = Settings()
LONG_AGO = 1_000_000_000_000_000_000
FILES = {"a.md": "# Alpha\n\nApples.\n", "sub/b.md": "# Beta\n\nBananas.\n", "src/c.py": "def cherry(): ...\n"}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def plant(root: Path, files: dict[str, str], modified_ns: int = LONG_AGO) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(modified_ns, modified_ns))


def look(root: Path, store: MemoryStore) -> Changes:
    changes = find_changes(root, store, DEFAULT, lambda: False)
    assert changes is not None
    return changes


def found(store: MemoryStore, text: str) -> list[str]:
    words = [Word(terms) for _, terms in analysis.query_words(text)]
    return sorted({hit.document for hit in store.rank_lexical(words, 100, Filters(), Bm25())})


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.removed, report.unchanged


def failing(monkeypatch: pytest.MonkeyPatch, path: str, error: OSError) -> None:
    """Let one file fail when it is read (permissions do not stop the superuser who may run the tests)."""

    def refusing(root: str, wanted: str, limit: int) -> Content:
        if wanted == path:
            raise error
        return read_file(root, wanted, limit)

    monkeypatch.setattr(task, "read_file", refusing)
    monkeypatch.setattr(os, "access", lambda *_: False)


def test_an_unreadable_file_is_skipped_and_its_old_entry_kept(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {"sub/b.md": "# Changed\n"}, LONG_AGO + 5)
    with monkeypatch.context() as patch:
        failing(patch, "sub/b.md", PermissionError(13, "Permission denied"))
        report = index(tmp_path, store, DEFAULT)
        assert [(each.path, each.reason) for each in report.skipped] == [
            ("sub/b.md", "cannot be read: Permission denied")
        ]
        assert found(store, "bananas") == ["sub/b.md"]
        assert look(tmp_path, store).modified == ()
    assert look(tmp_path, store).modified == ("sub/b.md",)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 1, 0, 2)
    assert found(store, "bananas") == []


def test_a_file_that_vanishes_between_look_and_reading_is_dropped(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {"sub/b.md": "# Changed\n"}, LONG_AGO + 5)
    failing(monkeypatch, "sub/b.md", FileNotFoundError(2, "No such file or directory"))
    report = index(tmp_path, store, DEFAULT)
    assert counts(report) == (0, 0, 1, 2)
    assert [each.path for each in report.skipped] == ["sub/b.md"]
    assert found(store, "bananas") == []


def test_what_lies_in_an_unreadable_folder_is_kept(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    listing: Any = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("sub/"):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    report = index(tmp_path, store, DEFAULT)
    assert report.removed == 0
    assert [each.path for each in report.skipped] == ["sub/"]
    assert found(store, "bananas") == ["sub/b.md"]


def test_a_binary_file_is_read_once(tmp_path: Path, store: MemoryStore) -> None:
    plant(tmp_path, FILES)
    (tmp_path / "blob").write_bytes(b"\x00\x01\x02")
    os.utime(tmp_path / "blob", ns=(LONG_AGO, LONG_AGO))
    report = index(tmp_path, store, DEFAULT)
    assert [(each.path, each.reason) for each in report.skipped] == [("blob", "binary file")]
    changes = look(tmp_path, store)
    assert (changes.added, changes.modified, changes.unchanged) == ((), (), 4)
    assert [each.path for each in changes.skipped] == ["blob"]
    report = index(tmp_path, store, DEFAULT)
    assert (counts(report), len(report.skipped)) == ((0, 0, 0, 4), 1)
    os.utime(tmp_path / "blob", ns=(LONG_AGO + 1, LONG_AGO + 1))
    report = index(tmp_path, store, DEFAULT)
    assert (counts(report), len(report.skipped)) == ((0, 0, 0, 4), 1)
    assert [each.path for each in look(tmp_path, store).skipped] == ["blob"]


def test_only_the_path_stays_of_a_file_that_became_binary_or_too_large(tmp_path: Path, store: MemoryStore) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    (tmp_path / "a.md").write_bytes(b"\x00")
    (tmp_path / "sub/b.md").write_bytes(b"x" * 2_000_001)
    report = index(tmp_path, store, DEFAULT)
    assert counts(report) == (0, 2, 0, 1)
    assert {each.path for each in report.skipped} == {"a.md", "sub/b.md"}
    assert found(store, "apples bananas") == []
    assert found(store, "sub") == ["sub/", "sub/b.md"]
    assert store.documents(["a.md"])["a.md"].kind == "files"
    plant(tmp_path, FILES)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 2, 0, 1)
    assert found(store, "bananas") == ["sub/b.md"]
    assert store.documents(["a.md"])["a.md"].kind == "docs"


def test_a_file_that_cannot_be_parsed_does_not_end_the_run(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, FILES)

    def failing_once(path: str, *rest: Any, plain: bool) -> BuiltEntry:
        if path == "a.md":
            raise ValueError("odd bytes")
        return build_entry(path, *rest, plain=plain)

    with monkeypatch.context() as patch:
        patch.setattr(task, "build_entry", failing_once)
        report = index(tmp_path, store, DEFAULT)
    assert counts(report) == (3, 0, 0, 0)  # it is known by its path
    assert [each.reason for each in report.skipped] == ["could not be parsed: ValueError: odd bytes"]
    assert found(store, "apples") == []
    assert look(tmp_path, store).number == 0
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 1, 0, 2)  # an explicit run tries again
    assert found(store, "apples") == ["a.md"]


def test_a_file_that_its_parser_cannot_cope_with_is_searched_as_plain_text(
    tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, FILES)

    def failing_once(path: str, *rest: Any, plain: bool) -> BuiltEntry:
        if path == "a.md" and not plain:
            raise RecursionError("too deep")
        return build_entry(path, *rest, plain=plain)

    monkeypatch.setattr(task, "build_entry", failing_once)
    report = index(tmp_path, store, DEFAULT)
    assert report.warnings == (("a.md", "could not be parsed: RecursionError: too deep: it is searched as plain text"),)
    assert found(store, "apples") == ["a.md"]


def test_warnings_about_indexed_files_are_kept_until_they_are_fixed(tmp_path: Path, store: MemoryStore) -> None:
    plant(tmp_path, {"a.md": "---\ntitle: a: b\n---\nText.\n", "b.md": "Fine.\n"})
    expected = (("a.md", "front matter is not valid YAML (line 2); it is searched as text"),)
    assert index(tmp_path, store, DEFAULT).warnings == expected
    assert index(tmp_path, store, DEFAULT).warnings == expected
    plant(tmp_path, {"a.md": "Fine.\n"}, LONG_AGO + 5)
    assert index(tmp_path, store, DEFAULT).warnings == ()


def test_text_in_any_encoding_is_found_and_what_is_no_file_is_listed(tmp_path: Path, store: MemoryStore) -> None:
    (tmp_path / "utf16.md").write_bytes("# Überschrift\r\n\r\nsechzehn\r\n".encode("utf-16"))
    (tmp_path / "latin.txt").write_bytes("caf\xe9 acht\n".encode("latin-1"))
    (tmp_path / "broken.md").write_bytes("検索の設定について説明します。".encode() + b"\xff kaputt\n")
    (tmp_path / "huge.md").write_bytes(b"riesig " * 400_000)
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.md")
    report = index(tmp_path, store, DEFAULT)
    assert found(store, "sechzehn überschrift") == ["utf16.md"]
    assert found(store, "café") == ["latin.txt"]
    assert found(store, "kaputt") == ["broken.md"]
    assert report.warnings == (("broken.md", "some bytes are not valid utf-8 and were replaced"),)
    assert [each.path for each in report.skipped] == ["huge.md", "link.md", "pipe.md"]
    assert store.chunks(["utf16.md#L1-L3"])["utf16.md#L1-L3"].text == "# Überschrift\n\nsechzehn"
