"""Comparison of the files with the index by size and time, without parsing."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from time import time_ns

from msgspec import Struct

from waymeet.ingest.discover.derived_folders import DerivedFolders, find_derived_folders
from waymeet.ingest.discover.file_states import FINE_TICK_NS, time_resolution
from waymeet.ingest.discover.namespaces import Manifest, Namespaces, find_namespaces, is_manifest, read_manifest
from waymeet.ingest.discover.roots import Root, is_missing, list_roots, locate, root_problem
from waymeet.ingest.discover.run_state import SeenFile, installed_extras, load_run_state, parser_fingerprint
from waymeet.ingest.discover.walk import FoundFile, Skipped, Walk, is_unread_digest, unread_digest, walk
from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.read.safe_read import read_file
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Fingerprint

BINARY = "binary file"
_FILES_PER_TIME_CHECK = 128


class Changes(Struct, frozen=True):
    """Differences between the files and the index."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    """Files whose size or time differs or is not reliable; some may turn out to be unchanged when read."""
    removed: tuple[str, ...]
    started_ns: int
    """When the comparison started, in nanoseconds."""
    reparse_all: bool
    """Whether all files count as modified because they would be parsed differently now."""
    found: Mapping[str, FoundFile] = {}
    """The added and modified files by path."""
    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    ignored: int = 0
    seen: Mapping[str, SeenFile] = {}
    """Entries of the last run's `seen` that are still valid."""
    must_rebuild: Collection[str] = frozenset()
    """Documents that must be built again even if their content is the same: their namespace, their folder's role or the
    extra that reads them changed, or an earlier run left them to this one."""
    present: Collection[str] = frozenset()
    """All files that exist, or may exist in folders that cannot be read."""
    known: int = 0
    """Number of indexed files."""
    walked: Mapping[str, FoundFile] = {}
    """All files that were found, by path."""
    read: int = 0
    """Number of files that had to be opened to see that they are unchanged."""
    roots: tuple[Root, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    """Names of extra roots that are gone or cannot be read, with the problem; their documents are kept."""
    manifests: Mapping[str, Manifest] = {}
    namespaces: Mapping[str, str] = {}
    derived_folders: Mapping[str, str] = {}
    """Roles of folders with build output or vendored packages."""

    @property
    def unchanged(self) -> int:
        """Number of indexed files that have not changed."""
        rejected = sum(seen.reason != "" and not seen.is_path_indexed for seen in self.seen.values())
        return self.files - len(self.added) - len(self.modified) - rejected

    @property
    def has_unseen(self) -> bool:
        """Whether there are folders that could not be listed, or files without a known state."""
        return any(item.unreadable and item.path not in self.walked for item in self.skipped)

    @property
    def number(self) -> int:
        """Number of files that differ."""
        return len(self.added) + len(self.modified) + len(self.removed)


def removal_warning(changes: Changes, confirm_above: int) -> str:
    """Return why the removals of a run need to be confirmed, or "" if they do not.

    Files that were replaced by as many others do not count: another branch may have been checked out.
    """
    folder, gone = changes.roots[0].folder, len(changes.removed) - len(changes.added)
    problem = root_problem(folder) if changes.removed and not changes.files else ""
    if problem:
        return f"{folder} {problem}. Nothing was removed from the index."
    if gone > confirm_above and gone * 2 > changes.known:
        return f"{gone} of {changes.known} files are gone from {folder}. Nothing was removed from the index."
    return ""


def find_changes(
    root: Path,
    store: Store,
    settings: Settings,
    is_late: Callable[[], bool],
    on_path: Callable[[str], None] = lambda _: None,
) -> Changes | None:
    """Compare the files with the index by size and time, or return None when `is_late`.

    A file is opened only if it was written at about the time of the last comparison, when its time is not reliable.
    `on_path` is called with each folder and ignore file before it is read.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    comparison = _Comparison(root, store, settings, on_path, quick=True)
    for number, item in enumerate(comparison.items()):
        if number % _FILES_PER_TIME_CHECK == 0 and is_late():
            return None
        comparison.add(item)
    return comparison.result()


def compare_files(root: Path, store: Store, settings: Settings) -> Changes:
    """Compare all files with the index by size and time, and try rejected files again.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    comparison = _Comparison(root, store, settings, quick=False)
    for item in comparison.items():
        comparison.add(item)
    return comparison.result()


class _Comparison:
    """Classifies the files of a walk as added, modified or unchanged."""

    def __init__(
        self,
        root: Path,
        store: Store,
        settings: Settings,
        on_path: Callable[[str], None] = lambda _: None,
        *,
        quick: bool,
    ) -> None:
        self._roots = list_roots(root, store, settings)
        self._settings = settings
        self._started_ns = time_ns()
        self._known = store.fingerprints()
        self._last_run = load_run_state(store)
        self._on_path = on_path
        self._quick = quick
        self._reparse_all = self._last_run.parser_fingerprint != parser_fingerprint(settings)
        self._changed_extras = set(installed_extras().split()) ^ set(self._last_run.extras.split())
        self._files = 0
        self._present: dict[str, FoundFile] = {}
        self._unreadable: list[str] = []
        self._missing: list[tuple[str, str]] = []
        self._added: list[FoundFile] = []
        self._modified: list[FoundFile] = []
        self._skipped: list[Skipped] = []
        self._seen: dict[str, SeenFile] = {}
        self._read = 0
        self._walks: list[Walk] = []
        self._manifests: dict[str, Manifest] = {}

    def items(self) -> Iterator[FoundFile | Skipped]:
        """Walk through all roots, and skip extra roots that are gone, to keep their documents."""
        project, *extra_roots = self._roots
        reserved = frozenset(root.prefix for root in extra_roots)
        self._walks.append(walk(Path(project.folder), self._settings.ingest, "", reserved, self._on_path))
        yield from self._walks[-1]
        for root in extra_roots:
            problem = root_problem(root.folder)
            if is_missing(root, problem, self._known):
                self._missing.append((root.name, problem))
                yield Skipped(root.prefix, f"{root.folder} {problem}", unreadable=True)
            elif not problem:
                self._walks.append(walk(Path(root.folder), self._settings.ingest, root.prefix, (), self._on_path))
                yield from self._walks[-1]

    def add(self, item: FoundFile | Skipped) -> None:
        """Classify an item of the walk."""
        if isinstance(item, FoundFile):
            self._add_file(item)
            return
        self._skipped.append(item)
        if item.unreadable:  # its documents, or those below it, may still be valid
            self._unreadable.append(item.path)

    def _add_file(self, file: FoundFile) -> None:
        self._files += 1
        self._present[file.path] = file
        known, seen = self._known.get(file.path), self._last_run.seen.get(file.path)
        if is_manifest(file):
            self._manifests[file.path] = self._manifest(file)
        if file.path_only_reason:
            self._skipped.append(Skipped(file.path, file.path_only_reason))
        if self._must_rebuild(file.path) or not self._is_unchanged(file, known, seen):
            (self._added if known is None else self._modified).append(file)
        elif seen and not file.path_only_reason:
            self._seen[file.path] = seen
            if seen.reason:
                self._skipped.append(Skipped(file.path, seen.reason, seen.unreadable))

    def _manifest(self, file: FoundFile) -> Manifest:
        """Return a package manifest of the last run, or read it if it changed."""
        known = self._last_run.manifests.get(file.path)
        if known and (known.size, known.modified_ns) == (file.size, file.modified_ns) and not self._is_racy(file):
            return known
        return read_manifest(file, self._roots)

    def _must_rebuild(self, path: str) -> bool:
        """Return whether a file must be built again even if it did not change."""
        if path in self._last_run.pending:
            return True
        return bool(self._changed_extras) and file_type(path).language in self._changed_extras

    def _is_unchanged(self, file: FoundFile, known: Fingerprint | None, seen: SeenFile | None) -> bool:
        if file.path_only_reason:
            return known is not None and not self._reparse_all and known.digest == unread_digest(file.size)
        last = seen or known
        if last is None or self._reparse_all or (last.size, last.modified_ns) != (file.size, file.modified_ns):
            return False
        if seen and seen.reason and self._is_worth_retrying(file, seen):
            return False
        if seen and seen.reason and not seen.is_path_indexed:
            return True
        if known is None or is_unread_digest(known.digest):
            return False
        return not self._is_racy(file) or (self._quick and self._has_digest(file, known.digest))

    def _is_worth_retrying(self, file: FoundFile, seen: SeenFile) -> bool:
        """Return whether a rejected file may be usable now, with unchanged size and time."""
        if seen.is_path_indexed and seen.reason == BINARY:
            return False
        return not self._quick or (seen.unreadable and os.access(file.absolute, os.R_OK))

    def _is_racy(self, file: FoundFile) -> bool:
        """Return whether a file may have changed since it was read, with unchanged size and time.

        Within one tick of the file system's clock a second write leaves the time the same (the "racy git" problem). A
        file of the same size and time may also have been renamed to this path, which changes only its ctime.
        """
        last_run = self._last_run.indexed_at
        is_recent = file.modified_ns >= last_run - time_resolution(file.modified_ns)
        return is_recent or file.changed_ns >= last_run - FINE_TICK_NS

    def _has_digest(self, file: FoundFile, digest: str) -> bool:
        self._read += 1
        try:
            folder, path = locate(self._roots, file.path)
            return content_digest(read_file(folder, path, file.size).raw) == digest
        except OSError:
            return False

    def result(self) -> Changes:
        """Return the differences, including indexed files that the walk did not find."""
        dropped_roots = self._dropped_roots()
        retained = (*self._unreadable, *dropped_roots)
        absent = [path for path in self._known if not path.endswith("/") and path not in self._present]
        retained_folders = tuple(path if path.endswith("/") else f"{path}/" for path in retained)
        removed = sorted(path for path in absent if path not in retained and not path.startswith(retained_folders))
        repositories = [folder for own_walk in self._walks[:1] for folder in own_walk.repositories]
        namespaces = find_namespaces(
            self._manifests, repositories, self._settings.namespaces, (*self._roots, *dropped_roots.values())
        )
        derived = self._derived_folders()
        moved = [*self._with_other_namespace(namespaces), *self._with_other_role(derived)]
        modified = {file.path: file for file in (*self._modified, *moved)}
        return Changes(
            added=tuple(file.path for file in self._added),
            modified=tuple(modified),
            removed=tuple(removed),
            started_ns=self._started_ns,
            reparse_all=self._reparse_all,
            found={file.path: file for file in self._added} | modified,
            files=self._files,
            skipped=tuple(self._skipped),
            ignored=sum(each.ignored for each in self._walks),
            seen=self._seen,
            must_rebuild={
                *(file.path for file in moved),
                *filter(self._must_rebuild, modified),
                *(path for path in self._last_run.pending if path.endswith("/")),  # folders, which no walk finds
            },
            present={*self._present, *(path for path in absent if path.startswith(retained))},
            walked=self._present,
            read=self._read,
            known=sum(not path.endswith("/") for path in self._known),
            roots=self._roots,
            missing=tuple(self._missing),
            manifests=self._manifests,
            namespaces=namespaces.folders,
            derived_folders=derived.folders,
        )

    def _dropped_roots(self) -> dict[str, Root]:
        """List indexed extra roots that are no longer configured, by prefix.

        Only a full run removes their documents: they may have been set for one call, by a variable or an option.
        """
        if not self._quick:
            return {}
        namespaces = self._last_run.namespaces
        indexed = (Root("", name) for folder, name in namespaces.items() if folder == f"{name}:/")
        configured = {root.prefix for root in self._roots}
        return {root.prefix: root for root in indexed if root.prefix not in configured}

    def _with_other_namespace(self, namespaces: Namespaces) -> list[FoundFile]:
        """List the indexed files whose namespace changed."""
        before = Namespaces(self._last_run.namespaces)
        if before.folders == namespaces.folders:
            return []
        indexed = (file for file in self._present.values() if file.path in self._known)
        return [file for file in indexed if before.of(file.path) != namespaces.of(file.path)]

    def _derived_folders(self) -> DerivedFolders:
        """Find the folders with build output or vendored packages.

        A search uses those of the last run.
        """
        return DerivedFolders(self._last_run.derived_folders) if self._quick else find_derived_folders(self._present)

    def _with_other_role(self, derived: DerivedFolders) -> list[FoundFile]:
        """List the indexed files whose role changed with that of their folder."""
        before = DerivedFolders(self._last_run.derived_folders)
        if before.folders == derived.folders:
            return []
        indexed = (file for file in self._present.values() if file.path in self._known)
        return [file for file in indexed if before.of(file.path) != derived.of(file.path)]
