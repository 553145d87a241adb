"""The stores under test. A new backend is one more line in `BACKENDS`."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from waymeet.ports import Store
from waymeet.stores.memory import MemoryStore
from waymeet.stores.sqlite import SqliteStore


class Backend(NamedTuple):
    """How to get a store of one kind, and how to get at the same one again after closing it."""

    name: str
    make: Callable[[Path], Store]
    reopen: Callable[[Store, Path], Store]


def _reopen_sqlite(store: Store, folder: Path) -> Store:
    store.close()
    return SqliteStore.open(folder / "index.db")


MEMORY = Backend("memory", lambda _: MemoryStore(), lambda store, _: store)
SQLITE = Backend("sqlite", lambda folder: SqliteStore.open(folder / "index.db", create=True), _reopen_sqlite)

BACKENDS = (MEMORY, SQLITE)
