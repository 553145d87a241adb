"""Root folders of an index: the project itself and extra folders, each with a name."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import SettingsError, UsageError
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import IndexEntry

_METADATA_KEY = "roots"
"""The store's metadata key of the extra roots that were added to this index."""
_NAME = re.compile(r"[^\W_][\w.-]*")
_PATH_KEY = "p:"
_EMPTY = "is empty, as if its disk were not mounted"


class Root(Struct, frozen=True):
    """A folder to index."""

    folder: str
    name: str = ""
    """Empty for the project itself."""

    @property
    def prefix(self) -> str:
        """Prefix of the ids of its documents.

        >>> Root("/home/me/notes", "notes").prefix, Root("/home/me/project").prefix
        ('notes:/', '')
        """
        return f"{self.name}:/" if self.name else ""


def list_roots(root: Path, store: Store, settings: Settings) -> tuple[Root, ...]:
    """List the roots of an index: the project, then extra roots of the settings and the index.

    Settings may apply to many projects, so extra roots that overlap this project are left out.

    Raises:
        SettingsError: an extra root has an invalid name or path.
    """
    extra = {**settings.roots, **_load_added(store)}
    roots = (make_extra_root(name, extra[name]) for name in sorted(extra))
    return (Root(str(root)), *(each for each in roots if not _overlap(root, Path(each.folder))))


def add_root(store: Store, project: Path, name: str, folder: Path) -> None:
    """Add an extra root to an index."""
    extra = make_extra_root(name, str(folder))
    if _overlap(project, Path(extra.folder)):
        raise UsageError(f"The folder {extra.folder} overlaps the project.", "Choose a folder outside the project.")
    _save_added(store, {**_load_added(store), name: extra.folder})


def remove_root(store: Store, name: str) -> None:
    """Remove an extra root from an index, so that the next run drops its documents."""
    added = _load_added(store)
    if name not in added:
        raise UsageError(f"No folder was added as {name}.", f"Added folders: {', '.join(added) or 'none'}.")
    _save_added(store, {key: folder for key, folder in added.items() if key != name})


def _load_added(store: Store) -> dict[str, str]:
    """Load the extra roots that were added to this index, folders by name."""
    return msgspec.json.decode(store.metadata(_METADATA_KEY) or "{}", type=dict[str, str])


def _save_added(store: Store, extra: Mapping[str, str]) -> None:
    store.set_metadata(_METADATA_KEY, msgspec.json.encode(dict(sorted(extra.items()))).decode())


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def make_extra_root(name: str, folder: str) -> Root:
    """Validate the name and path of an extra root, whose folder need not exist now."""
    if not _NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is not a valid name for an extra root.", "Use letters and digits, - . and _.")
    try:
        path = Path(folder).expanduser()
        real = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise SettingsError(f"The extra root {name} cannot be {folder}: {error}.") from error
    if not path.is_absolute():
        raise SettingsError(f"The extra root {name} is not an absolute path: {folder}.", "Begin it with / or ~.")
    return Root(str(real), name)


def root_problem(folder: str) -> str:
    """Describe why the files of a root may be missing, or return "" if it is usable.

    An unmounted disk leaves an empty folder behind.
    """
    try:
        with os.scandir(folder) as listing:
            return "" if next(listing, None) is not None else _EMPTY
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def is_missing(root: Root, problem: str, indexed: Iterable[str]) -> bool:
    """Return whether a root's files are missing, given its problem and the indexed paths.

    An empty folder is no problem if none of its files was ever indexed.
    """
    return bool(problem) and (problem != _EMPTY or any(path.startswith(root.prefix) for path in indexed))


def locate(roots: Iterable[Root], document: str) -> tuple[str, str]:
    """Return the root folder of a document and the path of its file below that folder.

    >>> locate([Root("/p"), Root("/n", "notes")], "notes:/a/b.md")
    ('/n', 'a/b.md')
    """
    longest_first = sorted(roots, key=lambda root: len(root.prefix), reverse=True)
    root = next(root for root in longest_first if document.startswith(root.prefix))
    return root.folder, document.removeprefix(root.prefix)


def add_prefix(entry: IndexEntry, prefix: str) -> IndexEntry:
    """Add the prefix of an extra root to the ids and path keys of an entry."""
    if not prefix:
        return entry
    id_ = prefix + entry.document.id
    return replace(
        entry,
        document=replace(entry.document, id=id_, names=_prefix_path_keys(entry.document.names, prefix)),
        chunks=tuple(replace(chunk, id=prefix + chunk.id, document=id_) for chunk in entry.chunks),
        links=tuple(replace(link, refs=_prefix_path_keys(link.refs, prefix)) for link in entry.links),
    )


def _prefix_path_keys(keys: Sequence[str], prefix: str) -> tuple[str, ...]:
    """Add a root's prefix to path keys, so that they match documents of the same root only.

    >>> _prefix_path_keys(["p:a.md", "n:a.md"], "Notes:/")
    ('p:notes:/a.md', 'n:a.md')
    """
    start = f"{_PATH_KEY}{prefix.casefold()}"
    return tuple(start + key.removeprefix(_PATH_KEY) if key.startswith(_PATH_KEY) else key for key in keys)
