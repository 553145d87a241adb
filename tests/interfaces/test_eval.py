"""Measuring recipes on a collection that is small enough to compute metrics by hand."""

import json
from math import log2
from pathlib import Path

import pytest
from interfaces.conftest import Run

from waymeet.evaluate.collection import Collection, CollectionDocument
from waymeet.evaluate.indexing import build_entries
from waymeet.settings import Chunking

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


def rows(out: str) -> list[tuple[str, str]]:
    """Give the first two columns of the table, which ends where differences or remarks begin."""
    lines = out.partition("\n\n")[0].splitlines()
    columns = [line.split() for line in lines if not line.startswith(("degraded answers", "hashing-…"))]
    return [(first, second) for first, second, *_ in columns]


def test_a_run_is_measured_and_written(run: Run, collection: Path, tmp_path: Path) -> None:
    runs, trec = tmp_path / "runs.jsonl", tmp_path / "run.trec"
    done = run("eval", str(collection), "--runs", str(runs), "--trec", str(trec), "--json")
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    rows = [json.loads(line) for line in runs.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2"]
    hits = rows[0]["hits"]
    assert "b/1" not in hits, "it is outside of the query's scope"
    assert {"a/1", "a/2", "a/3"} == set(hits)
    gains = sum(1 / log2(hits.index(each) + 2) for each in ("a/1", "a/2"))
    first = gains / (1 + 1 / log2(3))
    assert rows[1]["hits"][0] == "a/2"
    assert result["metrics"]["nDCG@10"] == pytest.approx((first + 1) / 2, abs=1e-4)
    assert result["metrics"]["R@5"] == 1.0
    assert result["queries"] == 2
    assert trec.read_text(encoding="utf-8").splitlines()[0].split()[:2] == ["q1", "Q0"]


def test_several_recipes_are_compared_in_one_table(run: Run, collection: Path, tmp_path: Path) -> None:
    done = run("eval", str(collection), "--recipe", "auto,classic:bm25_only", "--runs", str(tmp_path / "x.jsonl"))
    assert done.code == 0, done.err
    assert rows(done.out) == [("collection", "recipe"), ("small", "auto"), ("small", "classic:bm25_only")]
    assert (tmp_path / "x.small.auto.jsonl").exists()
    assert (tmp_path / "x.small.classic-bm25_only.jsonl").exists()


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("corpus.jsonl", '{"title": "no id"}\n', "corpus.jsonl, line 1"),
        ("queries.jsonl", "not json\n", "queries.jsonl, line 1"),
        ("qrels.tsv", "header\nq1 a/1 1\n", "qrels.tsv, line 2"),
        ("qrels.tsv", "header\n", "no query with a relevant document"),
    ],
)
def test_an_error_in_a_collection_is_reported(
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


def test_files_among_the_folders_are_skipped(run: Run, collection: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("About these collections.", encoding="utf-8")
    done = run("eval", *map(str, sorted([collection, tmp_path / "README.md"])), "--recipe", "classic:bm25_only")
    assert done.code == 0, done.err
    assert rows(done.out)[1:] == [("small", "classic:bm25_only")]
    assert "Skipped, because they are files: README.md" in done.err
    assert run("eval", str(tmp_path / "README.md")).code == 2


def test_one_table_for_several_recipes_with_the_stand_in_marked(run: Run, collection: Path) -> None:
    recipes = ["threeway", "memory", "neighbours", "classic", "classic:bm25_only"]
    done = run("eval", str(collection), "--recipe", ",".join(recipes), "--set", "embedding.provider=hashing")
    assert done.code == 0, done.err
    assert [second for _, second in rows(done.out)] == ["recipe", *recipes]
    assert [line.endswith("hashing-256+2 (test stand-in)") for line in done.out.splitlines()[1:6]] == [True] * 4 + [
        False
    ]
    assert "deterministic stand-in for tests: it hashes words" in done.out
    assert "MRR@10" in done.out


def test_a_table_without_a_model_names_no_vector_models(run: Run, collection: Path) -> None:
    done = run("eval", str(collection), "--recipe", "threeway", "--set", "embedding.provider=none")
    assert "  none\n" in done.out
    assert "degraded answers [no_model]: 2 of threeway" in done.out
    done = run("eval", str(collection), "--recipe", "threeway", "--set", "embedding.provider=none", "--json")
    (result,) = json.loads(done.out)["results"]
    assert (result["vector_models"], result["degraded"]) == ("", {"no_model": 2})


def test_recipes_of_one_s_own_are_measured_too(
    run: Run, collection: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = '[recipes.mine]\nstages = ["understand", "lexical", "fuse"]\nmodes = ["hybrid"]\n'
    (project / "waymeet.toml").write_text(described, encoding="utf-8")
    assert rows(run("eval", str(collection), "--recipe", "mine").out)[1:] == [("small", "mine")]
    monkeypatch.chdir(tmp_path)
    done = run("eval", str(collection), "--recipe", "mine")
    assert (done.code, "no recipe 'mine'" in done.err) == (2, True)
    done = run("eval", str(collection), "--recipe", "mine:hybrid", "-C", str(project))
    assert rows(done.out)[1:] == [("small", "mine:hybrid")]


def test_a_mode_counts_for_all_recipes_named_without_one(run: Run, collection: Path) -> None:
    done = run("eval", str(collection), "--recipe", "classic,classic:hybrid", "--mode", "bm25_only", "--whole")
    assert rows(done.out)[1:] == [("small", "classic:bm25_only"), ("small", "classic:hybrid")]
    assert run("eval", str(collection), "--recipe", "auto", "--mode", "bm25_only").code == 2


def test_documents_can_stay_whole() -> None:
    """Split, the page has two sections and the code a symbol; whole, each is one section with the same words."""
    page = CollectionDocument("a", "# One\n\n" + "alpha " * 400 + "\n\n# Two\n\n" + "beta " * 400, path="a.md")
    code = CollectionDocument("b", "def gamma():\n    return 1\n", path="b.py")
    collection = Collection("x", (page, code), (), {})
    split, whole = (list(build_entries(collection, Chunking(), whole=each)) for each in (False, True))
    assert len(split[0].chunks) > 1
    assert split[1].chunks[0].symbols
    assert [len(each.chunks) for each in whole] == [1, 1]
    assert [each.chunks[0].text.strip() for each in whole] == [page.text.strip(), code.text.strip()]
    assert not whole[1].chunks[0].symbols
    assert "m:python:/b" in split[1].document.names  # so that imports, calls and mentions are resolved as in a project
