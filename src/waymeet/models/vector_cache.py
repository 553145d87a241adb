"""Cache of vectors across projects.

No text is embedded twice for other branches, renamed files or new indexes.
The cache is one SQLite file in the user's cache folder. Its keys are digests of model and text; it holds no text.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from threading import Lock
from time import time
from typing import TYPE_CHECKING

import apsw

from waymeet.analysis.embedded.section_text import FORMAT_VERSION
from waymeet.ports import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from waymeet.models.query_memo import QueryMemo
    from waymeet.ports import Embedder, Vector

_BUSY_SECONDS = 1.0
"""Wait for another process that writes; vectors that cannot be looked up by then are computed again."""
_USED_RESOLUTION = 3600
"""Seconds after which the time of last use is written again."""
_EVICTED_PART = 0.1
"""Part of the entries evicted at once when the cache is too large, so that this happens seldom."""
_TABLES = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS kept (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used INTEGER NOT NULL, proof BLOB NOT NULL, vector BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS kept_used ON kept (used);
"""
_SELECT = "SELECT key, used, proof, vector FROM kept WHERE key = ?"
_INSERT = "INSERT INTO kept (key, used, proof, vector) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_DELETE_OLDEST = "DELETE FROM kept WHERE id IN (SELECT id FROM kept ORDER BY used, id LIMIT ?)"
_SIZE = (
    "SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f,"
    " pragma_page_size s"
)


class VectorCache:
    """The cache file. Its failures only cost time.

    They are listed in `warnings`.
    """

    def __init__(self, file: Path, max_bytes: int, clock: Callable[[], float] = time) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._clock = clock
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._is_disabled = False
        self.warnings: list[str] = []

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Look up vectors by key."""
        with self._lock:
            if self._is_disabled:
                return {}
            try:
                rows = list(self._connect().executemany(_SELECT, ((key,) for key in keys)))
            except (apsw.Error, OSError) as error:
                self._handle_failure(error)
                return {}
            now = int(self._clock())
            vectors = {key: vector for key, _, checksum, vector in rows if _checksum(key, vector) == checksum}
            used = [key for key, last_used, _, _ in rows if key in vectors and now - last_used > _USED_RESOLUTION]
            corrupt = [key for key, *_ in rows if key not in vectors]
            self._write("UPDATE kept SET used = ? WHERE key = ?", [(now, key) for key in used])
            self._write("DELETE FROM kept WHERE key = ?", [(key,) for key in corrupt])
            return vectors

    def put(self, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors, and evict the least recently used if the cache is too large."""
        with self._lock:
            now = int(self._clock())
            rows = [(key, now, _checksum(key, vector), vector) for key, vector in vectors.items()]
            self._write(_INSERT, rows)
            try:
                self._evict()
            except apsw.BusyError:
                return  # the process that writes evicts, too
            except (apsw.Error, OSError) as error:
                self._handle_failure(error)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _write(self, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        if not rows or self._is_disabled:
            return
        try:
            connection = self._connect()
            with connection:
                connection.executemany(sql, rows)
        except apsw.BusyError:
            return  # a lost write only costs time
        except (apsw.Error, OSError) as error:
            self._handle_failure(error)

    def _evict(self) -> None:
        if self._connection is None or self._connection.execute(_SIZE).get <= self._max_bytes:
            return
        entries = self._connection.execute("SELECT COUNT(*) FROM kept").get
        while entries and self._connection.execute(_SIZE).get > self._max_bytes:
            evicted = max(int(entries * _EVICTED_PART), 1)
            self._connection.execute(_DELETE_OLDEST, (evicted,))
            entries -= evicted
        self._connection.execute("PRAGMA incremental_vacuum").fetchall()

    def _connect(self) -> apsw.Connection:
        if self._connection is None:
            try:
                self._connection = self._open_file()
            except (apsw.NotADBError, apsw.CorruptError):
                self._delete_file()
                self._connection = self._open_file()
        return self._connection

    def _open_file(self) -> apsw.Connection:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file.touch(mode=0o600)
        connection = apsw.Connection(str(self._file))
        try:
            connection.set_busy_timeout(int(_BUSY_SECONDS * 1000))
            connection.execute(_TABLES).fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _delete_file(self) -> None:
        """Delete a corrupt file.

        Processes that have it open keep their deleted copy.
        """
        for suffix in ("-wal", "-shm", ""):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
        self.warnings.append(f"The vector cache {self._file} was corrupt. It was deleted and is built again.")

    def _handle_failure(self, error: Exception) -> None:
        """Close the cache file, delete it if it is corrupt, else disable the cache."""
        if self._connection is not None:
            self._connection.close(force=True)
            self._connection = None
        if isinstance(error, apsw.BusyError):
            return
        if isinstance(error, apsw.NotADBError | apsw.CorruptError):
            with suppress(OSError):
                self._delete_file()
                return
        self._is_disabled = True
        self.warnings.append(f"The vector cache {self._file} cannot be used: {error}.")


class CachedEmbedder:
    """An embedder that looks up passages in a cache first.

    The model embeds each text once.
    """

    def __init__(
        self, inner: Embedder, cache: VectorCache | None, space: str = "", queries: QueryMemo | None = None
    ) -> None:
        self._inner = inner
        self._cache = cache
        self._queries = queries
        self.space = space or f"{inner.space}+{FORMAT_VERSION}"

    def with_space(self, space: str) -> CachedEmbedder:
        """Return the same model for vectors of passages in another text format."""
        return CachedEmbedder(self._inner, self._cache, space, self._queries)

    def without_cache(self) -> CachedEmbedder:
        """Return the same model for vectors that are cheap to compute and would fill the cache."""
        return CachedEmbedder(self._inner, None, self.space, self._queries)

    @property
    def inner(self) -> Embedder:
        """Return the embedder without the cache."""
        return self._inner

    @property
    def vocabulary(self) -> Vocabulary | None:
        """Return the words that the model knows, if it has a list of them."""
        return self._inner if isinstance(self._inner, Vocabulary) else None

    @property
    def dimension(self) -> int:
        """Return the length of the vectors."""
        return self._inner.dimension

    def supports_language(self, language: str) -> bool:
        """Check whether the model supports a language."""
        return self._inner.supports_language(language)

    def embed_query(self, text: str) -> Vector:
        """Embed a query.

        Queries are not in the cache file. Projects that are searched together share the last ones in memory.
        """
        return self._queries.get(text, self._inner.embed_query) if self._queries else self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Embed the texts that are not in the cache, and look up the others."""
        if self._cache is None:
            return self._inner.embed_passages(texts)
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        keys = [_key(self._inner.space, text) for text in texts]
        entries = self._cache.find(list(dict.fromkeys(keys)))
        cached = {key: np.frombuffer(vector, dtype="<f4") for key, vector in entries.items() if vector}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in cached}
        vectors = self._inner.embed_passages(list(missing.values())) if missing else []
        if len(vectors) != len(missing):  # the caller checks the number of vectors
            return vectors
        computed = dict(zip(missing, vectors, strict=True))
        valid = {key: vector for key, vector in computed.items() if self._is_valid(vector)}
        if valid:
            self._cache.put({key: np.asarray(vector, "<f4").tobytes() for key, vector in valid.items()})
        return [cached[key] if key in cached else computed[key] for key in keys]

    def _is_valid(self, vector: Vector) -> bool:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        numbers = np.asarray(vector)
        return numbers.shape == (self.dimension,) and bool(np.isfinite(numbers).all()) and bool(numbers.any())


def model_of_space(space: str) -> str:
    """Return the model part of a space name, without the version of the passages' text format.

    >>> model_of_space("granite-30m-en/1+2"), model_of_space("granite-30m-en/1")
    ('granite-30m-en/1', 'granite-30m-en/1')
    """
    return space.partition("+")[0]


def _key(space: str, text: str) -> bytes:
    return blake2b(f"{space}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _checksum(key: bytes, vector: bytes) -> bytes:
    """Compute a checksum of a vector and its key, to detect corrupt entries."""
    return blake2b(vector, digest_size=8, key=key).digest()
