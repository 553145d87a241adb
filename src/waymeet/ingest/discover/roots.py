"""The folders that one index describes: the project itself and, by name, others that its user added."""

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

NOTE = "roots"
"""The store's remark of the extra roots that were added to this index."""
_NAME = re.compile(r"[^\W_][\w.-]*")
_LOCATED = "p:"


class Root(Struct, frozen=True):
    """A folder to index."""

    folder: str
    name: str = ""
    """Empty for the project itself."""

    @property
    def prefix(self) -> str:
        """How the ids of its documents begin.

        >>> Root("/home/me/notes", "notes").prefix, Root("/home/me/project").prefix
        ('notes:/', '')
        """
        return f"{self.name}:/" if self.name else ""


def list_roots(root: Path, store: Store, settings: Settings) -> tuple[Root, ...]:
    """List what an index describes: the project first, then the extra roots of the settings and of the index itself.

    Settings may be meant for many projects: what overlaps this one is left out.

    Raises:
        SettingsError: an extra root cannot be one.
    """
    extra = {**settings.roots, **added(store)}
    found = (extra_root(name, extra[name]) for name in sorted(extra))
    return (Root(str(root)), *(each for each in found if not _overlap(root, Path(each.folder))))


def added(store: Store) -> dict[str, str]:
    """Read back the extra roots that were added to this index."""
    return msgspec.json.decode(store.metadata(NOTE) or "{}", type=dict[str, str])


def add_root(store: Store, project: Path, name: str, folder: Path) -> None:
    """Remember an extra root with the index."""
    extra = extra_root(name, str(folder))
    if _overlap(project, Path(extra.folder)):
        raise UsageError(f"The folder {extra.folder} overlaps the project.", "Choose one beside it.")
    _keep(store, {**added(store), name: extra.folder})


def remove_root(store: Store, name: str) -> None:
    """Forget an extra root; the next run drops its documents."""
    known = added(store)
    if name not in known:
        raise UsageError(f"No folder was added as {name}.", f"There are: {', '.join(known) or 'none'}.")
    _keep(store, {key: folder for key, folder in known.items() if key != name})


def _keep(store: Store, extra: Mapping[str, str]) -> None:
    store.set_metadata(NOTE, msgspec.json.encode(dict(sorted(extra.items()))).decode())


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def extra_root(name: str, folder: str) -> Root:
    """Make an extra root of a name and a folder, which need not be there now."""
    if not _NAME.fullmatch(name):
        raise SettingsError(f"An extra root cannot be called {name!r}.", "Use letters and digits, - . and _.")
    try:
        place = Path(folder).expanduser()
        real = place.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise SettingsError(f"The extra root {name} cannot be {folder}: {error}.") from error
    if not place.is_absolute():
        raise SettingsError(f"The extra root {name} is not an absolute path: {folder}.", "Begin it with / or ~.")
    return Root(str(real), name)


def root_problem(folder: str) -> str:
    """Say why a root cannot be believed to be there with all its files; empty if it can.

    An empty folder is what an unmounted disk leaves behind.
    """
    try:
        with os.scandir(folder) as listing:
            return "" if next(listing, None) is not None else "is empty, as if its disk were not mounted"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def place(roots: Iterable[Root], document: str) -> tuple[str, str]:
    """Say in which folder a document's file lies, and where below it.

    >>> place([Root("/p"), Root("/n", "notes")], "notes:/a/b.md")
    ('/n', 'a/b.md')
    """
    known = sorted(roots, key=lambda root: len(root.prefix), reverse=True)
    root = next(root for root in known if document.startswith(root.prefix))
    return root.folder, document.removeprefix(root.prefix)


def settled(entry: IndexEntry, prefix: str) -> IndexEntry:
    """Give an entry that was made below an extra root the ids and keys that it has in the index."""
    if not prefix:
        return entry
    id_ = prefix + entry.document.id
    return replace(
        entry,
        document=replace(entry.document, id=id_, names=_prefixed(entry.document.names, prefix)),
        chunks=tuple(replace(chunk, id=prefix + chunk.id, document=id_) for chunk in entry.chunks),
        links=tuple(replace(link, refs=_prefixed(link.refs, prefix)) for link in entry.links),
    )


def _prefixed(keys: Sequence[str], prefix: str) -> tuple[str, ...]:
    """Let keys of paths lead into the same root, and no other.

    >>> _prefixed(["p:a.md", "n:a.md"], "Notes:/")
    ('p:notes:/a.md', 'n:a.md')
    """
    begin = f"{_LOCATED}{prefix.casefold()}"
    return tuple(begin + key.removeprefix(_LOCATED) if key.startswith(_LOCATED) else key for key in keys)
