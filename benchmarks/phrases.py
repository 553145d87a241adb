"""Measure queries with phrases, prefixes and substrings, compared with FTS5.

Both run on the same 100,000 chunks in one warm process. Waymeet finds chunks by words and verifies phrases in the text.
FTS5 runs in two ways: ranked, as a complete search, and as a filter that only returns the chunks, for use with another
ranking. The results of a sample are compared with a scan of all texts.
"""

import random
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import apsw
import engine_text

from waymeet.analysis import contains_phrase, count_terms, has_cjk, list_terms, normalise_text
from waymeet.settings import Bm25
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Filters, IndexEntry, Word

CHUNKS = 100_000
QUERIES = 100
SAMPLE = 40
_CJK_PACKAGES = ("django==5.2.19", "wagtail==8.0.1", "sphinx==9.0.4")
_CJK_RUN = re.compile(r"[\u3041-\u30fe\u4e00-\u9fff\uac00-\ud7a3]{2,}")
_FEWEST_RUNS = 5
_BATCH = 8
_ALL = 10**6
_TABLES = {
    "words": "CREATE VIRTUAL TABLE words USING fts5(text, content='', prefix='4 5')",
    "trigrams": "CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', tokenize='trigram')",
}


class Kind(NamedTuple):
    """A kind of query and the two ways to run it."""

    queries: list[str]
    ours: Callable[[str, int], set[str]]
    table: str
    """The FTS5 table."""
    match: Callable[[str], str]
    """Translates a query to FTS5 syntax."""
    expected: Callable[[str], set[str]]
    """Finds the matching chunks by a scan of all texts."""


def measure() -> dict[str, Any]:
    """Return times in milliseconds, sizes, and the number of correct results."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        cjk = _select_cjk(engine_text.download_files(path / "cjk", CHUNKS, _CJK_PACKAGES, (".po",)))
        left = CHUNKS - sum(len(file.pieces) for file in cjk)
        files = [*engine_text.download_files(path / "packages", left), *cjk]
        entries = [_entry(file) for file in files]
        store = SqliteStore.open(path / "index.sqlite", create=True)
        for start in range(0, len(entries), _BATCH):
            store.put(entries[start : start + _BATCH])
        store.optimize()
        chunks = [chunk for entry in entries for chunk in entry.chunks]
        rival, built = _build_rival(path / "rival.sqlite", [chunk.text for chunk in chunks])
        kinds = _kinds(store, entries, files[: -len(cjk)], cjk)
        result = {
            "corpus": {
                "packages": (*engine_text.PACKAGES, *_CJK_PACKAGES),
                "chunks": len(chunks),
                "of them in Chinese, Japanese or Korean": sum(len(file.pieces) for file in cjk),
                "questions": f"{QUERIES} of each kind; {SAMPLE} of each compared with a scan of all texts",
            },
            "fts5_costs": built,
            "kinds": {name: _compare(kind, rival, [chunk.id for chunk in chunks]) for name, kind in kinds.items()},
        }
        store.close()
        return result


def _select_cjk(files: Iterable[engine_text.File]) -> list[engine_text.File]:
    """Select the pieces that are mostly Chinese, Japanese or Korean."""
    selected = []
    for path, pieces in files:
        kept = tuple(piece for piece in pieces if len(_CJK_RUN.findall(piece)) >= _FEWEST_RUNS)
        selected += [engine_text.File(path, kept)] if kept else []
    return selected


def _entry(file: engine_text.File) -> IndexEntry:
    path, pieces = file
    chunks = tuple(
        Chunk(f"{path}#{ordinal}", path, ordinal, ordinal + 1, ordinal + 1, text) for ordinal, text in enumerate(pieces)
    )
    return IndexEntry(Document(path, "docs", ""), chunks, {}, tuple({"body": count_terms(text)} for text in pieces))


def _build_rival(path: Path, texts: Sequence[str]) -> tuple[apsw.Connection, dict[str, Any]]:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA cache_size = -262144; PRAGMA synchronous = OFF")
    built = {}
    for table, create in _TABLES.items():
        started, before = perf_counter(), path.stat().st_size
        connection.execute(f"BEGIN; {create}")
        connection.executemany(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", enumerate(texts))  # noqa: S608 - ours
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize'); COMMIT")  # noqa: S608 - ours
        megabytes = (path.stat().st_size - before) / 1e6
        built[table] = {"seconds": round(perf_counter() - started, 1), "megabytes": round(megabytes, 1)}
    return connection, built


def _kinds(
    store: SqliteStore, entries: list[IndexEntry], spaced: list[engine_text.File], cjk: list[engine_text.File]
) -> dict[str, Kind]:
    texts = {chunk.id: normalise_text(chunk.text) for entry in entries for chunk in entry.chunks}
    holders: dict[str, set[str]] = {}
    for entry in entries:
        for chunk, fields in zip(entry.chunks, entry.chunk_terms, strict=True):
            for term in fields["body"]:
                holders.setdefault(term, set()).add(chunk.id)
    rng = random.Random(5)  # noqa: S311 - the same queries each time

    def by_phrase(phrase: str, limit: int) -> set[str]:
        words = [Word((term,), text=term) for term in count_terms(phrase)]
        return {
            hit.chunk for hit in store.rank_lexical(words, limit, Filters(phrases=(normalise_text(phrase),)), Bm25())
        }

    def by_prefix(prefix: str, limit: int) -> set[str]:
        known = store.terms_with_prefix(prefix, _ALL if limit == _ALL else Bm25().prefix_terms)
        word = Word(tuple(dict.fromkeys((*known, *list_terms(prefix)))))
        return {hit.chunk for hit in store.rank_lexical([word], limit, Filters(), Bm25())}

    def scan_for_phrase(phrase: str) -> set[str]:
        return {chunk for chunk, text in texts.items() if contains_phrase(text, normalise_text(phrase))}

    def scan_for_prefix(prefix: str) -> set[str]:
        matching = [chunks for term, chunks in holders.items() if term.startswith(prefix) or term in list_terms(prefix)]
        return set().union(*matching)

    return {
        "phrase of 2 to 4 words": Kind(_phrases(spaced, rng), by_phrase, "words", _quote_phrase, scan_for_phrase),
        "prefix of 4 or 5 letters": Kind(_prefixes(spaced, rng), by_prefix, "words", "{}*".format, scan_for_prefix),
        "substring of 3 or 4 CJK characters": Kind(
            _substrings(cjk, rng, (3, 4)), by_phrase, "trigrams", _quote_phrase, scan_for_phrase
        ),
        "substring of 2 CJK characters": Kind(
            _substrings(cjk, rng, (2,)), by_phrase, "trigrams", _quote_phrase, scan_for_phrase
        ),
    }


def _quote_phrase(text: str) -> str:
    return f'"{text}"'


def _phrases(files: list[engine_text.File], rng: random.Random) -> list[str]:
    phrases = []
    for sentence in engine_text.choose_sentences(files, QUERIES):
        words = sentence.split()
        size = rng.randint(2, 4)
        start = rng.randrange(len(words) - size + 1)
        phrases.append(" ".join(words[start : start + size]).lower())
    return phrases


def _prefixes(files: list[engine_text.File], rng: random.Random) -> list[str]:
    words = {word.lower() for sentence in engine_text.choose_sentences(files, QUERIES * 3) for word in sentence.split()}
    long = sorted(word for word in words if len(word) > 6)
    return [word[: rng.randint(4, 5)] for word in rng.choices(long, k=QUERIES)]


def _substrings(files: list[engine_text.File], rng: random.Random, sizes: Sequence[int]) -> list[str]:
    runs = [run for file in files for piece in file.pieces for run in _CJK_RUN.findall(piece) if len(run) >= max(sizes)]
    substrings = []
    for run in rng.choices(runs, k=QUERIES):
        size = rng.choice(sizes)
        start = rng.randrange(len(run) - size + 1)
        substrings.append(run[start : start + size])
    assert all(map(has_cjk, substrings))
    return substrings


def _compare(kind: Kind, rival: apsw.Connection, ids: Sequence[str]) -> dict[str, Any]:
    every = f"SELECT rowid FROM {kind.table} WHERE {kind.table} MATCH ?"  # noqa: S608 - ours
    best = f"{every} ORDER BY rank LIMIT 10"
    right = {"waymeet": 0, "fts5": 0}
    for query in kind.queries[:SAMPLE]:
        expected = kind.expected(query)
        right["waymeet"] += kind.ours(query, _ALL) == expected
        right["fts5"] += {ids[number] for (number,) in rival.execute(every, (kind.match(query),))} == expected
    return {
        "milliseconds": {
            "waymeet_top10": _measure_times(kind.queries, lambda query: kind.ours(query, 10)),
            "fts5_top10": _measure_times(kind.queries, lambda query: list(rival.execute(best, (kind.match(query),)))),
            "fts5_filter": _measure_times(kind.queries, lambda query: list(rival.execute(every, (kind.match(query),)))),
        },
        "results_equal_to_a_scan_of_all_texts": {name: f"{number} of {SAMPLE}" for name, number in right.items()},
        "examples": kind.queries[:3],
    }


def _measure_times(queries: Sequence[str], run_query: Callable[[str], object]) -> dict[str, float]:
    for query in queries[-10:]:
        run_query(query)
    times = []
    for query in queries:
        started = perf_counter()
        run_query(query)
        times.append((perf_counter() - started) * 1000)
    times.sort()
    return {"p50": round(times[len(times) // 2], 3), "p95": round(times[int(len(times) * 0.95)], 3)}


def table(figures: dict[str, Any]) -> str:
    """Format the figures as a table."""
    lines = ["| query | Waymeet p50 / p95 ms | FTS5 top 10 | FTS5 as a filter | correct: Waymeet | correct: FTS5 |"]
    lines.append("|---|---|---|---|---|---|")
    for name, kind in figures["kinds"].items():
        times = [f"{each['p50']:.2f} / {each['p95']:.2f}" for each in kind["milliseconds"].values()]
        right = kind["results_equal_to_a_scan_of_all_texts"].values()
        lines.append(f"| {name} | {' | '.join((*times, *right))} |")
    costs = ", ".join(
        f"{name} {each['megabytes']} MB and {each['seconds']} s" for name, each in figures["fts5_costs"].items()
    )
    return "\n".join([*lines, "", f"Cost of the FTS5 tables: {costs}.", ""])
