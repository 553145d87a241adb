"""Engines to compare with: FTS5 with sqlite-vec and a walk in SQL, tantivy, bm25s, and numpy over all vectors.

tantivy, sqlite-vec and bm25s are installed into a temporary folder when the benchmark runs; they are not dependencies.
"""

import importlib
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

REQUIREMENTS = ("tantivy==0.27.0", "sqlite-vec==0.1.9", "bm25s==0.3.16")

_WALK = """
WITH RECURSIVE near (document, depth) AS (
    SELECT value, 0 FROM json_each(?1)
    UNION
    SELECT CASE e.source WHEN n.document THEN e.target ELSE e.source END, n.depth + 1
    FROM near n JOIN edges e ON e.source = n.document OR e.target = n.document WHERE n.depth < 2
)
SELECT DISTINCT document FROM near
"""


def install(folder: Path) -> bool:
    """Install the rivals into a folder, or print a warning and return False."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
    process = subprocess.run([*command, "--target", str(folder), *REQUIREMENTS], check=False)
    if process.returncode:
        print(f"SKIPPED: {', '.join(REQUIREMENTS)} cannot be installed here; only FTS5 is compared", file=sys.stderr)
        return False
    sys.path.append(str(folder))
    return True


class Sql:
    """The usual stack: FTS5 for words, sqlite-vec for vectors, a recursive query for the graph."""

    def __init__(self, path: Path, texts: Iterable[str], *, with_vectors: bool) -> None:
        self.connection = apsw.Connection(str(path))
        self.with_vectors = with_vectors
        if with_vectors:
            self.connection.enable_load_extension(True)
            self.connection.load_extension(importlib.import_module("sqlite_vec").loadable_path())
        self.connection.execute("PRAGMA cache_size = -262144; PRAGMA synchronous = OFF; BEGIN")
        self.connection.execute("CREATE TABLE chunks (id INTEGER PRIMARY KEY, document INTEGER, text TEXT)")
        self.connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='chunks', content_rowid='id')")
        self.connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        self.connection.execute("INSERT INTO words (words) VALUES ('optimize'); COMMIT")

    def fill(
        self,
        texts: Iterable[str],
        owners: Sequence[int],
        edges: Sequence[tuple[int, int]],
        rows: NDArray[np.float32],
    ) -> None:
        """Store texts, links and vectors."""
        self.connection.execute("BEGIN")
        triples = ((number, owner, text) for number, (owner, text) in enumerate(zip(owners, texts, strict=True), 1))
        self.connection.executemany("INSERT INTO chunks VALUES (?, ?, ?)", triples)
        self.connection.execute("CREATE TABLE edges (source INTEGER, target INTEGER)")
        self.connection.executemany("INSERT INTO edges VALUES (?, ?)", edges)
        self.connection.execute("CREATE INDEX edges_from ON edges (source); CREATE INDEX edges_to ON edges (target)")
        if self.with_vectors:
            size = rows.shape[1]
            self.connection.execute(f"CREATE VIRTUAL TABLE vectors USING vec0(v float[{size}] distance_metric=cosine)")
            blobs = ((number, row.tobytes()) for number, row in enumerate(rows, 1))
            self.connection.executemany("INSERT INTO vectors (rowid, v) VALUES (?, ?)", blobs)
        self.connection.execute("COMMIT")

    def lexical(self, words: Sequence[str], limit: int) -> list[int]:
        """Rank by `bm25()` over OR."""
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        return [number for (number,) in self.connection.execute(sql, (query, limit))]

    def run_all(self, words: Sequence[str], vector: NDArray[np.float32]) -> list[str]:
        """Words, vectors, two hops from the documents of the best, and the texts of ten."""
        best = self.lexical(words, 50)
        sql = "SELECT rowid FROM vectors WHERE v MATCH ? AND k = 50"
        best += [number for (number,) in self.connection.execute(sql, (vector.tobytes(),))]
        marks = ",".join(map(str, best[:10]))
        sql = f"SELECT json_group_array(DISTINCT document) FROM chunks WHERE id IN ({marks})"  # noqa: S608 - numbers
        self.connection.execute(_WALK, (self.connection.execute(sql).get,)).fetchall()
        sql = f"SELECT text FROM chunks WHERE id IN ({marks})"  # noqa: S608 - numbers
        return [text for (text,) in self.connection.execute(sql)]


class Tantivy:
    """The search library in Rust, with its own tokenizer and its index in memory-mapped files."""

    def __init__(self, folder: Path, texts: Iterable[str], *, with_texts: bool = False) -> None:
        self._tantivy: Any = importlib.import_module("tantivy")
        builder = self._tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=with_texts)
        builder.add_integer_field("id", stored=True)
        self._schema = builder.build()
        folder.mkdir()
        index = self._tantivy.Index(self._schema, path=str(folder))
        writer = index.writer(300_000_000, 1)
        for number, text in enumerate(texts, 1):
            writer.add_document(self._tantivy.Document(text=text, id=number))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def prepare_query(self, words: Sequence[str]) -> Any:  # noqa: ANN401 - an untyped library
        """Prepare a query, which is not measured."""
        terms = [self._tantivy.Query.term_query(self._schema, "text", word.lower()) for word in words]
        return self._tantivy.Query.boolean_query([(self._tantivy.Occur.Should, term) for term in terms])

    def lexical(self, query: Any, limit: int) -> list[int]:  # noqa: ANN401 - likewise
        """Rank, and read the ids of the best."""
        return [self._searcher.doc(address)["id"][0] for _, address in self._searcher.search(query, limit).hits]


class Bm25s:
    """BM25 in numpy: scores of all texts are computed when it is built, and summed by query."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._index: Any = importlib.import_module("bm25s").BM25()
        self._index.index([list(words) for words in texts], show_progress=False)

    def lexical(self, words: Sequence[str], limit: int) -> list[int]:
        """Rank all texts."""
        found = self._index.retrieve([list(words)], k=limit, show_progress=False, n_threads=0)
        return [int(number) for number in found.documents[0]]


def scan_vectors(rows: NDArray[np.float32], vector: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Compare a vector with all rows by numpy, and return the most similar."""
    similarities = rows @ vector
    best = np.argpartition(-similarities, limit)[:limit]
    return best[np.argsort(-similarities[best], kind="stable")]


def measure_bandwidth(megabytes: int = 512) -> float:
    """Measure how many gigabytes of memory one core reads in a second: the best of five sums over an array."""
    values = np.ones(megabytes * 1_000_000 // 8, dtype=np.int64)
    taken = []
    for _ in range(5):
        started = perf_counter()
        values.sum()
        taken.append(perf_counter() - started)
    return round(values.nbytes / min(taken) / 1e9, 1)
