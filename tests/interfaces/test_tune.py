"""Weights fitted to a project: written when they help beyond noise, and not otherwise."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from interfaces.conftest import Run
from support.documented_project import THINGS, files, write

from waymeet.errors import UsageError
from waymeet.interfaces.quality.settings_file import plan_weights

MISLED = "auto.name_bonus = 0.0\n# Ours.\n[bm25.fields]\ntitle = 40.0 # too much\n"


@pytest.fixture
def misled(tmp_path: Path) -> Path:
    """Make a project with wrong titles, and settings that give titles too much weight."""
    pages = {path: text for path, text in files().items() if path.endswith(".md")}
    for at, thing in enumerate(THINGS):
        page = f"docs/page{at}.md"
        pages[page] = pages[page].replace(f"# The {thing}\n", f"---\ntitle: The {THINGS[at - 1]}\n---\n", 1)
    return write(tmp_path / "house", {**pages, "waymeet.toml": MISLED})


def test_better_weights_are_shown_written_and_better(run: Run, misled: Path) -> None:
    where = ("-C", str(misled), "--most", "24")
    done = run("tune", *where, "--dry-run", "--json")
    assert done.code == 0, done.err
    output = json.loads(done.out)
    assert (output["refusal"], output["written"]) == ("", False)
    assert output["tuned"]["after"]["bm25.fields.title"] < 40
    assert (misled / "waymeet.toml").read_text(encoding="utf-8") == MISLED
    done = run("tune", *where, "--yes")
    assert done.code == 0, done.err
    assert "On the half that was held out" in done.out
    assert "-title = 40.0 # too much" in done.out
    text = (misled / "waymeet.toml").read_text(encoding="utf-8")
    assert text.startswith("auto.name_bonus = 0.0\n# Ours.\n[bm25.fields]\n")
    assert tomllib.loads(text)["bm25"]["fields"]["title"] == output["tuned"]["after"]["bm25.fields.title"]
    done = run("tune", "-C", str(misled), "--undo", "--dry-run")
    assert (done.code, "+title = 40.0 # too much" in done.out) == (0, True)
    assert (misled / "waymeet.toml").read_text(encoding="utf-8") == text
    done = run("tune", "-C", str(misled), "--undo", "--yes", "--json")
    assert (done.code, json.loads(done.out)["restored"]) == (0, True)
    assert (misled / "waymeet.toml").read_text(encoding="utf-8") == MISLED
    done = run("tune", "-C", str(misled), "--undo", "--yes")
    assert (done.code, "was not tuned" in done.out) == (1, True)


def test_without_a_gain_nothing_is_written_and_that_is_said(run: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "house", {"README.md": files()["README.md"]})
    write(root, {f"docs/page{at}.md": f"# The {thing}\n\nOurs is old.\n" for at, thing in enumerate(THINGS)})
    done = run("tune", "-C", str(root), "--most", "20", "--yes")
    assert done.code == 1, done.out
    assert "Nothing is changed: " in done.out
    assert not (root / "waymeet.toml").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_no_files(misled: Path, tmp_path: Path, number: int, code: int) -> None:
    place = tmp_path / "place"
    place.mkdir()
    command = [sys.executable, "-m", "waymeet", "tune", "-C", str(misled), "--yes", "--most", "500"]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(place)}, stderr=subprocess.PIPE) as running:
        while not list(place.glob("waymeet-eval-*/*")):
            assert running.poll() is None, running.stderr and running.stderr.read()
            time.sleep(0.01)
        running.send_signal(number)
        assert running.wait() == code
    assert not list(place.iterdir())
    assert (misled / "waymeet.toml").read_text(encoding="utf-8") == MISLED


def test_without_a_terminal_confirmation_is_needed(run: Run, misled: Path) -> None:
    assert run("tune", "-C", str(misled), "--json").code == 2
    done = run("tune", "-C", str(misled))
    assert (done.code, done.out) == (2, ""), "reported before tuning, not after it"
    assert "Not a terminal" in done.err


@pytest.mark.parametrize("text", ["[[auto]]\n", "auto.name_bonus = \n"])
def test_a_file_that_cannot_be_changed_is_noticed_first(run: Run, tmp_path: Path, text: str) -> None:
    root = write(tmp_path / "house", {"README.md": files()["README.md"], "waymeet.toml": text})
    done = run("tune", "-C", str(root), "--yes")
    assert (done.code, done.out) == (2, "")
    assert "waymeet.toml" in done.err
    assert (root / "waymeet.toml").read_text(encoding="utf-8") == text


def test_weights_go_where_the_settings_are(tmp_path: Path) -> None:
    weights = {"auto.name_bonus": 0.3, "bm25.fields.title": 4.0}
    plan = plan_weights(tmp_path, weights)
    assert (plan.path.name, plan.before) == ("waymeet.toml", None)
    assert tomllib.loads((plan.after or b"").decode()) == {
        "auto": {"name_bonus": 0.3},
        "bm25": {"fields": {"title": 4.0}},
    }
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert plan_weights(tmp_path, weights).path.name == "waymeet.toml"
    (tmp_path / "pyproject.toml").write_text("[tool.waymeet.auto]\nname_bonus = 1.0 # mine\n", encoding="utf-8")
    plan = plan_weights(tmp_path, weights)
    assert plan.path.name == "pyproject.toml"
    assert tomllib.loads((plan.after or b"").decode())["tool"]["waymeet"]["auto"] == {"name_bonus": 0.3}


def test_weights_written_with_dots_and_comments_stay_so(tmp_path: Path) -> None:
    before = "# Ours.\r\nauto.name_bonus = 0.0 # why\r\n\r\n[bm25.fields] # weights\r\ntitle = 40.0   # too much\r\n"
    (tmp_path / "waymeet.toml").write_bytes(before.encode())
    plan = plan_weights(
        tmp_path,
        {"auto.name_bonus": 0.3, "auto.definition_bonus": 0.1, "bm25.fields.title": 4.0, "bm25.fields.path": 1.0},
    )
    assert (plan.after or b"").decode() == (
        "# Ours.\r\nauto.name_bonus = 0.3 # why\r\nauto.definition_bonus = 0.1\r\n\r\n"
        "[bm25.fields] # weights\r\ntitle = 4.0   # too much\r\npath = 1.0\r\n"
    )


def test_a_form_that_cannot_be_changed_safely_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "waymeet.toml").write_text("auto = 0.5\n", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be changed") as refused:
        plan_weights(tmp_path, {"auto.name_bonus": 0.3})
    assert "auto.name_bonus = 0.3" in refused.value.hint
