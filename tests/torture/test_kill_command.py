"""kill -9 of `waymeet index` and of the processes that parse for it: nobody is left over, nothing is damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest
from support.random_tree import LONG, contents, dice, strays, write

from waymeet.ingest.workers.dispatch import MIN_PARALLEL_FILES
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ROUNDS = 40 if LONG else 4
PATIENCE = 10.0
"""How long a process without a parent may go on; on an idle machine it takes far less than 2 s."""
FLAGS = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")
COMMAND = (sys.executable, "-m", "waymeet")
_MARK = "MARK_OF_A_RUN"

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="PROCESSES CANNOT BE LISTED HERE")


class Run:
    """A run of `waymeet index` that can be told from all others by a mark in its environment."""

    def __init__(self, root: Path, file: Path) -> None:
        self.mark = uuid4().hex
        self.process = subprocess.Popen(
            [*COMMAND, "index", "-C", str(root), "--index", str(file), *FLAGS],
            env={**os.environ, _MARK: self.mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def helpers(self) -> list[int]:
        """List the processes that this run started and that are still there."""
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and int(place.name) != self.process.pid:
                with suppress(OSError):  # gone meanwhile, or another user's
                    if self.mark.encode() in (place / "environ").read_bytes():
                        found.append(int(place.name))
        return found

    def wait_for_helpers(self) -> list[int]:
        """Wait until it has started others; none if it ended before."""
        while self.process.poll() is None:
            if found := self.helpers():
                return found
            sleep(0.005)
        return []

    def end(self) -> str:
        """Wait for the end, and give what was said about errors."""
        _, said = self.process.communicate(timeout=600)
        return said


class Project(NamedTuple):
    """A folder with so many files that several processes read them, as it was and as it is now."""

    root: Path
    before: Path
    """The folder of an index of what it was."""
    file: Path
    seconds: float
    """How long a run takes."""
    contents: dict[str, Any]


def waymeet(command: str, root: Path, file: Path) -> subprocess.CompletedProcess[str]:
    line = [*COMMAND, command, "-C", str(root), "--index", str(file), *(FLAGS if command == "index" else ())]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    place, rng = tmp_path_factory.mktemp("command"), dice("command")
    root, before, whole = place / "root", place / "before" / "index.db", place / "whole" / "index.db"
    for file in (before, whole):
        for number in range(MIN_PARALLEL_FILES + 40):
            write(root, rng, number)
        started = monotonic()
        assert waymeet("index", root, file).returncode == 0
    seconds = monotonic() - started
    with closing(SqliteStore.open(whole)) as store:
        return Project(root, before.parent, place / "index" / "index.db", seconds, contents(store))


def rounds(project: Project, rng: Random, strike: Callable[[Run, Random], bool]) -> None:
    """Start runs from nothing and from an older index, strike, and see whether the next run makes all whole."""
    struck = 0
    for number in range(ROUNDS):
        shutil.rmtree(project.file.parent, ignore_errors=True)
        if number % 2:
            shutil.copytree(project.before, project.file.parent)
        run = Run(project.root, project.file)
        struck += strike(run, rng)
        until = monotonic() + PATIENCE
        while (left := run.helpers()) and monotonic() < until:
            sleep(0.02)
        assert not left, "processes are left over"
        judge(project)
    assert struck, "no run was struck in its midst"


def judge(project: Project) -> None:
    if project.file.exists() and project.file.stat().st_size:
        with closing(SqliteStore.open(project.file, create=True)) as store:
            assert {each.what for each in store.check().findings} <= {STRAY}
    again = waymeet("index", project.root, project.file)
    assert again.returncode == 0, again
    checked = waymeet("check", project.root, project.file)
    assert checked.returncode == 0, checked
    with closing(SqliteStore.open(project.file)) as store:
        assert contents(store) == project.contents
        assert not strays(project.file, store)


def test_the_run_is_killed(project: Project) -> None:
    def strike(run: Run, rng: Random) -> bool:
        if rng.random() < 0.7:  # most of the time while others work for it
            run.wait_for_helpers()
            sleep(rng.random() * 0.2 * project.seconds)
        else:
            sleep(rng.random() * project.seconds)
        struck = bool(run.helpers()) and run.process.poll() is None
        run.process.kill()
        assert not run.end()
        return struck

    rounds(project, dice("run"), strike)


def test_a_helper_is_killed(project: Project) -> None:
    def strike(run: Run, rng: Random) -> bool:
        helpers = run.wait_for_helpers()
        sleep(rng.random() * 0.1 * project.seconds)
        struck = False
        with suppress(ProcessLookupError, IndexError):
            os.kill(rng.choice(helpers), SIGKILL)  # only once: a file at which two die is taken for plain text
            struck = True
        told = run.end()
        assert "Traceback" not in told, told
        assert run.process.returncode == 0 or len(told.strip().splitlines()) <= 2, told
        return struck

    rounds(project, dice("helper"), strike)
