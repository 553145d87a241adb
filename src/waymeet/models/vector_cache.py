"""Vectors that were made before, in any project: nothing is embedded twice across branches, renames and new indexes.

They lie in one SQLite file in the user's cache folder, under a digest of model and text. No text is in it.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from threading import Lock
from time import time
from typing import TYPE_CHECKING

import apsw

from waymeet.analysis.embedding_text import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from waymeet.ports import Embedder, Vector

_PATIENCE = 1.0
"""Seconds to wait for another process; what cannot be looked up by then is made anew."""
_STALE = 3600
"""Seconds after which it is noted that a vector was used once more."""
_TO_FORGET = 0.1
"""How much is forgotten when there is too much: a part of it all, so that this happens seldom."""
_TABLES = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS kept (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used INTEGER NOT NULL, proof BLOB NOT NULL, vector BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS kept_used ON kept (used);
"""
_FIND = "SELECT key, used, proof, vector FROM kept WHERE key = ?"
_KEEP = "INSERT INTO kept (key, used, proof, vector) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_OLDEST = "DELETE FROM kept WHERE id IN (SELECT id FROM kept ORDER BY used, id LIMIT ?)"
_SIZE = (
    "SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f,"
    " pragma_page_size s"
)


class VectorCache:
    """The file of vectors; whatever is wrong with it costs time and nothing else, and is told in `remarks`."""

    def __init__(self, file: Path, most_bytes: int, clock: Callable[[], float] = time) -> None:
        self._file = file
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = Lock()
        self._connection: apsw.Connection | None = None
        self._useless = False
        self.remarks: list[str] = []

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Look up what was kept."""
        with self._lock:
            try:
                rows = list(self._opened().executemany(_FIND, ((key,) for key in keys))) if self._usable() else []
            except (apsw.Error, OSError) as error:
                self._give_up(error)
                return {}
            now = int(self._clock())
            found = {key: vector for key, _, proof, vector in rows if _proof(key, vector) == proof}
            worn = [key for key, used, _, _ in rows if key in found and now - used > _STALE]
            wrong = [key for key, *_ in rows if key not in found]
            self._change("UPDATE kept SET used = ? WHERE key = ?", [(now, key) for key in worn])
            self._change("DELETE FROM kept WHERE key = ?", [(key,) for key in wrong])
            return found

    def put(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep some more; what was not used for longest goes when there is too much."""
        with self._lock:
            now = int(self._clock())
            rows = [(key, now, _proof(key, vector), vector) for key, vector in vectors.items()]
            self._change(_KEEP, rows)
            try:
                self._forget()
            except apsw.BusyError:
                return  # whoever keeps it busy sees to its size
            except (apsw.Error, OSError) as error:
                self._give_up(error)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _change(self, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        if not rows or not self._usable():
            return
        try:
            connection = self._opened()
            with connection:
                connection.executemany(sql, rows)
        except apsw.BusyError:
            return  # it is only a cache
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def _forget(self) -> None:
        if self._connection is None or self._connection.execute(_SIZE).get <= self._most_bytes:
            return
        number = self._connection.execute("SELECT COUNT(*) FROM kept").get
        while number and self._connection.execute(_SIZE).get > self._most_bytes:
            some = max(int(number * _TO_FORGET), 1)
            self._connection.execute(_OLDEST, (some,))
            number -= some
        self._connection.execute("PRAGMA incremental_vacuum").fetchall()

    def _usable(self) -> bool:
        return not self._useless

    def _opened(self) -> apsw.Connection:
        if self._connection is None:
            try:
                self._connection = self._open()
            except (apsw.NotADBError, apsw.CorruptError):
                self._begin_anew()
                self._connection = self._open()
        return self._connection

    def _open(self) -> apsw.Connection:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file.touch(mode=0o600)
        connection = apsw.Connection(str(self._file))
        try:
            connection.set_busy_timeout(int(_PATIENCE * 1000))
            connection.execute(_TABLES).fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin_anew(self) -> None:
        """Throw away a file that cannot be read; others that hold it go on with what is left of theirs."""
        for ending in ("-wal", "-shm", ""):
            self._file.with_name(self._file.name + ending).unlink(missing_ok=True)
        self.remarks.append(f"The cache of vectors {self._file} was damaged and begun anew.")

    def _give_up(self, error: Exception) -> None:
        """Go on without it; a damaged file is thrown away, another may do better the next time."""
        if self._connection is not None:
            self._connection.close(force=True)
            self._connection = None
        if isinstance(error, apsw.BusyError):
            return
        if isinstance(error, apsw.NotADBError | apsw.CorruptError):
            with suppress(OSError):
                self._begin_anew()
                return
        self._useless = True
        self.remarks.append(f"The cache of vectors {self._file} cannot be used: {error}.")


class CachedEmbedder:
    """An embedder that looks up what it was shown before; the same text is shown to the model once."""

    def __init__(self, inner: Embedder, cache: VectorCache | None, space: str = "") -> None:
        self._inner = inner
        self._cache = cache
        self.space = space or f"{inner.space}+{FORMAT_VERSION}"

    def with_space(self, space: str) -> CachedEmbedder:
        """Give the same model for vectors of passages that were shown to it in another manner."""
        return CachedEmbedder(self._inner, self._cache, space)

    @property
    def inner(self) -> Embedder:
        """Give the model itself."""
        return self._inner

    @property
    def dimension(self) -> int:
        """Say how long its vectors are."""
        return self._inner.dimension

    def supports_language(self, language: str) -> bool:
        """Tell whether it understands a language."""
        return self._inner.supports_language(language)

    def embed_query(self, text: str) -> Vector:
        """Embed a question; questions are not kept."""
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Embed texts to be found, those that were not embedded before."""
        if self._cache is None:
            return self._inner.embed_passages(texts)
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        keys = [_key(self._inner.space, text) for text in texts]
        kept = self._cache.find(list(dict.fromkeys(keys)))
        known = {key: np.frombuffer(vector, dtype="<f4") for key, vector in kept.items() if vector}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = self._inner.embed_passages(list(new.values())) if new else []
        if len(made) != len(new):  # too few or too many: who asked will say so
            return made
        fresh = dict(zip(new, made, strict=True))
        usable = {key: vector for key, vector in fresh.items() if self._usable(vector)}
        if usable:
            self._cache.put({key: np.asarray(vector, "<f4").tobytes() for key, vector in usable.items()})
        return [known[key] if key in known else fresh[key] for key in keys]

    def _usable(self, vector: Vector) -> bool:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        found = np.asarray(vector)
        return found.shape == (self.dimension,) and bool(np.isfinite(found).all()) and bool(found.any())


def model_of_space(space: str) -> str:
    """Say which model a space is of, in whatever manner passages were shown to it.

    >>> model_of_space("granite-30m-en/1+2"), model_of_space("granite-30m-en/1")
    ('granite-30m-en/1', 'granite-30m-en/1')
    """
    return space.partition("+")[0]


def _key(space: str, text: str) -> bytes:
    return blake2b(f"{space}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _proof(key: bytes, vector: bytes) -> bytes:
    """Mark a vector, so that a flipped bit is noticed."""
    return blake2b(vector, digest_size=8, key=key).digest()
