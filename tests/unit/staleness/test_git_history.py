"""Change dates from git, in repositories made by the tests."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conformance.make import entry
from msgspec.structs import replace
from support.repository import Repository

from waymeet.formulas.staleness import ChangeTime
from waymeet.settings import Settings
from waymeet.staleness.dates import ChangeDates, load_change_dates
from waymeet.staleness.git_history import read_head, read_history
from waymeet.staleness.update_dates import update_change_dates
from waymeet.staleness.verdicts import list_stale
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Link

SECOND = 10**9
DAY = 86_400

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: its history is NOT tested")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def changed(repository: Repository, *paths: str, root: str = "") -> dict[str, int]:
    folder = repository.root / root
    found = read_history(folder, paths, (), lambda path: repository.read(f"{root}{path}"), 60)
    assert not found.problem
    return {path: at // SECOND for path, at in found.changed.items()}


def test_the_last_commit_that_changed_each_path(repository: Repository) -> None:
    repository.commit(1000, a="1", b="1", sub__c="1")
    repository.commit(2000, b="2")
    repository.commit(3000, other="1")
    assert changed(repository, "a.md", "b.md", "sub/c.md", "none.md") == {"a.md": 1000, "b.md": 2000, "sub/c.md": 1000}
    assert changed(repository, "c.md", root="sub/") == {"c.md": 1000}


def test_a_file_with_uncommitted_changes_is_known_but_has_no_commit(repository: Repository) -> None:
    repository.commit(1000, a="1", b="1")
    repository.write("a.md", "2")
    found = read_history(repository.root, ["a.md", "b.md"], (), repository.read, 60)
    assert found.changed == {"b.md": 1000 * SECOND}
    assert found.edited == {"a.md"}


def test_line_endings_are_no_change(repository: Repository) -> None:
    repository.commit(1000, a="1\n2\n")
    (repository.root / "a.md").write_bytes(b"1\r\n2\r\n")
    assert changed(repository, "a.md") == {"a.md": 1000}


def test_renames_and_modes_are_no_change(repository: Repository) -> None:
    repository.commit(1000, a="some text\n", b="other\n")
    repository.git("mv", "a.md", "b2.md")
    repository.commit(2000)
    repository.git("mv", "b2.md", "c.md")
    (repository.root / "c.md").chmod(0o755)
    repository.commit(3000)
    assert changed(repository, "c.md", "b.md") == {"c.md": 1000, "b.md": 1000}


def test_a_rename_with_a_change_is_a_change(repository: Repository) -> None:
    repository.commit(1000, a="some text\nof two lines\n")
    repository.git("mv", "a.md", "b.md")
    repository.write("b.md", "some text\nof three lines\n")
    repository.commit(2000)
    assert changed(repository, "b.md") == {"b.md": 2000}


def test_a_name_that_came_back_is_not_its_former_self(repository: Repository) -> None:
    repository.commit(1000, a="first\n")
    repository.git("mv", "a.md", "b.md")
    repository.commit(2000)
    repository.commit(3000, a="second\n")
    assert changed(repository, "a.md", "b.md") == {"a.md": 3000, "b.md": 1000}


def test_merges(repository: Repository) -> None:
    repository.commit(1000, a="1\n", b="1\n")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit(2000, a="2\n")
    repository.git("checkout", "--quiet", "main")
    repository.commit(3000, b="2\n")
    repository.git("merge", "--quiet", "--no-ff", "-m", "x", "side", at=4000)
    assert changed(repository, "a.md", "b.md") == {"a.md": 2000, "b.md": 3000}
    repository.git("checkout", "--quiet", "-b", "other", "main~1")
    repository.commit(5000, b="3\n")
    repository.git("merge", "--quiet", "--no-commit", "-s", "ours", "main", at=6000)
    repository.write("b.md", "neither\n")
    repository.commit(6000)
    assert changed(repository, "b.md")["b.md"] == 6000


@pytest.mark.parametrize("number", [1, 40])
def test_few_files_and_many_are_found_alike(repository: Repository, number: int) -> None:
    repository.commit(1000, **{f"p{n}": f"{n}" for n in range(50)})
    repository.commit(2000, p0="new")
    repository.git("checkout", "--quiet", "-b", "given-up")
    repository.commit(3000, p0="discarded")
    repository.git("checkout", "--quiet", "main")
    repository.commit(4000, other="1")
    repository.git("merge", "--quiet", "-s", "ours", "-m", "x", "given-up", at=5000)
    repository.git("mv", "p1.md", "q1.md")
    repository.commit(6000)
    paths = ["p0.md", "q1.md", *(f"p{n}.md" for n in range(2, number))]
    assert changed(repository, *paths) == {**dict.fromkeys(paths, 1000), "p0.md": 2000}


def test_when_and_where_to_files_vanished(repository: Repository) -> None:
    repository.commit(1000, A="some text\n", b="1\n")
    repository.git("mv", "A.md", "c.md")
    repository.commit(2000)
    repository.git("rm", "--quiet", "b.md")
    repository.commit(3000)
    found = read_history(repository.root, (), ["a.md", "b.md", "never.md"], repository.read, 60)
    assert found.gone == {"a.md": (2000 * SECOND, "c.md"), "b.md": (3000 * SECOND, "")}


@pytest.mark.parametrize("name", ["*.md", ":(top)x.md", "a b.md", "日本.md", '"q".md', "-x.md", "[a].md", "\udc80.md"])
def test_any_name(repository: Repository, name: str) -> None:
    try:
        repository.write(name, "1")
    except OSError:
        pytest.skip("this file system has no such names")
    repository.commit(1000)
    repository.commit(2000, other="1")
    assert changed(repository, name) == {name: 1000}


def test_a_repository_cannot_make_git_run_anything(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1000, a="1", b="1")
    repository.write(".gitattributes", "* diff=evil filter=evil\n")
    repository.commit(2000, a="2")
    evil = tmp_path / "evil"
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\ntouch {evil}\ncat\n", encoding="utf-8")
    command.chmod(0o755)
    for key in (
        "core.fsmonitor core.pager pager.log diff.external diff.evil.textconv diff.evil.command filter.evil.clean "
        "filter.evil.smudge gpg.program core.sshCommand core.alternateRefsCommand core.editor"
    ).split():
        repository.git("config", key, str(command))
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "core.hooksPath", str(tmp_path))
    repository.git("config", "log.showRoot", "false")
    repository.git("config", "log.follow", "true")
    evil.unlink(missing_ok=True)
    assert changed(repository, "a.md", "b.md") == {"a.md": 2000, "b.md": 1000}
    assert not evil.exists()


def test_what_the_caller_has_set_for_git_does_not_count(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1000, a="1")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert changed(repository, "a.md") == {"a.md": 1000}


def test_without_a_repository_or_a_commit_there_are_no_dates(tmp_path: Path, repository: Repository) -> None:
    assert read_head(tmp_path, 60).head == ""
    assert read_head(tmp_path, 60).problem == ""
    assert read_history(repository.root, ["a.md"], (), repository.read, 60).problem == ""


def test_errors_of_git_are_reported(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1000, a="1")
    assert "timed out" in read_history(repository.root, ["a.md"], (), repository.read, 0).problem
    (repository.root / ".git" / "objects").rename(repository.root / ".git" / "lost")
    assert "git failed" in read_history(repository.root, ["a.md"], (), repository.read, 60).problem
    monkeypatch.setenv("PATH", "")
    assert "not installed" in read_head(repository.root, 60).problem


def test_what_was_not_reached_in_time_is_known_to_be_older(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1000, source="1", page="source.md")
    repository.commit(2000, other="1")
    repository.commit(3000, page="now source.md")
    from waymeet.staleness import git_history as module
    from waymeet.staleness.git import GitError, run_git

    def slow(git: str, root: Path, command: list[str], stdin: bytes, deadline: float) -> Iterator[bytes]:
        output = b"".join(run_git(git, root, command, stdin, deadline))
        if command[0] != "log":
            yield output
            return
        yield output[: output.index(b"\x01", 1)]
        raise GitError("timed out")

    monkeypatch.setattr(module, "run_git", slow)
    found = read_history(repository.root, ["source.md", "page.md"], (), repository.read, 60)
    assert "timed out" in found.problem
    assert found.changed == {"page.md": 3000 * SECOND, "source.md": 3000 * SECOND}
    store = store_of(repository)
    renew(store, repository)
    assert states(store) == {"page.md": "fresh"}


def test_a_shallow_clone_is_reported(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1000, a="1")
    repository.commit(2000, b="1")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=1", repository.root.as_uri(), str(clone))
    found = read_history(clone, ["a.md"], (), lambda path: (clone / path).read_bytes(), 60)
    assert "shallow" in found.problem
    assert found.changed == {"a.md": 2000 * SECOND}


# --- remembered in a store ------------------------------------------------------------------------------------


def store_of(repository: Repository, modified: Callable[[str], int] = lambda path: 9000) -> MemoryStore:
    """Index the pages of a repository, with the pages that each names as its sources."""
    store = MemoryStore()
    index_pages(store, repository, modified)
    return store


def index_pages(store: MemoryStore, repository: Repository, modified: Callable[[str], int] = lambda path: 9000) -> None:
    store.drop(list(store.fingerprints()))
    for file in sorted(repository.root.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        links = [Link((f"p:{word}",), "source") for word in text.split() if word.endswith(".md")]
        made = entry(file.name, text, names=(f"p:{file.name}",), links=links, digest=text)
        at = modified(file.name) * SECOND
        store.put([replace(made, document=replace(made.document, modified_ns=at))])


def renew(store: MemoryStore, repository: Repository, now: int = 10_000) -> ChangeDates:
    return update_change_dates(store, repository.root, repository.read, Settings(), now * SECOND)


def verdicts(store: MemoryStore, now: int = 10_000) -> dict[str, tuple[str, str]]:
    found = list_stale(store, Settings(), now * SECOND, load_change_dates(store))
    return {each.document: (each.state, each.reason) for each in found if each.state != "unknown"}


def states(store: MemoryStore, now: int = 10_000) -> dict[str, str]:
    return {document: state for document, (state, _) in verdicts(store, now).items()}


def test_in_a_fresh_clone_commits_decide(repository: Repository) -> None:
    repository.commit(1000, source="1", after="source.md", before="source.md")
    repository.commit(2000, source="2")
    repository.commit(3000, after="now says source.md")
    store = store_of(repository)
    renew(store, repository)
    assert states(store) == {"after.md": "fresh", "before.md": "stale"}
    assert load_change_dates(store).times["source.md"].changed_at == ChangeTime(2000 * SECOND, "commit")


def test_an_uncommitted_edit_has_the_time_of_its_file(repository: Repository) -> None:
    repository.commit(1000, source="1", page="source.md")
    store = store_of(repository)
    renew(store, repository)
    assert states(store) == {"page.md": "fresh"}
    repository.write("source.md", "2")
    index_pages(store, repository)
    assert states(store) == {"page.md": "stale"}  # before git was run again
    renew(store, repository)
    assert states(store) == {"page.md": "stale"}
    repository.write("page.md", "better source.md")
    index_pages(store, repository, {"page.md": 9500, "source.md": 9000}.__getitem__)
    renew(store, repository)
    assert states(store) == {"page.md": "fresh"}


def test_a_renamed_source_leaves_a_page_fresh_for_a_week(repository: Repository) -> None:
    repository.commit(1000, source="text\n", page="source.md")
    repository.git("mv", "source.md", "moved.md")
    repository.commit(2000)
    store = store_of(repository)
    renew(store, repository)
    assert states(store, 2000 + 6 * DAY) == {"page.md": "fresh"}
    state, reason = verdicts(store, 2000 + 8 * DAY)["page.md"]
    assert state == "possibly_stale"
    assert "its source source.md was renamed to moved.md on 1970-01-01" in reason
    repository.commit(3000, moved="other text\n")
    index_pages(store, repository)
    renew(store, repository)
    assert "out of date with source.md (now moved.md), which changed" in verdicts(store)["page.md"][1]


def test_a_missing_source_is_reported_with_its_date(repository: Repository) -> None:
    repository.commit(1000, source="text\n", page="source.md")
    repository.git("rm", "--quiet", "source.md")
    repository.commit(2 * DAY)
    store = store_of(repository)
    renew(store, repository)
    assert verdicts(store)["page.md"] == ("stale", "its source source.md has been missing since 1970-01-03")


def test_without_git_contents_and_file_times_decide(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "plain")
    shutil.rmtree(repository.root / ".git")
    repository.write("source.md", "1")
    repository.write("page.md", "source.md")
    times = {"source.md": 1030, "page.md": 1000}
    store = store_of(repository, times.__getitem__)
    renew(store, repository)
    assert states(store) == {"page.md": "fresh"}  # copied within a minute: the order of copying does not count
    repository.write("source.md", "2")
    index_pages(store, repository, {**times, "source.md": 500}.__getitem__)
    renew(store, repository, 2000)
    assert states(store) == {"page.md": "stale"}  # the content is new although the file's time is old
    repository.write("page.md", "again source.md")
    index_pages(store, repository, {"source.md": 500, "page.md": 2001}.__getitem__)
    renew(store, repository, 2002)
    assert states(store) == {"page.md": "fresh"}
    (repository.root / "source.md").rename(repository.root / "moved.md")
    index_pages(store, repository, {"moved.md": 500, "page.md": 2001}.__getitem__)
    renew(store, repository, 3000)
    assert states(store, 3001) == {"page.md": "fresh"}
    assert "was renamed to moved.md" in verdicts(store, 3001)["page.md"][1]


def test_a_source_that_is_not_indexed_and_a_folder_are_there_all_the_same(repository: Repository) -> None:
    page = "picture.md.png and folder/.md"
    repository.commit(1000)
    repository.write("Picture.png", "1")
    repository.write("folder/x.md", "1")
    repository.commit(2000)
    store = MemoryStore()
    links = [Link(("p:picture.png",), "source"), Link(("p:folder",), "source")]
    inner = entry("folder/x.md", "1", names=(), digest="1")
    store.put([entry("page.md", page, names=(), links=links), inner])
    found = renew(store, repository)
    assert found.unindexed == {
        "picture.png": ChangeTime(2000 * SECOND, "commit"),
        "folder": ChangeTime(2000 * SECOND, "commit"),
    }
    assert states(store)["page.md"] == "stale"


def test_git_is_not_run_twice_for_the_same_state(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1000, source="1", page="source.md")
    store = store_of(repository)
    first = renew(store, repository)
    monkeypatch.setattr("waymeet.staleness.update_dates.read_history", None)
    assert renew(store, repository, 99_999) == first
