"""Walk through the files of a root folder that no ignore rule excludes, sorted by path."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from waymeet.analysis.file_roles import path_only_role
from waymeet.errors import NotFoundError
from waymeet.ingest.discover.global_ignore import read_outer_rules
from waymeet.ingest.discover.ignore import Rules
from waymeet.ingest.filetypes import is_binary_name, max_bytes
from waymeet.ingest.read.safe_read import read_file
from waymeet.paths import cache_folder, data_folder, existing_folder
from waymeet.settings import Ingest

GIT_IGNORE, OWN_IGNORE, GIT_FOLDER = ".gitignore", ".waymeetignore", ".git"
_MAX_RULES_BYTES = 1_000_000
_UNREAD_PREFIX = "size:"
_SPECIAL = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class FoundFile(Struct, frozen=True):
    """A file found by the walk."""

    path: str
    """Path below the root, with forward slashes; in an extra root, after that root's prefix."""
    absolute: str
    size: int
    modified_ns: int
    path_only_reason: str = ""
    """Why only its path is indexed and not its content; empty if its content is indexed."""
    prefix: str = ""
    """Prefix of the paths of its root."""
    changed_ns: int = 0
    """Time of the last change of content, name or permissions (ctime), where the system has it."""

    @property
    def relative_path(self) -> str:
        """Path below its own root."""
        return self.path.removeprefix(self.prefix)


class Skipped(Struct, frozen=True):
    """A file or folder that is not indexed, with the reason."""

    path: str
    """Path below the root; a folder's ends with a slash."""
    reason: str
    unreadable: bool = False
    """Whether it exists but could not be read, so that its indexed content is kept."""


def unread_digest(size: int) -> str:
    """Return the substitute for the digest of a file that is never opened."""
    return f"{_UNREAD_PREFIX}{size}"


def is_unread_digest(digest: str) -> bool:
    """Return whether a digest is that of a file that was never opened."""
    return digest.startswith(_UNREAD_PREFIX)


class _Folder(Struct, frozen=True):
    """A folder to be listed, with the rules that apply in it, the strongest first."""

    path: str
    """Path with a slash at the end; empty for the root."""
    own: tuple[Rules, ...] = ()
    git: tuple[Rules, ...] = ()
    excluded: tuple[Rules, ...] = ()


class Walk:
    """One walk through a folder, to be iterated once, with the number of ignored paths."""

    def __init__(
        self,
        root: Path,
        ingest: Ingest,
        prefix: str = "",
        reserved: Collection[str] = (),
        on_path: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.ignored = 0
        self.repositories: list[str] = []
        """Folders below the root that are repositories of their own, such as git submodules, each with its slash."""
        self._root = str(existing_folder(root))
        self._prefix = prefix
        self._reserved = reserved
        self._on_path = on_path
        self._max_file_bytes = ingest.max_file_bytes
        self._settings_rules = Rules((*ingest.default_ignore, *ingest.ignore))
        self._secret_files = Rules(ingest.secret_files)
        self._outer_rules = read_outer_rules(self._root)
        self._own_folders = _paths_below(Path(self._root), (data_folder(), cache_folder()))

    def __iter__(self) -> Iterator[FoundFile | Skipped]:
        pending: list[FoundFile | Skipped | _Folder] = [
            _Folder("", git=self._outer_rules.git, excluded=self._outer_rules.excluded),
        ]
        while pending:
            item = pending.pop()
            if isinstance(item, _Folder):
                pending.extend(self._list_folder(item))
            else:
                yield item

    def _list_folder(self, folder: _Folder) -> list[FoundFile | Skipped | _Folder]:
        """List the files and folders in a folder, the last first."""
        path = f"{self._root}/{folder.path}"
        self._on_path(path)
        try:
            with os.scandir(path) as listing:
                entries = list(listing)
        except OSError as error:
            return [self._skip_unreadable(folder.path, error)]
        folder = self._add_rules(folder, {entry.name for entry in entries})
        rules = (*folder.own, *folder.git, *folder.excluded, self._settings_rules)
        # A folder sorts as its name with a slash, so that the walk yields paths in the order of the whole path.
        keyed = [(f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry) for entry in entries]
        keyed.sort(key=_sort_key, reverse=True)
        items: list[FoundFile | Skipped | _Folder] = []
        for key, entry in keyed:
            if self._is_ignored(rules, folder.path + entry.name, entry.name, folder=key[-1] == "/"):
                self.ignored += 1
            elif not entry.name.isascii() and (skipped := _skip_invalid_name(self._prefix + folder.path + key)):
                items.append(skipped)
            elif self._reserved and not folder.path and key in self._reserved:
                items.append(Skipped(key, "an extra root has this name"))
            elif key[-1] == "/":
                items.append(_Folder(folder.path + key, folder.own, folder.git, folder.excluded))
            else:
                items.append(self._check_file(folder.path + key, entry))
        return items

    def _is_ignored(self, rules: Iterable[Rules], path: str, name: str, *, folder: bool) -> bool:
        if name == GIT_FOLDER or (folder and path in self._own_folders):
            return True
        for file_rules in rules:
            is_ignored = file_rules.decide(path, name, folder=folder)
            if is_ignored is not None:
                return is_ignored
        return False

    def _check_file(self, path: str, entry: "os.DirEntry[str]") -> FoundFile | Skipped:
        try:
            if entry.is_symlink():
                return Skipped(self._prefix + path, "symlink: links are not followed")
            state = entry.stat(follow_symlinks=False)
        except OSError as error:
            return Skipped(self._prefix + path, f"cannot be read: {error.strerror}", unreadable=True)
        reason = self._skip_reason(path, entry.name, state)
        if reason:
            return Skipped(self._prefix + path, reason)
        return FoundFile(
            self._prefix + path,
            entry.path,
            state.st_size,
            state.st_mtime_ns,
            self._path_only_reason(entry.name, state.st_size),
            self._prefix,
            state.st_ctime_ns,
        )

    def _skip_reason(self, path: str, name: str, state: os.stat_result) -> str:
        """Return why a file is not indexed at all, or "" if it is."""
        if not stat.S_ISREG(state.st_mode):
            return f"not a file but {_SPECIAL.get(stat.S_IFMT(state.st_mode), 'something else')}"
        if self._secret_files.decide(path, name, folder=False):
            return "may hold a secret (setting ingest.secret_files)"
        return ""

    def _path_only_reason(self, name: str, size: int) -> str:
        """Return why only the path of a file is indexed, or "" if its content is, too."""
        if is_binary_name(name):
            return "binary file"
        role = path_only_role(name)
        if role:
            return role if role.endswith("file") else f"{role} file"
        limit = max_bytes(name, self._max_file_bytes)
        if size > limit:
            return f"too large: {size:,} bytes, the limit is {limit:,} (setting ingest.max_file_bytes)"
        return ""

    def _skip_unreadable(self, folder: str, error: OSError) -> Skipped:
        if not folder:
            raise NotFoundError(
                f"{self._root} cannot be read: {error.strerror}.", "Check the permissions of the folder."
            )
        return Skipped(self._prefix + folder, f"cannot be read: {error.strerror}", unreadable=True)

    def _add_rules(self, folder: _Folder, names: set[str]) -> _Folder:
        """Add the rules of the ignore files in a folder."""
        if names.isdisjoint((OWN_IGNORE, GIT_IGNORE, GIT_FOLDER)):
            return folder
        own, git, excluded = folder.own, folder.git, folder.excluded
        if OWN_IGNORE in names:
            own = (self._read_rules(folder.path, OWN_IGNORE), *own)
        if GIT_IGNORE in names:
            git = (self._read_rules(folder.path, GIT_IGNORE), *git)
        if GIT_FOLDER in names:
            if folder.path:
                self.repositories.append(self._prefix + folder.path)
            self._on_path(f"{self._root}/{folder.path}{GIT_FOLDER}/info")
            excluded = (self._read_rules(folder.path, f"{GIT_FOLDER}/info/exclude"), *excluded)
        return _Folder(folder.path, own, git, excluded)

    def _read_rules(self, folder: str, name: str) -> Rules:
        """Read an ignore file without following links, like git, or no rules if it is unreadable."""
        self._on_path(f"{self._root}/{folder}{name}")
        try:
            raw = read_file(self._root, folder + name, _MAX_RULES_BYTES).raw
        except OSError:
            raw = b""
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        return Rules(text.split("\n"), folder)


def walk(
    root: Path,
    ingest: Ingest,
    prefix: str = "",
    reserved: Collection[str] = (),
    on_path: Callable[[str], None] = lambda _: None,
) -> Walk:
    """Walk through a folder, sorted by path, with the prefix before every path.

    Strongest rule first: `.waymeetignore` (the deepest before those above it), `.gitignore` (likewise),
    `.git/info/exclude`, the user's global ignore file of git (`global_ignore`), the settings `ingest.ignore` and
    `ingest.default_ignore`. In a root inside a repository, the ignore files above it apply, too. Everything below an
    ignored folder is ignored. Folders of the root with a reserved name (given with its slash) are skipped. `on_path`
    is called with each folder before it is listed, and with each ignore file before it is read.

    Raises:
        NotFoundError: the folder does not exist.
    """
    return Walk(root, ingest, prefix, reserved, on_path)


def _paths_below(root: Path, folders: Iterable[Path]) -> frozenset[str]:
    """Return the paths of folders below a root, relative to it: an index must not hold itself."""
    return frozenset(
        folder.relative_to(root).as_posix() for folder in map(Path.resolve, folders) if folder.is_relative_to(root)
    )


def _sort_key(keyed: tuple[str, object]) -> str:
    return keyed[0]


def _skip_invalid_name(path: str) -> Skipped | None:
    """Skip a name that is not UTF-8, in a spelling that can be shown and stored."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Skipped(os.fsencode(path).decode("utf-8", "backslashreplace"), "its name is not valid UTF-8")
    return None
