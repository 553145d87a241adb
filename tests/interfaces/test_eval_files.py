"""Measuring on a folder of files: judged places, feedback, translations, and our vault."""

import json
from collections.abc import Mapping
from math import log2
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run

from waymeet.evaluate.ablation import list_signals
from waymeet.evaluate.collection import load_collection
from waymeet.evaluate.indexing import read_whole_documents, resolve_judgements
from waymeet.evaluate.metrics import MAIN_METRIC, measure_without_intervals
from waymeet.evaluate.mining.read_project import index_folder
from waymeet.interfaces.quality.bench import CollectionOptions, collection_bench
from waymeet.recipes.ablate import without_each_stage
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.settings import Layer, Settings
from waymeet.stores.memory.store import MemoryStore

VAULT = Path(__file__).parents[2] / "benchmarks" / "vault"
LONG = "Whoever stays for the night writes a line in the book and leaves the lamp burning in the hall. " * 2
KEYS = f"---\ntags: [overnight]\n---\n# Keys\n\n## Rotating\n\nTurn them. {LONG}\n\n## Losing\n\nCall. {LONG}\n"
FILES = {
    "docs/keys.md": KEYS,
    "docs/lamp.md": "# The lamp\n\n[日本語](lamp.ja.md)\n\nThe lamp hangs in the hall and burns oil.\n",
    "docs/lamp.ja.md": "# ランプ\n\nランプ lamp は広間にあります。\n",
    "docs/oil.md": "# Oil\n\nOil for every lamp stands in the cellar, beside the old lamp.\n",
    "src/turning.py": '"""Turning."""\n\n\ndef turn_key(key):\n    """Turn it."""\n    return key\n\n\nLIMIT = 3\n',
}
QUERIES = {
    "q1": "how are keys rotated",
    "q2": "the lamp in the hall",
    "q3": "turnKey",
    "q4": "overnight",
    "q5": "lamp oil",
}
QRELS = [
    "q1\tdocs/keys.md#rotating\t1",
    "q2\tdocs/lamp.md\t1",
    "q2\tdocs/lamp.ja.md\t1",
    "q3\tsrc/turning.py#turn_key\t1",
]
QRELS += ["q4\tdocs/keys.md\t1", "q5\tdocs/oil.md\t1", "q5\tdocs/keys.md#L1-L3\t0"]


def _write(folder: Path, qrels: list[str], files: Mapping[str, str] = FILES) -> Path:
    for name, text in files.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    rows = (json.dumps({"id": id_, "text": text}) for id_, text in QUERIES.items())
    (folder / "queries.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *qrels]), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return _write(tmp_path / "questions", QRELS)


def _hits(run: Run, folder: Path, *options: str) -> dict[str, list[str]]:
    path = folder.parent / "runs.jsonl"
    done = run("eval", str(folder), *options, "--runs", str(path))
    assert done.code == 0, done.err
    path = path if "--plain" not in options else path.with_stem(f"runs.{folder.name}.auto")
    return {row["id"]: row["hits"] for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def _result(run: Run, folder: Path, *options: str) -> dict[str, Any]:
    done = run("eval", str(folder), "--json", *options)
    assert done.code == 0, done.err
    result: dict[str, Any] = json.loads(done.out)["results"][-1]
    return result


def test_files_are_read_as_a_projects_are(run: Run, folder: Path) -> None:
    """Sections, symbols in another style, tags and translations are found, and judged by path and place."""
    hits = _hits(run, folder)
    assert hits["q1"][0] == "docs/keys.md#rotating"
    assert hits["q1"][1].startswith("docs/"), "other sections count by themselves"
    assert hits["q2"][:2] == ["docs/lamp.md", "docs/lamp.ja.md"], "translations of a hit are shown beside it"
    assert hits["q3"][0] == "src/turning.py#turn_key"
    assert hits["q4"][0] == "docs/keys.md"
    assert "docs/lamp.ja.md" not in hits["q5"], "a translation that is not relevant is not ranked"
    assert _result(run, folder)["metrics"]["MRR@10"] == 1.0


def test_a_link_to_a_folder_will_do(run: Run, folder: Path) -> None:
    (folder / "corpus").rename(folder.parent / "wiki")
    (folder / "corpus").symlink_to(folder.parent / "wiki")
    assert _result(run, folder)["metrics"]["MRR@10"] == 1.0


@pytest.mark.parametrize(
    ("judged", "complaint"),
    [
        ("docs/kees.md", "'docs/kees.md'"),
        ("docs/keys.md#rotatin", "docs/keys.md has no 'rotatin'"),
        ("src/turning.py#turn_keys", "src/turning.py has no 'turn_keys'"),
        ("docs/keys.md#L900-L999", "docs/keys.md has"),
    ],
)
def test_what_is_judged_must_be_there(run: Run, tmp_path: Path, judged: str, complaint: str) -> None:
    done = run("eval", str(_write(tmp_path / "questions", [*QRELS, f"q5\t{judged}\t1"])))
    assert done.code == 2
    assert "questions: a judgement of query 'q5'" in done.err
    assert complaint in done.err
    assert judged.partition("#")[0][:8] in done.err, "with a suggestion"


def test_feedback_counts(run: Run, folder: Path) -> None:
    before = _result(run, folder)["metrics"]["nDCG@10"]
    feedback = {"query": "lamp oil", "right": ["docs/lamp.md"], "wrong": ["docs/oil.md#L1-L3"]}
    (folder / "feedback.jsonl").write_text(f"{json.dumps(feedback)}\n" * 4, encoding="utf-8")
    assert _hits(run, folder)["q5"][0] == "docs/lamp.md"
    assert _result(run, folder)["metrics"]["nDCG@10"] < before, "the feedback contradicts the judgements"
    (folder / "feedback.jsonl").write_text('{"query": "lamp oil", "right": ["docs/oill.md"]}', encoding="utf-8")
    done = run("eval", str(folder))
    assert (done.code, "feedback.jsonl: Nothing indexed is called 'docs/oill.md'" in done.err) == (2, True)
    assert "docs/oil.md" in done.err


def test_files_can_stay_whole(run: Run, folder: Path) -> None:
    """As one section, a file is relevant wherever its relevant section is; plain BM25 works so."""
    assert _hits(run, folder, "--whole")["q1"][0] == "docs/keys.md#rotating"
    done = run("eval", str(folder), "--plain", "--json")
    assert [each["recipe"] for each in json.loads(done.out)["results"]] == ["plain", "auto"]


def test_lines_keep_their_numbers_when_files_are_put_together_again(folder: Path) -> None:
    store = MemoryStore()
    index_folder(folder / "corpus", store, Settings())
    keys, *_ = read_whole_documents(store)
    assert keys.text.split("\n")[5] == "## Rotating", "the front matter leaves its lines empty"
    place = resolve_judgements(load_collection(folder), store).places["docs/keys.md#rotating"]
    assert place.start <= 6 < place.end


def test_words_of_one_long_line_stay_apart(tmp_path: Path) -> None:
    words = [f"tok{number}" for number in range(3000)]
    (tmp_path / "long.txt").write_text(" ".join(words), encoding="utf-8")
    store = MemoryStore()
    index_folder(tmp_path, store, Settings())
    (whole,) = (each for each in read_whole_documents(store) if each.id == "long.txt")
    assert whole.text.split() == words


def test_one_section_may_hold_several_right_places(run: Run, tmp_path: Path) -> None:
    short = {"a.md": f"# Lamps\n\n{LONG}\n\n## Big\n\n{LONG}\n\n## Small\n\nturn the small lamp key\n"}
    qrels = ["q2\ta.md#big\t1", "q2\ta.md#small\t1"]
    folder = _write(tmp_path / "questions", qrels, short)
    assert set(_hits(run, folder)["q2"]) >= {"a.md#big", "a.md#small"}


def test_a_copy_that_is_shown_beside_a_hit_counts_behind_it(run: Run, tmp_path: Path) -> None:
    files = {**FILES, "docs/lamp.html": f"<p>{LONG * 3}</p>\n", "docs/lamp.txt": f"{LONG * 3}\n"}
    for judged in ("docs/lamp.html", "docs/lamp.html#L1-L1"):
        folder = _write(tmp_path / judged.replace("/", "-"), [f"q2\t{judged}\t1"], files)
        ranked = _hits(run, folder)["q2"]
        assert ranked.index(judged) == 1 + next(at for at, name in enumerate(ranked) if "docs/lamp.txt" in name)
    assert "docs/lamp.html" not in _hits(run, _write(tmp_path / "other", ["q2\tdocs/lamp.md\t1"], files))["q2"]


def test_an_answer_in_one_language_stands_for_both(run: Run, tmp_path: Path) -> None:
    """A translation that is a hit itself keeps its rank; one that is only shown beside a hit comes behind it."""
    files = {**FILES, "docs/lamp.ja.md": "# ランプ\n\nランプは広間にあります。\n"}
    folder = _write(tmp_path / "questions", ["q2\tdocs/lamp.ja.md\t1"], files)
    ranked = _hits(run, folder)["q2"]
    assert ranked.index("docs/lamp.ja.md") == ranked.index("docs/lamp.md") + 1
    _hits(run, folder, "--plain")
    rows = (folder.parent / "runs.questions.plain.jsonl").read_text(encoding="utf-8").splitlines()
    plain = json.loads(rows[0])["hits"]
    assert plain.index("docs/lamp.ja.md") == plain.index("docs/lamp.md") + 1, "for every recipe"
    ndcg = _result(run, folder)["metrics"]["nDCG@10"]
    assert ndcg == pytest.approx(1 / log2(ranked.index("docs/lamp.ja.md") + 2), abs=1e-4)


def test_the_vault_needs_the_parts_that_public_collections_do_not() -> None:
    """The vault has queries for each of these parts: without one, results are worse."""
    needed = {
        "expand_acronyms",
        "relax_phrases",
        "raise_definitions",
        "boost_shared_names",
        "boost_linked",
        "collapse_translations",
        "apply_feedback",
    }
    silenced = {f"bm25.fields.{each} = 0" for each in ("tags", "properties", "triggers", "inbound", "headings")}
    with collection_bench(VAULT, (), None, None, CollectionOptions()) as bench:
        (collection,) = bench.collections
        again = bench.with_caches()

        def mean(recipe: Any, *over: Layer) -> float:
            scores = measure_without_intervals(collection, again.run(recipe, collection, over=over)).scores[MAIN_METRIC]
            return sum(scores.values()) / len(scores)

        whole = mean(AUTO)
        assert whole > 0.6
        for name, rest in without_each_stage(AUTO):
            assert name not in needed or mean(rest) < whole, name
        for name, tree in list_signals(AUTO, again.settings(AUTO), SIGNALS):
            assert name not in silenced or mean(AUTO, Layer(name, tree)) < whole, name
        assert silenced <= {name for name, _ in list_signals(AUTO, again.settings(AUTO), SIGNALS)}
    kinds = {each.id.partition("-")[0] for each in collection.queries}
    readme = (VAULT / "README.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in readme for kind in kinds)
