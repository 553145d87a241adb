"""Evaluation: formats of collections, comparisons, reports, baselines, mined queries."""

import json
import re
from pathlib import Path
from xml.dom.minidom import parseString

import pytest
from interfaces.conftest import Run
from support.documented_project import THINGS, files, write

from waymeet.evaluate.metrics import METRICS
from waymeet.interfaces.quality.svg import Row, draw_intervals
from waymeet.recipes import RECIPES
from waymeet.recipes.ablate import without_each_stage

HOSTILE = "<script>alert(1)</script>|`x`"


def _folder(folder: Path, *, beir: bool = False, name: str = "") -> Path:
    """Write a collection of two dozen documents, each relevant to one query."""
    folder = folder / (name or "things")
    folder.mkdir(parents=True)
    key = "_id" if beir else "id"
    corpus = [
        {key: f"d{at}", "title": f"The {thing}", "text": f"A {thing} is kept dry.", "metadata": {}}
        for at, thing in enumerate(THINGS)
    ]
    queries = [{key: f"q{at}", "text": f"how to keep the {thing} dry"} for at, thing in enumerate(THINGS)]
    for file, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{file}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    judged = "query-id\tcorpus-id\tscore\n" + "".join(f"q{at}\td{at}\t1\n" for at in range(len(THINGS)))
    if beir:
        (folder / "qrels").mkdir()
        (folder / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
        (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq3\td3\t1\n", encoding="utf-8")
    else:
        (folder / "qrels.tsv").write_text(judged, encoding="utf-8")
    return folder


@pytest.fixture
def things(tmp_path: Path) -> Path:
    return _folder(tmp_path)


def _results(out: str) -> list[dict[str, object]]:
    results: list[dict[str, object]] = json.loads(out)["results"]
    return results


def test_a_folder_of_beir_is_a_collection_with_splits(run: Run, tmp_path: Path) -> None:
    folder = _folder(tmp_path, beir=True)
    (result,) = _results(run("eval", str(folder), "--json").out)
    assert result["queries"] == len(THINGS)
    assert set(result["metrics"]) == set(METRICS)  # type: ignore[call-overload]
    (result,) = _results(run("eval", str(folder), "--split", "train", "--json").out)
    assert result["queries"] == 1
    done = run("eval", str(folder), "--split", "dev")
    assert (done.code, "qrels/dev.tsv cannot be read" in done.err) == (2, True)


def test_runs_and_judgements_of_trec_are_measured(run: Run, things: Path, tmp_path: Path) -> None:
    trec, qrels = tmp_path / "ours.trec", tmp_path / "qrels.txt"
    (whole,) = _results(run("eval", str(things), "--trec", str(trec), "--json").out)
    qrels.write_text("".join(f"q{at} 0 d{at} 1\n" for at in range(len(THINGS))), encoding="utf-8")
    (again,) = _results(run("eval", "--qrels", str(qrels), "--beside", str(trec), "--json").out)
    assert again["metrics"] == whole["metrics"]
    assert (again["collection"], again["recipe"]) == ("qrels", "auto")
    theirs = tmp_path / "theirs.trec"
    theirs.write_text("q0 Q0 d1 1 9 theirs\nq0 Q0 d0 2 8 theirs\n", encoding="utf-8")
    done = run("eval", str(things), "--beside", str(theirs), "--json")
    report = json.loads(done.out)
    assert [each["recipe"] for each in report["results"]] == ["auto", "theirs"]
    (compared,) = report["comparisons"]
    assert (compared["against"], compared["difference"] < 0, compared["high"] < 0) == ("auto", True, True)
    (things / "qrels.tsv").rename(things / "aside")
    (things / "qrels.txt").write_text(qrels.read_text(encoding="utf-8"), encoding="utf-8")
    (same,) = _results(run("eval", str(things), "--json").out)
    assert same["metrics"] == whole["metrics"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("q0 Q0 d1\n", "line 1 is not query, Q0"),
        ("other Q0 d1 1 1 x\n", "has no query of"),
        ("", "has no query"),
    ],
)
def test_what_is_no_run_is_refused(run: Run, things: Path, tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "x.trec").write_text(text, encoding="utf-8")
    done = run("eval", str(things), "--beside", str(tmp_path / "x.trec"))
    assert (done.code, complaint in done.err) == (2, True), done.err


def test_recipes_are_compared_with_the_first(run: Run, things: Path) -> None:
    done = run("eval", str(things), "--recipe", "auto,auto,classic:bm25_only", "--json")
    report = json.loads(done.out)
    same, other = report["comparisons"]
    assert (same["difference"], same["low"], same["high"], same["better"], same["worse"]) == (0.0, 0.0, 0.0, 0, 0)
    assert (other["recipe"], other["against"], other["metric"]) == ("classic:bm25_only", "auto", "nDCG@10")
    low, high = report["results"][0]["intervals"]["nDCG@10"]
    assert low <= report["results"][0]["metrics"]["nDCG@10"] <= high
    output = run("eval", str(things), "--recipe", "auto,auto").out
    assert "Recipes compared (nDCG@10)" in output
    assert "no difference" in output


def test_every_stage_and_signal_has_its_line(run: Run, things: Path) -> None:
    done = run("eval", str(things), "--ablate", "--json")
    report = json.loads(done.out)
    lines = {each["recipe"]: each for each in report["ablations"]}
    for stage, rest in without_each_stage(RECIPES["auto"]):
        assert (f"without {stage}" in lines) == (rest is not None)
        assert (stage in report["required_stages"]) == (rest is None)
    assert {"bm25.fields.title = 0", "auto.name_bonus = 0", "auto.outlink_weight = 0"} <= set(lines)
    assert lines["without lexical"]["difference"] <= 0
    assert lines["bm25.fields.tags = 0"]["worse"] == 0
    assert "Effect of each part" in run("eval", str(things), "--ablate").out


def test_no_stage_is_left_out_that_others_need() -> None:
    for recipe in RECIPES.values():
        shorter = dict(without_each_stage(recipe))
        assert shorter["understand"] is None
        assert any(each is not None for each in shorter.values())


def test_reports_show_the_same_in_three_forms(run: Run, tmp_path: Path) -> None:
    folder = _folder(tmp_path, name="things & <more>")
    paths = [tmp_path / f"r.{ending}" for ending in ("html", "md", "json")]
    reports = [part for path in paths for part in ("--report", str(path))]
    done = run("eval", str(folder), "--recipe", "auto,classic", "--ablate", *reports)
    assert done.code == 0, done.err
    page, markdown, plain = (path.read_text(encoding="utf-8") for path in paths)
    report = json.loads(plain)
    shown = f"{report['results'][0]['metrics']['nDCG@10']:.4f}"
    assert shown in page
    assert shown in markdown
    assert "<script" not in page
    assert "://" not in page
    assert "things &amp; &lt;more&gt;" in page
    assert "<more>" not in page
    assert "things & \\<more\\>" in markdown
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) == 4, "results, recipes compared, and the parts of two recipes"
    for picture in pictures:
        parseString(picture)  # noqa: S318 - our own


def test_a_hostile_label_does_not_break_a_picture() -> None:
    drawn = draw_intervals([Row(HOSTILE * 4, 0.5, 0.5, 0.5), Row("b", 0.1, 0.0, 1.0, HOSTILE)], HOSTILE, zero=True)
    assert "<script" not in drawn
    assert len(parseString(drawn).getElementsByTagName("circle")) == 2  # noqa: S318 - our own


def test_a_report_without_a_known_ending_is_refused_before_anything_is_done(run: Run, things: Path) -> None:
    done = run("eval", str(things), "--report", "x.pdf")
    assert (done.code, done.out) == (2, "")
    assert "Use .html, .md or .json" in done.err


def test_a_number_can_be_insisted_on(run: Run, things: Path) -> None:
    assert run("eval", str(things), "--fail-below", "0.2").code == 0
    done = run("eval", str(things), "--fail-below", "1.01")
    assert done.code == 1
    assert "is below 1.01" in done.out


def test_a_baseline_notices_what_became_worse(run: Run, things: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    assert run("eval", str(things), "--save-baseline", str(baseline)).code == 0
    first = baseline.read_bytes()
    done = run("eval", str(things), "--fail-below", str(baseline))
    assert (done.code, "Against the baseline" in done.out) == (0, True)
    corpus = things / "corpus.jsonl"
    good = corpus.read_text(encoding="utf-8")
    corpus.write_text(re.sub(r'"d(\d+)"', lambda each: f'"d{23 - int(each[1])}"', good), encoding="utf-8")
    done = run("eval", str(things), "--fail-below", str(baseline))
    assert done.code == 1
    assert "below the baseline, beyond noise" in done.out
    corpus.write_text(good, encoding="utf-8")
    done = run("eval", str(things), "--fail-below", str(baseline), "--recipe", "classic")
    assert done.code == 0
    assert "things, classic: not in the baseline" in done.out
    assert "things, auto: in the baseline, but not measured now" in done.out
    run("eval", str(things), "--save-baseline", str(baseline))
    assert baseline.read_bytes() == first, "the same figures make the same bytes"


def test_a_file_that_is_no_baseline_is_refused_before_anything_is_done(run: Run, things: Path, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    done = run("eval", str(things), "--fail-below", str(tmp_path / "x.json"))
    assert (done.code, done.out, "is not a baseline" in done.err) == (2, "", True)
    assert run("eval", str(things), "--fail-below", str(tmp_path / "y.json")).code == 2


def test_queries_are_built_from_a_project(run: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "house", files())
    done = run("eval", "--mine", str(root), "--most", "20", "--recipe", "auto,classic:bm25_only", "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert [each["collection"] for each in report["results"][::2]] == ["links", "headings", "docstrings", "names"]
    assert all(each["queries"] == 20 for each in report["results"])
    assert all(each["metrics"]["R@10"] > 0.3 for each in report["results"]), "relevant documents are found"
    assert report["remarks"] == ["commits: no git repository"]
    by_option = run(
        "-C", str(root), "eval", "--mine", "--most", "20", "--recipe", "auto,classic:bm25_only", "--json"
    ).out
    figures = [[each["metrics"] for each in _results(out)] for out in (by_option, done.out)]
    assert figures[0] == figures[1], "the project can be named in both ways"
    assert not (tmp_path / "data").exists(), "the project's own index is not touched"
    assert sorted(path.name for path in root.iterdir()) == ["README.md", "docs", "src"]


def test_nothing_to_measure_on_is_wrong_usage(run: Run, things: Path) -> None:
    assert run("eval").code == 2
    assert run("eval", "--qrels", str(things / "qrels.tsv")).code == 2
    assert run("eval", "--mine", str(things), str(things)).code == 2
    done = run("eval", "--mine", str(things))
    assert (done.code, "has too few links, headings" in done.err) == (2, True)
