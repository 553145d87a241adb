"""Measuring by section and by file: rows, reports, baselines, runs, and queries built from a project."""

import json
from pathlib import Path

import msgspec
import pytest
from interfaces.conftest import Run
from support.documented_project import files, write

from waymeet.interfaces.quality.report import Report

KEYS = "Turn the brass key twice and write a line in the book. " * 3
PAGE = f"# Keys\n\n## Overview\n\nAll of the keys. {KEYS}\n\n## Rotating\n\nRotate keys yearly. {KEYS}\n"
OTHER = f"# Lamps\n\nThe lamp burns oil in the hall. {KEYS}\n\n## Rotating lamps\n\nRotate the lamps. {KEYS}\n"
QUERIES = {"q1": "rotate keys yearly", "q2": "which lamp burns oil"}


def _collection(folder: Path) -> Path:
    for name, text in {"keys.md": PAGE, "lamps.md": OTHER}.items():
        (folder / "corpus").mkdir(parents=True, exist_ok=True)
        (folder / "corpus" / name).write_text(text, encoding="utf-8")
    rows = (json.dumps({"id": id_, "text": text}) for id_, text in QUERIES.items())
    (folder / "queries.jsonl").write_text("\n".join(rows), encoding="utf-8")
    # The overview of the keys is judged, which has fewer words of the query than its neighbour.
    judged = "query-id\tcorpus-id\tscore\nq1\tkeys.md#overview\t1\nq2\tlamps.md\t1\n"
    (folder / "qrels.tsv").write_text(judged, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return _collection(tmp_path / "house")


def _report(run: Run, *options: str) -> Report:
    done = run("eval", *options, "--json")
    assert done.code == 0, done.err
    return msgspec.json.decode(done.out, type=Report)


def test_both_levels_are_measured_in_one_run(run: Run, folder: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    report = _report(run, str(folder), "--level", "both", "--recipe", "auto,classic:bm25_only", "--runs", str(runs))
    assert [(each.recipe, each.level) for each in report.results] == [
        ("auto", "file"),
        ("auto", "section"),
        ("classic:bm25_only", "file"),
        ("classic:bm25_only", "section"),
    ]
    file, section, *_ = report.results
    assert file.metrics["MRR@10"] == 1.0
    assert section.metrics["MRR@10"] < 1.0, "the section beside the right one comes first"
    assert [(each.recipe, each.level) for each in report.comparisons] == [
        ("classic:bm25_only", "file"),
        ("classic:bm25_only", "section"),
    ]
    assert all(each.against == "auto" for each in report.comparisons)
    for level, first in (("file", "keys.md"), ("section", "keys.md#L7-L9")):
        path = tmp_path / f"runs.house.auto.{level}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert rows[0]["hits"][0] == first
        assert len(set(rows[0]["hits"])) == len(rows[0]["hits"])
        assert rows[0]["right"] == ["keys.md" if level == "file" else "keys.md#overview"]


def test_each_level_alone_gives_the_same(run: Run, folder: Path) -> None:
    file, section = _report(run, str(folder), "--level", "both").results
    assert [each.metrics for each in _report(run, str(folder), "--level", "file").results] == [file.metrics]
    assert [each.metrics for each in _report(run, str(folder), "--level", "section").results] == [section.metrics]
    (default,) = _report(run, str(folder)).results
    assert default.level == ""
    assert file.metrics["MRR@10"] >= default.metrics["MRR@10"] >= section.metrics["MRR@10"]


def test_text_and_reports_name_the_level(run: Run, folder: Path, tmp_path: Path) -> None:
    other = _collection(tmp_path / "barn")
    paths = [tmp_path / f"r.{ending}" for ending in ("md", "html")]
    reports = [part for path in paths for part in ("--report", str(path))]
    done = run("eval", str(folder), str(other), "--level", "both", "--recipe", "auto,classic:bm25_only", *reports)
    assert done.code == 0, done.err
    rows = [line.split()[:3] for line in done.out.partition("\n\n")[0].splitlines()]
    assert rows[:3] == [["collection", "recipe", "level"], ["house", "auto", "file"], ["house", "auto", "section"]]
    for title in ("nDCG@10, by file", "nDCG@10, by section", "Mean over collections"):
        assert title in done.out
        assert all(f"{title}" in path.read_text(encoding="utf-8") for path in paths)
    mean = done.out.partition("Mean over collections")[2].splitlines()
    assert mean[1].split() == ["recipe", "level", "collections", "nDCG@10", "MRR@10"]
    assert mean[2].split()[:3] == ["auto", "file", "2"]
    assert done.out.count("degraded answers") <= 1, "answers are counted once"
    ablated = run("eval", str(folder), "--level", "both", "--ablate").out
    assert "without lexical, by file" in ablated
    assert "without lexical, by section" in ablated


def test_one_recipe_on_several_collections_has_a_mean(run: Run, folder: Path, tmp_path: Path) -> None:
    other = _collection(tmp_path / "barn")
    report = _report(run, str(folder), str(other))
    (mean,) = report.means
    assert (mean.recipe, mean.level, mean.collections) == ("auto", "", 2)
    assert mean.metrics["nDCG@10"] == pytest.approx(
        sum(each.metrics["nDCG@10"] for each in report.results) / 2, abs=1e-4
    )
    lines = run("eval", str(folder), str(other)).out.partition("Mean over collections")[2].splitlines()
    assert lines[1].split() == ["recipe", "collections", "nDCG@10", "MRR@10"]
    assert "Mean over collections" not in run("eval", str(folder)).out


def test_a_baseline_has_a_row_for_each_level(run: Run, folder: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "good.json"
    assert run("eval", str(folder), "--level", "both", "--save-baseline", str(baseline)).code == 0
    done = run("eval", str(folder), "--level", "both", "--fail-below", str(baseline))
    assert done.code == 0
    assert "auto, by file" in done.out.partition("Against the baseline")[2]
    done = run("eval", str(folder), "--level", "section", "--fail-below", str(baseline))
    assert "house, auto, by file: in the baseline, but not measured now" in done.out
    done = run("eval", str(folder), "--fail-below", str(baseline))
    assert "house, auto: not in the baseline" in done.out, "other levels are not compared"
    done = run("eval", str(folder), "--level", "both", "--fail-below", "0.99")
    assert done.code == 1
    assert "house, auto, by section: nDCG@10" in done.out
    assert "house, auto, by file: nDCG@10" not in done.out


def test_queries_built_from_a_project_are_measured_by_section_and_by_file(run: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "house", files())
    report = _report(run, "--mine", str(root), "--most", "10", "--level", "both")
    figures = {(each.collection, each.level): each.metrics["MRR@10"] for each in report.results}
    default = {
        each.collection: each.metrics["MRR@10"] for each in _report(run, "--mine", str(root), "--most", "10").results
    }
    for kind in ("headings", "docstrings"):
        assert figures[kind, "file"] >= figures[kind, "section"] == default[kind]
    assert figures["links", "file"] == default["links"]
    assert [each.level for each in report.means] == ["file", "section"]


def test_all_parts_of_a_long_section_are_one_place(run: Run, tmp_path: Path) -> None:
    folder = _collection(tmp_path / "long")
    parts = "\n\n".join(f"Rotate the brass keys yearly, as rule {number} says. {KEYS * 3}" for number in range(8))
    page = f"# Keys\n\n{KEYS}\n\n## Rotating all keys\n\n{parts}\n"
    (folder / "corpus" / "keys.md").write_text(page, encoding="utf-8")
    runs = tmp_path / "runs.jsonl"
    for anchor in ("rotating-all-keys", "Rotating all keys"):
        (folder / "qrels.tsv").write_text(f"q\td\ts\nq1\tkeys.md#{anchor}\t1\n", encoding="utf-8")
        done = run("eval", str(folder), "--level", "section", "--runs", str(runs))
        assert done.code == 0, done.err
        hits = json.loads(runs.read_text(encoding="utf-8").splitlines()[0])["hits"]
        assert hits[0] == f"keys.md#{anchor}"
        others = [hit for hit in hits[1:] if hit.startswith("keys.md")]
        assert all(hit.startswith("keys.md#L1-") for hit in others), "only the text above the section is another hit"


def test_plain_bm25_and_tuned_weights_have_a_level(run: Run, tmp_path: Path) -> None:
    folders = [str(_collection(tmp_path / name)) for name in ("house", "barn", "mill")]
    report = _report(run, folders[0], "--plain", "--level", "section")
    assert [each.label for each in report.results] == ["plain, by section", "auto, by section"]
    assert any(remark.startswith("plain ranks whole documents") for remark in report.remarks)
    report = _report(run, *folders, "--leave-one-out", "--level", "section")
    for fold, result in zip(report.folds, report.results, strict=True):
        assert fold.comparison.level == "section"
        assert fold.before == result.metrics["nDCG@10"]


def test_levels_that_cannot_be_measured_are_refused(run: Run, folder: Path, tmp_path: Path) -> None:
    trec = tmp_path / "x.trec"
    trec.write_text("q1 Q0 keys.md 1 9 x\n", encoding="utf-8")
    done = run("eval", "--qrels", str(folder / "qrels.tsv"), "--beside", str(trec), "--level", "file")
    assert (done.code, "--level needs files" in done.err) == (2, True)
    done = run("eval", str(folder), "--level", "both", "--leave-one-out")
    assert (done.code, "needs one level" in done.err) == (2, True)
    assert run("eval", str(folder), "--level", "line").code == 2
