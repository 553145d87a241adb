"""Commands for setting up: completion, init, install and uninstall, doctor."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from interfaces.conftest import Run

from waymeet.interfaces.cli import cli
from waymeet.interfaces.cli.setup.detect_project import DetectedProject, LargeFolder, detect_project, settings_text
from waymeet.settings import Ingest
from waymeet.settings.sources import from_project


def _completed(*words: str) -> list[str]:
    """Ask as a shell does."""
    asked = ShellComplete(cli, {}, "waymeet", "_WAYMEET_COMPLETE")
    return [item.value for item in asked.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    found = run("completion", shell)
    assert found.code == 0
    assert "_WAYMEET_COMPLETE" in found.out
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=found.out, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr


def test_what_is_completed(project: Path, run: Run) -> None:
    assert _completed("read", "docs/f") == [], "no index, no error"
    (project / "waymeet.toml").write_text('[recipes.mine]\nbase = "auto"\n', encoding="utf-8")
    run("index")
    assert _completed("read", "docs/f") == ["docs/fusion.md"]
    assert _completed("re") == ["read", "related", "recipes"]
    assert _completed("search", "--kind", "") == ["docs", "code", "notes", "tasks", "skills", "files", "folders"]
    assert _completed("search", "--recipe", "m") == ["memory", "mine"]
    assert _completed("search", "--set", "rrf.k") == ["rrf.k="]
    assert _completed("search", "--exp") == ["--explain", "--explain-full"]
    assert _completed("settings", "terminal.l") == ["terminal.links"]
    assert _completed("install", "--agent", "c") == ["claude-code", "claude-desktop", "cursor", "codex"]
    assert _completed("task", "move", "x", "in") == ["in_progress"]
    shutil.move(project / "waymeet.toml", project / "pyproject.toml")
    assert _completed("related", "src/") == ["src/", "src/users.py"]


def test_bash_really_completes(project: Path, run: Run, tmp_path: Path) -> None:
    run("index")
    command = tmp_path / "waymeet"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from waymeet.interfaces.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    script = f"""
PATH={tmp_path}:$PATH
eval "$(waymeet completion bash)"
COMP_WORDS=(waymeet read docs/se); COMP_CWORD=2
_waymeet_completion waymeet
echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "docs/setup.md", done.stderr


def test_install_and_uninstall(project: Path, run: Run) -> None:
    target = project / ".mcp.json"
    target.write_text('{ "mcpServers": {} }', encoding="utf-8")
    shown = run("install", "--agent", "claude-code", "--dry-run")
    assert '+  "waymeet": {' in shown.out.replace("+    ", "+  ")
    assert target.read_text() == '{ "mcpServers": {} }'
    refused = run("install", "--agent", "claude-code")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    told = json.loads(run("install", "--agent", "claude-code", "--agent", "codex", "--yes", "--json").out)
    assert [(each["agent"], each["changed"]) for each in told] == [("claude-code", True), ("codex", True)]
    assert json.loads(target.read_text())["mcpServers"]["waymeet"] == {"command": "waymeet", "args": ["mcp"]}
    assert "already registered" in run("install", "--agent", "claude-code", "--yes").out
    assert "registered with Claude Code (project), Codex (project)" in run("doctor", "--offline").out
    assert "was restored" in run("uninstall", "--agent", "claude-code", "--agent", "codex", "--yes").out
    assert target.read_text() == '{ "mcpServers": {} }'
    assert not (project / ".codex").exists()
    assert "not registered" in run("uninstall", "--agent", "codex", "--yes").out


def test_an_agent_without_projects_is_told_which_one_is_meant(project: Path, run: Run) -> None:
    (told,) = json.loads(run("install", "--agent", "claude-desktop", "--yes", "--json").out)
    entry = json.loads(Path(told["path"]).read_text())["mcpServers"]["waymeet-project"]
    assert entry["args"][-3:] == ["mcp", "-C", str(project)]
    assert Path(entry["command"]).is_absolute()
    assert run("install", "--agent", "claude-desktop", "--scope", "project", "--yes").code == 2


def test_init_writes_what_it_found(project: Path, run: Run) -> None:
    (project / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (project / "vendor" / "lib").mkdir(parents=True)
    for number in range(60):
        (project / "vendor" / "lib" / f"{number}.md").write_text("theirs", encoding="utf-8")
    shown = run("init", "--dry-run")
    assert "Python" in shown.out
    assert "vendor/" in shown.out
    assert not (project / "waymeet.toml").exists()
    assert run("init").code == 2, "not a terminal"
    assert run("init", "--yes").code == 0
    assert from_project(project).values["ingest"]["ignore"] == ["/vendor/"]
    assert "theirs" not in run("search", "theirs").out
    written = (project / "waymeet.toml").read_text()
    again = run("init", "--yes")
    assert (again.code, "was not changed" in again.err) == (2, True)
    assert (project / "waymeet.toml").read_text() == written
    assert run("init", "--yes", "--force").code == 0
    assert (project / "waymeet.toml.old").read_text() == written


def test_every_settings_file_that_init_may_write_can_be_read(project: Path) -> None:
    odd = 'a "quoted" [x]*\\ folder'
    heavy = (
        LargeFolder(f"{odd}/", 9, "9 files\nand more", certain=True),
        LargeFolder("big/", 5000, "5,000 of 6,000 files", certain=False),
    )
    for found in (detect_project(project, Ingest()), DetectedProject("n", ("Python",), (), heavy, 9, complete=True)):
        (project / "waymeet.toml").write_text(settings_text(found), encoding="utf-8")
        from_project(project)


def test_large_folders_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "data" / "raw").mkdir(parents=True)
    for number in range(2100):
        (tmp_path / "data" / "raw" / f"{number}.txt").touch()
    (heavy,) = detect_project(tmp_path, Ingest()).large_folders
    assert (heavy.path, heavy.certain) == ("data/raw/", False)
    (tmp_path / ".gitignore").write_text("data/\n", encoding="utf-8")
    found = detect_project(tmp_path, Ingest())
    assert (found.large_folders, found.ignore_files) == ((), (".gitignore",))


def _topics(run: Run, *args: str) -> dict[str, dict[str, str]]:
    found = run("doctor", "--json", *args)
    return {each["topic"]: each for each in json.loads(found.out)["findings"]}


def test_doctor(project: Path, run: Run) -> None:
    before = _topics(run)
    assert before["index"]["state"] == "off"
    assert before["index"]["remedy"] == "waymeet index"
    run("index")
    after = _topics(run)
    assert (after["index"]["state"], after["fresh"]["state"], after["lock"]["state"]) == ("ok", "ok", "ok")
    (project / "new.md").write_text("new", encoding="utf-8")
    assert _topics(run)["fresh"]["state"] == "warning"
    assert run("doctor").code == 0
    assert all(each["remedy"] for each in _topics(run).values() if each["state"] in {"warning", "problem"})


def test_doctor_finds_what_is_wrong(project: Path, run: Run, tmp_path: Path) -> None:
    (project / "waymeet.toml").write_text("[rrf]\nkk = 1\n", encoding="utf-8")
    broken = run("doctor")
    assert broken.code == 1
    assert "there is no setting rrf.kk" in broken.out
    assert "Did you mean rrf.k?" in broken.out
    (project / "waymeet.toml").unlink()
    damaged = tmp_path / "index.sqlite"
    damaged.write_bytes(b"not an index" * 1000)
    assert _topics(run, "--index", str(damaged))["index"]["state"] == "problem"
    nobody = (
        "--set",
        "rerank.provider=endpoint",
        "--set",
        "rerank.url=http://127.0.0.1:9/v1",
        "--set",
        "rerank.model=m",
    )
    assert _topics(run, *nobody)["reranker"]["state"] == "problem"
    assert _topics(run, *nobody, "--offline")["reranker"]["state"] == "ok"


def test_doctor_tells_of_a_process_that_is_indexing(project: Path, run: Run) -> None:
    run("index")
    code = (
        "import sys; from waymeet.project import Project; from waymeet.ingest.lock import index_lock\n"
        "with index_lock(Project.open(sys.argv[1]).index_path, wait=True):\n"
        "    print('mine', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(project)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "mine\n"
        assert _topics(run)["lock"]["state"] == "warning"
        other.communicate("")
    assert _topics(run)["lock"]["state"] == "ok"
