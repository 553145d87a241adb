"""Compare cold commands of two installations: `python benchmarks/cold_commands.py BEFORE AFTER`.

BEFORE and AFTER are paths of two `waymeet` commands. Both run in turn, so that load on the machine affects both alike;
medians of clock and processor time are compared. Compile both first (`python -m compileall`), or the one without
cached bytecode is slower.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter
from typing import NamedTuple

ROUNDS = 25
COMMANDS = {
    "search": ("search", "rotate keys", "-n", "3"),
    "help": ("--help",),
    "search_help": ("search", "--help"),
}
PAGES = Path(__file__).parent.parent / "docs"
WITHOUT_DAEMON = {
    "WAYMEET_SERVE_USE": "false",
    "WAYMEET_SERVE_START": "false",
    "WAYMEET_EMBEDDING_PROVIDER": "none",
}


class Times(NamedTuple):
    """Seconds of one run."""

    clock: float
    processor: float


def run(command: list[str], folder: Path) -> Times:
    """Run a command in a folder and measure it with its child processes."""
    before, started = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, cwd=folder, env={**os.environ, **WITHOUT_DAEMON}, capture_output=True, check=False)
    clock, after = perf_counter() - started, getrusage(RUSAGE_CHILDREN)
    return Times(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def compare(before: str, after: str) -> dict[str, dict[str, float]]:
    """Measure every command of both installations in turn, and return medians in milliseconds with ratios."""
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary) / name for name in ("before", "after")}
        for folder in folders.values():
            shutil.copytree(PAGES, folder)
        programs = {"before": before, "after": after}
        for name, arguments in COMMANDS.items():
            times: dict[str, list[Times]] = {side: [] for side in programs}
            for round_number in range(ROUNDS + 1):
                for side in sorted(programs, reverse=bool(round_number % 2)):
                    measured = run([programs[side], *arguments], folders[side])
                    if round_number:  # the first round indexes the folder
                        times[side].append(measured)
            results[name] = _summarise(times)
    return results


def _summarise(times: dict[str, list[Times]]) -> dict[str, float]:
    clock = {side: median(run_times.clock for run_times in measured) for side, measured in times.items()}
    processor = {side: median(run_times.processor for run_times in measured) for side, measured in times.items()}
    return {
        **{f"{side}_ms": round(seconds * 1000, 1) for side, seconds in clock.items()},
        **{f"{side}_processor_ms": round(seconds * 1000, 1) for side, seconds in processor.items()},
        "ratio": round(clock["after"] / clock["before"], 3),
        "processor_ratio": round(processor["after"] / processor["before"], 3),
    }


if __name__ == "__main__":
    print(json.dumps(compare(*sys.argv[1:3]), indent=2))
