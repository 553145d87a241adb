"""A search in a folder that is ignored says so, and its advice works."""

import json
from pathlib import Path

import pytest
from interfaces.conftest import Run


@pytest.fixture
def ignored(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder in an ignored one, and go there."""
    (project / ".gitignore").write_text("*.tmp\nout/\n", encoding="utf-8")
    folder = project / "out" / "inner"
    folder.mkdir(parents=True)
    (folder / "heron.md").write_text("# Heron\n\nThe heron eats fish.\n", encoding="utf-8")
    run("index")
    monkeypatch.chdir(folder)
    return folder


NOTICE = "The folder out/inner/ is not indexed: ignored by .gitignore, line 2: out/."
ADVICE = (
    "To search this folder alone, add -C . to the command; "
    "to index it with the rest, add the line !/out/ to .waymeetignore."
)


def test_a_search_in_an_ignored_folder_says_where_its_results_are_from(project: Path, ignored: Path, run: Run) -> None:
    found = run("search", "how are ranked lists fused")
    assert found.code == 0
    assert f"{NOTICE} Results are from the rest of {project}. {ADVICE}" in found.err
    assert NOTICE in json.loads(run("search", "fused", "--json").out)["notes"][0]
    assert ignored.is_relative_to(project)


@pytest.mark.usefixtures("ignored")
def test_the_folder_alone_can_be_searched(project: Path, run: Run) -> None:
    alone = run("search", "heron", "-C", ".")
    assert (alone.code, "not indexed" in alone.err) == (0, False)
    assert "heron.md" in run("search", "heron").out, "it has an index of its own from then on"
    chosen = run("search", "fused", "-C", str(project))
    assert (chosen.code, "not indexed" in chosen.err) == (0, False)


def test_the_advice_makes_its_files_searchable(project: Path, ignored: Path, run: Run) -> None:
    assert run("search", "heron").code == 1
    assert "add the line !/out/ to .waymeetignore" in run("why-not", "heron", "out/inner/heron.md").out
    (project / ".waymeetignore").write_text("!/out/\n", encoding="utf-8")
    found = run("search", "heron")
    assert (found.code, "out/inner/heron.md" in found.out, "not indexed" in found.err) == (0, True, False)
    assert ignored.name == "inner"


def test_a_rule_of_waymeetignore_is_removed_where_it_stands(project: Path, ignored: Path, run: Run) -> None:
    (project / ".gitignore").unlink()
    (ignored.parent / ".waymeetignore").write_text("inner/\n", encoding="utf-8")
    assert "out/.waymeetignore, line 1: inner/" in (err := run("search", "fused").err)
    assert "to index it with the rest, remove that line." in err


def test_no_notice_where_files_are_indexed(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    for folder in (project, project / "docs"):
        monkeypatch.chdir(folder)
        assert "not indexed" not in run("search", "fused").err
