"""Filters in the query, intents, feedback, why-not and custom recipes."""

import json
import re
from pathlib import Path

import pytest
from interfaces.conftest import Run


def documents(out: str) -> list[str]:
    return [hit["document"] for hit in json.loads(out)["hits"]]


def test_filters_and_repairs_are_reported(run: Run, project: Path) -> None:
    done = run("search", "raned kind:docs type:spec")
    assert (done.code, "note: only kind:docs" in done.out, "note: only type:spec" in done.out) == (0, True, True)
    done = run("search", "recirpocal")
    assert "note: recirpocal → reciprocal" in done.out
    done = run("search", "keys", "kind:poem")
    assert done.code == 1
    assert "kind is one of docs, code" in done.out


def test_intent_graph_and_variants_can_be_set(run: Run, project: Path) -> None:
    done = run("search", "keys", "--recipe", "memory", "--intent", "fix_bug", "--no-graph", "--json")
    assert "intent fix_bug" in json.loads(done.out)["notes"]
    steps = {step["stage"]: step["skipped"] for step in json.loads(done.out)["steps"]}
    assert steps["walk_links"] == "depth 0"
    assert run("search", "keys", "--intent", "dance").code == 2
    assert run("search", "keys", "--variant", "poem:x").code == 2
    assert run("search", "keys", "--variant", "lex:signing", "--no-expand").code == 0


def test_feedback_moves_answers_survives_a_new_index_and_can_be_taken_back(run: Run, project: Path) -> None:
    plain = json.loads(run("search", "rotate keys", "--json").out)["hits"]
    assert run("feedback", "rotate keys", "--right", "docs/setup.md", "--wrong", "docs/ja.md").code == 0
    listed = run("feedback", "--list")
    assert "right  docs/setup.md" in listed.out
    assert "wrong  docs/ja.md" in listed.out
    for path in project.parent.glob("data/waymeet/indexes/*.sqlite"):
        path.unlink()
    moved = run("search", "rotate the keys", "--explain")
    assert "“rotate keys”" in moved.out
    assert run("feedback", "rotate keys", "--undo").code == 0
    assert run("feedback", "--list").code == 1
    assert [hit["score"] for hit in json.loads(run("search", "rotate keys", "--json").out)["hits"]] == [
        hit["score"] for hit in plain
    ]


def test_feedback_is_refused_if_it_says_nothing_or_of_nothing(run: Run, project: Path) -> None:
    assert run("feedback", "keys").code == 2
    assert run("feedback", "--right", "docs/setup.md").code == 2
    done = run("feedback", "keys", "--right", "nope.md")
    assert (done.code, "nope.md" in done.err) == (1, True)


def test_a_name_with_a_hash_is_not_cut(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "docs" / "c#.md").write_text("# C sharp\n\nRotate keys in it.\n", encoding="utf-8")
    for reference in ("docs/c#.md", "docs/c#.md#L1-L3", "docs/c#.md:1:2", "docs/c#.md#c-sharp"):
        done = run("why-not", "rotate keys", reference)
        assert (done.code, done.out.startswith("docs/c#.md  found")) == (0, True), reference
        assert run("feedback", "rotate keys", "--right", reference).code == 0
        assert "right  docs/c#.md  for" in run("feedback", "--list").out
        assert run("feedback", "rotate keys", "--right", reference, "--undo").code == 0
        assert run("feedback", "--list").code == 1
    monkeypatch.chdir(project / "docs")
    assert run("why-not", "rotate keys", "c#.md#L1-L3").code == 0
    for reference in ("docs/c#x.md", "docs/c#x.md#L1-L2", "docs/c#x.md:3"):
        assert "there is no file docs/c#x.md\n" in run("why-not", "rotate keys", reference).out


def test_what_was_said_of_a_file_that_is_gone_can_be_taken_back(run: Run, project: Path) -> None:
    assert run("feedback", "rotate keys", "--right", "docs/setup.md").code == 0
    (project / "docs" / "setup.md").unlink()
    assert run("feedback", "rotate keys", "--right", "docs/setup.md#L1-L3", "--undo").code == 0
    assert run("feedback", "--list").code == 1


def test_what_is_read_together_comes_together(run: Run, project: Path) -> None:
    """One sitting is not enough, so the setting is lowered; words alone find the one page, reading brings the other."""
    run("search", "keys")
    for page in ("docs/setup.md", "docs/ja.md"):
        assert run("read", page).code == 0
    asked = ("search", "signing", "--recipe", "memory", "--set", "embedding.provider=none", "--json")
    told = json.loads(run(*asked, "--set", "memory.together=1").out)
    assert "docs/ja.md added because it is often read together with docs/setup.md" in told["notes"]
    assert "docs/ja.md" in [hit["document"] for hit in told["hits"]]
    assert "docs/ja.md" not in documents(run(*asked).out)


def test_a_date_that_is_none_is_told(run: Run, project: Path) -> None:
    done = run("search", "rotate keys after:banana")
    assert "degraded: understand: after:banana was searched for as text" in done.out + done.err


def test_reading_an_entry_is_remembered(run: Run, project: Path) -> None:
    run("search", "keys")
    assert run("read", "docs/setup.md").code == 0
    assert run("read", "src/users.py").code == 0
    (kept,) = project.parent.glob("data/waymeet/indexes/*.read.json")
    assert list(json.loads(kept.read_text())) == ["docs/setup.md"]


def test_a_phrase_that_occurs_nowhere_has_one_message(run: Run, project: Path) -> None:
    done = run("search", '"rank keys nobody wrote"')
    assert done.out.count("rank keys nobody wrote") == 1
    assert 'no section contains "rank keys nobody wrote"' in done.out
    assert "must contain" not in done.out
    done = run("search", '"ranked lists" "rank keys nobody wrote"')
    assert "must contain" not in done.out
    assert 'note: must contain "ranked lists"' in run("search", '"ranked lists"').out


def test_why_not_names_the_filter_the_rank_and_the_ignore_rule(run: Run, project: Path) -> None:
    (project / ".gitignore").write_text("*.tmp\nhidden.md\n", encoding="utf-8")
    (project / "hidden.md").write_text("# Hidden keys\n", encoding="utf-8")
    done = run("why-not", "keys kind:code", "docs/setup.md")
    assert (done.code, "drop kind:code from the query" in done.out) == (1, True)
    done = run("why-not", "rank", "README.md", "-n", "1", "--json")
    told = json.loads(done.out)
    assert told["verdict"] in {"outranked", "unmatched"}
    assert told["changes"]
    done = run("why-not", "keys", "hidden.md")
    assert (done.code, "ignored by .gitignore, line 2: hidden.md" in done.out) == (1, True)
    assert "there is no file nope.md" in run("why-not", "keys", "nope.md").out
    done = run("why-not", "rotate signing keys", "docs/setup.md#L1-L3")
    assert (done.code, "it is result #1" in done.out) == (0, True)
    assert run("why-not", "keys", "docs/setup.md", "--recipe", "nope").code == 2


def test_why_not_is_short_unless_verbose(run: Run, project: Path) -> None:
    done = run("why-not", "keys kind:code", "docs/setup.md")
    assert done.out.splitlines() == [
        "docs/setup.md  filtered",
        "  ✗ filter: excluded by kind:code",
        "  → drop kind:code from the query",
        "  every stage and list: --verbose",
    ]
    verbose = run("why-not", "keys kind:code", "docs/setup.md", "--verbose").out
    assert verbose.startswith("\n".join(done.out.splitlines()[:3]))
    assert "· correct_spelling " in verbose
    assert "by lexical" in verbose
    for number in range(150):
        (project / "docs" / f"k{number}.md").write_text(f"# Keys {number}\n\nrotate keys keys keys\n", encoding="utf-8")
    (project / "docs" / "low.md").write_text(f"# Other\n\nrotate {'word ' * 300}\n", encoding="utf-8")
    run("index")
    done = run("why-not", "rotate keys", "docs/low.md")
    assert "✗ retrieve: ranked too low to be a candidate: #" in done.out
    (limit,) = re.findall(r"→ --limit (\d+): it is then the last one shown", done.out)
    assert run("why-not", "rotate keys", "docs/low.md", "-n", limit).code == 0
    assert len(done.out.splitlines()) <= 6
    assert run("search", "rotate keys", "-n", limit, "--format", "files").out.splitlines()[-1] == "docs/low.md"


def test_why_not_names_the_translation_and_whole_words(run: Run, project: Path) -> None:
    (project / "docs" / "setup.ja.md").write_text("---\nlang: ja\n---\n# 鍵の設定\n\nrotate signing keys\n", "utf-8")
    done = run("why-not", "rotate signing keys", "docs/setup.ja.md")
    assert "✗ collapse_translations: its translation docs/setup.md is shown instead" in done.out
    assert "add “設定”" in run("why-not", "rotate", "docs/setup.ja.md", "-v").out


def test_a_recipe_of_ones_own_is_listed_used_and_checked(run: Run, project: Path) -> None:
    (project / "waymeet.toml").write_text(
        '[recipes.mine]\ndescription = "Mine"\nstages = ["understand", "lexical", "fuse"]\n'
        "[recipes.mine.settings.rrf]\nk = 10\n",
        encoding="utf-8",
    )
    done = run("recipes")
    assert "mine  Mine" in done.out
    assert "understand → lexical → fuse" in done.out
    assert "rrf.k 10" in done.out
    assert documents(run("search", "signing", "--recipe", "mine", "--json").out) == ["docs/setup.md"]
    assert run("recipes", "--stages").out.startswith("only_skills")
    (project / "waymeet.toml").write_text('[recipes.mine]\nstages = ["weighted_sum"]\n', encoding="utf-8")
    done = run("search", "signing", "--recipe", "mine")
    assert (done.code, "weighted_sum" in done.err) == (2, True)
    assert run("search", "signing").code == 0
