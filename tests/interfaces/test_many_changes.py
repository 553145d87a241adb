"""More changed files than a search has time for: the likeliest first, the rest later, and the answer says how many."""

import json
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run

from waymeet.project import indexing

FEW = ("--set", "ingest.refresh_files=2")


@pytest.fixture
def _no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the clock take longer than a search has."""
    seconds = iter(range(1_000_000))
    monkeypatch.setattr(indexing, "monotonic", lambda: float(next(seconds)))


def plant(project: Path, pages: int = 8) -> None:
    for number in range(pages):
        (project / f"page{number}.md").write_text(f"# Page {number}\n\nOrdinary text.\n", encoding="utf-8")


def search(run: Run, *args: str) -> tuple[list[str], str]:
    found: dict[str, Any] = json.loads(run("search", "--json", *args, *FEW).out)
    behind = [each["detail"] for each in found["degraded"] if each["code"] == "behind"]
    return [hit["document"] for hit in found["hits"]], "".join(behind)


@pytest.mark.usefixtures("_no_time")
def test_every_search_takes_in_more_until_nothing_is_left(project: Path, run: Run) -> None:
    run("index")
    plant(project, 5)
    said = [search(run, "ordinary")[1] for _ in range(4)]
    assert [text.partition(" changed")[0] for text in said] == ["3 of 5", "1 of 3", "", ""]


@pytest.mark.usefixtures("_no_time")
def test_a_file_named_like_the_query_is_taken_in_first(project: Path, run: Run) -> None:
    run("index")
    (project / "zeppelin-flights.md").write_text("# Schedule\n", encoding="utf-8")
    plant(project)
    hits, behind = search(run, "zeppelin flights")
    assert hits[0] == "zeppelin-flights.md"
    assert behind.startswith("7 of 9 changed files")


def test_a_file_that_contains_the_query_is_taken_in_first(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index")
    plant(project)
    (project / "page4.md").write_text("# Page\n\nAbout zeppelins.\n", encoding="utf-8")
    (project / "page7.md").write_text("# Newest\n", encoding="utf-8")
    clock = iter([0.0, *[0.1] * 8, *range(1, 1000)])  # time to look into all files, then none
    monkeypatch.setattr(indexing, "monotonic", lambda: float(next(clock)))
    hits, behind = search(run, "zeppelins")
    assert hits[0] == "page4.md"
    assert behind.startswith("6 of 8 changed files")


@pytest.mark.usefixtures("_no_time")
def test_an_indexed_file_that_matched_before_is_taken_in_first(project: Path, run: Run) -> None:
    plant(project)
    (project / "page3.md").write_text("# Page 3\n\nAbout zeppelins.\n", encoding="utf-8")
    run("index")
    plant(project)
    (project / "page3.md").write_text("# Page 3\n\nAbout balloons now.\n", encoding="utf-8")
    (project / "page0.md").write_text("# Page 0\n\nChanged last.\n", encoding="utf-8")
    hits, _ = search(run, "zeppelins")
    assert "page3.md" not in hits


@pytest.mark.usefixtures("_no_time")
def test_removed_files_are_gone_at_once(project: Path, run: Run) -> None:
    plant(project, 20)
    (project / "gone.md").write_text("# Gone\n\nAbout zeppelins.\n", encoding="utf-8")
    run("index")
    (project / "gone.md").unlink()
    for number in range(8):
        (project / f"page{number}.md").write_text("# Changed\n", encoding="utf-8")
    hits, behind = search(run, "zeppelins")
    assert not hits
    assert behind


@pytest.mark.usefixtures("_no_time")
def test_changed_settings_of_the_project_are_applied_step_by_step(project: Path, run: Run) -> None:
    run("index")
    (project / "waymeet.toml").write_text("[chunking]\nmax_chars = 40\nmin_chars = 0\n", encoding="utf-8")
    said = [search(run, "rotate keys")[1].partition(" changed")[0] for _ in range(5)]
    assert said == ["5 of 7", "3 of 5", "1 of 3", "", ""]
