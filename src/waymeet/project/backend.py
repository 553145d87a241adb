"""The store backend of a project: the only module that names one.

Another backend is one package below `stores` and one line in `open_store`.
"""

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.errors import IndexUnavailableError, NoIndexError, ReadOnlyIndexError, UsageError, WaymeetError
from waymeet.ports import Counts, IndexSize, Progress, RepairedFile, Store
from waymeet.project.store_address import StoreAddress
from waymeet.stores.shared.transfer import Side, Transfer, copy_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waymeet.stores.postgres import PostgresStore
    from waymeet.stores.postgres.diagnosis import Check
    from waymeet.stores.sqlite.check.check import CheckResult

_TIMEOUT = 30.0
"""How long to wait, in seconds, for another process that writes."""


def open_store(address: StoreAddress, *, create: bool = False, timeout: float = _TIMEOUT) -> Store:
    """Open the index at an address, or create it.

    Raises:
        NoIndexError: there is none, and `create` is off.
    """
    if address.is_server:
        return _open_server(address, create=create, timeout=timeout)
    from waymeet.stores.sqlite import SqliteStore

    return SqliteStore.open(address.index, create=create, timeout=timeout)


def _open_server(address: StoreAddress, *, create: bool, timeout: float) -> "PostgresStore":
    _import_postgres(address)
    from waymeet.stores.postgres import PostgresStore
    from waymeet.stores.postgres.database.session import Owner

    owner = Owner(address.machine, address.root)
    return PostgresStore.open(address.dsn, address.collection, create=create, timeout=timeout, owner=owner)


def _import_postgres(address: StoreAddress) -> None:
    """Import the store's package.

    Raises:
        IndexUnavailableError: psycopg is not installed.
    """
    try:
        import psycopg  # noqa: F401 - the error is what counts
    except ImportError as error:
        message = f"The package psycopg, which {address} needs, is missing or incomplete: {error}."
        raise IndexUnavailableError(message, "pip install 'waymeet[postgres]'") from error


def other_owner(store: Store) -> str:
    """Name the folder and machine that a collection is indexed from, if they are others."""
    from sys import modules

    postgres = modules.get("waymeet.stores.postgres")
    owner = store.other_owner() if postgres and isinstance(store, postgres.PostgresStore) else None
    return f"{owner.root} on the machine {owner.machine}" if owner else ""


def refuse_other_owner(store: Store) -> None:
    """Refuse to write files of a project that another machine owns.

    Raises:
        ReadOnlyIndexError: the files are those of another machine.
    """
    owner = other_owner(store)
    if owner:
        message = f"This collection is indexed from {owner}; its files, notes, tasks and skills are written only there."
        raise ReadOnlyIndexError(message, "Write there, or choose another collection: --set store.collection=NAME")


def copy_store(
    source: StoreAddress, target: StoreAddress, progress: Progress | None = None, vectors: Progress | None = None
) -> Counts:
    """Copy an index with its vectors to another store, while no process of this machine writes."""
    from waymeet.ingest.lock import index_lock

    with (
        index_lock(source.index, wait=True),
        closing(open_store(source)) as old,
        closing(open_store(target, create=True)) as new,
    ):
        return copy_index(
            Side(str(source), old, _open_content(source, old)),
            Side(str(target), new, _open_content(target, new)),
            progress,
            vectors,
        )


def _open_content(address: StoreAddress, store: Store) -> Transfer:
    if address.is_server:
        from waymeet.stores.postgres import PostgresStore

        if isinstance(store, PostgresStore):
            return store.content
    from waymeet.stores.sqlite.transfer import SqliteTransfer

    return SqliteTransfer(address.index, _TIMEOUT)


def check_server(address: StoreAddress) -> "Iterator[Check]":
    """Check version, extension, rights, latency and clock of the server, if the index is on one."""
    if not address.is_server:
        return iter(())
    _import_postgres(address)
    from waymeet.stores.postgres.diagnosis import check_server as check

    return check(address.dsn)


def check_store(address: StoreAddress, *, repair: bool) -> "CheckResult":
    """Check an index for corruption, and repair it on request, while no other process writes."""
    if address.is_server:
        hint = "The server checks its own pages: pg_amcheck; to check the connection: waymeet doctor"
        raise UsageError(f"waymeet check reads index files, but the index is on {address}.", hint)
    if not address.index.exists():
        raise NoIndexError(f"There is no index at {address.index}.", "Run: waymeet index")
    from waymeet.ingest.lock import index_lock
    from waymeet.stores.sqlite.check.repair import check_index

    with index_lock(address.index, wait=True) if repair else nullcontext():
        return check_index(address.index, repair=repair)


def needs_upgrade(address: StoreAddress) -> bool:
    """Tell whether an earlier version made the index, and opening it converts it."""
    from waymeet.stores.sqlite.database.schema import is_file_to_upgrade

    return not address.is_server and is_file_to_upgrade(address.index)


def measure_size(address: StoreAddress) -> IndexSize:
    """Measure an index by purpose."""
    if address.is_server:
        with closing(_open_server(address, create=False, timeout=_TIMEOUT)) as store:
            return store.measure_size()
    from waymeet.stores.sqlite.read.sizes import measure_size as measure

    open_store(address).close()  # it raises an error if there is none, and converts an older one
    return measure(address.index, _TIMEOUT)


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
