"""The files of notes, tasks and skills: listing, loading, and finding one by name."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from waymeet.analysis import title_key
from waymeet.errors import ItemNotFoundError, SettingsError, UsageError
from waymeet.ingest.discover.entry_kind import KINDS, entry_kind, kind_folder
from waymeet.ingest.read.safe_read import read_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.notebook.atomic_replace import WORK_FOLDER, ItemFolder
from waymeet.notebook.fields import SINGULAR
from waymeet.notebook.item import Item, parse_item, short_name
from waymeet.notebook.masks.restore import MASK
from waymeet.notebook.safe_folder import open_folder
from waymeet.search.lookup.did_you_mean import similar_paths
from waymeet.settings import NotebookSettings

_MAX_BYTES = 1 << 24


class Catalog:
    """Reads items from their files, which editors and git may have written."""

    def __init__(
        self, root: Path, settings: NotebookSettings, list_other_skills: Callable[[], Iterable[str]] = tuple
    ) -> None:
        """`list_other_skills` lists skills outside the folder of skills."""
        self.root = root
        self._settings = settings
        self._list_other_skills = list_other_skills
        self.folders = {kind: ItemFolder(root, kind_folder(kind, settings)) for kind in KINDS}
        for kind, items in self.folders.items():
            if not items.folder or {"..", ".git", ""} & set(items.folder.split("/")):
                raise SettingsError(f"notebook.{kind}: {items.folder!r} is not a folder below the project's root.")

    def paths(self, kind: str) -> list[str]:
        """List the files of a kind."""
        paths = set(self._list_other_skills()) if kind == "skills" else set()
        items = self.folders[kind]
        try:
            with open_folder(self.root, items.folder):  # refuses links
                pass
        except FileNotFoundError:
            return sorted(paths)
        for folder, subfolders, files in os.walk(str(self.root / items.folder)):
            subfolders[:] = [name for name in subfolders if name != WORK_FOLDER]
            prefix = os.path.relpath(folder, self.root).replace(os.sep, "/")
            paths.update(path for name in files if entry_kind(path := f"{prefix}/{name}", self._settings) == kind)
        return sorted(path for path in paths if _is_utf8(path))

    def items(self, kind: str) -> Iterator[Item]:
        """Load the items of a kind, without files that cannot be read."""
        for path in self.paths(kind):
            try:
                yield self.load(path)[0]
            except (ItemNotFoundError, UsageError):
                continue

    def all_items(self) -> dict[str, Item]:
        """Load all items, by id."""
        return {item.id: item for kind in KINDS for item in self.items(kind)}

    def load(self, path: str) -> tuple[Item, bytes]:
        """Load one item, with the bytes of its file."""
        kind, raw = self.read_bytes(path)
        return parse_item(path, kind, raw, writable=path.startswith(f"{self.folders[kind].folder}/")), raw

    def read_bytes(self, path: str) -> tuple[str, bytes]:
        """Read the file of an item, and return its kind and content."""
        kind = entry_kind(path, self._settings)
        if not kind:
            raise ItemNotFoundError(f"{path} is not a note, task or skill.")
        try:
            return kind, read_file(str(self.root), path, _MAX_BYTES).raw
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ItemNotFoundError(f"There is no {SINGULAR[kind]} {path}.", _list_hint(kind)) from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from error

    def find(self, reference: str, kind: str = "") -> str:
        """Find the file that a path, a name, `notes/name` or a title refers to.

        Raises:
            ItemNotFoundError: there is none.
            UsageError: there are several.
        """
        target = reference.strip().removeprefix("./")
        path_kind = entry_kind(target, self._settings)
        if path_kind and kind in {"", path_kind}:
            with suppress(ItemNotFoundError):  # a name may look like a path
                return self.load(target)[0].id
        kinds = (kind,) if kind else KINDS
        paths = {path: each for each in kinds for path in self.paths(each)}
        if target in paths:
            return target
        for find_matches in (self._find_by_name, self._find_by_title, self._find_masked):
            matches = sorted(set(find_matches(target, paths)))
            if len(matches) > 1:
                raise UsageError(f"{reference!r} may mean any of {', '.join(matches[:5])}.", "Give its path.")
            if matches:
                return matches[0]
        noun = SINGULAR[kind] if kind else "note, task or skill"
        similar = similar_paths(target, list(paths))
        hint = f"Did you mean {' or '.join(similar)}?" if similar else _list_hint(kind or "notes")
        raise ItemNotFoundError(f"There is no {noun} {reference!r}.", hint)

    def _find_by_name(self, reference: str, paths: dict[str, str]) -> Iterator[str]:
        for path, kind in paths.items():
            path_in_folder = path.removeprefix(f"{self.folders[kind].folder}/")
            names = {path_in_folder, path_in_folder.removesuffix(".md"), short_name(path)}
            if reference in names or reference in {f"{kind}/{name}" for name in names}:
                yield path

    def _find_by_title(self, reference: str, paths: dict[str, str]) -> Iterator[str]:
        key = title_key(reference)
        for kind in set(paths.values()) if key else ():
            yield from (item.id for item in self.items(kind) if title_key(item.title) == key)

    def _find_masked(self, reference: str, paths: dict[str, str]) -> Iterator[str]:
        """Find items whose path, name or title is shown with a mask."""
        if MASK not in reference:
            return
        yield from (path for path in paths if reference in map(_mask, (path, short_name(path))))
        for kind in set(paths.values()):
            yield from (item.id for item in self.items(kind) if _mask(item.title) == reference)


def _mask(text: str) -> str:
    return mask_secrets(text).text


def _list_hint(kind: str) -> str:
    return f"To list them: waymeet {SINGULAR[kind]} list"


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
