"""The command line: output, exit codes and errors."""

import json
import os
from pathlib import Path

import pytest
from interfaces.conftest import Run

from waymeet.interfaces.cli import _COMMANDS
from waymeet.project import Project


def test_search_indexes_on_first_use_and_finds(project: Path, run: Run) -> None:
    found = run("search", "how are ranked lists fused")
    assert found.code == 0
    assert found.out.startswith("1. docs/fusion.md#L")
    assert "Indexed" in found.err
    assert "Traceback" not in found.err


def test_nothing_found_is_exit_1_with_a_next_step(project: Path, run: Run) -> None:
    found = run("search", "flurbozzle")
    assert found.code == 1
    assert "Nothing found" in found.out
    assert "Try" in found.err


def test_json_is_an_answer(project: Path, run: Run) -> None:
    found = run("search", "getUserById", "--json", "--kind", "code")
    answer = json.loads(found.out)
    assert answer["hits"][0]["id"] == "src/users.py#L1-L2"
    assert answer["recipe"] == "auto"
    assert answer["degraded"][0]["code"] == "no_model"
    assert {step["stage"] for step in answer["steps"]} >= {"understand", "lexical", "vector", "shape"}
    assert answer["hits"][0]["sources"][0] == {
        "source": "lexical",
        "rank": 1,
        "score": pytest.approx(answer["hits"][0]["sources"][0]["score"]),
    }


def test_explain_prints_the_signals_of_each_score(project: Path, run: Run) -> None:
    shown = run("search", "fused", "--explain").out
    assert "█" in shown
    assert "fuse" in shown
    assert "estimated relevance 0." in shown
    assert "└─" not in shown


def test_explain_full_prints_a_tree(project: Path, run: Run) -> None:
    shown = run("search", "fused", "--explain-full").out
    assert "= quotient of" in shown
    assert "idf" in shown
    assert "└─" in shown


def test_json_has_the_tree_with_either_option(project: Path, run: Run) -> None:
    short, full, none = (
        json.loads(run("search", "fused", "--json", *options).out)["hits"][0]["explanation"]
        for options in (("--explain",), ("--explain-full",), ())
    )
    assert short == full
    assert short["parts"]
    assert none is None


def test_filters(project: Path, run: Run) -> None:
    def documents(*args: str) -> set[str]:
        found = run("search", "rank fusion keys user 42", "--json", *args)
        return {hit["document"] for hit in json.loads(found.out)["hits"]}

    assert documents("--kind", "code") == {"src/users.py"}
    assert documents("--kind", "files") == {"data.json"}
    assert documents("--in", "docs") <= {"docs/fusion.md", "docs/setup.md", "docs/ja.md"}
    assert documents("--type", "spec") == {"docs/fusion.md"}
    assert documents("--tag", "CORE") == {"docs/fusion.md"}
    assert documents("--in", "docs", "--tag", "other") == set()


def test_in_is_read_from_where_one_stands(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    monkeypatch.chdir(project / "docs")
    found = run("search", "keys user", "--json", "--in", ".")
    documents = [hit["document"] for hit in json.loads(found.out)["hits"]]
    assert documents[0] == "docs/setup.md"
    assert all(document.startswith("docs/") for document in documents)


def test_japanese(project: Path, run: Run) -> None:
    found = run("search", "正規", "--json")
    hits = json.loads(found.out)["hits"]
    assert hits[0]["document"] == "docs/ja.md"
    assert "正規化" in hits[0]["sections"][0]["snippet"]


def test_mode_means_classic(project: Path, run: Run) -> None:
    answer = json.loads(run("search", "fused", "--recipe", "classic", "--mode", "bm25_only", "--json").out)
    assert (answer["recipe"], answer["mode"], answer["degraded"]) == ("classic", "bm25_only", [])


def test_the_hashing_embedder_fills_the_vector_list(project: Path, run: Run) -> None:
    flags = ("--set", "embedding.provider=hashing")
    assert run("index", *flags).code == 0
    answer = json.loads(run("search", "ranked lists", "--recipe", "threeway", "--json", "--explain", *flags).out)
    assert answer["search_type"] == "hybrid"
    assert answer["degraded"] == []
    assert {source["source"] for source in answer["hits"][0]["sources"]} >= {"vector", "lexical"}


def test_editing_adding_and_deleting_show_in_the_next_search(project: Path, run: Run) -> None:
    run("index")
    (project / "docs" / "setup.md").write_text("# Setup\n\nNow about zeppelins.\n", encoding="utf-8")
    (project / "new.md").write_text("# New\n\nAbout quaggas.\n", encoding="utf-8")
    (project / "docs" / "fusion.md").unlink()
    assert json.loads(run("search", "zeppelins", "--json").out)["hits"][0]["document"] == "docs/setup.md"
    assert json.loads(run("search", "quaggas", "--json").out)["hits"][0]["document"] == "new.md"
    for query in ("reciprocal", "fusion", "monthly signing"):
        found = run("search", query, "--json")
        assert "docs/fusion.md" not in {hit["document"] for hit in json.loads(found.out)["hits"]}


def test_a_search_that_may_index_nothing_says_how_much_is_missing(project: Path, run: Run) -> None:
    run("index")
    for n in range(4):
        (project / f"{n}.md").write_text(f"page {n} about zeppelins", encoding="utf-8")
    found = run("search", "zeppelins", "--json", "--set", "ingest.refresh_files=0")
    assert found.code == 1
    (behind,) = (each["detail"] for each in json.loads(found.out)["degraded"] if each["code"] == "behind")
    assert behind.startswith("4 changed files are not in the index yet")


def test_no_time_to_look_is_announced(project: Path, run: Run) -> None:
    run("index")
    found = run("search", "fusion", "--json", "--set", "ingest.refresh_seconds=1e-9")
    assert "not_checked" in {each["code"] for each in json.loads(found.out)["degraded"]}


def test_read(project: Path, run: Run) -> None:
    run("index")
    assert run("read", "docs/setup.md").out.startswith("# Setup\n")
    assert run("read", "docs/setup.md#L3-L3").out == "Install it, then rotate the signing keys once a month.\n"
    assert run("read", "docs/setup.md:3").out.startswith("Install it")
    assert run("read", "docs/fusion.md:6:1").out == "# Rank fusion\n"
    assert "sixty" in run("read", "docs/fusion.md#formula").out
    assert json.loads(run("read", "docs/setup.md:1:1", "--json").out)["id"] == "docs/setup.md#L1-L1"


def test_what_search_shows_can_be_read(project: Path, run: Run) -> None:
    for hit in json.loads(run("search", "fusion keys user 正規", "--json").out)["hits"]:
        assert run("read", hit["id"]).code == 0


@pytest.mark.parametrize("reference", ["../secret.txt", "/etc/passwd", "no/such.md", "docs/setup.md:99", "", "x#y"])
def test_reading_what_is_not_indexed_is_refused(project: Path, run: Run, reference: str) -> None:
    (project.parent / "secret.txt").write_text("secret", encoding="utf-8")
    run("index")
    found = run("read", reference)
    assert found.code == 1
    assert "secret" not in found.out
    assert found.err.startswith("waymeet: ")


def test_a_name_that_is_nearly_right_is_put_right(project: Path, run: Run) -> None:
    for args in (("read",), ("feedback", "keys", "--right"), ("why-not", "keys")):
        done = run(*args, "docs/setpu.md")
        assert (done.code, "id you mean docs/setup.md?" in done.out + done.err) == (1, True)
    assert run("read", "docs/fusion.md#formulae").err == "waymeet: docs/fusion.md has no 'formulae'.\nIt has: formula\n"


def test_a_file_replaced_by_a_link_to_the_outside_is_not_read(project: Path, run: Run) -> None:
    secret = project.parent / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    run("index")
    (project / "docs" / "setup.md").unlink()
    (project / "docs" / "setup.md").symlink_to(secret)
    found = run("read", "docs/setup.md")
    assert found.code == 2
    assert "secret\n" not in found.out


def test_reading_a_changed_file_says_so(project: Path, run: Run) -> None:
    run("index")
    (project / "docs" / "setup.md").write_text("# Other\n", encoding="utf-8")
    found = run("read", "docs/setup.md")
    assert found.out == "# Other\n"
    assert "changed since it was indexed" in found.err


def test_status(project: Path, run: Run) -> None:
    (project / "big.md").write_text("x" * 3_000_000, encoding="utf-8")
    (project / "blob.md").write_bytes(b"\x00\x01\x02" * 100)
    run("index")
    status = json.loads(run("status", "--json").out)
    assert status["counts"]["documents"] == 10
    assert status["counts"]["kinds"] == {"code": 1, "docs": 4, "files": 3, "folders": 2}
    assert {path for path, _ in status["skipped"]} == {"big.md", "blob.md"}
    assert status["changes"] == []
    text = run("status").out
    assert "big.md" in text
    assert "yes, no file changed" in text
    (project / "new.md").write_text("new", encoding="utf-8")
    assert "no, 1 file" in run("status").out


def test_status_without_an_index_is_exit_3(project: Path, run: Run) -> None:
    found = run("status")
    assert found.code == 3
    assert "waymeet index" in found.err


def test_a_damaged_index_is_exit_3_with_a_next_step(project: Path, run: Run) -> None:
    index = project.parent / "index.sqlite"
    index.write_bytes(b"not an index at all" * 100)
    found = run("search", "fusion", "--index", str(index))
    assert found.code == 3
    assert str(index) in found.err
    assert "Traceback" not in found.err


def test_recipes_and_settings(project: Path, run: Run) -> None:
    assert {recipe["name"] for recipe in json.loads(run("recipes", "--json").out)} == {
        *("auto", "classic", "threeway", "memory", "deep"),
        *("neighbours", "files", "skills_recall"),
    }
    assert "stages  understand → " in run("recipes").out
    (project / "waymeet.toml").write_text("[rrf]\nk = 7\n", encoding="utf-8")
    assert "rrf.k = 7.0  (waymeet.toml)" in run("settings", "rrf").out
    assert json.loads(run("settings", "pool.factor", "--recipe", "classic", "--json").out) == {
        "pool.factor": {"value": 5, "from": "recipe classic"}
    }
    assert "Did you mean rrf.k?" in run("settings", "rrf.kk").err
    assert run("settings", "nothing-like-it").err.startswith("waymeet: There is no setting nothing-like-it.\n")
    assert "bm25.fields.inbound = " in run("settings", "inbound").out, "if none begins so, those that hold it"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("search",), "Missing argument"),
        (("search", "x", "-n", "0"), "0 is not in the range"),
        (("search", "x", "--recipe", "autto"), "Did you mean auto?"),
        (("search", "x", "--mode", "deep"), "Recipes with this mode: deep."),
        (("search", "x", "--mode", "hybrid"), "auto has no mode 'hybrid'.\nRecipes with this mode: classic, neigh"),
        (("search", "x", "--mode", "words"), "No recipe has it. Modes: hybrid, bm25_only, vec_only (classic)"),
        (("search", "x", "--recipe", "deep", "--mode", "keyword"), "with this mode: neighbours, files, skills_recall."),
        (("why-not", "x", "README.md", "--mode", "hybrid"), "Recipes with this mode: classic, neighbours"),
        (("search", "--", "-request"), "only excludes words: -request\nAdd a word to search for."),
        (("search", "--", "-request", "kind:docs"), "only excludes words"),
        (("why-not", "--", "-request", "README.md"), "only excludes words"),
        (("search", "x", "--set", "rrf.kk=1"), "Did you mean rrf.k?"),
        (("search", "x", "-C", "no/such"), "There is no folder"),
        (("search", "x", "-C", "README.md"), "is a file"),
        (("index", "no/such"), "There is no folder"),
        (("index", ".", "-C", "."), "not both"),
        (("index", "--index", "inside.sqlite"), "inside the project"),
        (("serach", "x"), "Did you mean search?"),
        (("how do we rotate keys?",), "waymeet search"),
        (("note", "shwo", "x"), "Did you mean show?"),
        (("models", "pull", "x"), "Commands: get, remove."),
    ],
)
def test_wrong_usage_is_exit_2_and_says_what_to_do(project: Path, run: Run, args: tuple[str, ...], said: str) -> None:
    found = run(*args)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err


def test_a_broken_project_file_is_named(project: Path, run: Run) -> None:
    (project / "waymeet.toml").write_text('[embedding]\nprovider = "hashing"\n', encoding="utf-8")
    found = run("search", "x")
    assert found.code == 2
    assert "may not set" in found.err


def test_an_empty_folder(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert "Nothing to search" in run("index").err
    found = run("search", "anything")
    assert found.code == 1
    assert "no readable text files" in found.err
    assert "not mounted" not in run("status").out, "it was empty when it was indexed"
    assert "fresh  yes" in run("status").out


def test_the_home_folder_is_not_indexed_by_accident(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    found = run("search", "anything")
    assert found.code == 2
    assert "waymeet index PATH" in found.err


def test_a_query_that_looks_like_an_option(project: Path, run: Run) -> None:
    assert run("search", "--", "--fusion").code == 0


@pytest.mark.parametrize("query", ["", '"', "( AND *", "🦄", "\x1b[31m", "x" * 50_000])
def test_any_query_string_is_answered(project: Path, run: Run, query: str) -> None:
    found = run("search", "--", query)
    assert found.code == 1
    assert "Traceback" not in found.err
    assert "\x1b" not in found.out


def test_every_command_has_help(run: Run) -> None:
    top = run("--help").out
    for name, said in _COMMANDS.items():
        assert name in top
        assert said.split(";")[0][:30] in top
        assert "Usage: waymeet" in run(name, "--help").out


def test_reading_from_a_subfolder_and_by_heading(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    monkeypatch.chdir(project / "docs")
    assert run("read", "setup.md:1:1").out == "# Setup\n"
    assert run("read", str(project / "docs" / "setup.md") + "#L1-L1").out == "# Setup\n"
    assert "sixty" in run("read", "fusion.md#Formula").out


def test_a_piece_of_a_long_line_is_read_alone(project: Path, run: Run) -> None:
    (project / "long.json").write_text("word " * 2000 + "needle", encoding="utf-8")
    hit = json.loads(run("search", "needle", "--json").out)["hits"][0]
    assert "~" in hit["id"]
    text = run("read", hit["id"]).out
    assert "needle" in text
    assert len(text) < 2000


def test_a_first_index_that_was_broken_off_is_finished_by_the_next_search(project: Path, run: Run) -> None:
    with Project.open(project) as broken:
        broken._open_store(create=True)
    assert run("search", "fusion").code == 0


def test_filters_that_nothing_passes_are_named(project: Path, run: Run) -> None:
    assert "Check their spelling" in run("search", "fusion", "--in", "nodir").err
    assert "Invalid value for '--kind'" in run("search", "fusion", "--kind", "coed").err


def test_the_index_is_private(project: Path, run: Run) -> None:
    run("index")
    for path in Path(os.environ["XDG_DATA_HOME"]).rglob("*.sqlite*"):
        assert path.stat().st_mode & 0o077 == 0
