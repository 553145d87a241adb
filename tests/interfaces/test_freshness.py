"""Keeping the index fresh: watching, several roots, contexts, files and folders found by their paths."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run

WAYMEET = [sys.executable, "-m", "waymeet"]


class Watching:
    """A process that watches the current folder and tells what it does, line by line."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [*WAYMEET, "index", "--watch", "--set", "watch.debounce_seconds=0.05", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self, how: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


def test_watching_tells_what_it_takes_in(project: Path, run: Run) -> None:
    watching = Watching()
    try:
        assert "6 new" in watching.line()
        assert "section" in watching.line()
        (project / "docs/new.md").write_text("# Newest page\n", encoding="utf-8")
        assert "1 new" in watching.line()
        (project / "docs/new.md").rename(project / "docs/renamed.md")
        assert "1 renamed" in watching.line()
        assert "docs/renamed.md" in run("search", "newest", "--no-refresh").out
        (project / ".gitignore").write_text("docs/\n", encoding="utf-8")
        assert "1 new, 4 removed" in watching.line()
        assert "no changes" in run("index").out  # it holds the turn only while it works
    finally:
        code, err = watching.end(signal.SIGTERM)
    assert code == 0
    assert "Watching" in err
    assert "Traceback" not in err


def test_watching_in_json_until_interrupted(project: Path) -> None:
    watching = Watching("--json", "--set", "watch.rescan_seconds=1")  # a moved root is noticed by the next scan
    try:
        assert json.loads(watching.line())["added"] == 6
        (project / "data.json").unlink()
        told = json.loads(watching.line())
        assert (told["removed"], told["error"], told["renamed"]) == (1, "", [])
        project.rename(project.parent / "away")
        told = json.loads(watching.line())
        assert told["code"] == "failed"
        assert "There is no folder" in told["error"]
        (project.parent / "away").rename(project)
        assert json.loads(watching.line())["code"] == "recovered"
    finally:
        code, err = watching.end(signal.SIGINT)
    assert code == 130
    assert "Traceback" not in err


def test_a_watch_does_not_forget_most_of_the_files(project: Path, run: Run) -> None:
    for number in range(30):
        (project / f"page{number}.md").write_text(f"# Page {number}\n", encoding="utf-8")
    watching = Watching("--json")
    try:
        assert json.loads(watching.line())["added"] == 36
        (project / ".gitignore").write_text("page*\n", encoding="utf-8")
        told = json.loads(watching.line())
        assert "29 of 36 files are gone" in told["error"]
        assert "--accept-removals" in told["hint"]
        assert run("search", "page", "--no-refresh").code == 0
        assert run("index", "--yes").code == 0
        assert json.loads(watching.line())["code"] == "recovered"
    finally:
        watching.end(signal.SIGTERM)


def hits(run: Run, *args: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("search", "--json", *args).out)["hits"]
    return found


def test_files_and_folders_are_found_by_their_path(project: Path, run: Run) -> None:
    (project / "src/auth/helpers").mkdir(parents=True)
    (project / "src/auth/helpers/embedder.ts").write_text("export {}\n", encoding="utf-8")
    (project / "src/auth/helpers/logo-small.png").write_bytes(b"\x89PNG\x00")
    assert hits(run, "embedder.ts")[0]["document"] == "src/auth/helpers/embedder.ts"
    assert hits(run, "small logo")[0]["document"] == "src/auth/helpers/logo-small.png"
    assert not any(hit["document"].endswith("/") for hit in hits(run, "auth helpers"))
    assert hits(run, "auth helpers", "--kind", "folders")[0]["document"] == "src/auth/helpers/"
    assert run("read", "src/auth/helpers/").out == "embedder.ts\nlogo-small.png\n"
    unread = run("read", "src/auth/helpers/logo-small.png")
    assert (unread.code, "Only the path" in unread.err) == (1, True)


def test_contexts_are_inherited(project: Path, run: Run) -> None:
    (project / "waymeet.toml").write_text(
        '[contexts]\ndocs = "what users read"\n"docs/fusion.md" = "the\\u001b[31m heart"\n', encoding="utf-8"
    )
    contexts = {hit["document"]: hit["context"] for hit in hits(run, "fusion")}
    assert contexts["docs/fusion.md"] == ["what users read", "the\x1b[31m heart"]
    assert contexts["README.md"] == []
    shown = run("search", "fusion").out
    assert "what users read › the" in shown
    assert "\x1b" not in shown


def test_a_folder_can_be_added_and_left_out_again(project: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/idea.md").write_text("# A bright idea\n", encoding="utf-8")
    assert "7 new" in run("index", "--add-root", f"notes={tmp_path / 'notes'}").out
    (hit,) = hits(run, "bright", "--in", "notes:")
    assert hit["id"] == "notes:/idea.md#L1-L1"
    assert run("read", hit["id"]).out == "# A bright idea\n"
    assert run("read", "notes:/idea.md:1").out == "# A bright idea\n"
    status = json.loads(run("status", "--json").out)
    assert status["roots"] == [["", str(project), ""], ["notes", str(tmp_path / "notes"), ""]]
    assert ["notes:/", "notes"] in status["namespaces"]
    assert "notes:/" in run("status").out
    assert "1 removed" in run("index", "--remove-root", "notes").out
    assert run("search", "bright").code == 1


@pytest.mark.parametrize(
    "args", [("--add-root", "notes"), ("--add-root", "a/b=/"), ("--add-root", "x=nowhere"), ("--remove-root", "x")]
)
def test_what_cannot_be_added_or_left_out(project: Path, run: Run, args: tuple[str, ...]) -> None:
    del project
    refused = run("index", *args)
    assert refused.code == 2
    assert refused.err


def test_a_project_cannot_add_roots_by_itself(project: Path, run: Run) -> None:
    (project / "waymeet.toml").write_text('roots = {home = "~"}\n', encoding="utf-8")
    refused = run("index")
    assert refused.code == 2
    assert "may not set roots.home" in refused.err


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_closed_root_deletes_nothing(project: Path, run: Run) -> None:
    where = ("-C", str(project))
    run("index", *where)
    project.chmod(0)
    try:
        answer = json.loads(run("search", "fusion", "--json", *where).out)
        refused, status = run("index", *where), run("status", *where)
    finally:
        project.chmod(0o700)
    assert answer["hits"]
    assert "root_missing" in {each["code"] for each in answer["degraded"]}
    assert (refused.code, status.code) == (2, 0)
    assert "Permission denied" in status.out
    assert "no changes" in run("index", *where).out
