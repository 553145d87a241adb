"""Compare indexing by two installations: `make bench-indexing FOLDER=… BEFORE=… AFTER=…`.

BEFORE and AFTER are paths of two `waymeet` commands. Both index FOLDER without vectors into a new index, in turn, on
one core, so that load on the machine affects both alike, and AFTER on two. Rates are compared by processor time on one
core, and by clock time from one core to two. Clock times mean little on a busy machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter
from typing import NamedTuple

ROUNDS = "3"
_SAMPLE_SECONDS = 0.05


class Run(NamedTuple):
    """Figures of one run."""

    clock: float
    processor: float
    memory: int
    """Highest sum of the resident memory of all its processes, in bytes; pages that they share count for each."""


def index(command: str, folder: str, cores: str) -> Run:
    """Index a folder on some cores into a new index."""
    with tempfile.TemporaryDirectory() as temporary:
        arguments = [command, "index", folder, "--index", f"{temporary}/index.sqlite", "--no-embed"]
        arguments += ["--set", "embedding.provider=none"]
        before, started = getrusage(RUSAGE_CHILDREN), perf_counter()
        process = subprocess.Popen(["taskset", "-c", cores, *arguments], stdout=subprocess.DEVNULL)
        sampler = _MemorySampler(process.pid)
        sampler.start()
        code = process.wait()
        clock, after = perf_counter() - started, getrusage(RUSAGE_CHILDREN)
        sampler.join()
    if code:
        sys.exit(f"{command} failed with exit code {code}.")
    return Run(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, sampler.highest)


class _MemorySampler(threading.Thread):
    """Measures the memory of a process and its children until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.highest = 0
        self._pid = pid
        self._wait = threading.Event()

    def run(self) -> None:
        """Measure at intervals."""
        while memory := _resident(self._pid):
            self.highest = max(self.highest, memory)
            self._wait.wait(_SAMPLE_SECONDS)


def _resident(pid: int) -> int:
    """Sum the resident memory of a process and its children, 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE") + sum(_resident(int(child)) for child in children)


def compare(folder: str, before: str, after: str, rounds: str = ROUNDS) -> dict[str, object]:
    """Measure both commands in turn and return medians with ratios."""
    runs: dict[str, list[Run]] = {"before, one core": [], "after, one core": [], "after, two cores": []}
    for number in range(int(rounds)):
        sides = [("before, one core", before, "0"), ("after, one core", after, "0"), ("after, two cores", after, "0,1")]
        for name, command, cores in sides[:: -1 if number % 2 else 1]:
            runs[name].append(index(command, folder, cores))
            print(name, runs[name][-1], file=sys.stderr, flush=True)
    medians = {
        name: Run(median(run.clock for run in own), median(run.processor for run in own), max(r.memory for r in own))
        for name, own in runs.items()
    }
    first, second, third = medians.values()
    return {
        "folder": Path(folder).name,
        "rounds": int(rounds),
        "runs": {name: run._asdict() for name, run in medians.items()},
        "rate_on_one_core": round(first.processor / second.processor, 3),
        "rate_on_one_core_by_clock": round(first.clock / second.clock, 3),
        "rate_from_one_core_to_two": round(second.clock / third.clock, 3),
        "memory_mb": round(max(second.memory, third.memory) / 1e6),
        "targets": {"rate_on_one_core": 3.0, "rate_from_one_core_to_two": 1.7, "memory_mb": 400},
    }


if __name__ == "__main__":
    print(json.dumps(compare(*sys.argv[1:5]), indent=2))
