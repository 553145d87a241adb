"""Phrases, prefixes and substrings: our words verified against the text, beside what FTS5 would do for them.

Both answer on the same 100,000 chunks in one warm process. FTS5 is asked in two ways: ranked, as a whole search would
be, and as a filter that only names the chunks, which is what it could lend to our own ranking. Every answer of a
sample is held against a look at all texts.
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
QUESTIONS = 100
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
    """One kind of question and the two ways to answer it."""

    asked: list[str]
    ours: Callable[[str, int], set[str]]
    table: str
    """The table of FTS5 that is asked."""
    match: Callable[[str], str]
    """The question in its language."""
    truth: Callable[[str], set[str]]
    """What a look at every text finds."""


def measure() -> dict[str, Any]:
    """Give times in milliseconds, sizes, and how far answers are right."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        foreign = _with_runs(engine_text.files(place / "cjk", CHUNKS, _CJK_PACKAGES, (".po",)))
        left = CHUNKS - sum(len(file.pieces) for file in foreign)
        files = [*engine_text.files(place / "packages", left), *foreign]
        entries = [_entry(file) for file in files]
        store = SqliteStore.open(place / "index.sqlite", create=True)
        for at in range(0, len(entries), _BATCH):
            store.put(entries[at : at + _BATCH])
        store.optimize()
        chunks = [chunk for entry in entries for chunk in entry.chunks]
        rival, built = _rival(place / "rival.sqlite", [chunk.text for chunk in chunks])
        kinds = _kinds(store, entries, files[: -len(foreign)], foreign)
        result = {
            "corpus": {
                "packages": (*engine_text.PACKAGES, *_CJK_PACKAGES),
                "chunks": len(chunks),
                "of them in Chinese, Japanese or Korean": sum(len(file.pieces) for file in foreign),
                "questions": f"{QUESTIONS} of each kind; {SAMPLE} of each held against a look at all texts",
            },
            "fts5_costs": built,
            "kinds": {name: _compared(kind, rival, [chunk.id for chunk in chunks]) for name, kind in kinds.items()},
        }
        store.close()
        return result


def _with_runs(files: Iterable[engine_text.File]) -> list[engine_text.File]:
    """Keep the pieces that are mostly in scripts without spaces."""
    found = []
    for path, pieces in files:
        kept = tuple(piece for piece in pieces if len(_CJK_RUN.findall(piece)) >= _FEWEST_RUNS)
        found += [engine_text.File(path, kept)] if kept else []
    return found


def _entry(file: engine_text.File) -> IndexEntry:
    path, pieces = file
    chunks = tuple(Chunk(f"{path}#{at}", path, at, at + 1, at + 1, text) for at, text in enumerate(pieces))
    return IndexEntry(Document(path, "docs", ""), chunks, {}, tuple({"body": count_terms(text)} for text in pieces))


def _rival(path: Path, texts: Sequence[str]) -> tuple[apsw.Connection, dict[str, Any]]:
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
    store: SqliteStore, entries: list[IndexEntry], spaced: list[engine_text.File], foreign: list[engine_text.File]
) -> dict[str, Kind]:
    texts = {chunk.id: normalise_text(chunk.text) for entry in entries for chunk in entry.chunks}
    holders: dict[str, set[str]] = {}
    for entry in entries:
        for chunk, fields in zip(entry.chunks, entry.chunk_terms, strict=True):
            for term in fields["body"]:
                holders.setdefault(term, set()).add(chunk.id)
    chance = random.Random(5)  # noqa: S311 - the same questions each time

    def by_phrase(phrase: str, limit: int) -> set[str]:
        words = [Word((term,), text=term) for term in count_terms(phrase)]
        return {
            hit.chunk for hit in store.rank_lexical(words, limit, Filters(phrases=(normalise_text(phrase),)), Bm25())
        }

    def by_prefix(prefix: str, limit: int) -> set[str]:
        known = store.terms_with_prefix(prefix, _ALL if limit == _ALL else Bm25().prefix_terms)
        word = Word(tuple(dict.fromkeys((*known, *list_terms(prefix)))))
        return {hit.chunk for hit in store.rank_lexical([word], limit, Filters(), Bm25())}

    def saying(phrase: str) -> set[str]:
        return {chunk for chunk, text in texts.items() if contains_phrase(text, normalise_text(phrase))}

    def beginning(prefix: str) -> set[str]:
        meant = [each for term, each in holders.items() if term.startswith(prefix) or term in list_terms(prefix)]
        return set().union(*meant)

    return {
        "phrase of 2 to 4 words": Kind(_phrases(spaced, chance), by_phrase, "words", _quoted, saying),
        "prefix of 4 or 5 letters": Kind(_prefixes(spaced, chance), by_prefix, "words", "{}*".format, beginning),
        "substring of 3 or 4 CJK characters": Kind(
            _substrings(foreign, chance, (3, 4)), by_phrase, "trigrams", _quoted, saying
        ),
        "substring of 2 CJK characters": Kind(
            _substrings(foreign, chance, (2,)), by_phrase, "trigrams", _quoted, saying
        ),
    }


def _quoted(text: str) -> str:
    return f'"{text}"'


def _phrases(files: list[engine_text.File], chance: random.Random) -> list[str]:
    found = []
    for sentence in engine_text.sentences(files, QUESTIONS):
        words = sentence.split()
        size = chance.randint(2, 4)
        at = chance.randrange(len(words) - size + 1)
        found.append(" ".join(words[at : at + size]).lower())
    return found


def _prefixes(files: list[engine_text.File], chance: random.Random) -> list[str]:
    words = {word.lower() for sentence in engine_text.sentences(files, QUESTIONS * 3) for word in sentence.split()}
    long = sorted(word for word in words if len(word) > 6)
    return [word[: chance.randint(4, 5)] for word in chance.choices(long, k=QUESTIONS)]


def _substrings(files: list[engine_text.File], chance: random.Random, sizes: Sequence[int]) -> list[str]:
    runs = [run for file in files for piece in file.pieces for run in _CJK_RUN.findall(piece) if len(run) >= max(sizes)]
    found = []
    for run in chance.choices(runs, k=QUESTIONS):
        size = chance.choice(sizes)
        at = chance.randrange(len(run) - size + 1)
        found.append(run[at : at + size])
    assert all(map(has_cjk, found))
    return found


def _compared(kind: Kind, rival: apsw.Connection, ids: Sequence[str]) -> dict[str, Any]:
    every = f"SELECT rowid FROM {kind.table} WHERE {kind.table} MATCH ?"  # noqa: S608 - ours
    best = f"{every} ORDER BY rank LIMIT 10"
    right = {"waymeet": 0, "fts5": 0}
    for question in kind.asked[:SAMPLE]:
        truth = kind.truth(question)
        right["waymeet"] += kind.ours(question, _ALL) == truth
        right["fts5"] += {ids[number] for (number,) in rival.execute(every, (kind.match(question),))} == truth
    return {
        "milliseconds": {
            "waymeet_top10": _times(kind.asked, lambda question: kind.ours(question, 10)),
            "fts5_top10": _times(kind.asked, lambda question: list(rival.execute(best, (kind.match(question),)))),
            "fts5_filter": _times(kind.asked, lambda question: list(rival.execute(every, (kind.match(question),)))),
        },
        "answers_equal_to_a_look_at_all_texts": {name: f"{number} of {SAMPLE}" for name, number in right.items()},
        "examples": kind.asked[:3],
    }


def _times(asked: Sequence[str], ask: Callable[[str], object]) -> dict[str, float]:
    for question in asked[-10:]:
        ask(question)
    times = []
    for question in asked:
        started = perf_counter()
        ask(question)
        times.append((perf_counter() - started) * 1000)
    times.sort()
    return {"p50": round(times[len(times) // 2], 3), "p95": round(times[int(len(times) * 0.95)], 3)}


def table(figures: dict[str, Any]) -> str:
    """Write the figures as a table for people."""
    lines = ["| question | Waymeet p50 / p95 ms | FTS5 top 10 | FTS5 as a filter | right: Waymeet | right: FTS5 |"]
    lines.append("|---|---|---|---|---|---|")
    for name, kind in figures["kinds"].items():
        times = [f"{each['p50']:.2f} / {each['p95']:.2f}" for each in kind["milliseconds"].values()]
        right = kind["answers_equal_to_a_look_at_all_texts"].values()
        lines.append(f"| {name} | {' | '.join((*times, *right))} |")
    costs = ", ".join(
        f"{name} {each['megabytes']} MB and {each['seconds']} s" for name, each in figures["fts5_costs"].items()
    )
    return "\n".join([*lines, "", f"What FTS5 costs beside the index: {costs}.", ""])
