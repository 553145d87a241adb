"""State of the last indexing run, kept in the store's metadata."""

from collections.abc import Collection, Iterable, Mapping
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

_EXTRAS = {"pdf": "pypdfium2"}
"""The module that `pip install 'waymeet[extra]'` installs, by extra, which is named like the file type it reads."""
RENAMES_KEY = "moved"
"""The metadata key of renamed files, old path → new path."""
MAX_LISTED = 1000
"""Skipped files that are listed by name; the total is kept as a number."""


class SeenFile(Struct, frozen=True, array_like=True):
    """Size and time of a file where the store's own fingerprint does not have them.

    Either its content is what the store holds but its time differs, or it was skipped and the store holds no text.
    """

    size: int
    modified_ns: int
    reason: str = ""
    """Why it was skipped; empty if it was not."""
    unreadable: bool = False
    is_path_indexed: bool = False
    """Whether its path is indexed although its content was skipped."""


class RunState(Struct, frozen=True):
    """State of the last complete run."""

    parser_fingerprint: str = ""
    """The value of `parser_fingerprint` that the entries were built with."""
    indexed_at: int = 0
    """When that run started, in nanoseconds; 0 if there was none."""
    seen: Mapping[str, SeenFile] = {}
    warnings: Mapping[str, str] = {}
    """Problems of files that are indexed nevertheless, by path."""
    manifests: Mapping[str, Manifest] = {}
    """Package manifests by path."""
    namespaces: Mapping[str, str] = {}
    """Namespaces by folder, as the documents have them."""
    extras: str = ""
    """The value of `installed_extras` that the entries were built with."""
    pending: Collection[str] = frozenset()
    """Documents that must be built again, which a run that had little time left to later ones."""
    derived_folders: Mapping[str, str] = {}
    """Roles by folder (`derived_folders`), as the documents have them."""


def installed_extras() -> str:
    """Name the extras that are installed."""
    return " ".join(extra for extra, module in _EXTRAS.items() if find_spec(module) is not None) or "none"


def parser_fingerprint(settings: Settings) -> str:
    """Describe what decides which entry is built from any file's bytes.

    When it changes, all files are parsed again. Extras are recorded apart, because each concerns one file type.
    """
    chunking, folders = settings.chunking, ":".join(kind_folder(kind, settings.notebook) for kind in KINDS)
    return (
        f"analysis {analysis.VERSION}, ingest {VERSION}, chunks {chunking.min_chars}-{chunking.max_chars}, "
        f"notebook {folders}" + ("" if settings.ingest.mask_secrets else ", secrets kept")
    )


def load_run_state(store: Store) -> RunState:
    """Load the state of the last complete run."""
    return RunState(
        parser_fingerprint=store.metadata("ingest"),
        indexed_at=int(store.metadata("indexed_at") or 0),
        seen=msgspec.json.decode(store.metadata("seen") or "{}", type=dict[str, SeenFile]),
        warnings=msgspec.json.decode(store.metadata("noted") or "{}", type=dict[str, str]),
        manifests=msgspec.json.decode(store.metadata("manifests") or "{}", type=dict[str, Manifest]),
        namespaces=msgspec.json.decode(store.metadata("namespaces") or "{}", type=dict[str, str]),
        extras=store.metadata("extras"),
        pending=msgspec.json.decode(store.metadata("pending") or "[]", type=frozenset[str]),
        derived_folders=msgspec.json.decode(store.metadata("derived_folders") or "{}", type=dict[str, str]),
    )


def save_run_state(store: Store, root: str, state: RunState, skipped: Iterable[Skipped]) -> None:
    """Save the state of a run."""
    listed = [(file.path, file.reason) for file in skipped]
    _save(store, "pending", _json(sorted(state.pending)))  # first: without it, later keys would hide what is left
    _save(store, "root", root)
    _save(store, "seen", _json(state.seen))
    _save(store, "noted", _json(state.warnings))
    _save(store, "manifests", _json(state.manifests))
    _save(store, "namespaces", _json(state.namespaces))
    _save(store, "derived_folders", _json(state.derived_folders))
    _save(store, "skipped", _json(listed[:MAX_LISTED]))
    _save(store, "skipped_count", str(len(listed)))
    _save(store, "extras", state.extras)
    _save(store, "ingest", state.parser_fingerprint)
    _save(store, "indexed_at", str(state.indexed_at))


def save_parser_fingerprint(store: Store, settings: Settings) -> None:
    """Save the parser fingerprint of an empty store, for an interrupted first run to continue."""
    _save(store, "extras", installed_extras())
    _save(store, "ingest", parser_fingerprint(settings))


def renamed_paths(store: Store) -> dict[str, str]:
    """Return the former paths of renamed documents with the present ones (see `build.renames`)."""
    return msgspec.json.decode(store.metadata(RENAMES_KEY) or "{}", type=dict[str, str])


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _save(store: Store, key: str, value: str) -> None:
    """Write a value only if it is new, because a store may write it to disk at once."""
    if store.metadata(key) != value:
        store.set_metadata(key, value)
