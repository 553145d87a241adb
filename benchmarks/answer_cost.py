"""Measure the processor time of an answer with two installations, in turn.

`python benchmarks/answer_cost.py COLLECTION BEFORE/bin/python AFTER/bin/python` starts a process with each interpreter.
Both index and embed the labelled collection and then answer its queries alternately, ten results each, with vectors
of the queries that were computed before. The time of a query is the best of several runs, that of a pass the mean over
queries. Only what both installations have is imported.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import IO, NamedTuple

from waymeet.evaluate.replay import cache_query_vectors
from waymeet.interfaces.quality.bench import CollectionOptions, collection_bench
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.types import Query

PASSES = 4
RUNS = 4
"""Runs of each query in a pass."""


class Installation(NamedTuple):
    """A process that answers queries with one installation."""

    requests: IO[str]
    results: IO[str]
    wait: Callable[[], int]

    @classmethod
    def start(cls, python: str, collection: Path) -> "Installation":
        """Start the process, which begins to index."""
        process = subprocess.Popen(
            [python, __file__, "--worker", str(collection)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        return cls(process.stdin, process.stdout, process.wait)

    def read(self) -> str:
        """Read a line of results."""
        line = self.results.readline()
        if not line:
            raise SystemExit("A process ended early.")
        return line.strip()

    def measure(self) -> float:
        """Give the processor time of an answer in milliseconds, over one pass."""
        self.requests.write("\n")
        self.requests.flush()
        return float(self.read())


def work(folder: Path) -> None:
    """Index a collection, print its number of sections, then the processor time of an answer for each line read."""
    with collection_bench(folder, (), None, None, CollectionOptions()) as bench:
        tools, settings = cache_query_vectors(bench.tools), bench.settings(AUTO)
        queries = [Query(query.text, limit=10) for query in bench.collections[0].queries]
        for query in queries:
            answer_query(AUTO, query, tools, settings)
        print(tools.store.corpus_profile().chunks, flush=True)
        for _ in sys.stdin:
            times = []
            for query in queries:
                runs = []
                for _ in range(RUNS):
                    started = process_time()
                    answer_query(AUTO, query, tools, settings)
                    runs.append(process_time() - started)
                times.append(min(runs))
            print(1000 * sum(times) / len(times), flush=True)


def main() -> int:
    """Print a table of both installations."""
    if sys.argv[1:2] == ["--worker"]:
        work(Path(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(description="Measure the processor time of an answer with two installations.")
    parser.add_argument("collection", type=Path)
    parser.add_argument("before", help="The Python interpreter of the first installation.")
    parser.add_argument("after", help="The Python interpreter of the second installation.")
    given = parser.parse_args()
    installations = {}
    for name in ("before", "after"):
        installations[name] = Installation.start(getattr(given, name), given.collection)
        print(f"{name}: {installations[name].read()} sections", flush=True)
    times: dict[str, list[float]] = {name: [] for name in installations}
    for _ in range(PASSES):
        for name, installation in installations.items():
            times[name].append(installation.measure())
    for name, installation in installations.items():
        installation.requests.close()
        installation.wait()
        print(f"{name}: {', '.join(f'{each:.1f}' for each in sorted(times[name]))} ms of processor time")
    print(f"after / before: {min(times['after']) / min(times['before']):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
