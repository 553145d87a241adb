"""Measuring recipes on a collection small enough to know the answers."""

import json
from math import log2
from pathlib import Path

import pytest
from interfaces.conftest import Run

CORPUS = [
    {"id": "a/1", "title": "Keys", "text": "How we rotate keys, every month.", "links": ["a/2"]},
    {"id": "a/2", "title": "Vault", "text": "Where secrets lie."},
    {"id": "a/3", "title": "", "text": "def rotate_keys():\n    return 1\n", "path": "src/keys.py"},
    {"id": "b/1", "title": "Keys elsewhere", "text": "rotate keys"},
]
QUERIES = [
    {"id": "q1", "text": "rotate keys", "scope": "a/"},
    {"id": "q2", "text": "where do secrets lie", "extra": 1},
    {"id": "q3", "text": "nobody judged this"},
]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    judged = "query-id\tcorpus-id\tscore\nq1\ta/1\t1\nq1\ta/2\t1\nq2\ta/2\t2\nq2\ta/1\t0\n"
    (folder / "qrels.tsv").write_text(judged, encoding="utf-8")
    return folder


def test_a_run_is_measured_and_written(run: Run, collection: Path, tmp_path: Path) -> None:
    runs, trec = tmp_path / "runs.jsonl", tmp_path / "run.trec"
    done = run("eval", str(collection), "--runs", str(runs), "--trec", str(trec), "--json")
    assert done.code == 0, done.err
    (worth,) = json.loads(done.out)
    rows = [json.loads(line) for line in runs.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2"]
    hits = rows[0]["hits"]
    assert "b/1" not in hits, "it lies outside of the query's scope"
    assert {"a/1", "a/2", "a/3"} == set(hits)
    gains = sum(1 / log2(hits.index(each) + 2) for each in ("a/1", "a/2"))
    first = gains / (1 + 1 / log2(3))
    assert rows[1]["hits"][0] == "a/2"
    assert worth["measures"]["nDCG@10"] == pytest.approx((first + 1) / 2, abs=1e-4)
    assert worth["measures"]["R@5"] == 1.0
    assert worth["queries"] == 2
    assert trec.read_text(encoding="utf-8").splitlines()[0].split()[:2] == ["q1", "Q0"]


def test_several_recipes_are_compared_in_one_table(run: Run, collection: Path, tmp_path: Path) -> None:
    done = run("eval", str(collection), "--recipe", "auto,classic:bm25_only", "--runs", str(tmp_path / "x.jsonl"))
    assert done.code == 0, done.err
    assert [line.split()[:2] for line in done.out.splitlines()] == [
        ["collection", "recipe"],
        ["small", "auto"],
        ["small", "classic:bm25_only"],
    ]
    assert (tmp_path / "x.small.auto.jsonl").exists()
    assert (tmp_path / "x.small.classic-bm25_only.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("corpus.jsonl", '{"title": "no id"}\n', "corpus.jsonl, line 1"),
        ("queries.jsonl", "not json\n", "queries.jsonl, line 1"),
        ("qrels.tsv", "header\nq1 a/1 1\n", "qrels.tsv, line 2"),
        ("qrels.tsv", "header\n", "no query with an answer"),
    ],
)
def test_what_is_wrong_with_a_collection_is_said(
    run: Run, collection: Path, name: str, content: str, complaint: str
) -> None:
    (collection / name).write_text(content, encoding="utf-8")
    done = run("eval", str(collection))
    assert done.code == 2
    assert complaint in done.err


def test_a_folder_that_is_no_collection_is_refused(run: Run, tmp_path: Path) -> None:
    done = run("eval", str(tmp_path))
    assert done.code == 2
    assert "A collection is a folder with corpus.jsonl" in done.err
