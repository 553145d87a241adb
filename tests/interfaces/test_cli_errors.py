"""The command line under adverse conditions: closed pipes, Ctrl-C, hostile names, invalid text, foreign indexes."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from interfaces.conftest import Run

WAYMEET = [sys.executable, "-m", "waymeet"]


def on_a_terminal(*args: str) -> tuple[int, str]:
    """Run the command on a pseudo-terminal and give its exit code and everything it showed."""
    terminal, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "PAGER": "cat"}
    running = subprocess.Popen([*WAYMEET, *args], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the terminal is gone because the program has ended
            break
        if not more:
            break
        shown += more
    os.close(terminal)
    return running.wait(), shown.decode("utf-8", "replace")


def test_a_terminal_gets_colours_and_a_bar_and_a_pipe_does_not(project: Path) -> None:
    code, shown = on_a_terminal("search", "fusion")
    assert code == 0
    assert "\x1b[1;36m" in shown  # a hit's id in bold cyan
    assert "Indexing" in shown
    piped = subprocess.run([*WAYMEET, "search", "fusion"], capture_output=True, text=True, check=True)
    assert "\x1b" not in piped.stdout + piped.stderr
    assert piped.stderr == ""


def test_no_color_is_honoured(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([*WAYMEET, "index"], capture_output=True, check=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;36m" not in on_a_terminal("search", "fusion")[1]


def test_indexed_text_cannot_steer_the_terminal(project: Path) -> None:
    evil = "\x1b]0;title\x07 \x9b31m \u202egnp"
    (project / "evil\x1b[31m\nname.md").write_text(f"# Evil {evil}\n\nfusion {evil}\n", encoding="utf-8")
    (project / "title.md").write_text('---\ntitle: "Good\\n99. forged  1.0"\n---\nfusion\n', encoding="utf-8")
    for recipe, depth in (("auto", "--explain"), ("threeway", "--explain-full"), ("classic", "--explain")):
        code, shown = on_a_terminal("search", "evil", "fusion", depth, "--linked", "--recipe", recipe)
        assert code == 0
        shown = re.sub(r"\x1b\]8;;(?:file://[\w./%#-]*)?\x1b\\", "", shown)  # our own links
        assert not [harm for harm in ("\x1b]", "\x1b[31m", "\x07", "\x9b", "\u202e") if harm in shown]
        assert not any(line.startswith("99. ") for line in shown.splitlines())


def test_json_cannot_steer_the_terminal_either(project: Path, run: Run) -> None:
    (project / "evil.md").write_text("fusion \x9b31m \u202egnp \x7f", encoding="utf-8")
    found = run("search", "fusion", "--json")
    assert not {"\x9b", "\u202e", "\x7f", "\x1b"} & set(found.out)
    assert any("\u202e" in hit["sections"][0]["snippet"] for hit in json.loads(found.out)["hits"])


def test_a_settings_file_cannot_steer_the_terminal(project: Path) -> None:
    (project / "waymeet.toml").write_text('"\\u001b]0;pwn\\u0007" = 1\n', encoding="utf-8")
    code, shown = on_a_terminal("search", "fusion")
    assert code == 2
    assert "\x1b]" not in shown


@pytest.mark.parametrize(
    "args",
    [
        ("search", "fusion \udcff"),
        ("search", "x", "--in", "\udcff"),
        ("search", "x", "--tag", "\udcff"),
        ("search", "x", "--in", "a" * 5000),
        ("search", "x", "-C", "a" * 5000),
        ("search", "x", "-C", "~nosuchuser/x"),
        ("search", "x", "--index", "~nosuchuser/x"),
        ("read", "\udcff"),
        ("read", f"docs/setup.md:{'9' * 5000}"),
    ],
)
def test_odd_arguments_have_a_clear_answer(project: Path, run: Run, args: tuple[str, ...]) -> None:
    run("index")
    found = run(*args)
    assert found.code in {0, 1, 2}
    assert "Traceback" not in found.err


def test_a_vanished_folder(project: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "no longer exists" in run("search", "x").err


def test_an_index_belongs_to_one_project(
    project: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYMEET_INDEX", str(tmp_path / "shared.sqlite"))
    assert run("search", "fusion").code == 0
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("something else", encoding="utf-8")
    monkeypatch.chdir(other)
    found = run("index")
    assert found.code == 2
    assert "belongs to" in found.err
    monkeypatch.chdir(project)
    assert run("search", "fusion").code == 0


def test_files_that_vanish_all_at_once_stay_findable_until_index_is_run(project: Path, run: Run) -> None:
    run("index")
    for path in [*project.rglob("*.md"), *project.rglob("*.py")]:
        path.unlink()
    found = run("search", "fusion", "--json")
    assert found.code == 0
    assert "behind" in {each["code"] for each in json.loads(found.out)["degraded"]}
    run("index")
    assert run("search", "fusion").code == 1


def test_not_looking_for_changes_is_announced(project: Path, run: Run) -> None:
    run("index")
    for args in (("--no-refresh",), ("--set", "ingest.refresh_seconds=0")):
        answer = json.loads(run("search", "fusion", "--json", *args).out)
        assert "not_checked" in {each["code"] for each in answer["degraded"]}


def test_a_vanished_root_deletes_nothing(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    index = ("--index", str(project.parent / "kept.sqlite"), "-C", str(project))
    run("index", *index)
    monkeypatch.chdir(project.parent)
    project.rename(project.parent / "moved")
    for empty in (False, True):
        if empty:
            project.mkdir()
        for args in ((), ("--no-refresh",)):
            answer = json.loads(run("search", "fusion", "--json", *args, *index).out)
            assert answer["hits"]
            assert "root_missing" in {each["code"] for each in answer["degraded"]}
        refused = run("index", *index)
        assert refused.code == 2
        assert ("--accept-removals" in refused.err) if empty else ("There is no folder" in refused.err)
        status = json.loads(run("status", "--json", *index).out)
        assert status["counts"]["documents"] == 8
        assert [each[2] != "" for each in status["roots"]] == [True]
    project.rmdir()
    (project.parent / "moved").rename(project)
    assert json.loads(run("status", "--json", *index).out)["counts"]["documents"] == 8
    assert run("search", "fusion", *index).code == 0


def test_a_folder_that_never_was_is_an_error(project: Path, run: Run) -> None:
    found = run("search", "fusion", "-C", str(project / "nowhere"))
    assert found.code == 2
    assert "There is no folder" in found.err


def test_a_great_loss_is_accepted_only_when_it_is_meant(project: Path, run: Run) -> None:
    for number in range(40):
        (project / f"page{number}.md").write_text(f"# Page {number}\n", encoding="utf-8")
    run("index")
    for number in range(40):
        (project / f"page{number}.md").unlink()
    (project / "new.md").write_text("# Newest\n", encoding="utf-8")
    refused = run("index")
    assert (refused.code, refused.out) == (2, "")
    assert "39 of 46 files are gone" in refused.err
    assert run("search", "page", "--no-refresh").code == 0
    assert "40 removed" in run("index", "--accept-removals").out
    assert run("search", "newest").code == 0


def test_a_closed_pipe_ends_it_quietly(project: Path) -> None:
    subprocess.run([*WAYMEET, "index"], capture_output=True, check=True)
    closed = subprocess.Popen([*WAYMEET, "search", "fusion"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert closed.stdout is not None
    closed.stdout.close()
    _, err = closed.communicate(timeout=60)
    assert err == b""
    assert closed.returncode in {0, -signal.SIGPIPE}


def test_a_full_disk_behind_the_output_is_told(project: Path) -> None:
    subprocess.run([*WAYMEET, "index"], capture_output=True, check=True)
    with Path("/dev/full").open("w") as full:
        found = subprocess.run([*WAYMEET, "search", "fusion"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.returncode not in {0, 1}


def test_a_terminal_without_unicode_is_no_error(project: Path) -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    found = subprocess.run([*WAYMEET, "search", "正規"], capture_output=True, check=False, env=plain)
    assert found.returncode == 0
    assert b"Traceback" not in found.stderr


def test_ctrl_c_is_exit_130_and_keeps_the_index_whole(project: Path) -> None:
    for n in range(3000):
        (project / f"{n}.md").write_text(f"# Page {n}\n\nword{n} " * 20, encoding="utf-8")
    command = [sys.executable, "-m", "waymeet", "index", "--set", "ingest.batch_files=10"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    data = Path(os.environ["XDG_DATA_HOME"])
    while running.poll() is None and not any(data.rglob("*.sqlite")):
        pass
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Interrupted" in err
    assert "Traceback" not in err
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "3006 files" in again.stdout
