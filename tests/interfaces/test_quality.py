"""Many collections at once: plain BM25, samples, summary tables, and the page made of them."""

import json
import os
import shutil
from pathlib import Path
from xml.dom.minidom import parseString

import msgspec
import pytest
import quality
from interfaces.conftest import Run

from waymeet.evaluate.ablation import list_signals
from waymeet.evaluate.metrics import METRICS, Comparison, summarise_comparisons
from waymeet.interfaces.quality.bench import CollectionOptions, collection_bench
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import ablation_table
from waymeet.recipes.ablate import without_each_stage
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.settings import Layer

STAND_IN = "embedding.provider=hashing"
THINGS = ("kettle", "ladder", "lantern", "anvil", "barrel", "compass", "hammer", "needle")


def _collection(folder: Path, name: str = "things") -> Path:
    """Write pages that link to one another, each relevant to a query, and some code."""
    place = folder / name
    place.mkdir(parents=True)
    corpus: list[dict[str, object]] = []
    for at, thing in enumerate(THINGS):
        other = THINGS[at - 1]
        text = f"# The {thing}\n\nA {thing} is kept dry, as {other} and rope are.\n\n## Use\n\nBy hand.\n"
        page = {"id": f"{thing}.md", "path": f"docs/{thing}.md", "title": f"The {thing}", "text": text}
        corpus.append({**page, "links": [f"{other}.md"]})
        code = f"def lift_{thing}(rope):\n    return rope\n"
        corpus.append({"id": f"{thing}.py", "path": f"src/{thing}.py", "text": code})
    queries = [{"id": f"q{at}", "text": f"what hangs beside the {thing}"} for at, thing in enumerate(THINGS)]
    for file, rows in (("corpus", corpus), ("queries", queries)):
        (place / f"{file}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    judged = [f"q{at}\t{THINGS[at - 1]}.md\t1\nq{at}\t{thing}.md\t2\n" for at, thing in enumerate(THINGS)]
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged), encoding="utf-8")
    return place


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    return [str(_collection(tmp_path, name)) for name in ("one", "two|<b>", "three")]


def _report(run: Run, *args: str) -> Report:
    done = run("eval", *args, "--json")
    assert done.code == 0, done.err
    return msgspec.json.decode(done.out, type=Report)


def test_a_cached_run_gives_the_same_as_a_new_one(tmp_path: Path) -> None:
    with collection_bench(_collection(tmp_path), (STAND_IN,), None, None, CollectionOptions()) as bench:
        (collection,) = bench.collections
        again = bench.with_caches()
        silenced = [Layer(name, tree) for name, tree in list_signals(AUTO, bench.settings(AUTO), SIGNALS)]
        shorter = [rest for _, rest in without_each_stage(AUTO) if rest]
        runs = [(recipe, "", Layer("", {})) for recipe in (AUTO, *shorter, AUTO)]
        runs += [(AUTO, "", over) for over in silenced] + [(AUTO, "words", silenced[0]), (AUTO, "", silenced[0])]
        for recipe, mode, over in runs:
            new, cached = (each.run(recipe, collection, mode, over=[over]) for each in (bench, again))
            assert cached.ranked == new.ranked
            assert (cached.vector_models, cached.degraded) == (new.vector_models, new.degraded)


def test_plain_bm25_comes_first_and_words_are_a_mode_of_every_recipe(run: Run, three: list[str]) -> None:
    report = _report(run, three[0], "--plain", "--recipe", "auto,auto:words,threeway:words", "--set", STAND_IN)
    names = ["plain", "auto", "auto:words", "threeway:words"]
    assert [each.recipe for each in report.results] == names
    assert [bool(each.vector_models) for each in report.results] == [False, True, False, False]
    assert not report.results[2].degraded, "models left out on purpose are not missing"
    assert [(each.recipe, each.against) for each in report.comparisons] == [(name, "plain") for name in names[1:]]
    assert [(each.recipe, each.against) for each in report.against_others] == [("auto", name) for name in names[2:]]
    assert all(each.mean_ms > 0 for each in report.results)
    whole = _report(run, three[0], "--recipe", "classic:bm25_only", "--whole")
    assert whole.results[0].metrics == report.results[0].metrics
    without = _report(run, three[0], "--recipe", "auto", "--set", "embedding.provider=none")
    assert without.results[0].metrics == report.results[2].metrics


def test_a_sample_is_always_the_same(run: Run, three: list[str], tmp_path: Path) -> None:
    def sampled_queries(number: int) -> list[str]:
        path = tmp_path / "runs.jsonl"
        assert run("eval", three[0], "--sample", str(number), "--runs", str(path)).code == 0
        return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]

    three_of_them, five = sampled_queries(3), sampled_queries(5)
    assert sampled_queries(3) == three_of_them
    assert (len(three_of_them), len(five)) == (3, 5)
    assert set(three_of_them) < set(five)
    assert five == sorted(five), "in their order"
    assert len(sampled_queries(1000)) == len(THINGS)


def test_questions_can_be_misspelt(run: Run, three: list[str], tmp_path: Path) -> None:
    def queries(*options: str) -> list[str]:
        path = tmp_path / "runs.jsonl"
        assert run("eval", three[0], *options, "--runs", str(path)).code == 0
        return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]

    right, wrong = queries(), queries("--misspell")
    assert right != wrong == queries("--misspell")
    assert [sorted(each) for each in right] == [sorted(each) for each in wrong], "two letters change places"
    assert "misspelt" in run("eval", three[0], "--misspell").out
    assert run("eval", "--mine", "--misspell").code == 2


def test_many_collections_are_summed_up(run: Run, three: list[str], tmp_path: Path) -> None:
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    args = ("--sample", "4", "--plain", "--recipe", "auto,classic", "--ablate")
    done = run("eval", *three, *args, "--report", str(page), "--report", str(text))
    assert done.code == 0, done.err
    assert "two|<b>" in done.out
    assert "Effect of each part" in done.out
    markdown, html = text.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")
    for title in ("nDCG@10", "Against plain", "auto against the others", "R@5", "MRR@10", "Effect of each part"):
        assert f"\n## {title}\n" in markdown
        assert f"<h2>{title}</h2>" in html
    assert "two\\|\\<b\\>" in markdown
    assert "<b>" not in html
    assert "two|&lt;b&gt;" in html
    assert "| auto: without boost\\_linked |" in markdown
    replaced = "auto.vector_weight_single_function = auto.vector_weight_prose".replace("_", "\\_")
    assert replaced in markdown, "the weight of another kind of text, not 0"


def test_collections_of_one_name_are_told_apart(run: Run, tmp_path: Path) -> None:
    folders = [str(_collection(tmp_path / parent, "same")) for parent in ("a", "b")]
    report = _report(run, *folders, folders[0], "--sample", "2")
    assert [each.collection for each in report.results] == ["same", "b/same"]


def test_weights_are_judged_on_what_was_left_out(run: Run, three: list[str], tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    misled = "bm25.fields.title=0.01"
    done = run("eval", *three, "--sample", "3", "--leave-one-out", "--set", misled, "--report", str(path))
    assert done.code == 0, done.err
    assert "Weights tuned without a collection" in done.out
    report = msgspec.json.decode(path.read_bytes(), type=Report)
    assert [each.comparison.collection for each in report.folds] == ["one", "two|<b>", "three"]
    first, *others = report.folds
    assert first.before == pytest.approx(report.results[0].metrics["nDCG@10"], abs=1e-4)
    assert first.after - first.before == pytest.approx(first.comparison.difference, abs=2e-4)
    assert all(each.changed_weights == first.changed_weights for each in others), (
        "all three are the same, so tuning finds the same weights"
    )


def test_a_kept_index_gives_the_same_as_a_temporary_one(run: Run, three: list[str], tmp_path: Path) -> None:
    keep = tmp_path / "indexes"
    recipes = ("--plain", "--recipe", "auto,auto:words,auto:student", "--set", STAND_IN)

    def metrics(*options: str) -> list[object]:
        return [each.metrics for each in _report(run, *three[:2], *recipes, *options).results]

    temporary = metrics()
    assert metrics("--keep", str(keep)) == temporary
    files = {path: path.stat().st_mtime_ns for path in keep.rglob("index.db")}
    assert len(files) == 2 * 3, "sections, approximate vectors and whole documents of two collections"
    assert metrics("--keep", str(keep), "--set", "auto.document_share=0.3") == temporary
    assert {path: path.stat().st_mtime_ns for path in keep.rglob("index.db")} == files


def test_a_kept_index_is_not_used_for_other_documents_or_settings(run: Run, three: list[str], tmp_path: Path) -> None:
    keep = tmp_path / "indexes"

    def kept(*options: str) -> set[Path]:
        assert run("eval", three[0], "--keep", str(keep), "--set", "embedding.provider=none", *options).code == 0
        return set(keep.glob("one-*"))

    first = kept()
    assert len(first) == 1
    assert kept("--sample", "2") == first, "other queries"
    split = kept("--set", "chunking.max_chars=300")
    whole = kept("--whole")
    corpus = Path(three[0]) / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("dry", "clean"), encoding="utf-8")
    assert [len(each) for each in (split, whole, kept())] == [2, 3, 4]


def test_a_kept_index_of_files_does_not_depend_on_files_that_are_not_indexed(run: Run, tmp_path: Path) -> None:
    place, keep = tmp_path / "keys", tmp_path / "indexes"
    (place / "corpus" / "build").mkdir(parents=True)
    (place / "corpus" / ".gitignore").write_text("build/\n", encoding="utf-8")
    page = place / "corpus" / "keys.md"
    page.write_text("# Keys\n\nRotate a key once a year.\n", encoding="utf-8")
    (place / "queries.jsonl").write_text('{"id": "q", "text": "rotate a key"}\n', encoding="utf-8")
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tkeys.md\t1\n", encoding="utf-8")

    def kept() -> int:
        assert run("eval", str(place), "--keep", str(keep), "--set", "embedding.provider=none").code == 0
        return len(list(keep.glob("keys-*")))

    assert kept() == 1
    (place / "corpus" / "build" / "log.txt").write_text("built", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(page.parent) + b"/caf\xe9.md")).write_text("not indexed", encoding="utf-8")
    assert kept() == 1
    page.write_text("# Keys\n\nRotate a key once a month.\n", encoding="utf-8")
    assert kept() == 2


def test_an_index_that_was_not_completed_is_built_again(run: Run, three: list[str], tmp_path: Path) -> None:
    keep = tmp_path / "indexes"
    options = (three[0], "--keep", str(keep), "--set", STAND_IN)
    before = _report(run, *options).results[0].metrics
    (marker,) = keep.rglob("complete")
    marker.unlink()
    (marker.parent / "index.db").write_bytes(b"half of it")
    assert _report(run, *options).results[0].metrics == before
    assert marker.exists()


def test_options_that_need_collections_are_refused_without(run: Run, three: list[str]) -> None:
    assert run("eval", *three[:2], "--leave-one-out").code == 2
    for option in (["--plain"], ["--leave-one-out"], ["--sample", "3"], ["--keep", "indexes"]):
        done = run("eval", "--mine", three[0], *option)
        assert (done.code, "need collections" in done.err) == (2, True)


def test_a_page_shows_what_was_aimed_at_and_what_others_publish(
    run: Run, three: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = quality.known()
    assert {each.measure for each in known.published} | {each.measure for each in known.aim} <= set(METRICS)
    assert all(0 < value < 1 for each in known.published for _, value in each.systems)
    for path, name in zip(three, ("semble-dev", "two|<b>", "musique-train100"), strict=True):
        Path(path).rename(tmp_path / name)
    folders = [str(tmp_path / name) for name in ("semble-dev", "two|<b>", "musique-train100")]
    files = [tmp_path / "recipes.json", tmp_path / "parts.json"]
    recipes_run = run("eval", *folders, "--plain", "--recipe", "auto,auto:words", "--report", str(files[0]))
    parts_run = run("eval", *folders, "--sample", "2", "--ablate", "--leave-one-out", "--report", str(files[1]))
    assert (recipes_run.code, parts_run.code) == (0, 0)
    report = quality.joined([msgspec.json.decode(each.read_bytes(), type=Report) for each in reversed(files)])
    page = quality.page(report, known, "Measured by hand")
    for title in ("At a glance", "What was aimed at", "Published figures", "Effect of each part of auto"):
        assert f"\n## {title}\n" in page
    assert page.index("## nDCG@10") < page.index("## What was aimed at") < page.index("## Weights tuned without")
    assert "| musique-train100 | R@5 | 0.492 |" in page
    assert "semble 0.854" in page
    assert "two\\|\\<b\\>" in page
    assert "`auto` against plain BM25: " in page
    rows = parseString(quality.picture(report)).getElementsByTagName("circle")  # noqa: S318 - our own
    assert len(rows) == 3 + 3 * 3, "three names, and three dots for each collection"
    monkeypatch.setattr("sys.argv", ["quality.py"])
    assert quality.main() == 2


def test_collections_are_told_apart_however_deep(run: Run, three: list[str], tmp_path: Path) -> None:
    folders = [tmp_path / each / "deep" / "dev" for each in "pqr"]
    for folder in folders:
        shutil.copytree(three[0], folder)
    output = json.loads(run("eval", *map(str, folders), "--json").out)
    names = {each["collection"] for each in output["results"]}
    assert names == {"dev", "deep/dev", "r/deep/dev"}


def test_our_own_vault_is_named_and_counts_in_no_mean(run: Run, three: list[str], tmp_path: Path) -> None:
    """Reports of parts, of the vault and of weights are joined into one."""
    shutil.copytree(three[0], tmp_path / "vault")
    files = [tmp_path / f"{name}.json" for name in ("recipes", "parts", "vault", "weights")]
    commands = [
        (*three, "--sample", "3", "--plain", "--recipe", "auto,auto:words"),
        (*three[:2], "--sample", "3", "--ablate"),
        (str(tmp_path / "vault"), "--sample", "3", "--ablate"),
        (*three, "--sample", "2", "--leave-one-out"),
    ]
    for options, path in zip(commands, files, strict=True):
        assert run("eval", *options, "--report", str(path)).code == 0
    reports = [msgspec.json.decode(each.read_bytes(), type=Report) for each in files]
    without = quality.joined([reports[0], reports[1], reports[3]])
    report = quality.joined(reports)
    assert (without.excluded_from_mean, report.excluded_from_mean) == ((), (quality.OWN_NAME,))
    assert {each.collection for each in report.ablations} == {"one", "two|<b>", quality.OWN_NAME}
    assert quality.OWN_NAME not in {each.collection for each in report.results}
    assert quality.OWN_NAME not in {each.comparison.collection for each in report.folds}
    (mean,) = {
        each.mean
        for each in summarise_comparisons(report.ablations, report.excluded_from_mean)
        if each.name == "without lexical"
    }
    (same,) = {each.mean for each in summarise_comparisons(without.ablations) if each.name == "without lexical"}
    assert mean == same
    page = quality.page(report, quality.known(), "Measured by hand")
    assert "Not in the mean: vault (our own)" in page


def test_a_part_that_only_the_vault_needs_is_said_to_work() -> None:
    def line(collection: str, difference: float) -> Comparison:
        bounds = (difference - 0.01, difference + 0.01) if difference else (0.0, 0.0)
        return Comparison(
            collection, "without relax_phrases", "auto", "nDCG@10", difference, *bounds, 0, int(difference < 0), 9
        )

    report = Report((), ablations=(line("a", 0.0), line("b", 0.0), line("own", -0.1)), excluded_from_mean=("own",))
    ((_, mean, _, lost, _, names, _, verdict),) = ablation_table(report).rows
    assert [each.text for each in (mean, lost, names)] == ["+0.0000", "-0.100 own", "own"]
    assert verdict.text == "useful on excluded collections"
    assert ablation_table(Report((), ablations=report.ablations[:2])).rows[0][-1].text == "no effect"
    assert ablation_table(Report((), ablations=report.ablations)).rows[0][-1].text == "useful"
    slightly = (line("a", 0.0), line("b", 0.0), line("own", -0.001))
    assert (
        ablation_table(Report((), ablations=slightly, excluded_from_mean=("own",))).rows[0][-1].text == "within noise"
    )


def test_a_page_shows_the_rank_of_the_right_file_and_section(
    run: Run, three: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(three[0], tmp_path / "vault")
    both_levels = ("--level", "both", "--recipe", "auto,auto:words")
    commands = {
        "recipes": (*three, "--sample", "2", "--plain", "--recipe", "auto,auto:words"),
        "projects": (*three[:2], "--sample", "2", *both_levels),
        "vault-sections": (str(tmp_path / "vault"), "--sample", "2", *both_levels),
        "held-out": (three[0], "--sample", "3", *both_levels),
        "held-out-2": (*three[::2], "--sample", "1", *both_levels),
        "project-parts": (*three[:2], "--sample", "2", "--level", "section", "--ablate"),
    }
    files = [str(tmp_path / f"{name}.json") for name in commands]
    for options, path in zip(commands.values(), files, strict=True):
        assert run("eval", *options, "--report", path).code == 0
    monkeypatch.setattr(quality, "DOCS", tmp_path)
    monkeypatch.setattr("sys.argv", ["quality.py", *reversed(files)])
    assert quality.main() == 0
    page = (tmp_path / "quality.md").read_text(encoding="utf-8")
    reports = [msgspec.json.decode(Path(file).read_bytes(), type=Report) for file in files]
    compared = _read_table(page, "nDCG@10")
    assert compared[0] == ["collection", "queries", "plain", "auto", "auto:words"], "not from a report by level"
    assert [row[0] for row in compared[1:]] == ["one", "two\\|\\<b\\>", "three", "mean"]

    open_table = _read_table(page, "Right file and right section first")
    header = ["collection", "questions", "auto, file", "auto, section", "auto:words, file", "auto:words, section"]
    assert open_table[0] == header
    assert [row[:2] for row in open_table[1:]] == [["vault", "2"], ["one", "2"], ["two\\|\\<b\\>", "2"], ["mean", "4"]]
    (first,) = (each for each in reports[1].results if (each.collection, each.label) == ("one", "auto, by file"))
    assert open_table[2][2] == f"{first.metrics['MRR@10']:.3f}"

    held_out = _read_table(page, "Held-out questions")
    groups = [["mean of group 1", "3"], ["mean of group 2", "2"]]
    assert [row[:2] for row in held_out[1:]] == [["one", "4"], ["three", "1"], ["mean", "5"], *groups]
    of_one = [
        each for report in reports[3:5] for each in report.results if (each.collection, each.level) == ("one", "file")
    ]
    ranks = [each for each in of_one if each.recipe == "auto"]
    mean = sum(each.metrics["MRR@10"] * each.queries for each in ranks) / 4
    assert held_out[1][2] == f"{mean:.3f}", "of all questions of both groups"

    parts = page.split("## Effect of each part on questions about projects")[1].split("\n## ")[0]
    assert "| without lexical |" in parts
    assert "## Effect of each part of auto" not in page, "those of projects are in their own table only"


def _read_table(page: str, title: str) -> list[list[str]]:
    """Read the cells of the table below a title, without the line below its header."""
    text = page.split(f"## {title}\n")[1].split("\n## ", maxsplit=1)[0]
    rows = [row.strip("|").split(" | ") for row in text.splitlines() if row.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]
