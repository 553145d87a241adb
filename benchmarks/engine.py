"""Measure the engine at several sizes, compared with FTS5, sqlite-vec, tantivy, bm25s and numpy.

Vectors are seeded random projections of the words of a text, not those of a model; links are random. Both cost as much
as real ones. Every engine runs the same queries, one after the other, in one warm process. Wall-clock times are given
and CPU times, which depend less on other load of the machine.
"""

import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any, NamedTuple

import engine_rivals
import engine_text
import numpy as np
from engine_corpus import DIMENSION, Corpus, make_entry, project_terms
from engine_process import SPACE, run_all
from numpy.typing import NDArray

from waymeet.analysis import count_terms
from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.read.sizes import measure_size
from waymeet.types import Filters, IndexEntry, Word

SIZES = (10_000, 100_000)
MILLION = (10_000, 100_000, 1_000_000)
QUERIES = 200
_REAL_CHUNKS = 100_000
_LARGEST_FOR_ALL = 100_000
"""Chunks up to which FTS5 with sqlite-vec, bm25s and the stored texts of tantivy are measured, too."""
_BATCH = 8


class _Queries(NamedTuple):
    sentences: list[str]
    plain: list[list[str]]
    words: list[list[Word]]
    vectors: NDArray[np.float32]


def measure(sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Return times in milliseconds by size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = engine_text.download_files(folder / "packages", _REAL_CHUNKS)
        rivals = engine_rivals.install(folder / "rivals")
        queries = _prepare_queries(files)
        return {
            "corpus": {
                "packages": engine_text.PACKAGES,
                "vectors": f"{DIMENSION} dimensions, seeded random projections of words, not of a model",
                "links": "random",
                "above_100000": "copies with the words of each file shuffled over its chunks",
                "questions": f"{QUERIES} sentences, {sum(map(len, queries.words)) / len(queries.words):.1f} words each",
            },
            "memory_gigabytes_per_second": engine_rivals.measure_bandwidth(),
            "sizes": {
                str(size): _measure_size(folder / str(size), Corpus(files, size), queries, rivals) for size in sizes
            },
        }


def _prepare_queries(files: list[engine_text.File]) -> _Queries:
    sentences = engine_text.choose_sentences(files, QUERIES + 20)
    plain = [[word.lower() for word in re.findall(r"\w+", sentence)] for sentence in sentences]
    terms = [count_terms(sentence) for sentence in sentences]
    words = [[Word((term,), text=term) for term in each] for each in terms]
    return _Queries(sentences, plain, words, np.array([project_terms(each) for each in terms], dtype=np.float32))


def _measure_size(folder: Path, corpus: Corpus, queries: _Queries, rivals: bool) -> dict[str, Any]:
    print(f"{corpus.chunks:,} chunks …", file=sys.stderr, flush=True)
    folder.mkdir()
    store = SqliteStore.open(folder / "index.sqlite", create=True)
    built, rows, keys = _build(folder / "index.sqlite", store, corpus)
    built["text_megabytes"] = round(sum(len(text.encode()) for text in corpus.stream_texts()) / 1e6, 2)
    result: dict[str, Any] = {"documents": len(corpus.choose_links()), "build": built}
    gc.collect()
    gc.freeze()  # queries must not pay for what this benchmark keeps in memory
    words, vectors = queries.words, queries.vectors
    result["lexical_top10_ms"] = {
        "waymeet": _measure_times(lambda n: store.rank_lexical(words[n], 10, Filters(), Bm25())),
        "waymeet_again": _measure_times(lambda n: store.rank_lexical(words[n], 10, Filters(), Bm25())),
    }
    result["vectors_top50_ms"] = {
        "waymeet": _measure_times(lambda n: store.rank_vectors(SPACE, vectors[n], 50, Filters())),
        "numpy": _measure_times(lambda n: engine_rivals.scan_vectors(rows, vectors[n], 50)),
        "recall_at_50": _recall(store, rows, vectors, keys),
    }
    result["end_to_end_ms"] = {"waymeet": _measure_times(lambda n: run_all(store, words[n], vectors[n]))}
    if rivals:
        _measure_rivals(folder, corpus, queries, rows, result)
    result["new_process"] = _measure_process(folder, queries)
    result["one_changed_file"] = _measure_change(store, corpus)
    result["changes"] = _measure_changes(folder, store, queries)
    store.close()
    shutil.rmtree(folder)
    return result


def _measure_rivals(
    folder: Path, corpus: Corpus, queries: _Queries, rows: NDArray[np.float32], result: dict[str, Any]
) -> None:
    """Add the times of the rivals; those that take minutes only for smaller sizes."""
    plain = queries.plain
    tantivy = engine_rivals.Tantivy(folder / "tantivy", corpus.stream_texts())
    prepared = [tantivy.prepare_query(words) for words in plain]
    result["lexical_top10_ms"]["tantivy"] = _measure_times(lambda n: tantivy.lexical(prepared[n], 10))
    if corpus.chunks > _LARGEST_FOR_ALL:
        return
    engine_rivals.Tantivy(folder / "stored", corpus.stream_texts(), with_texts=True)
    size = sum(path.stat().st_size for path in (folder / "stored").iterdir())
    result["build"]["tantivy_with_texts_megabytes"] = round(size / 1e6, 1)
    bm25s = engine_rivals.Bm25s([word.lower() for word in re.findall(r"\w+", text)] for text in corpus.stream_texts())
    result["lexical_top10_ms"]["bm25s"] = _measure_times(lambda n: bm25s.lexical(plain[n], 10))
    files = list(corpus.stream_files())
    number_by_path = {file.path: number for number, file in enumerate(files)}
    owners = [number for number, file in enumerate(files) for _ in file.pieces]
    links = corpus.choose_links().items()
    edges = [(number_by_path[path], number_by_path[target]) for path, targets in links for target in targets]
    sql = engine_rivals.Sql(folder / "rival.sqlite", corpus.stream_texts(), with_vectors=True)
    sql.fill(corpus.stream_texts(), owners, edges, rows)
    result["lexical_top10_ms"]["fts5"] = _measure_times(lambda n: sql.lexical(plain[n], 10))
    result["end_to_end_ms"]["fts5_sqlite_vec_sql"] = _measure_times(lambda n: sql.run_all(plain[n], queries.vectors[n]))
    sql.connection.close()


def _build(path: Path, store: SqliteStore, corpus: Corpus) -> tuple[dict[str, Any], NDArray[np.float32], list[str]]:
    """Store entries and vectors; the analysis of the texts is not part of the times."""
    links = corpus.choose_links()
    rows = np.empty((corpus.chunks, DIMENSION), dtype=np.float32)
    keys: list[str] = []
    clock = [0.0, 0.0]
    for batch in _batches(corpus, links):
        for entry in batch:
            for chunk, terms in zip(entry.chunks, entry.chunk_terms, strict=True):
                rows[len(keys)] = project_terms(terms["body"])
                keys.append(chunk.id)
        _add_times(clock, lambda batch=batch: store.put(batch))  # type: ignore[misc]
    times = {"put_s": clock}
    times["merge_words_s"] = _add_times([0.0, 0.0], store.optimize)
    before = _measure_bytes(path)
    times["put_vectors_s"] = [0.0, 0.0]
    for start in range(0, len(keys), 2000):
        part = dict(zip(keys[start : start + 2000], rows[start : start + 2000], strict=True))
        _add_times(times["put_vectors_s"], lambda part=part: store.put_vectors(SPACE, part))  # type: ignore[misc]
    times["merge_vectors_s"] = _add_times([0.0, 0.0], store.optimize)
    after = _measure_bytes(path)
    sizes = {"before_vectors": round(before / 1e6, 2), "for_vectors": round((after - before) / 1e6, 2)}
    built: dict[str, Any] = {name: round(seconds, 2) for name, (seconds, _) in times.items()}
    built["index_megabytes"] = sizes
    return built | {f"{name}_processor": round(busy, 2) for name, (_, busy) in times.items()}, rows, keys


def _batches(corpus: Corpus, links: dict[str, tuple[str, ...]]) -> Iterator[list[IndexEntry]]:
    batch: list[IndexEntry] = []
    for file in corpus.stream_files():
        batch.append(make_entry(file, links[file.path]))
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _add_times(clock: list[float], run: Callable[[], object]) -> list[float]:
    started, busy = perf_counter(), process_time()
    run()
    clock[0] += perf_counter() - started
    clock[1] += process_time() - busy
    return clock


def _measure_times(run_query: Callable[[int], object], queries: int = QUERIES) -> dict[str, float]:
    for number in range(QUERIES, QUERIES + 20):  # other queries first: a warm process is measured
        run_query(number)
    taken = []
    for number in range(queries):
        started, busy = perf_counter(), thread_time()
        run_query(number)
        taken.append((perf_counter() - started, thread_time() - busy))
    clock, processor = (sorted(times) for times in zip(*taken, strict=True))
    by_clock = {"": clock, "processor_": processor}
    middle, late = queries // 2, int(queries * 0.95)
    return {
        f"{prefix}{name}": round(times[position] * 1000, 3)
        for prefix, times in by_clock.items()
        for name, position in (("p50", middle), ("p95", late))
    }


def _recall(store: SqliteStore, rows: NDArray[np.float32], vectors: NDArray[np.float32], keys: list[str]) -> float:
    matching = 0
    for vector in vectors[:QUERIES]:
        exact = {keys[row] for row in engine_rivals.scan_vectors(rows, vector, 50)}
        matching += len(exact & {hit.chunk for hit in store.rank_vectors(SPACE, vector, 50, Filters())})
    return round(matching / (50 * QUERIES), 4)


def _measure_process(folder: Path, queries: _Queries) -> dict[str, float]:
    """Open the index and answer the queries in a new process, five times; return the medians."""
    terms = [[word.text for word in words] for words in queries.words]
    (folder / "queries.json").write_text(json.dumps(terms), encoding="utf-8")
    np.save(folder / "queries.npy", queries.vectors)
    runs = [json.loads(_run_process(folder, "search")) for _ in range(5)]
    return {name: sorted(run[name] for run in runs)[2] for name in runs[0]}


def _run_process(folder: Path, task: str) -> str:
    script = Path(__file__).with_name("engine_process.py")
    command = [sys.executable, str(script), str(folder), task]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    ).stdout


def _measure_change(store: SqliteStore, corpus: Corpus) -> dict[str, float]:
    """Change one file and search for a word that only the new version contains."""
    entry = make_entry(next(corpus.stream_files()), ())
    taken = []
    for number in range(5):
        word = f"onlynow{number}"
        terms = ({"body": {**entry.chunk_terms[0]["body"], word: 1}}, *entry.chunk_terms[1:])
        started = perf_counter()
        store.put([IndexEntry(entry.document, entry.chunks, entry.terms, terms, entry.links)])
        put = perf_counter()
        hits = store.rank_lexical([Word((word,)), Word(("model",))], 10, Filters(), Bm25())
        taken.append((put - started, perf_counter() - put))
        assert hits[0].document == entry.document.id
    put_s, search_s = sorted(taken, key=sum)[2]
    return {"put_ms": round(put_s * 1000, 1), "first_question_ms": round(search_s * 1000, 1)}


def _measure_changes(folder: Path, store: SqliteStore, queries: _Queries) -> dict[str, Any]:
    """Search while another process changes a file fifty times a second."""
    idle = _measure_times(lambda n: run_all(store, queries.words[n], queries.vectors[n]))
    script = Path(__file__).with_name("engine_process.py")
    writer = subprocess.Popen(
        [sys.executable, str(script), str(folder), "write"], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert writer.stdout
    writer.stdout.readline()  # it has begun
    busy = _measure_times(lambda n: run_all(store, queries.words[n], queries.vectors[n]))
    output, _ = writer.communicate("stop\n")
    return {"idle_ms": idle, "during_changes_ms": busy, **json.loads(output)}


def _measure_bytes(path: Path) -> int:
    """Add the bytes of all files of the index, without free pages and the log of the tables."""
    return sum(part.bytes for part in measure_size(path, 60.0).parts if part.name not in {"free pages", "log"})
