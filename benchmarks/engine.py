"""Measure the engine on 100,000 chunks, compared with FTS5, sqlite-vec and tantivy.

Vectors are seeded random projections of the words of a text, not those of a model; links are random. Both cost as much
as real ones. Every engine runs the same queries, one after the other, in one warm process. Wall-clock times are given
and CPU times, which depend less on other load of the machine.
"""

import gc
import random
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import engine_rivals
import engine_text
import numpy as np
from numpy.typing import NDArray

from waymeet.analysis import count_terms
from waymeet.search.retrieve.graph_walk import walk
from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Filters, IndexEntry, Link, Word

CHUNKS = 100_000
QUERIES = 200
DIMENSION = 384
SPACE = "projection"
_LINKS = 5
_FAN_OUT = 200
_BATCH = 8


def measure() -> dict[str, Any]:
    """Return times in milliseconds and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        files = engine_text.download_files(path / "packages", CHUNKS)
        return _measure_files(path, files, engine_rivals.install(path / "rivals"))


def _measure_files(folder: Path, files: list[engine_text.File], rivals: bool) -> dict[str, Any]:
    texts = [piece for file in files for piece in file.pieces]
    owners = [number for number, file in enumerate(files) for _ in file.pieces]
    chance = random.Random(3)  # noqa: S311 - the same links each time
    links = [(source, chance.randrange(len(files))) for source in range(len(files)) for _ in range(_LINKS)]
    entries = _entries(files, links)
    rows = _project([each["body"] for entry in entries for each in entry.chunk_terms])
    store = SqliteStore.open(folder / "index.sqlite", create=True)
    built = _build(store, entries, rows)
    sentences = engine_text.choose_sentences(files, QUERIES + 20)
    plain = [[word.lower() for word in re.findall(r"\w+", sentence)] for sentence in sentences]
    words = [[Word((term,), text=term) for term in count_terms(sentence)] for sentence in sentences]
    vectors = _project([count_terms(sentence) for sentence in sentences])
    sql = engine_rivals.Sql(folder / "rival.sqlite", texts, with_vectors=rivals)
    sql.fill(texts, owners, links, rows)
    tantivy = engine_rivals.Tantivy(folder / "tantivy", texts) if rivals else None
    prepared = [tantivy.prepare_query(words) for words in plain] if tantivy else []
    gc.collect()
    gc.freeze()  # queries must not pay for the texts that this benchmark keeps in memory
    lexical = {
        "waymeet_first": _measure_times(lambda n: store.rank_lexical(words[n], 10, Filters(), Bm25())),
        "waymeet_again": _measure_times(lambda n: store.rank_lexical(words[n], 10, Filters(), Bm25())),
        "fts5": _measure_times(lambda n: sql.lexical(plain[n], 10)),
    }
    together = {"waymeet": _measure_times(lambda n: _run_all(store, words[n], vectors[n]))}
    if tantivy:
        lexical["tantivy"] = _measure_times(lambda n: tantivy.lexical(prepared[n], 10))
        together["fts5_sqlite_vec_sql"] = _measure_times(lambda n: sql.run_all(plain[n], vectors[n]))
    near = {"waymeet": _measure_times(lambda n: store.rank_vectors(SPACE, vectors[n], 50, Filters()))}
    result = {
        "corpus": {
            "packages": engine_text.PACKAGES,
            "chunks": len(texts),
            "documents": len(files),
            "megabytes": round(sum(map(len, texts)) / 1e6, 1),
            "vectors": f"{DIMENSION} dimensions, seeded random projections of words, not of a model",
            "links": "random",
            "questions": f"{QUERIES} sentences of the text, {sum(map(len, words)) / len(words):.1f} words on average",
        },
        "build": built | {"index_megabytes": _sizes(folder)},
        "lexical_top10_ms": lexical,
        "vectors_top50_ms": near | {"recall_at_50": _recall(store, rows, vectors, entries)},
        "end_to_end_ms": together,
        "one_changed_file": _measure_change(store, entries[0], built),
    }
    result["ratios"] = {
        f"lexical_p95_{name}_over_waymeet": round(lexical[name]["p95"] / lexical["waymeet_first"]["p95"], 1)
        for name in ("fts5", "tantivy")
        if name in lexical
    } | {
        f"end_to_end_{which}_{name}_over_waymeet": round(times[which] / together["waymeet"][which], 1)
        for name, times in together.items()
        if name != "waymeet"
        for which in times
    }
    store.close()
    return result


def _entries(files: Sequence[engine_text.File], links: Sequence[tuple[int, int]]) -> list[IndexEntry]:
    targets: dict[int, list[int]] = {}
    for source, target in links:
        targets.setdefault(source, []).append(target)
    entries = []
    for number, (path, pieces) in enumerate(files):
        title = path.rpartition("/")[2]
        chunks = tuple(
            Chunk(f"{path}#{ordinal}", path, ordinal, ordinal + 1, ordinal + 1, text)
            for ordinal, text in enumerate(pieces)
        )
        outgoing = tuple(Link((f"p:{files[target].path}",), text="see") for target in targets[number])
        terms = {"title": count_terms(title), "path": count_terms(path)}
        document = Document(path, "docs", title, names=(f"p:{path}",))
        bodies = tuple({"body": count_terms(text)} for text in pieces)
        entries.append(IndexEntry(document, chunks, terms, bodies, outgoing))
    return entries


def _project(counts: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
    """Sum one random vector for each distinct word of a text."""
    return np.array([_vector(terms) for terms in counts], dtype=np.float32)


_POOL = np.random.default_rng(4).standard_normal((1 << 16, DIMENSION)).astype(np.float32)


def _vector(terms: Mapping[str, int]) -> NDArray[np.float32]:
    rows = [_hash(term) for term in terms if len(term) > 3] or [0]
    summed = _POOL[rows].sum(axis=0)
    return np.asarray(summed / np.linalg.norm(summed), dtype=np.float32)


def _hash(term: str) -> int:
    """Hash a term to a number below 65,536, the same in every run."""
    code = 0
    for byte in term.encode():
        code = (code * 31 + byte) & 0xFFFF
    return code


def _build(store: SqliteStore, entries: Sequence[IndexEntry], rows: NDArray[np.float32]) -> dict[str, float]:
    started = perf_counter()
    for start in range(0, len(entries), _BATCH):
        store.put(entries[start : start + _BATCH])
    put = perf_counter()
    store.optimize()
    merged = perf_counter()
    keys = [chunk.id for entry in entries for chunk in entry.chunks]
    for start in range(0, len(keys), 2000):
        end = start + 2000
        store.put_vectors(SPACE, dict(zip(keys[start:end], rows[start:end], strict=True)))
    with_vectors = perf_counter()
    store.optimize()
    times = (put - started, merged - put, with_vectors - merged, perf_counter() - with_vectors)
    names = ("put_s", "merge_words_s", "put_vectors_s", "merge_vectors_s")
    return {name: round(value, 2) for name, value in zip(names, times, strict=True)}


def _run_all(store: SqliteStore, words: Sequence[Word], vector: NDArray[np.float32]) -> int:
    """Run a lexical and a vector query, walk two hops from the best, and read ten texts."""
    with store.snapshot():
        best = [*store.rank_lexical(words, 50, Filters(), Bm25()), *store.rank_vectors(SPACE, vector, 50, Filters())]
        starts = list(dict.fromkeys(hit.document for hit in best[:10]))
        reached, _ = walk(store, starts, 2, (), _FAN_OUT)
        return len(store.chunks([hit.chunk for hit in best[:10]])) + len(reached)


def _measure_times(run_query: Callable[[int], object]) -> dict[str, float]:
    for number in range(QUERIES, QUERIES + 20):  # other queries first: a warm process is measured
        run_query(number)
    taken = []
    for number in range(QUERIES):
        started, busy = perf_counter(), thread_time()
        run_query(number)
        taken.append((perf_counter() - started, thread_time() - busy))
    clock, processor = (sorted(times) for times in zip(*taken, strict=True))
    by_clock = {"": clock, "processor_": processor}
    middle, late = QUERIES // 2, int(QUERIES * 0.95)
    return {
        f"{prefix}{name}": round(times[position] * 1000, 3)
        for prefix, times in by_clock.items()
        for name, position in (("p50", middle), ("p95", late))
    }


def _recall(
    store: SqliteStore, rows: NDArray[np.float32], vectors: NDArray[np.float32], entries: Sequence[IndexEntry]
) -> float:
    keys = [chunk.id for entry in entries for chunk in entry.chunks]
    matching = 0
    for vector in vectors[:QUERIES]:
        exact = {keys[row] for row in np.argsort(-(rows @ vector), kind="stable")[:50]}
        matching += len(exact & {hit.chunk for hit in store.rank_vectors(SPACE, vector, 50, Filters())})
    return round(matching / (50 * QUERIES), 4)


def _measure_change(store: SqliteStore, entry: IndexEntry, built: dict[str, float]) -> dict[str, float]:
    """Change one file and search for a word that only the new version contains."""
    terms = ({"body": {**entry.chunk_terms[0]["body"], "onlynow": 1}}, *entry.chunk_terms[1:])
    started = perf_counter()
    store.put([IndexEntry(entry.document, entry.chunks, entry.terms, terms, entry.links)])
    put = perf_counter()
    hits = store.rank_lexical([Word(("onlynow",)), Word(("model",))], 10, Filters(), Bm25())
    searched = perf_counter()
    assert hits[0].document == entry.document.id
    return {
        "put_ms": round((put - started) * 1000, 1),
        "first_question_ms": round((searched - put) * 1000, 1),
        "share_of_a_full_merge": round((searched - started) / built["merge_words_s"], 4),
    }


def _sizes(folder: Path) -> dict[str, float]:
    kinds = {"tables": "index.sqlite", "words": "index.sqlite.segments/*.segment"}
    kinds["vectors"] = "index.sqlite.segments/*.vectors"
    return {
        kind: round(sum(path.stat().st_size for path in folder.glob(pattern)) / 1e6, 1)
        for kind, pattern in kinds.items()
    }
