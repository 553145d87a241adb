"""Finding the files of a project: what the ignore rules leave, in a fixed order, never outside the root."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from waymeet.errors import NotFoundError
from waymeet.ingest.discover.global_ignore import outside
from waymeet.ingest.discover.ignore import Rules
from waymeet.ingest.filetypes import is_binary_name, most_bytes
from waymeet.ingest.read.safe_read import read_file
from waymeet.paths import cache_folder, data_folder, existing_folder
from waymeet.settings import Ingest

GIT_IGNORE, OWN_IGNORE, GIT_FOLDER = ".gitignore", ".waymeetignore", ".git"
_RULES_LIMIT = 1_000_000
_UNREAD = "size:"
_SPECIAL = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class FoundFile(Struct, frozen=True):
    """A file to read."""

    path: str
    """Below the root, with forward slashes; in an extra root, behind that root's prefix."""
    absolute: str
    size: int
    modified_ns: int
    path_only_reason: str = ""
    """Why only its path is indexed and not its content; empty if it is to be read."""
    prefix: str = ""
    """How the paths of its root begin."""
    changed_ns: int = 0
    """When anything about it last changed, its name and its rights included, where the system knows that."""

    @property
    def relative_path(self) -> str:
        """Its path below its own root."""
        return self.path.removeprefix(self.prefix)


class Skipped(Struct, frozen=True):
    """Something that is not read, and why."""

    path: str
    """Below the root; a folder's ends with a slash."""
    reason: str
    unreadable: bool = False
    """Whether it is there but could not be looked at, so that what is known of it may still be true."""


def unread(size: int) -> str:
    """Give what stands for the digest of a file that is never opened."""
    return f"{_UNREAD}{size}"


def is_unread(digest: str) -> bool:
    """Tell whether a digest belongs to a file that was never opened."""
    return digest.startswith(_UNREAD)


class _Folder(Struct, frozen=True):
    """A folder to be looked into, with the rules that hold in it, the strongest first."""

    path: str
    """With a slash at the end; empty for the root."""
    own: tuple[Rules, ...] = ()
    git: tuple[Rules, ...] = ()
    excluded: tuple[Rules, ...] = ()


class Walk:
    """One walk through a folder. Iterate it once; `ignored` then says how much the rules left out."""

    def __init__(self, root: Path, ingest: Ingest, prefix: str = "", reserved: Collection[str] = ()) -> None:
        self.ignored = 0
        self.repositories: list[str] = []
        """Folders below the root that are repositories of their own, such as git's submodules, each with its slash."""
        self._root = str(existing_folder(root))
        self._prefix = prefix
        self._reserved = reserved
        self._limit = ingest.max_file_bytes
        self._weakest = Rules((*ingest.default_ignore, *ingest.ignore))
        self._secrets = Rules(ingest.secret_files)
        self._outside = outside(self._root)
        self._own_folders = _below(Path(self._root), (data_folder(), cache_folder()))

    def __iter__(self) -> Iterator[FoundFile | Skipped]:
        pending: list[FoundFile | Skipped | _Folder] = [
            _Folder("", git=self._outside.git, excluded=self._outside.excluded),
        ]
        while pending:
            item = pending.pop()
            if isinstance(item, _Folder):
                pending.extend(self._inside(item))
            else:
                yield item

    def _inside(self, folder: _Folder) -> list[FoundFile | Skipped | _Folder]:
        """List what a folder holds, the last first."""
        try:
            with os.scandir(f"{self._root}/{folder.path}") as listing:
                entries = list(listing)
        except OSError as error:
            return [self._unreadable(folder.path, error)]
        folder = self._with_rules(folder, {entry.name for entry in entries})
        rules = (*folder.own, *folder.git, *folder.excluded, self._weakest)
        # A folder sorts as its name with a slash, so that the walk yields paths in the order of the whole path.
        keyed = [(f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry) for entry in entries]
        keyed.sort(key=_first, reverse=True)
        found: list[FoundFile | Skipped | _Folder] = []
        for key, entry in keyed:
            if self._ignores(rules, folder.path + entry.name, entry.name, folder=key[-1] == "/"):
                self.ignored += 1
            elif not entry.name.isascii() and (skipped := _unprintable(self._prefix + folder.path + key)):
                found.append(skipped)
            elif self._reserved and not folder.path and key in self._reserved:
                found.append(Skipped(key, "an extra root has this name"))
            elif key[-1] == "/":
                found.append(_Folder(folder.path + key, folder.own, folder.git, folder.excluded))
            else:
                found.append(self._file(folder.path + key, entry))
        return found

    def _ignores(self, rules: Iterable[Rules], path: str, name: str, *, folder: bool) -> bool:
        if name == GIT_FOLDER or (folder and path in self._own_folders):
            return True
        for each in rules:
            verdict = each.verdict(path, name, folder=folder)
            if verdict is not None:
                return verdict
        return False

    def _file(self, path: str, entry: "os.DirEntry[str]") -> FoundFile | Skipped:
        try:
            if entry.is_symlink():
                return Skipped(self._prefix + path, "symlink: links are not followed")
            state = entry.stat(follow_symlinks=False)
        except OSError as error:
            return Skipped(self._prefix + path, f"cannot be read: {error.strerror}", unreadable=True)
        reason = self._objection(path, entry.name, state)
        if reason:
            return Skipped(self._prefix + path, reason)
        bare = self._unsuitable(entry.name, state.st_size)
        return FoundFile(
            self._prefix + path,
            entry.path,
            state.st_size,
            state.st_mtime_ns,
            bare,
            self._prefix,
            state.st_ctime_ns,
        )

    def _objection(self, path: str, name: str, state: os.stat_result) -> str:
        """Say what speaks against indexing a file at all, if anything does."""
        if not stat.S_ISREG(state.st_mode):
            return f"not a file but {_SPECIAL.get(stat.S_IFMT(state.st_mode), 'something else')}"
        if self._secrets.verdict(path, name, folder=False):
            return "may hold a secret (setting ingest.secret_files)"
        return ""

    def _unsuitable(self, name: str, size: int) -> str:
        """Say what speaks against reading a file, if anything does."""
        if is_binary_name(name):
            return "binary file"
        limit = most_bytes(name, self._limit)
        if size > limit:
            return f"too large: {size:,} bytes, the limit is {limit:,} (setting ingest.max_file_bytes)"
        return ""

    def _unreadable(self, folder: str, error: OSError) -> Skipped:
        if not folder:
            raise NotFoundError(f"{self._root} cannot be read: {error.strerror}.", "Check who may read the folder.")
        return Skipped(self._prefix + folder, f"cannot be read: {error.strerror}", unreadable=True)

    def _with_rules(self, folder: _Folder, names: set[str]) -> _Folder:
        """Add the rules that a folder's own files state."""
        if names.isdisjoint((OWN_IGNORE, GIT_IGNORE, GIT_FOLDER)):
            return folder
        own, git, excluded = folder.own, folder.git, folder.excluded
        if OWN_IGNORE in names:
            own = (self._rules(folder.path, OWN_IGNORE), *own)
        if GIT_IGNORE in names:
            git = (self._rules(folder.path, GIT_IGNORE), *git)
        if GIT_FOLDER in names:
            if folder.path:
                self.repositories.append(self._prefix + folder.path)
            excluded = (self._rules(folder.path, f"{GIT_FOLDER}/info/exclude"), *excluded)
        return _Folder(folder.path, own, git, excluded)

    def _rules(self, folder: str, name: str) -> Rules:
        """Read an ignore file; like git, not through a link. One that cannot be read has no rules."""
        try:
            raw = read_file(self._root, folder + name, _RULES_LIMIT).raw
        except OSError:
            raw = b""
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        return Rules(text.split("\n"), folder)


def walk(root: Path, ingest: Ingest, prefix: str = "", reserved: Collection[str] = ()) -> Walk:
    """Walk through a folder, sorted by path; every path that comes out begins with the prefix.

    Strongest rule first: `.waymeetignore` (the deepest before those above it), `.gitignore` (likewise),
    `.git/info/exclude`, the user's own file of git (`outside`), the settings `ingest.ignore` and
    `ingest.default_ignore`. A root inside a repository also heeds the files above it. What lies below an ignored folder
    stays ignored. Folders of the root that have a reserved name, with its slash, are left out.

    Raises:
        NotFoundError: there is no such folder.
    """
    return Walk(root, ingest, prefix, reserved)


def _below(root: Path, folders: Iterable[Path]) -> frozenset[str]:
    """Name those of some folders that lie below a root, as paths from there: an index is not to hold itself."""
    return frozenset(
        each.relative_to(root).as_posix() for each in map(Path.resolve, folders) if each.is_relative_to(root)
    )


def _first(keyed: tuple[str, object]) -> str:
    return keyed[0]


def _unprintable(path: str) -> Skipped | None:
    """Refuse a name that is not UTF-8, in a spelling that can be shown and stored."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Skipped(os.fsencode(path).decode("utf-8", "backslashreplace"), "its name is not valid UTF-8")
    return None
