"""Measure what row-level security costs on PostgreSQL: the same collection for a superuser and for an ordinary user.

    python benchmarks/row_security.py [SECTIONS]

The policies hold for the ordinary user alone. Texts are those of Python's standard library, vectors are synthetic.
Ten small collections share the tables. The two users alternate by rounds, so that other work on the machine affects
them alike. Processor time is that of the client and of the server together.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import postgres as shared
import psycopg
from engine_text import File

from waymeet.stores.postgres import PostgresStore
from waymeet.types import Filters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from waymeet.types import IndexEntry

_SECTIONS, _SMALL, _PIECE, _ROUNDS, _CALLS = 20_000, 500, 700, 12, 40
_USERS = "without", "with"
"""The superuser and the ordinary user."""
_STORED = 400
"""Documents that are stored in each round."""


def read_files(sections: int) -> Iterator[File]:
    """Read files of the standard library until there are enough sections."""
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        pieces = tuple(text[start : start + _PIECE] for start in range(0, len(text), _PIECE))[:50]
        if pieces and sections > 0:
            sections -= len(pieces)
            yield File(str(path), pieces)


def create_users(superuser: str) -> dict[str, str]:
    """Create an ordinary user, and return the address of each user."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector; CREATE ROLE ordinary LOGIN")
        connection.execute("GRANT CREATE ON DATABASE postgres TO ordinary")
    return dict(zip(_USERS, (superuser, superuser.replace("//waymeet@", "//ordinary@")), strict=True))


def fill(dsn: str, entries: Sequence[IndexEntry]) -> None:
    """Fill the collection, and ten small ones beside it."""
    for number in range(11):
        store = PostgresStore.open(dsn, f"bench{number}", create=True)
        own = entries if number == 0 else entries[:_SMALL]
        ids = [chunk.id for entry in own for chunk in entry.chunks]
        for start in range(0, len(own), 200):
            store.put(own[start : start + 200])
        vectors = shared.make_vectors(len(ids), seed=2)
        for start in range(0, len(ids) if number == 0 else 0, 2000):
            part = slice(start, start + 2000)
            store.put_vectors(shared.SPACE, dict(zip(ids[part], vectors[part], strict=True)))
        store.optimize()
        store.close()


class Calls:
    """Calls of each kind for a user."""

    def __init__(self, users: Mapping[str, str], texts: Sequence[str], entries: Sequence[IndexEntry]) -> None:
        self._users = users
        self._stores = {name: PostgresStore.open(dsn, "bench0") for name, dsn in users.items()}
        self._writers = {name: PostgresStore.open(dsn, f"put {name}", create=True) for name, dsn in users.items()}
        self._queries = list(zip(texts, shared.make_vectors(len(texts), seed=3), strict=True))
        self._stored = entries[:_STORED]
        self._ids = [chunk.id for entry in entries[:50] for chunk in entry.chunks][:50]

    def close(self) -> None:
        """Close all stores."""
        for store in (*self._stores.values(), *self._writers.values()):
            store.close()

    def search(self, user: str) -> int:
        """Search by words and vectors, and return the number of calls."""
        for text, vector in self._queries:
            shared.search_store(self._stores[user], text, vector)
        return len(self._queries)

    def search_first(self, user: str) -> int:
        """Search in stores that have just been opened."""
        for text, vector in self._queries[:10]:
            store = PostgresStore.open(self._users[user], "bench0")
            shared.search_store(store, text, vector)
            store.close()
        return 10

    def search_filtered(self, user: str) -> int:
        """Search by vectors with filters that everything passes."""
        for _, vector in self._queries:
            self._stores[user].rank_vectors(shared.SPACE, vector, 50, Filters(kinds=("code",)))
        return len(self._queries)

    def read(self, user: str) -> int:
        """Read fifty sections."""
        for _ in self._queries:
            self._stores[user].chunks(self._ids)
        return len(self._queries)

    def read_value(self, user: str) -> int:
        """Read one value, in a transaction of its own."""
        for _ in range(400):
            self._stores[user].metadata("key")
        return 400

    def put(self, user: str) -> int:
        """Replace documents, and return the number of sections."""
        self._writers[user].put(self._stored)
        return sum(len(entry.chunks) for entry in self._stored)


def measure(calls: Calls) -> dict[str, Any]:
    """Measure calls of each kind for both users, by turns."""
    kinds = {
        "search by words and vectors": calls.search,
        "the same in a store that has just been opened": calls.search_first,
        "search by vectors with filters": calls.search_filtered,
        "read fifty sections": calls.read,
        "read one value": calls.read_value,
        "store a section": calls.put,
    }
    return {kind: _compare(work) for kind, work in kinds.items()}


def _compare(work: Callable[[str], int]) -> dict[str, Any]:
    """Return the milliseconds of a call for both users: the median on the clock, the mean of processors."""
    durations: dict[str, list[shared.Duration]] = {name: [] for name in _USERS}
    calls = max(work(name) for name in _USERS)  # once before, for the caches
    for number in range(_ROUNDS):
        for name in _USERS if number % 2 else reversed(_USERS):
            durations[name].append(shared.timed(partial(work, name)))
    return {
        name: {
            "clock ms": round(median(each.clock for each in own) / calls * 1000, 3),
            "processor ms": round(sum(each.processor for each in own) / len(own) / calls * 1000, 3),
        }
        for name, own in durations.items()
    }


def main() -> None:
    """Print the figures as JSON."""
    sections = int(sys.argv[1]) if len(sys.argv) > 1 else _SECTIONS
    files = list(read_files(sections))
    entries = shared.make_entries(files)
    rng = np.random.default_rng(5)
    chosen = [files[place].pieces[0].split() for place in rng.integers(0, len(files), _CALLS)]
    texts = [" ".join(words[3:13]) for words in chosen]
    for dsn in shared.start_server():
        users = create_users(dsn)
        started = perf_counter()
        fill(users["with"], entries)
        print(f"filled in {perf_counter() - started:.0f} s", file=sys.stderr)
        calls = Calls(users, texts, entries)
        print(json.dumps({"sections": sections, **measure(calls)}, indent=1))
        calls.close()


if __name__ == "__main__":
    main()
