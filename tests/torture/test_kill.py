"""kill -9 at any moment: nothing acknowledged is lost, and the next run completes the index."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from time import process_time, sleep

import msgspec
import pytest
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, change, contents, dice, fresh_contents, strays

from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY

WORKER = [sys.executable, str(Path(__file__).parents[1] / "support" / "index_process.py")]
ROUNDS = 200 if LONG else 20
POINTS = 25 if LONG else 0
CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "rename", "unlink", "mkdir", "openat", "fcntl")


def judge(root: Path, file: Path, told: str) -> None:
    """Compare an index whose writer was killed with its output, then with a fresh index."""
    lines = [msgspec.json.decode(line) for line in told.splitlines()[1:] if line.endswith(("}", '"'))]
    promised: dict[str, str | None] = {}
    generation = 0
    for line in lines:
        if isinstance(line, dict):
            promised |= line.get("put", {}) | dict.fromkeys(line.get("dropped", ()))
            generation = line["generation"]
    started = process_time()
    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        assert store.generation >= generation
        assert process_time() - started < 2.0, "opening takes too long"
        verdict = store.check()
        assert {each.what for each in verdict.findings} <= {STRAY}, verdict
        kept = {path: each.digest for path, each in store.fingerprints().items()}
        assert {path: kept.get(path) for path in promised} == promised
        contents(store)
        bring_up_to_date(root, store)
        assert contents(store) == fresh_contents(root)
        assert not strays(file, store)
        assert not store.check().findings


@pytest.mark.parametrize("part", range(2))
def test_killed_at_a_random_moment(tmp_path: Path, part: int) -> None:
    rng = dice(f"kill {part}")
    root, file = tmp_path / "root", tmp_path / "index" / "index.db"
    finished = 0
    for round_ in range(ROUNDS // 2):
        if round_ % 5 == 0:  # now and then the first run of all is the one that is killed
            shutil.rmtree(file.parent, ignore_errors=True)
        change(root, rng, 40)
        moment = rng.random() ** 2 * 0.6
        with subprocess.Popen([*WORKER, root, file], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            ready = process.stdout.readline()
            assert "ready" in ready
            sleep(moment)
            process.kill()
            told = ready + process.stdout.read()
        finished += '"done"' in told
        judge(root, file, told)
    assert finished < ROUNDS // 2, "no run was killed in its midst"


@pytest.mark.skipif(not LONG, reason="kills at system calls run in `make torture`")
@pytest.mark.parametrize("call", CALLS)
def test_killed_at_a_system_call(tmp_path: Path, call: str) -> None:
    if not shutil.which("strace"):
        pytest.skip("THERE IS NO strace HERE: kills at system calls are not tested")
    rng = dice(f"strace {call}")
    root, before, file = tmp_path / "root", tmp_path / "before", tmp_path / "index" / "index.db"
    change(root, rng, 40)
    before.mkdir()
    with closing(SqliteStore.open(before / "index.db", create=True, limits=LIMITS)) as store:
        bring_up_to_date(root, store)
    change(root, rng, 25)
    number = _counted(call, root, before, file)
    if not number:
        pytest.skip(f"{call} is not called here")
    for when in sorted(rng.sample(range(1, number + 1), min(POINTS, number))):
        _restore(before, file)
        inject = f"inject={call}:signal=SIGKILL:when={when}"
        command = ["strace", "-f", "-qq", "-o", str(tmp_path / "log"), "-e", f"trace={call}", "-e", inject, *WORKER]
        done = subprocess.run([*command, str(root), str(file)], capture_output=True, text=True, check=False)
        assert done.returncode != 3, done.stderr
        judge(root, file, done.stdout or '"ready"\n')


def _counted(call: str, root: Path, before: Path, file: Path) -> int:
    """Count how often a whole run makes a system call."""
    _restore(before, file)
    log = file.parent.with_name("log")
    command = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", *WORKER, str(root), str(file)]
    subprocess.run(command, capture_output=True, check=True)
    return sum(f" {call}(" in line for line in log.read_text().splitlines())


def _restore(before: Path, file: Path) -> None:
    shutil.rmtree(file.parent, ignore_errors=True)
    shutil.copytree(before, file.parent)
