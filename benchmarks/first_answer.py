"""Measure how late the first answer by meaning comes in a new project, compared with one by words.

The projects are a clone of this repository (documents, tests and code with a history) and the source of Python's
standard library (code alone), up to about 10,000 sections. Each command is a new process without an index: it indexes
the project, then answers. The commands run in turn, so that load on the machine affects all of them; their medians are
compared. Nothing is embedded in the background.
"""

import os
import resource
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from shutil import copyfile
from statistics import median
from time import perf_counter
from typing import NamedTuple

import msgspec

QUESTION = "how do I run a function in another process and get its result"
SECTIONS = 10_000
ROUNDS = 5
REPOSITORY = Path(__file__).parent.parent
_LEFT_OUT = frozenset({"site-packages", "test", "tests", "idlelib", "pydoc_data", "lib2to3"})
_CHARS_PER_SECTION = 550
"""On average; the number of sections is printed."""
_WAYS = {"words": 'provider = "none"', "meaning": "", "meaning without a student": "student = false"}
"""The user's settings of embedding in each of them."""


def measure() -> dict[str, object]:
    """Return the medians of clock time and processor time in seconds, and the ratios to words."""
    figures: dict[str, object] = {}
    for name, make in {"this repository": _clone_repository, "standard library": _copy_library}.items():
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / "project")
            figures[name] = _measure_project(Path(folder))
    return figures


def _measure_project(folder: Path) -> dict[str, object]:
    runs: dict[str, list[_Run]] = {way: [] for way in _WAYS}
    project, waymeet = ["-C", str(folder / "project")], [sys.executable, "-m", "waymeet"]
    _run([sys.executable, "-c", "import waymeet.project, waymeet.models.local.granite"], folder)  # compile all
    for turn in range(ROUNDS):
        for way, setting in _WAYS.items():
            _write_settings(folder, setting)
            index = ["--index", str(folder / f"{way}-{turn}.db"), "--no-background", "--json"]
            started, used = perf_counter(), _processor_seconds()
            answer = msgspec.json.decode(_run([*waymeet, "search", QUESTION, *project, *index], folder))
            notes = [item["detail"] for item in answer["degraded"]]
            runs[way].append(_Run(perf_counter() - started, _processor_seconds() - used, notes))
    status = [*waymeet, "status", "--json", "--index", str(folder / "meaning-0.db"), *project]
    sections = msgspec.json.decode(_run(status, folder))["vectors"]["chunks"]
    return {"sections": sections, **{way: _summarise(runs[way], runs["words"]) for way in _WAYS}}


class _Run(NamedTuple):
    seconds: float
    processor_seconds: float
    degraded: list[str]


def _summarise(runs: list[_Run], by_words: list[_Run]) -> dict[str, object]:
    clock, words_clock = (median(run.seconds for run in each) for each in (runs, by_words))
    processor, words_processor = (median(run.processor_seconds for run in each) for each in (runs, by_words))
    return {
        "seconds": round(clock, 2),
        "processor_seconds": round(processor, 2),
        "times_words": round(clock / words_clock, 2),
        "processor_times_words": round(processor / words_processor, 2),
        "degraded": runs[-1].degraded,
    }


def _clone_repository(project: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(project)], check=True)


def _copy_library(project: Path) -> None:
    library, left = Path(sysconfig.get_path("stdlib")), SECTIONS * _CHARS_PER_SECTION
    for file in sorted(library.rglob("*.py")):
        path = file.relative_to(library)
        if left <= 0 or not _LEFT_OUT.isdisjoint(path.parts):
            continue
        target = project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        copyfile(file, target)
        left -= file.stat().st_size


def _write_settings(home: Path, setting: str) -> None:
    file = home / "waymeet" / "waymeet.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"[embedding]\n{setting}\n", encoding="utf-8")


def _processor_seconds() -> float:
    """Return the processor time of ended child processes and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command: list[str], home: Path) -> bytes:
    places = dict.fromkeys(("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(home))
    environment = {**os.environ, "NO_COLOR": "1", **places}
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout
