"""Several processes write one note: no text is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest
from support.note_process import NOTE, notebook
from support.random_tree import LONG, dice

from waymeet.notebook import atomic_replace
from waymeet.notebook.atomic_replace import ItemFolder

PROCESS = [sys.executable, str(Path(__file__).parents[1] / "support" / "note_process.py")]


def start(*args: object) -> subprocess.Popen[str]:
    return subprocess.Popen([*PROCESS, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def last_line(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=1500)
    return out.strip().rpartition("\n")[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    notebook(folder).create("notes", "Shared", "Begin.\n")
    return folder


def lines(root: Path) -> set[str]:
    return set((root / NOTE).read_text(encoding="utf-8").split())


def everything_kept(root: Path) -> str:
    """Join the note, the texts recovered next to it, and the versions of its history."""
    atomic_replace.sweep(ItemFolder(root, ".waymeet/notes"), now=True)
    notes = [path.read_text(encoding="utf-8") for path in (root / ".waymeet/notes").glob("*.md")]
    items = notebook(root)
    past = [items._writer.history.load(NOTE, each.version) or b"" for each in items.history(NOTE)]
    return "\n".join([*notes, *(raw.decode() for raw in past)])


def test_four_agents_lose_no_edit(root: Path) -> None:
    rounds = 200 if LONG else 50
    agents = [start("agent", root, name, rounds) for name in "abcd"]
    assert [last_line(agent).split()[0] for agent in agents] == ["done"] * 4
    assert lines(root) >= {f"{name}-{number}." for name in "abcd" for number in range(rounds)}
    assert sorted(path.name for path in (root / ".waymeet/notes").glob("*.md")) == ["shared.md"]


@pytest.mark.parametrize("how", ["rename", "in-place"])
def test_an_agent_never_overwrites_an_editor(root: Path, how: str) -> None:
    rounds = 500 if LONG else 60
    processes = [start("agent", root, "agent", rounds), start("editor", root / NOTE, "editor", rounds, how)]
    ended = [last_line(process) for process in processes]
    assert [end.split()[0] for end in ended] == ["done"] * 2, ended
    texts = everything_kept(root)
    missing = [f"{who}-{n}." for who in ("agent", "editor") for n in range(rounds) if f"{who}-{n}." not in texts]
    assert not missing, (missing, ended)


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(root: Path) -> None:
    rng = dice("hands")
    acknowledged: set[str] = set()
    for number in range(60 if LONG else 6):
        agent = start("agent", root, f"run{number}", 10_000)
        assert agent.stdout is not None
        first = agent.stdout.readline()
        sleep(rng.random() * 0.2)
        agent.kill()
        out, _ = agent.communicate(timeout=60)
        acknowledged.update((first + out).split("\n")[:-1])
        text = (root / NOTE).read_text(encoding="utf-8")
        assert text.startswith("---\ntitle: Shared\n---\n\nBegin.\n")
        assert text.endswith(".\n")
        assert acknowledged <= set(text.split())
    atomic_replace.sweep(ItemFolder(root, ".waymeet/notes"), now=True)
    assert [path.name for path in (root / ".waymeet/notes").glob("*.md")] == ["shared.md"]


def test_where_files_cannot_be_exchanged(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in this process without rename-exchange, against an editor in another process."""
    from support.note_process import agent

    monkeypatch.setattr(atomic_replace, "exchange_files", lambda *_: False)
    rounds = 300 if LONG else 60
    process = start("editor", root / NOTE, "editor", rounds, "rename")
    assert agent(str(root), "agent", rounds).startswith("done")
    assert last_line(process) == "done"
    texts = everything_kept(root)
    assert not [f"{who}-{n}." for who in ("agent", "editor") for n in range(rounds) if f"{who}-{n}." not in texts]


def test_this_system_can_exchange_files(tmp_path: Path) -> None:
    """Linux and macOS can, so a missing call is an error there."""
    from waymeet.notebook.safe_folder import open_folder

    if sys.platform not in {"linux", "darwin"}:
        pytest.skip("needs a system call of Linux or macOS")
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    with open_folder(tmp_path, "") as folder:
        if not atomic_replace.exchange_files(folder, "one", folder, "two"):
            pytest.skip("this file system cannot")
    assert ((tmp_path / "one").read_text(), (tmp_path / "two").read_text()) == ("2", "1")
