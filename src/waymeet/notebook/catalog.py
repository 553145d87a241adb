"""The files of notes, tasks and skills: which there are, and which one is meant."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from waymeet.analysis import title_key
from waymeet.errors import ItemNotFoundError, SettingsError, UsageError
from waymeet.ingest.discover.entry_kind import KINDS, entry_kind, kind_folder
from waymeet.ingest.read.safe_read import read_file
from waymeet.notebook.atomic_replace import ASIDE, Expected
from waymeet.notebook.fields import SINGULAR
from waymeet.notebook.item import Item, name_of, parsed
from waymeet.notebook.safe_folder import below
from waymeet.search.lookup.did_you_mean import similar_paths
from waymeet.settings import NotebookSettings

_LARGEST = 1 << 24


class Catalog:
    """Reads entries from their files, which anybody may have written."""

    def __init__(self, root: Path, settings: NotebookSettings, elsewhere: Callable[[], Iterable[str]] = tuple) -> None:
        """`elsewhere` names skills that lie outside their folder."""
        self.root = root
        self._settings = settings
        self._elsewhere = elsewhere
        self.bases = {kind: Expected(root, kind_folder(kind, settings)) for kind in KINDS}
        for kind, base in self.bases.items():
            if not base.folder or {"..", ".git", ""} & set(base.folder.split("/")):
                raise SettingsError(f"notebook.{kind}: {base.folder!r} is not a folder below the project's root.")

    def paths(self, kind: str) -> list[str]:
        """List the files of a kind."""
        found = set(self._elsewhere()) if kind == "skills" else set()
        base = self.bases[kind]
        try:
            with below(self.root, base.folder):
                pass
        except FileNotFoundError:
            return sorted(found)
        top = str(self.root / base.folder)
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name != ASIDE]
            inside = os.path.relpath(folder, self.root).replace(os.sep, "/")
            found.update(path for name in files if entry_kind(path := f"{inside}/{name}", self._settings) == kind)
        return sorted(path for path in found if _utf8(path))

    def items(self, kind: str) -> Iterator[Item]:
        """Read the entries of a kind; what cannot be read is left out."""
        for path in self.paths(kind):
            try:
                yield self.load(path)[0]
            except (ItemNotFoundError, UsageError):
                continue

    def everything(self) -> dict[str, Item]:
        """Read all entries, by id."""
        return {item.id: item for kind in KINDS for item in self.items(kind)}

    def load(self, path: str) -> tuple[Item, bytes]:
        """Read one entry, with the bytes of its file."""
        kind = entry_kind(path, self._settings)
        if not kind:
            raise ItemNotFoundError(f"{path} is no note, task or skill.")
        try:
            raw = read_file(str(self.root), path, _LARGEST).raw
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ItemNotFoundError(f"There is no {SINGULAR[kind]} {path}.", _hint(kind)) from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
        return parsed(path, kind, raw, writable=path.startswith(f"{self.bases[kind].folder}/")), raw

    def find(self, reference: str, kind: str = "") -> str:
        """Say which file is meant by a path, a name, `notes/name` or a title.

        Raises:
            NoSuchEntryError: none is.
            UsageError: several are.
        """
        wanted = reference.strip().removeprefix("./")
        stands_for = entry_kind(wanted, self._settings)
        if stands_for and kind in {"", stands_for}:
            with suppress(ItemNotFoundError):  # else it may be a name that only looks like a path
                return self.load(wanted)[0].id
        kinds = (kind,) if kind else KINDS
        paths = {path: each for each in kinds for path in self.paths(each)}
        if wanted in paths:
            return wanted
        for rule in (self._by_name, self._by_title):
            found = sorted(set(rule(wanted, paths)))
            if len(found) > 1:
                raise UsageError(f"{reference!r} may mean any of {', '.join(found[:5])}.", "Give its path.")
            if found:
                return found[0]
        what = SINGULAR[kind] if kind else "note, task or skill"
        close = similar_paths(wanted, list(paths))
        hint = f"Did you mean {' or '.join(close)}?" if close else _hint(kind or "notes")
        raise ItemNotFoundError(f"There is no {what} {reference!r}.", hint)

    def _by_name(self, wanted: str, paths: dict[str, str]) -> Iterator[str]:
        for path, kind in paths.items():
            inside = path.removeprefix(f"{self.bases[kind].folder}/")
            names = {inside, inside.removesuffix(".md"), name_of(path)}
            if wanted in names or wanted in {f"{kind}/{name}" for name in names}:
                yield path

    def _by_title(self, wanted: str, paths: dict[str, str]) -> Iterator[str]:
        key = title_key(wanted)
        for kind in set(paths.values()) if key else ():
            yield from (item.id for item in self.items(kind) if title_key(item.title) == key)


def _hint(kind: str) -> str:
    return f"To see what there is: waymeet {SINGULAR[kind]} list"


def _utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
