"""Finding files, and reading nothing that lies outside the root."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from waymeet.errors import NotFoundError
from waymeet.ingest.discover.walk import FoundFile, Skipped, walk
from waymeet.ingest.read.safe_read import read_file
from waymeet.settings import Ingest

DEFAULT = Ingest()


def plant(root: Path, *paths: str, **contents: str) -> None:
    """Create files with a word in each, or with the given contents (`__` in a keyword stands for a slash)."""
    for path, text in [*((path, "word\n") for path in paths), *contents.items()]:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def found(root: Path, ingest: Ingest = DEFAULT) -> list[str]:
    return [item.path for item in walk(root, ingest) if isinstance(item, FoundFile) and not item.path_only_reason]


def skipped(root: Path, ingest: Ingest = DEFAULT) -> dict[str, str]:
    items = {
        item.path: item.path_only_reason if isinstance(item, FoundFile) else item.reason for item in walk(root, ingest)
    }
    return {path: reason for path, reason in items.items() if reason}


def test_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    plant(tmp_path, "b.md", "a/z.md", "a/b/c.md", "a.md", "a-b/x.md", "Z.md", "é.md")
    paths = found(tmp_path)
    assert paths == sorted(paths)
    assert paths == ["Z.md", "a-b/x.md", "a.md", "a/b/c.md", "a/z.md", "b.md", "é.md"]


def test_a_file_comes_with_its_size_time_and_place(tmp_path: Path) -> None:
    plant(tmp_path, "docs/a.md")
    os.utime(tmp_path / "docs/a.md", ns=(1, 1_234_567_890))
    (item,) = walk(tmp_path, DEFAULT)
    changed_ns = (tmp_path / "docs/a.md").stat().st_ctime_ns
    assert item == FoundFile("docs/a.md", str(tmp_path / "docs/a.md"), 5, 1_234_567_890, changed_ns=changed_ns)


def test_ignored_files_are_counted_but_not_listed(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "x.log", "build/deep/b.md", "node_modules/c.md")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    steps = walk(tmp_path, DEFAULT)
    assert [item.path for item in steps] == [".gitignore", "a.md"]
    assert steps.ignored == 3


def test_rules_hold_below_their_folder_and_the_deeper_ones_win(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "sub/a.txt", "sub/keep.txt", "sub/deep/keep.txt", "other/keep.txt")
    (tmp_path / ".gitignore").write_text("*.txt\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.txt\n", encoding="utf-8")
    assert found(tmp_path, replace(DEFAULT, ignore=(".gitignore",))) == ["sub/deep/keep.txt", "sub/keep.txt"]


def test_our_own_ignore_file_is_stronger_than_gits(tmp_path: Path) -> None:
    plant(tmp_path, "notes.md", "secret.md", "sub/notes.md")
    (tmp_path / ".gitignore").write_text("notes.md\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("notes.md\n", encoding="utf-8")
    (tmp_path / ".waymeetignore").write_text("!notes.md\nsecret.md\n.*ignore\n", encoding="utf-8")
    assert found(tmp_path) == ["notes.md", "sub/notes.md"]


def test_a_negation_brings_back_what_the_settings_leave_out(tmp_path: Path) -> None:
    plant(tmp_path, "node_modules/a.md", "venv/b.md")
    (tmp_path / ".waymeetignore").write_text("!node_modules/\n", encoding="utf-8")
    assert found(tmp_path) == ["node_modules/a.md"]


def test_what_lies_below_an_ignored_folder_stays_ignored(tmp_path: Path) -> None:
    plant(tmp_path, "build/keep.md", "build/.waymeetignore")
    (tmp_path / ".gitignore").write_text("build/\n!build/keep.md\n", encoding="utf-8")
    (tmp_path / "build" / ".waymeetignore").write_text("!*\n", encoding="utf-8")
    assert found(tmp_path) == [".gitignore"]


def test_an_index_that_lies_in_the_folder_does_not_hold_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own/share"))
    plant(tmp_path, "a.md", "own/share/waymeet/indexes/x.md", "own/share/other/waymeet/b.md")
    assert found(tmp_path) == ["a.md", "own/share/other/waymeet/b.md"]


def test_the_git_folder_is_never_entered(tmp_path: Path) -> None:
    plant(tmp_path, ".git/config", ".git/info/exclude", "sub/.git", "a.md")
    (tmp_path / ".waymeetignore").write_text("!.git\n!.git/\n", encoding="utf-8")
    assert found(tmp_path, replace(DEFAULT, default_ignore=())) == [".waymeetignore", "a.md"]


def test_gits_own_exclude_file_is_read(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "private.md", ".git/info/exclude")
    (tmp_path / ".git/info/exclude").write_text("private.md\n", encoding="utf-8")
    assert found(tmp_path) == ["a.md"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    plant(root, "a.md", "sub/b.md")
    plant(outside, "secret.md")
    (root / "inside.md").symlink_to("a.md")
    (root / "leak.md").symlink_to(outside / "secret.md")
    (root / "leaks").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "nowhere").symlink_to("missing")
    assert found(root) == ["a.md", "sub/b.md"]
    assert set(skipped(root)) == {"inside.md", "leak.md", "leaks", "loop", "nowhere"}
    assert all(reason.startswith("symlink") for reason in skipped(root).values())


def test_an_ignore_file_is_not_read_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    plant(root, "a.md")
    plant(tmp_path, rules="*.md\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")
    assert found(root) == ["a.md"]


def test_a_root_that_is_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    plant(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")
    (item,) = walk(tmp_path / "link", DEFAULT)
    assert isinstance(item, FoundFile)
    assert item.absolute == str((tmp_path / "real" / "a.md").resolve())


def test_pipes_and_sockets_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # a socket's path must be short
        try:
            server.bind("socket.md")
        finally:
            os.chdir(here)
        assert skipped(tmp_path) == {"pipe.md": "not a file but a pipe", "socket.md": "not a file but a socket"}


def test_a_large_file_is_skipped_with_its_size_and_the_limit(tmp_path: Path) -> None:
    plant(tmp_path, "small.md")
    with (tmp_path / "sparse.md").open("wb") as file:
        file.truncate(3_000_000_000)
    assert found(tmp_path) == ["small.md"]
    reason = skipped(tmp_path)["sparse.md"]
    assert "3,000,000,000" in reason
    assert "2,000,000" in reason
    assert "ingest.max_file_bytes" in reason


def test_files_that_are_binary_by_name_are_not_opened(tmp_path: Path) -> None:
    plant(tmp_path, "a.PNG", "b.zip", "c.md", "png")
    assert found(tmp_path) == ["c.md", "png"]
    assert skipped(tmp_path) == {"a.PNG": "binary file", "b.zip": "binary file"}


def test_files_that_hold_secrets_are_never_read(tmp_path: Path) -> None:
    secret = [".env", ".env.local", "prod.env", "server.pem", "id_rsa", "deep/er/.aws/credentials", "x/.kube/config"]
    plant(tmp_path, *secret, ".env.example", "credentials.md", "id_rsa.pub")
    (tmp_path / ".waymeetignore").write_text("!*\n", encoding="utf-8")
    assert found(tmp_path) == [".env.example", ".waymeetignore", "credentials.md", "id_rsa.pub"]
    assert set(skipped(tmp_path)) == set(secret)


def test_a_name_that_is_not_utf8_is_skipped_with_a_name_that_can_be_shown(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    (tmp_path / name).touch()
    (tmp_path / os.fsdecode(b"dir\xff")).mkdir()
    assert found(tmp_path) == []
    assert skipped(tmp_path) == {
        "caf\\xe9.md": "its name is not valid UTF-8",
        "dir\\xff/": "its name is not valid UTF-8",
    }
    assert all(path.encode() for path in skipped(tmp_path))


def test_a_folder_that_cannot_be_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "a.md", "closed/b.md")
    deny(monkeypatch, "closed/")
    (item,) = (item for item in walk(tmp_path, DEFAULT) if isinstance(item, Skipped))
    assert item == Skipped("closed/", "cannot be read: Permission denied", unreadable=True)
    assert found(tmp_path) == ["a.md"]


def deny(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """Let a folder refuse to be listed (permissions do not stop the superuser who may run the tests)."""
    listing: Any = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith(ending):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)


def test_a_root_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(monkeypatch, "/")
    with pytest.raises(NotFoundError, match="cannot be read: Permission denied"):
        list(walk(tmp_path, DEFAULT))


def test_a_missing_root_and_a_file_as_root_are_errors(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    for path in (tmp_path / "missing", tmp_path / "a.md"):
        with pytest.raises(NotFoundError) as error:
            walk(path, DEFAULT)
        assert error.value.hint


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert list(walk(tmp_path, DEFAULT)) == []


def test_folders_may_be_nested_deeply(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 300)
    plant(tmp_path, f"{deep}/a.md")
    assert found(tmp_path) == [f"{deep}/a.md"]


def test_reading_gives_the_content_and_its_time(tmp_path: Path) -> None:
    plant(tmp_path, "a/b.md")
    os.utime(tmp_path / "a/b.md", ns=(5, 7))
    content = read_file(str(tmp_path), "a/b.md", 100)
    assert (content.raw, content.size, content.modified_ns) == (b"word\n", 5, 7)


@pytest.mark.parametrize(
    "path", ["leak.md", "leaks/secret.md", "../outside/secret.md", "a/../../outside/secret.md", ""]
)
def test_reading_never_leaves_the_root(tmp_path: Path, path: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    plant(root, "a/b.md")
    plant(outside, "secret.md")
    (root / "leak.md").symlink_to(outside / "secret.md")
    (root / "leaks").symlink_to(outside)
    with pytest.raises(OSError):  # noqa: PT011 - which of the system's errors it is depends on the system
        read_file(str(root), path, 100)


@pytest.mark.parametrize("path", ["leak.md", "leaks/secret.md", "../outside/secret.md"])
def test_reading_never_leaves_the_root_where_folders_cannot_be_opened(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())
    test_reading_never_leaves_the_root(tmp_path, path)
    assert read_file(str(tmp_path / "root"), "a/b.md", 100).raw == b"word\n"


def test_a_pipe_that_took_a_files_place_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(OSError, match="not a regular file"):
        read_file(str(tmp_path), "a.md", 100)


def test_a_file_that_grew_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    with pytest.raises(OSError, match="larger than the limit of 4 bytes"):
        read_file(str(tmp_path), "a.md", 4)
