"""Approximate vectors as a user meets them: from the first search until all sections are embedded."""

import json
from pathlib import Path

import msgspec
import pytest
import quality
from interfaces.conftest import Run
from support.without_models import WITHOUT_MODELS

from waymeet.analysis.embedded.space_names import is_student_space
from waymeet.errors import EmbeddingError
from waymeet.interfaces.quality.report import Report
from waymeet.models.student.texts import TextStudent
from waymeet.project import Project

NO_TIME = ("--no-background", "--set", "embedding.on_demand_seconds=0")


@pytest.fixture(autouse=True)
def _with_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use the default models, and no vectors of other tests."""
    for name in WITHOUT_MODELS:
        monkeypatch.delenv(name)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


def count_approximate(project: Path) -> int:
    with Project.open(project) as opened:
        return opened.status().vectors.approximate


def test_the_first_search_finds_sections_by_meaning(project: Path, run: Run) -> None:
    found = run("search", "exchange of secret credentials", "--json", *NO_TIME)
    answer = json.loads(found.out)
    (detail,) = [each["detail"] for each in answer["degraded"] if each["code"] == "partial_vectors"]
    assert "0 of " in detail
    assert "an approximate one (trust 0.60)" in detail
    explained = run("search", "exchange of secret credentials", "--explain-full", *NO_TIME)
    assert "approximate vector" in explained.out
    assert "more have an approximate vector until then (trust not measured yet)" in run("status").out
    assert count_approximate(project) > 0


def test_embedding_leaves_no_approximate_vector(project: Path, run: Run) -> None:
    run("search", "keys", *NO_TIME)
    assert run("index").code == 0
    assert count_approximate(project) == 0
    assert "approximate" not in run("status").out
    with Project.open(project) as opened:
        assert not any(map(is_student_space, opened.refreshed_store()[0].spaces()))
    assert "partial_vectors" not in run("search", "keys", "--json", *NO_TIME).out


@pytest.mark.parametrize("flag", ["embedding.student=false", "embedding.provider=hashing", "embedding.provider=none"])
def test_they_can_be_left_out(project: Path, run: Run, flag: str) -> None:
    run("index", "--no-embed")
    assert count_approximate(project) == 0
    run("index", "--no-embed", "--set", flag)
    run("search", "keys", "--no-background", "--set", flag, "--set", "embedding.on_demand_seconds=0")
    assert count_approximate(project) == 0


def test_sections_of_changed_files_get_one_at_once(project: Path, run: Run) -> None:
    run("search", "keys", *NO_TIME)
    before = count_approximate(project)
    for number in range(300):
        (project / f"new{number}.md").write_text(f"# New {number}\n\nA page about lanterns.\n", "utf-8")
    run("search", "lanterns", *NO_TIME, "--set", "ingest.refresh_seconds=60")
    assert count_approximate(project) > before


def test_a_student_that_cannot_be_used_is_reported_and_nothing_else_changes(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: TextStudent) -> None:
        raise EmbeddingError("The student's file is incomplete.", "Install Waymeet again.")

    monkeypatch.setattr(TextStudent, "_load", fail)
    assert run("search", "keys", *NO_TIME).code == 0
    assert count_approximate(project) == 0
    embedded = run("index")
    assert embedded.code == 0
    assert "No approximate vectors: The student's file is incomplete. Install Waymeet again." in embedded.err


def test_an_evaluation_compares_words_approximate_and_true_vectors(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    pages = {"tea": "How to brew a hot drink from leaves.", "key": "How to open a door.", "map": "How to find a way."}
    corpus = [{"id": name, "text": text} for name, text in pages.items()]
    queries = [{"id": "1", "text": "preparing green tea"}, {"id": "2", "text": "unlocking the entrance"}]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ttea\t1\n2\tkey\t1\n", encoding="utf-8")
    done = run("eval", str(folder), "--recipe", "auto:words,auto:student,auto", "--json")
    assert done.code == 0, done.err
    report = msgspec.json.decode(done.out, type=Report)
    figures = {result.recipe: result.metrics["nDCG@10"] for result in report.results}
    assert figures["auto:words"] < figures["auto:student"] == figures["auto"] == 1.0
    table = quality.student_table(report)
    assert [cell.text for cell in table.rows[0]] == ["pages", "0.500", "1.000", "1.000", "100%"]
    refused = run("eval", "--mine", "--recipe", "auto:student")
    assert refused.code == 2
    assert "measured on collections" in refused.err
