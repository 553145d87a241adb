"""What a run remembers in the store beside the documents."""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec

import msgspec
from msgspec import Struct

from waymeet import analysis
from waymeet.ingest import VERSION
from waymeet.ingest.discover.entry_kind import KINDS, kind_folder
from waymeet.ingest.discover.namespaces import Manifest
from waymeet.ingest.discover.walk import Skipped
from waymeet.ports import Store
from waymeet.settings import Settings

_EXTRAS = {"html": "selectolax", "pdf": "pypdfium2"}
"""What `pip install 'waymeet[extra]'` brings."""


def installed_extras() -> str:
    """Name the extras that are installed."""
    return " ".join(extra for extra, module in _EXTRAS.items() if find_spec(module) is not None) or "none"


MOVED = "moved"
"""The store's remark of what moved."""
LISTED = 1000
"""Skipped files that are listed by name; of the rest only the number is kept."""


class Seen(Struct, frozen=True, array_like=True):
    """How a file was last found, where the store's own fingerprint does not tell.

    Either its content is what the store holds but its time is not, or it was turned down and the store holds nothing.
    """

    size: int
    modified_ns: int
    reason: str = ""
    """Why it was turned down; empty if it was not."""
    unreadable: bool = False
    kept: bool = False
    """Whether its path is indexed all the same."""


class Notes(Struct, frozen=True):
    """The remarks of the last complete run."""

    maker: str = ""
    """What made the entries; see `maker`."""
    indexed_at: int = 0
    """When that run began to look, in nanoseconds; 0 if there was none."""
    seen: Mapping[str, Seen] = {}
    noted: Mapping[str, str] = {}
    """What was wrong with files that are indexed all the same, by path."""
    manifests: Mapping[str, Manifest] = {}
    """What packages say of themselves, by the path of the file that says it."""
    namespaces: Mapping[str, str] = {}
    """Names of folders that documents were given."""


def maker(settings: Settings) -> str:
    """Name everything that decides what becomes of a file's bytes: when it changes, all files are read anew."""
    chunking, folders = settings.chunking, ":".join(kind_folder(kind, settings.notebook) for kind in KINDS)
    return (
        f"analysis {analysis.VERSION}, ingest {VERSION}, chunks {chunking.min_chars}-{chunking.max_chars}, "
        f"notebook {folders}, extras {installed_extras()}" + ("" if settings.ingest.mask_secrets else ", secrets kept")
    )


def recalled(store: Store) -> Notes:
    """Read back the remarks."""
    return Notes(
        maker=store.metadata("ingest"),
        indexed_at=int(store.metadata("indexed_at") or 0),
        seen=msgspec.json.decode(store.metadata("seen") or "{}", type=dict[str, Seen]),
        noted=msgspec.json.decode(store.metadata("noted") or "{}", type=dict[str, str]),
        manifests=msgspec.json.decode(store.metadata("manifests") or "{}", type=dict[str, Manifest]),
        namespaces=msgspec.json.decode(store.metadata("namespaces") or "{}", type=dict[str, str]),
    )


def keep(store: Store, root: str, notes: Notes, skipped: Iterable[Skipped]) -> None:
    """Keep the remarks of a complete run."""
    listed = [(each.path, each.reason) for each in skipped]
    _keep(store, "root", root)
    _keep(store, "seen", _json(notes.seen))
    _keep(store, "noted", _json(notes.noted))
    _keep(store, "manifests", _json(notes.manifests))
    _keep(store, "namespaces", _json(notes.namespaces))
    _keep(store, "skipped", _json(listed[:LISTED]))
    _keep(store, "skipped_count", str(len(listed)))
    _keep(store, "ingest", notes.maker)
    _keep(store, "indexed_at", str(notes.indexed_at))


def renamed_paths(store: Store) -> dict[str, str]:
    """Give the former path of every document that moved, with the path it has now (see `build.renames`)."""
    return msgspec.json.decode(store.metadata(MOVED) or "{}", type=dict[str, str])


def begin(store: Store, settings: Settings) -> None:
    """Say what makes the entries of an empty store, so that a first run that is broken off can be continued."""
    _keep(store, "ingest", maker(settings))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _keep(store: Store, key: str, value: str) -> None:
    """Write only what is new: a store may have to go to the disk for it."""
    if store.metadata(key) != value:
        store.set_metadata(key, value)
