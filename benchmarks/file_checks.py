"""Measure how long a search takes to see that no file changed: `python benchmarks/file_checks.py FOLDER BEFORE AFTER`.

BEFORE and AFTER are paths of two `waymeet` commands. Both index FOLDER without vectors, each into folders of its own.
Then they search in turn: a new process for each query ("cold"), and several queries in one process ("warm", from the
third query on). Times are medians of processor time in milliseconds. `import numpy` is measured beside them.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

ROUNDS = 9
QUERIES = (
    "template context",
    "reset a password",
    "connection pool",
    "order of middleware",
    "upload a file",
    "time zone",
)
_WARM = """
import sys, time
from pathlib import Path
from statistics import median
from waymeet import Project
queries, times = sys.argv[2:], []
with Project.open(Path(sys.argv[1])) as project:
    for query in queries[:2] + queries * 3:
        started = time.process_time()
        project.search(query)
        times.append(time.process_time() - started)
print(median(times[2:]))
"""


class Side:
    """An installation with folders of its own."""

    def __init__(self, command: str, folder: Path, home: Path) -> None:
        self._command, self._folder = command, folder
        own = {f"XDG_{name}_HOME": str(home / name) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
        without_models = {"WAYMEET_EMBEDDING_PROVIDER": "none", "WAYMEET_EMBEDDING_BACKGROUND": "false"}
        self._environment = {**os.environ, **own, **without_models}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.run("index")
        for query in QUERIES[:3]:
            self.run("search", query)

    def run(self, *arguments: str) -> float:
        """Run a command and return its processor time in seconds."""
        before = getrusage(RUSAGE_CHILDREN)
        command = [self._command, *arguments]
        subprocess.run(command, cwd=self._folder, env=self._environment, capture_output=True, check=True)
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def search_in_one_process(self) -> float:
        """Return the processor time of a query in a process that has answered others, in seconds."""
        python = str(Path(self._command).with_name("python"))
        arguments = [python, "-c", _WARM, str(self._folder), *QUERIES]
        return float(subprocess.run(arguments, env=self._environment, capture_output=True, check=True).stdout)


def compare(folder: Path, before: str, after: str) -> dict[str, object]:
    """Measure both installations in turn."""
    with tempfile.TemporaryDirectory() as temporary:
        sides = {
            name: Side(command, folder, Path(temporary) / name)
            for name, command in (("before", before), ("after", after))
        }
        times: dict[str, list[float]] = {}
        for number in range(ROUNDS):
            query = QUERIES[number % len(QUERIES)]
            words = ("search", query, "-n", "3", "--recipe", "classic", "--mode", "bm25_only")
            for name, side in sides.items():
                times.setdefault(f"{name}, cold", []).append(side.run("search", query, "-n", "3"))
                times.setdefault(f"{name}, cold, words only", []).append(side.run(*words))
                times.setdefault(f"{name}, cold, words only, files not checked", []).append(
                    side.run(*words, "--no-refresh")
                )
                times.setdefault(f"{name}, warm", []).append(side.search_in_one_process())
            times.setdefault("import numpy", []).append(_import_numpy(after))
    milliseconds = {name: round(median(values) * 1000, 1) for name, values in times.items()}
    return {"folder": folder.name, "rounds": ROUNDS, "processor_ms": milliseconds}


def _import_numpy(command: str) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([str(Path(command).with_name("python")), "-c", "import numpy"], check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    print(json.dumps(compare(Path(sys.argv[1]).resolve(), *sys.argv[2:4]), indent=2))
