"""Measure a search over twenty projects, compared with a search of the largest one alone.

`python benchmarks/many_projects.py` indexes twenty Python packages that are installed beside Waymeet, the largest ones
of at most 400 files, each as a project. Sections have approximate vectors, and none is embedded during a query, so that
the figures do not depend on how many have a true one. Both searches run in one process that keeps all projects open, as
a server does, in turn. Times are medians over the queries of the best of three rounds, in milliseconds of processor
time of all threads and on the clock. Of the twenty projects, the likeliest ones are searched (`projects.searched`);
a second table is for a search of all twenty (`--searched 0`).
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from waymeet import Project, Projects
from waymeet.project.registered import registry

PROJECTS = 20
MAX_FILES = 400
ROUNDS = 3
QUERIES = (
    "how are errors retried",
    "parse a configuration file",
    "sparse matrix multiplication",
    "where is the cache invalidated",
    "connection pool timeout",
    "getLogger",
    "convert a date to a string",
    "read bytes from a socket",
    "shortest path between two nodes",
    "type checking of generic classes",
    "escape characters in HTML",
    "how do I write a plugin",
)
_FLAGS = ("embedding.on_demand_seconds=0", "embedding.background=false")
_PATTERNS = ("*.py", "*.pyi", "*.md", "*.rst")


class Times(NamedTuple):
    """Seconds of one call."""

    processor: float
    clock: float


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="folder that keeps the indexes for another run [default: none]")
    parser.add_argument("--searched", type=int, nargs="*", default=[2, 0], help="projects that are searched; 0 for all")
    options = parser.parse_args()
    with _folder(options.folder) as folder:
        os.environ["XDG_DATA_HOME"] = str(folder)  # a list of projects of its own
        _measure(folder, options.searched)


@contextmanager
def _folder(chosen: Path | None) -> Iterator[Path]:
    if chosen is not None:
        chosen.mkdir(parents=True, exist_ok=True)
        yield chosen
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _measure(folder: Path, numbers: list[int]) -> None:
    sections = {}
    for root in _largest_packages():
        index = folder / "many" / f"{root.name}.sqlite"
        with Project.open(root, index=index, flags=_FLAGS) as project:
            if not project.is_indexed:
                project.index(embed=False)
            chunks = project.counts().chunks
        name = registry.register(root, index).name
        sections[name] = chunks
        print(f"{name}: {chunks} sections", file=sys.stderr, flush=True)
    largest = max(sections, key=lambda name: sections[name])
    print(f"`benchmarks/many_projects.py`, {datetime.now(UTC).date()}, {os.cpu_count()} cores\n")
    for number in numbers:
        with Projects(flags=(*_FLAGS, f"projects.searched={number}")) as projects:
            alone, together, later = _compare(projects, largest)
        load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
        print(f"`projects.searched = {number}`{load}\n")
        _print_table(sections, largest, alone, together)
        print(f"Files compared after answers: {later * 1000:.0f} ms of processor time per search, not counted above.\n")


def _print_table(sections: Mapping[str, int], largest: str, alone: Times, together: Times) -> None:
    ratios = Times(together.processor / alone.processor, together.clock / alone.clock)
    print("| search | projects | sections | processor, ms | clock, ms |")
    print("|---|--:|--:|--:|--:|")
    print(f"| the largest alone | 1 | {sections[largest]} | {_format(alone)} |")
    print(f"| all | {len(sections)} | {sum(sections.values())} | {_format(together)} |")
    ratio = sum(sections.values()) / sections[largest]
    print(f"| ratio | | {ratio:.1f} | {ratios.processor:.2f} | {ratios.clock:.2f} |\n", flush=True)


def _largest_packages() -> list[Path]:
    """List the largest installed packages by their number of files, but none that takes minutes to index."""
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    packages = [
        path for path in site.iterdir() if path.is_dir() and path.name.isidentifier() and path.name != "waymeet"
    ]
    counts = {path: sum(1 for pattern in _PATTERNS for _ in path.rglob(pattern)) for path in packages}
    small = (path for path in packages if counts[path] <= MAX_FILES)
    return sorted(small, key=lambda path: (-counts[path], path.name))[:PROJECTS]


def _compare(projects: Projects, largest: str) -> tuple[Times, Times, float]:
    """Time both searches in turn, after a round that loads everything.

    The mean processor time of the work after answers is returned as well.
    """

    def search_largest(query: str) -> object:
        return projects.search(query, names=[largest])

    functions: tuple[Callable[[str], object], ...] = (search_largest, projects.search)
    for query in QUERIES:
        for function in functions:
            function(query)
    times: tuple[list[Times], list[Times]] = ([], [])
    later = 0.0
    for number, query in enumerate(QUERIES):
        rounds: tuple[list[Times], list[Times]] = ([], [])
        for round_number in range(ROUNDS):
            # Another wording each time, so that no vector of a query is remembered.
            asked = f"{query} {number * ROUNDS + round_number}"
            for function, measured in zip(functions, rounds, strict=True):
                measured.append(_time(function, f"{asked} {'one' if function is search_largest else 'all'}"))
                processor = process_time()
                projects.finish_checks()
                later += process_time() - processor
        for measured, best in zip(rounds, times, strict=True):
            best.append(Times(min(each.processor for each in measured), min(each.clock for each in measured)))
    means = [Times(median(each.processor for each in best), median(each.clock for each in best)) for best in times]
    return means[0], means[1], later / (len(QUERIES) * ROUNDS)


def _time(function: Callable[[str], object], query: str) -> Times:
    clock, processor = perf_counter(), process_time()
    function(query)
    return Times(process_time() - processor, perf_counter() - clock)


def _format(times: Times) -> str:
    return f"{times.processor * 1000:.0f} | {times.clock * 1000:.0f}"


if __name__ == "__main__":
    main()
