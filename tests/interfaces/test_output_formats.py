"""Output formats, standard input, and errors as JSON."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from interfaces.conftest import Run

from waymeet.interfaces.cli.ask.preview import preview_files, preview_lines
from waymeet.interfaces.render.text import plain_line
from waymeet.settings import Ingest


def _given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_the_forms_of_an_answer(project: Path, run: Run) -> None:
    whole = json.loads(run("search", "fusion", "--format", "json").out)
    assert whole == {**json.loads(run("search", "fusion", "--json").out), **_timing(whole)}
    lines = run("search", "fusion", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [hit["id"] for hit in whole["hits"]]
    files = run("search", "fusion", "--format", "files").out.splitlines()
    assert files == list(dict.fromkeys(hit["document"] for hit in whole["hits"]))
    page = run("search", "fusion", "--format", "md").out
    assert page.startswith("# fusion\n\n## 1. Rank fusion\n\n`docs/fusion.md#L")
    assert "degraded: vector" in page


_PAGE = "Rotate the signing keys every ninety days. The old key stays valid for a week, until open sessions end. " * 3


def test_every_form_of_an_answer_names_copies(project: Path, run: Run) -> None:
    """Six files with the same text are one hit, which names four of the others in text and all in JSON."""
    for name in ("keys.html", "keys.txt", "copy/a.md", "copy/b.md", "copy/c.md", "copy/d.md"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(f"<h1>Keys</h1>\n<p>{_PAGE}</p>\n" if name.endswith("html") else f"{_PAGE}\n")
    run("index")
    hit, *others = json.loads(run("search", "rotate signing keys ninety", "--json").out)["hits"]
    assert not any("ninety" in other["sections"][0]["snippet"] for other in others)
    assert (len(hit["copies"]), hit["copy_count"]) == (5, 5)
    named = hit["copies"][:4]
    text = run("search", "rotate signing keys ninety").out
    assert f"also in: {', '.join(named)} and 1 more\n" in text
    page = run("search", "rotate signing keys ninety", "--format", "md").out
    assert f"- also in: {', '.join(f'`{name}`' for name in named)} and 1 more\n" in page


def _timing(answer: dict[str, object]) -> dict[str, object]:
    return {name: answer[name] for name in ("seconds", "steps")}


def test_files_can_be_opened_from_where_one_stands(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    monkeypatch.chdir(project / "docs")
    found = run("search", "fusion", "--format", "files").out.splitlines()
    assert "fusion.md" in found
    assert "../README.md" in found
    assert all(Path(path).is_file() for path in found)


def test_names_are_printed_as_they_are(project: Path, run: Run) -> None:
    strange = "docs/a\ttab and\nnewline.md"
    (project / strange).write_text("# Zebra\n\nA zebra.\n", encoding="utf-8")
    run("index")
    assert run("search", "zebra", "--format", "files").out == f"{strange}\n"
    for args in (("--format", "files", "-0"), ("--null",), ("-0",)):
        assert run("search", "zebra", *args).out == f"{strange}\0"
    assert run("read", strange, "-0").out == f"{strange}\0"
    for form in ("json", "md", "text"):
        done = run("search", "zebra", "-0", "--format", form)
        assert (done.code, "--null is for --format files" in done.err) == (2, True)
    command = [sys.executable, "-m", "waymeet", "search", "zebra", "-0"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == strange.encode() + b"\0"


def test_text_shows_the_relevance_and_an_explanation_the_score(project: Path, run: Run) -> None:
    (hit, *_) = json.loads(run("search", "fusion", "--json").out)["hits"]
    assert run("search", "fusion").out.startswith(f"1. {hit['id']}  {hit['relevance']:.2f}\n")
    assert f"{hit['score']:.4f}" not in run("search", "fusion").out
    assert f"   score {hit['score']:.4f}\n" in run("search", "fusion", "--explain").out
    page = run("search", "fusion", "--format", "md").out
    assert (f"relevance {hit['relevance']:.2f}" in page, " · score " in page) == (True, False)
    assert f"score {hit['score']:.4f}" in run("search", "fusion", "--format", "md", "--explain").out


@pytest.mark.parametrize(
    "args",
    [
        ("related", "docs/fusion.md"),
        ("links", "docs/fusion.md"),
        ("orphans",),
        ("stale", "--all"),
        ("broken-links",),
        ("suggest-links",),
        ("graph", "docs/fusion.md"),
        ("note", "list"),
        ("read", "docs/setup.md"),
    ],
)
def test_every_list_has_every_form(project: Path, run: Run, args: tuple[str, ...]) -> None:
    run("index")
    run("note", "add", "A note", "on fusion")
    for form in ("text", "json", "jsonl", "md", "files"):
        found = run(*args, "--format", form)
        assert found.code in {0, 1}, found.err
        assert "Traceback" not in found.err
        if form == "json":
            json.loads(found.out)
        if form == "jsonl":
            assert all(json.loads(line) is not None for line in found.out.splitlines())
        if form == "files":
            assert all((project / line).exists() for line in found.out.splitlines())


def test_json_and_another_form_contradict_each_other(project: Path, run: Run) -> None:
    found = run("search", "x", "--json", "--format", "md")
    assert found.code == 2
    assert "exclude each other" in found.err


@pytest.mark.parametrize(
    ("args", "code", "name"),
    [
        (("search", "x", "--json", "--kind", "poem"), 2, "usage"),
        (("search", "--json"), 2, "usage"),
        (("serach", "x", "--json"), 2, "usage"),
        (("search", "x", "--json", "--recipe", "nope"), 2, "unknown_recipe"),
        (("search", "x", "--format", "jsonl", "--set", "rrf.kk=1"), 2, "settings"),
        (("search", "x", "--format=json", "-C", "no/such"), 2, "not_found"),
        (("status", "--json"), 3, "no_index"),
    ],
)
def test_errors_for_programs(project: Path, run: Run, args: tuple[str, ...], code: int, name: str) -> None:
    found = run(*args)
    assert (found.code, found.out) == (code, "")
    error = json.loads(found.err.splitlines()[-1])["error"]
    assert (error["code"], error["exit_code"]) == (name, code)
    assert error["message"]
    assert error["hint"]


def test_a_trace_from_standard_input(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _given(monkeypatch, 'Traceback:\n  File "/ci/src/users.py", line 2, in get_user_by_id\nKeyError: 7\n')
    found = run("search", "-", "--json")
    answer = json.loads(found.out)
    assert "read as a stack trace of Python: KeyError: 7; in this project: src/users.py:2" in found.err
    assert answer["notes"][0].startswith("read as a stack trace of Python")
    assert answer["hits"][0]["document"] == "src/users.py"


def test_a_diff_from_standard_input(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _given(monkeypatch, "--- a/docs/fusion.md\n+++ b/docs/fusion.md\n@@ -7 +7 @@\n-old\n+fused by reciprocal rank\n")
    found = run("search", "-")
    assert "read as a diff of 1 file; in this project: docs/fusion.md:7" in found.err
    assert found.out.startswith("1. docs/fusion.md#L")


def test_a_question_from_standard_input(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _given(monkeypatch, "signing keys\n")
    assert run("search", "rotate", "-").out.startswith("1. docs/setup.md#L")
    _given(monkeypatch, " \n")
    assert run("search", "-").code == 2


def test_reading_what_search_found(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [json.loads(line)["id"] for line in run("search", "keys", "--format", "jsonl").out.splitlines()]
    _given(monkeypatch, "\n".join(ids))
    read = json.loads(run("read", "-", "--json").out)
    assert [each["id"] for each in read] == ids
    assert run("read", "docs/setup.md", "README.md").out.startswith("docs/setup.md#L1-L3\n# Setup")


def test_tabs_survive_reading(project: Path, run: Run) -> None:
    (project / "Makefile.md").write_text("all:\n\tmake\n", encoding="utf-8")
    assert run("read", "Makefile.md").out == "all:\n\tmake\n"


def test_the_project_can_be_named_before_the_command(
    project: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("-C", str(project), "search", "fusion").code == 0
    assert run("-C", str(project), "note", "add", "Here", "text").code == 0
    assert (project / ".waymeet" / "notes" / "here.md").exists()
    assert run("-C", str(project), "doctor", "--offline", "--json").code == 0


def test_an_unknown_namespace_is_told_with_those_there_are(project: Path, run: Run) -> None:
    for name in ("billing", "shop"):
        (project / name).mkdir()
        (project / name / "package.json").write_text(json.dumps({"name": name}), encoding="utf-8")
        (project / name / "a.md").write_text(f"# Fusion in {name}\n", encoding="utf-8")
    assert run("search", "fusion", "--namespace", "billing").code == 0
    found = run("search", "fusion", "--namespace", "biling")
    assert found.code == 1
    assert "There is no namespace biling. Known: billing, shop." in found.err


def test_skills_anywhere_are_listed_without_asking_for_an_index(project: Path, run: Run) -> None:
    (project / "tools").mkdir()
    (project / "tools" / "SKILL.md").write_text("---\nname: deploy\n---\n# Deploy\n\nSteps.\n", encoding="utf-8")
    found = run("skill", "list")
    assert found.code == 0, found.err
    assert "deploy" in found.out.lower()
    assert "Indexed" in found.err


def test_symbols_of_a_file_are_drawn(project: Path, run: Run) -> None:
    text = (
        "from src.users import get_user_by_id\n\n\ndef a():\n    return get_user_by_id(1)\n\n\ndef b():\n    return 1\n"
    )
    (project / "src" / "calls.py").write_text(text, encoding="utf-8")
    drawn = run("graph", "src/calls.py", "--symbols", "--kinds", "calls").out
    assert "src/calls.py#a" in drawn
    assert "└─ → src/users.py#get_user_by_id" in drawn
    for kinds in ((), ("--kinds", "calls")):
        edges = json.loads(run("graph", "src/calls.py", "--symbols", *kinds, "--json").out)["edges"]
        assert {"source": "src/calls.py", "target": "src/calls.py#b", "kind": "contains", "links": 1} in edges
        called = {"source": "src/calls.py#a", "target": "src/users.py#get_user_by_id", "kind": "calls", "links": 1}
        assert called in edges


def test_a_preview_finds_lines_without_an_index(project: Path) -> None:
    (project / ".env").write_text("rotate keys", encoding="utf-8")
    (project / "ops.md").write_text("rotate keys: password = 'hunter2-Zx81!'\n", encoding="utf-8")
    preview = preview_files(project, Ingest(), "rotate signing keys", is_late=lambda: False)
    assert preview.matches[0].path == "docs/setup.md"
    assert preview.files_read == preview.files
    assert ".env" not in {each.path for each in preview.matches}
    shown = "\n".join(plain_line(line) for line in preview_lines(preview))
    assert "docs/setup.md:3  Install it, then rotate" in shown
    assert "hunter2" not in shown


def test_a_preview_ends_when_it_is_late(project: Path) -> None:
    calls = iter(range(1000))
    preview = preview_files(project, Ingest(), "keys", is_late=lambda: next(calls) > 2)
    assert preview.files_read <= 2
