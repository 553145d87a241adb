"""Search an index in a new process: time to open, time of answers, memory. Run by `engine.py`."""

import json
import sys
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Any

import numpy as np

from waymeet.analysis import count_terms
from waymeet.search.retrieve.graph_walk import walk
from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Filters, IndexEntry, Word

SPACE = "projection"
FAN_OUT = 200
_CHANGES_PER_SECOND = 50


def run_all(store: SqliteStore, words: list[Word], vector: Any) -> int:  # noqa: ANN401 - a numpy array
    """Run a lexical and a vector query, walk two hops from the best, and read ten texts."""
    with store.snapshot():
        best = [*store.rank_lexical(words, 50, Filters(), Bm25()), *store.rank_vectors(SPACE, vector, 50, Filters())]
        starts = list(dict.fromkeys(hit.document for hit in best[:10]))
        reached, _ = walk(store, starts, 2, (), FAN_OUT)
        return len(store.chunks([hit.chunk for hit in best[:10]])) + len(reached)


def read_memory() -> dict[str, float]:
    """Read the private and the mapped memory of this process, in megabytes."""
    sizes: dict[str, int] = {}
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]:
        name, value, *_ = line.split()
        sizes[name] = int(value)
    private = sizes["Private_Dirty:"]
    return {"private_mb": round(private / 1024, 1), "mapped_mb": round((sizes["Rss:"] - private) / 1024, 1)}


def search(folder: Path) -> dict[str, float]:
    """Open the index of a folder and answer its queries."""
    text = (folder / "queries.json").read_text(encoding="utf-8")
    queries = [[Word((term,), text=term) for term in terms] for terms in json.loads(text)]
    vectors = np.load(folder / "queries.npy")
    started, busy = perf_counter(), process_time()
    store = SqliteStore.open(folder / "index.sqlite")
    opened, opened_busy = perf_counter(), process_time()
    run_all(store, queries[0], vectors[0])
    first, first_busy = perf_counter(), process_time()
    for words, vector in zip(queries, vectors, strict=True):
        run_all(store, words, vector)
    store.close()
    return {
        "open_ms": round((opened - started) * 1000, 2),
        "open_processor_ms": round((opened_busy - busy) * 1000, 2),
        "first_answer_ms": round((first - opened) * 1000, 2),
        "first_answer_processor_ms": round((first_busy - opened_busy) * 1000, 2),
        **read_memory(),
    }


def write(folder: Path) -> dict[str, float]:
    """Change a file fifty times a second until a line arrives."""
    store = SqliteStore.open(folder / "index.sqlite")
    stopped = Event()
    Thread(target=_wait_for_line, args=(stopped,), daemon=True).start()
    document = Document("changing.md", "docs", "changing", names=("p:changing.md",))
    print(flush=True)
    started, number = perf_counter(), 0
    while not stopped.is_set():
        number += 1
        text = f"a text that changes {number}"
        chunk = Chunk("changing.md#0", "changing.md", 0, 1, 1, text)
        store.put([IndexEntry(document, (chunk,), {}, ({"body": count_terms(text)},), ())])
        stopped.wait(max(started + number / _CHANGES_PER_SECOND - perf_counter(), 0.0))
    store.close()
    return {"changes_per_second": round(number / (perf_counter() - started), 1)}


def _wait_for_line(stopped: Event) -> None:
    sys.stdin.readline()
    stopped.set()


def main() -> None:
    """Run a task, and print figures as JSON."""
    folder, task = Path(sys.argv[1]), {"search": search, "write": write}[sys.argv[2]]
    print(json.dumps(task(folder)))


if __name__ == "__main__":
    main()
