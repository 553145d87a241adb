"""The stores under test. A new backend is one more line in `BACKENDS`."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.postgres_server import ordinary_owner, shared_server

from waymeet.ports import Store
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.postgres.segments.maintenance import SegmentLimits
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits


class Backend(NamedTuple):
    """Functions that create a store and open it again after closing."""

    name: str
    make: Callable[[Path], Store]
    reopen: Callable[[Store, Path], Store]


def _reopen_sqlite(store: Store, folder: Path) -> Store:
    store.close()
    return SqliteStore.open(folder / "index.db")


MEMORY = Backend("memory", lambda _: MemoryStore(), lambda store, _: store)
SQLITE = Backend("sqlite", lambda folder: SqliteStore.open(folder / "index.db", create=True), _reopen_sqlite)

_AT_ONCE = MaintenanceLimits(
    max_buffered=-1,
    min_segment=-1,
    max_segment=4,
    max_vectors=4,
    max_exact_vectors=0,
    max_loop_postings=-1,
    max_loop_postings_with_numpy=-1,
)


def _reopen_segments(store: Store, folder: Path) -> Store:
    store.close()
    return SqliteStore.open(folder / "segments.db", limits=_AT_ONCE)


SEGMENTS = Backend(
    "segments",
    lambda folder: SqliteStore.open(folder / "segments.db", create=True, limits=_AT_ONCE),
    _reopen_segments,
)
"""The same store with every document in a small segment at once, and every score by numpy."""


def _make_postgres(folder: Path) -> Store:
    return PostgresStore.open(shared_server(), str(folder), create=True)


def _reopen_postgres(store: Store, folder: Path) -> Store:
    store.close()
    return PostgresStore.open(shared_server(), str(folder))


POSTGRES = Backend("postgres", _make_postgres, _reopen_postgres)
"""A collection of its own on one server for all tests of a process."""

_AT_ONCE_ON_SERVER = SegmentLimits(max_buffered=-1, min_segment=-1, max_segment=4, max_small_segments=2)


@cache
def _ordinary_address() -> str:
    return ordinary_owner(shared_server())


def _make_postgres_segments(folder: Path) -> Store:
    return PostgresStore.open(_ordinary_address(), f"{folder} in segments", create=True, limits=_AT_ONCE_ON_SERVER)


def _reopen_postgres_segments(store: Store, folder: Path) -> Store:
    store.close()
    return PostgresStore.open(_ordinary_address(), f"{folder} in segments", limits=_AT_ONCE_ON_SERVER)


POSTGRES_SEGMENTS = Backend("postgres-segments", _make_postgres_segments, _reopen_postgres_segments)
"""The same store with every document in a small segment at once, for a user to whom row-level security applies."""

ON_SERVER = (POSTGRES, POSTGRES_SEGMENTS)
BACKENDS = (MEMORY, SQLITE, SEGMENTS, *ON_SERVER)
