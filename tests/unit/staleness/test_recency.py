"""Dates of documents for recency and filters: front matter, else the last commit, else the file."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.repository import Repository

from waymeet.project import Project
from waymeet.staleness import recency
from waymeet.staleness.git_history import History, Reader, read_changed_paths, read_history
from waymeet.types import Query

SECOND = 10**9
DAY = 86_400
LATELY = 1_700_000_000

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: its history is NOT tested")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def clone(repository: Repository, tmp_path: Path) -> Repository:
    """A clone in which every file is new, because it was just written."""
    repository.commit(1000 * DAY, old="tea about kettles", dated="---\ndate: 1990-01-01\n---\ntea about cups")
    repository.commit(2000 * DAY, new="tea about spoons")
    repository.git("clone", "--quiet", repository.root.as_uri(), str(tmp_path / "clone"))
    copy = Repository.__new__(Repository)
    copy.root = tmp_path / "clone"
    return copy


@pytest.fixture
def project(clone: Repository, tmp_path: Path) -> Iterator[Project]:
    with Project.open(clone.root, index=tmp_path / "index.db") as project:
        project.index(embed=False)
        yield project


def dates(project: Project) -> dict[str, tuple[str, int]]:
    store, _ = project.refreshed_store()
    documents = store.documents([id_ for id_ in store.fingerprints() if not id_.endswith("/")])
    return {id_: (each.changed_by, each.changed_ns // SECOND // DAY) for id_, each in documents.items()}


def ask(project: Project, text: str, recipe: str = "auto") -> list[str]:
    return [hit.document for hit in project.search(Query(text, recipe=recipe)).hits]


def test_a_fresh_clone_has_the_dates_of_commits(project: Project) -> None:
    assert dates(project) == {
        "old.md": ("commit", 1000),
        "new.md": ("commit", 2000),
        "dated.md": ("front matter", 7305),
    }


def test_filters_and_the_recipe_memory_use_these_dates(project: Project) -> None:
    assert set(ask(project, "tea after:1975")) == {"new.md", "dated.md"}
    assert ask(project, "tea before:1975") == ["old.md"]
    assert ask(project, "tea", "memory") == ["dated.md", "new.md", "old.md"]


def test_a_changed_file_has_its_own_time_until_it_is_committed(project: Project, clone: Repository) -> None:
    clone.write("old.md", "tea about pots")
    os.utime(clone.root / "old.md", (LATELY, LATELY))
    assert dates(project)["old.md"] == ("file", LATELY // DAY)
    project.index(embed=False)
    assert dates(project)["old.md"] == ("file", LATELY // DAY)
    clone.commit(3000 * DAY)
    project.index(embed=False)
    assert dates(project)["old.md"] == ("commit", 3000)


def test_after_a_commit_only_its_files_are_dated_again(
    project: Project, clone: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def read_some(root: Path, paths: list[str], gone: tuple[str, ...], reader: Reader, seconds: float) -> History:
        read.extend(paths)
        return read_history(root, paths, gone, reader, seconds)

    monkeypatch.setattr(recency, "read_history", read_some)
    clone.commit(4000 * DAY, old="tea about kettles")  # another time, the same text
    clone.commit(4000 * DAY, new="tea about forks")
    project.index(embed=False)
    assert (read, dates(project)["new.md"]) == (["new.md"], ("commit", 4000))
    project.index(embed=False)
    assert read == ["new.md"]
    head = clone.git("rev-parse", "HEAD")
    assert read_changed_paths(clone.root, "0" * 40, head, 60) is None  # a commit that is gone: all are dated again


def test_an_extra_folder_has_the_dates_of_its_own_repository(project: Project, tmp_path: Path) -> None:
    other = Repository(tmp_path / "other")
    other.commit(1500 * DAY, page="tea elsewhere")
    project.add_root("other", other.root)
    project.index(embed=False)
    assert dates(project)["other:/page.md"] == ("commit", 1500)


def test_without_a_repository_files_have_their_own_times(tmp_path: Path) -> None:
    page = tmp_path / "plain" / "page.md"
    page.parent.mkdir()
    page.write_text("tea")
    os.utime(page, (LATELY, LATELY))
    with Project.open(page.parent, index=tmp_path / "index.db") as project:
        project.index(embed=False)
        assert dates(project) == {"page.md": ("file", LATELY // DAY)}
