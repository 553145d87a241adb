"""The store backend of a project: the only module that names one.

Another backend is one package below `stores` and one line in `open_store`.
"""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.errors import WaymeetError
from waymeet.ports import IndexSize, RepairedFile, Store

if TYPE_CHECKING:
    from waymeet.stores.sqlite.check.check import CheckResult


def open_store(index: Path, *, create: bool = False, timeout: float | None = None) -> Store:
    """Open the index at a path, or create it.

    `timeout` is how many seconds to wait for another process that writes; None for the backend's default.
    """
    from waymeet.stores.sqlite import SqliteStore
    from waymeet.stores.sqlite.store import TIMEOUT

    return SqliteStore.open(index, create=create, timeout=TIMEOUT if timeout is None else timeout)


def check_store(index: Path, *, repair: bool) -> "CheckResult":
    """Check an index for corruption, and repair it on request, while no other process writes."""
    from waymeet.ingest.lock import index_lock
    from waymeet.stores.sqlite.check.repair import check_index

    with index_lock(index, wait=True) if repair else nullcontext():
        return check_index(index, repair=repair)


def needs_upgrade(index: Path) -> bool:
    """Tell whether an earlier version made the index, and opening it converts it."""
    from waymeet.stores.sqlite.database.schema import is_file_to_upgrade

    return is_file_to_upgrade(index)


def measure_size(index: Path) -> IndexSize:
    """Measure the files of an index by purpose."""
    from waymeet.stores.sqlite.read.sizes import measure_size as measure
    from waymeet.stores.sqlite.store import TIMEOUT

    open_store(index).close()  # it raises an error if there is none, and converts an older one
    return measure(index, TIMEOUT)


def repaired_files(store: Store) -> tuple[RepairedFile, ...]:
    """List the files that the store found missing or corrupt since the last call."""
    from waymeet.stores.sqlite import SqliteStore

    return store.repaired_files() if isinstance(store, SqliteStore) else ()


def complete_paths(index: Path, prefix: str, limit: int) -> list[str]:
    """List indexed paths that begin with a prefix, for shell completion."""
    from waymeet.stores.sqlite.read.completion import paths_with_prefix

    return paths_with_prefix(index, prefix, limit)


def complete_namespaces(index: Path) -> list[str]:
    """List the namespaces of an index, for shell completion."""
    from waymeet.stores.sqlite.read.completion import list_namespaces

    return list_namespaces(index)


def find_root(index: Path) -> str:
    """Return the folder that an index was made from, or the empty string if that is unknown."""
    from waymeet.stores.sqlite.read.completion import read_root

    try:
        return read_root(index)
    except WaymeetError:
        return ""
