"""The commands `waymeet note`, `task` and `skill`."""

import io
import json
import sys
from pathlib import Path

import pytest
from interfaces.conftest import Run


def test_a_note_from_the_first_word_to_the_last(project: Path, run: Run) -> None:
    run("index")
    added = run("note", "add", "Keys rotate monthly", "By the job `rotate`, on the first.", "--tag", "ops")
    assert added.code == 0, added.err
    assert added.out.startswith("Saved .waymeet/notes/keys-rotate-monthly.md (version ")
    assert run("search", "job rotate first", "--kind", "notes").out.startswith(
        "1. .waymeet/notes/keys-rotate-monthly.md#"
    )
    linked = run("note", "link", "keys-rotate-monthly", "related_to", "docs/setup.md")
    assert linked.code == 0, linked.err
    shown = json.loads(run("note", "show", "keys-rotate-monthly", "--json").out)
    assert shown["fields"] == {"title": "Keys rotate monthly", "tags": ["ops"], "related_to": ["docs/setup.md"]}
    assert run("note", "update", "keys-rotate-monthly", "--body", "On the second.", "--field", "team=core").code == 0
    plain = run("note", "show", "Keys rotate monthly")
    assert plain.out.endswith("team: core\n---\n\nOn the second.\n")
    assert "version" in plain.err
    listed = run("note", "list", "--tag", "OPS")
    assert listed.out == "keys-rotate-monthly  Keys rotate monthly  #ops\n"
    assert run("note", "list", "--tag", "none").code == 1
    assert "Did you mean .waymeet/notes/keys-rotate-monthly.md?" in run("note", "show", "keys-rotate-monthy").err
    removed = run("note", "rm", "keys-rotate-monthly").out
    assert run("note", "show", "keys-rotate-monthly").code == 1
    for name in (".waymeet/notes/keys-rotate-monthly.md", "keys-rotate-monthly", "Keys rotate monthly"):
        past = json.loads(run("note", "history", name, "--json").out)
        assert len(past) == 3
    back = f"restore .waymeet/notes/keys-rotate-monthly.md {past[0]['version']}\n"
    assert removed.endswith(f"To restore it: waymeet note {back}")
    assert run("note", "restore", "keys-rotate-monthly", past[-1]["version"]).code == 0
    assert "By the job" in run("note", "show", "keys-rotate-monthly").out


def test_text_from_standard_input(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("---\nsource: meeting\n---\n鍵は毎月更新する。\n"))
    assert run("note", "add", "鍵の更新", "-").code == 0
    assert (project / ".waymeet/notes/鍵の更新.md").read_text(encoding="utf-8") == (
        "---\nsource: meeting\ntitle: 鍵の更新\n---\n\n鍵は毎月更新する。\n"
    )


def test_a_conflict_shows_both_and_is_exit_4(project: Path, run: Run) -> None:
    added = json.loads(run("note", "add", "A", "One.", "--json").out)
    (project / ".waymeet/notes/a.md").write_text("By an editor.\n")
    refused = run("note", "update", "a", "--body", "By a program.", "--version", added["item"]["version"])
    assert refused.code == 4
    assert "-By an editor." in refused.err
    assert "+By a program." in refused.err
    as_json = run("note", "update", "a", "--body", "By a program.", "--version", added["item"]["version"], "--json")
    assert as_json.code == 4
    conflict = json.loads(as_json.out)["conflict"]
    assert conflict["current"] == "By an editor.\n"
    assert conflict["refused"] == "By a program.\n"
    assert run("note", "rm", "a", "--version", added["item"]["version"]).code == 4
    assert run("note", "update", "a", "--body", "Both.", "--version", conflict["version"]).code == 0


def test_an_editor_is_called_and_its_text_is_never_thrown_away(
    project: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("task", "add", "A", "One.")
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib, os\n"
        "path = pathlib.Path(sys.argv[1]); text = path.read_text(encoding='utf-8')\n"
        "path.write_text(text.replace(*os.environ['CHANGE'].split('>')), encoding='utf-8'); os.utime(path, (1, 1))\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    monkeypatch.setenv("CHANGE", "One.>Two.")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert run("task", "edit", "a").code == 0
    assert run("task", "show", "a").out.endswith("Two.\n")
    monkeypatch.setenv("CHANGE", "todo>doing")
    refused = run("task", "edit", "a")
    assert refused.code == 2
    assert "is not one of" in refused.err
    kept = refused.err.partition("Your text was saved to ")[2].partition("\n")[0]
    assert "status: doing" in Path(kept).read_text(encoding="utf-8")
    Path(kept).unlink()


def test_tasks(project: Path, run: Run) -> None:
    run("task", "add", "Rotate the keys", "--priority", "high", "--due", "2026-12-31", "--assignee", "Ann")
    added = run("task", "add", "Write the job", "--field", "subtask_of=rotate-the-keys", "--field", "blocks=")
    assert added.code == 0, added.err
    assert run("task", "move", "write-the-job", "done").code == 0
    assert run("task", "list", "--open").out == "rotate-the-keys  Rotate the keys  todo · high · 2026-12-31 · Ann\n"
    assert [each["name"] for each in json.loads(run("task", "list", "--status", "done", "--json").out)] == [
        "write-the-job"
    ]
    assert run("task", "link", "rotate-the-keys", "subtask_of", "write-the-job").code == 2
    assert run("task", "move", "write-the-job", "doing").code == 2
    removed = run("task", "rm", "rotate-the-keys")
    assert "write-the-job.md: removed its relation subtask_of" in removed.out


def test_skills(project: Path, run: Run) -> None:
    run(
        "skill",
        "add",
        "Release",
        "--trigger",
        "ship it",
        "--step",
        "Run the tests",
        "--step",
        "Tag",
        "--pattern",
        "*.py",
    )
    run("skill", "use", "release")
    used = json.loads(run("skill", "use", "release", "--json").out)
    assert used["usage"]["count"] == 2
    assert used["steps"] == ["Run the tests", "Tag"]
    assert run("skill", "list").out == "release  Release  used 2×\n"
    assert run("skill", "update", "release", "--step", "Only this").code == 0
    assert json.loads(run("skill", "show", "release", "--json").out)["steps"] == ["Only this"]
    assert run("search", "could you ship it", "--kind", "skills").code == 0


@pytest.mark.parametrize(
    "args",
    [
        ("note", "add", ""),
        ("note", "add", "A", "--field", "no-value"),
        ("note", "add", "A", "--field", "bad key=1"),
        ("note", "link", "a", "nonsense", "b"),
        ("task", "add", "A", "--due", "tomorrow"),
        ("note",),
    ],
)
def test_wrong_usage_is_exit_2(project: Path, run: Run, args: tuple[str, ...]) -> None:
    assert run(*args).code == 2
    assert not list(project.glob(".waymeet/*/*.md"))


@pytest.mark.parametrize("kind", ["note", "task", "skill"])
def test_every_command_has_help(run: Run, kind: str) -> None:
    shown = run(kind, "--help")
    assert "Examples:" in shown.out
    for name in ("add", "show", "edit", "update", "rm", "list", "link", "unlink", "history", "restore"):
        assert name in shown.out
        assert run(kind, name, "--help").code == 0


def test_notes_do_not_depend_on_the_index(project: Path, run: Run, tmp_path: Path) -> None:
    index = tmp_path / "broken.db"
    index.write_bytes(b"not an index at all" * 1000)
    added = run("note", "add", "A", "One.", "--index", str(index))
    assert added.code == 0, added.err
    assert "note: the index does not have it yet" in added.out
    assert run("note", "show", "a", "--index", str(index)).code == 0
    assert run("note", "link", "a", "related_to", "docs/setup.md", "--index", str(index)).code == 0
    assert run("note", "rm", "a", "--index", str(index)).code == 0


def test_a_note_that_ignore_rules_exclude_is_reported(project: Path, run: Run) -> None:
    (project / ".gitignore").write_text(".waymeet/\n")
    run("index")
    assert "a search will not find it" in run("note", "add", "A", "One.").out


def test_titles_cannot_send_control_sequences_to_the_terminal(project: Path, run: Run) -> None:
    run("note", "add", "red \x1b[31m title", "text \x1b]0;x\x07")
    assert "\x1b" not in run("note", "list").out + run("note", "show", "red-31m-title").out
