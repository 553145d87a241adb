"""Where the index of a project is stored: in its file, or in a collection of a server.

A server comes from the user's settings, else from a file next to the index file, in which `waymeet index --store`
records it without the password.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

import msgspec

from waymeet.settings.ingest import StoreSettings

LOCAL = "sqlite"
"""Value of the setting `store.dsn` for the index file."""


class StoreAddress(msgspec.Struct, frozen=True):
    """The index file of a project, and the collection that is used instead of it, if any."""

    index: Path
    dsn: str = ""
    """Address of a server; empty for the index file."""
    collection: str = ""
    machine: str = ""
    root: str = ""
    """Name of this machine and the folder that is indexed."""

    @property
    def is_server(self) -> bool:
        """Tell whether the index is on a server."""
        return bool(self.dsn)

    @property
    def may_exist(self) -> bool:
        """Tell whether there may be an index. A server has to be asked."""
        return self.is_server or self.index.exists()

    def __str__(self) -> str:
        """Name the index file, or server and collection without user and password."""
        if not self.dsn:
            return str(self.index)
        place = self.dsn.partition("?")[0].rpartition("@")[2].rpartition("://")[2]
        return f"postgresql://{place} ({self.collection})"


class _Record(msgspec.Struct, frozen=True):
    """The server that an index was last stored on."""

    dsn: str = ""
    collection: str = ""


def find_address(index: Path, root: Path, settings: StoreSettings) -> StoreAddress:
    """Return where the index of a project is stored, by the settings or as it was last."""
    record = _read_record(index)
    dsn = settings.dsn or record.dsn
    if dsn in {"", LOCAL}:
        return StoreAddress(index)
    collection = settings.collection or (record.collection if record.dsn else "") or root.name or "root"
    return StoreAddress(index, dsn, collection, socket.gethostname(), str(root))


def record_address(address: StoreAddress, *, only_first: bool = False) -> None:
    """Record where an index is stored, so that later commands find it. A password is left out.

    With `only_first`, for calls that are not meant to change it, an address that is recorded stays.
    """
    file = _record_file(address.index)
    if only_first and (file.exists() or address.index.exists()):
        return
    if not address.is_server:
        file.unlink(missing_ok=True)
        return
    record = _Record(_without_password(address.dsn), address.collection)
    if _read_record(address.index) == record:
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_bytes(msgspec.json.encode(record))
    draft.replace(file)


def is_recorded(address: StoreAddress) -> bool:
    """Tell whether a process without options finds the same index."""
    record = _Record(_without_password(address.dsn), address.collection) if address.is_server else _Record()
    return _read_record(address.index) == record


def has_password(dsn: str) -> bool:
    """Tell whether an address contains a password, which is not recorded."""
    return _without_password(dsn) != dsn


def _without_password(dsn: str) -> str:
    """Remove the password from an address.

    >>> _without_password("postgresql://ada:secret@db/team?sslmode=require&password=x")
    'postgresql://ada@db/team?sslmode=require'
    """
    scheme, separator, rest = dsn.partition("://")
    place, mark, query = rest.partition("?")
    user, at, host = place.rpartition("@")
    options = "&".join(option for option in query.split("&") if not option.startswith("password="))
    return f"{scheme}{separator}{user.partition(':')[0]}{at}{host}{mark if options else ''}{options}"


def _read_record(index: Path) -> _Record:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(_record_file(index).read_bytes(), type=_Record)
    return _Record()


def _record_file(index: Path) -> Path:
    return index.with_name(f"{index.name}.store")
