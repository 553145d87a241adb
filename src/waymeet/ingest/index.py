"""The indexing run: bring a store up to date with the files of a folder."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import RemovalsError
from waymeet.ingest.build import renames
from waymeet.ingest.build.entry import BuiltEntry, build_path_entry, set_folder_role
from waymeet.ingest.build.folders import build_folder_entry, is_folder, list_folders
from waymeet.ingest.discover.changes import BINARY, Changes, compare_files, find_changes, removal_warning
from waymeet.ingest.discover.derived_folders import DerivedFolders
from waymeet.ingest.discover.namespaces import Namespaces
from waymeet.ingest.discover.roots import Root, add_prefix, locate
from waymeet.ingest.discover.run_state import (
    RunState,
    SeenFile,
    installed_extras,
    load_run_state,
    parser_fingerprint,
    renamed_paths,
    save_parser_fingerprint,
    save_run_state,
)
from waymeet.ingest.discover.walk import FoundFile, Skipped, is_unread_digest, unread_digest
from waymeet.ingest.index_report import IndexReport
from waymeet.ingest.progress import ProgressMeter
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.read.safe_read import read_file
from waymeet.ingest.workers.dispatch import run_tasks
from waymeet.ingest.workers.task import Outcome, ParseRules, Task
from waymeet.paths import existing_folder
from waymeet.ports import Progress, Store
from waymeet.settings import Settings
from waymeet.types import Document, Fingerprint, IndexEntry

__all__ = ["Changes", "Choice", "IndexReport", "find_changes", "index"]

_PORTION_FILES = 16
"""Files that a run with little time indexes before it looks at the clock again."""


class Choice(NamedTuple):
    """The order in which changed files are indexed, and when to leave the rest to a later run."""

    order: Sequence[str]
    most: int
    """Number of files that are indexed in any case."""
    is_late: Callable[[], bool]
    """Whether to stop after these."""


def index(
    root: Path,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    only: Changes | None = None,
    *,
    accept_removals: bool = False,
    choice: Choice | None = None,
) -> IndexReport:
    """Index files that changed since the last run and remove documents whose files are gone.

    Every batch is one transaction of the store, so that an interrupted run can be continued by the next one. `only` is
    the result of `find_changes` if the files were compared already. `choice` limits the run to some of them.

    Raises:
        NotFoundError: the root is gone or cannot be read; nothing was changed.
        RemovalsError: so many files are gone that `accept_removals` is needed; nothing was changed.
    """
    started = perf_counter()
    root = existing_folder(root)
    changes = compare_files(root, store, settings) if only is None else only
    warning = "" if accept_removals else removal_warning(changes, settings.ingest.confirm_removals_above)
    if warning:
        raise RemovalsError(warning, "To remove them: waymeet index --accept-removals")
    run = _Run(store, settings, changes)
    run.detect_renames()
    run.drop([path for path in changes.removed if path not in run.renamed])
    run.add_files(progress, choice)
    run.drop([old for old, new in run.renamed.items() if new not in run.postponed])
    run.update_former_keys()
    run.update_folders()
    if only is None:  # a search that indexes a few changed files first must not wait for maintenance
        store.optimize()
    return run.finish(started)


class _FileResult(Struct, frozen=True):
    """Effects of one file's outcome on the run."""

    entry: BuiltEntry | None = None
    """The entry to store, if there is one."""
    skipped: Skipped | None = None
    seen: SeenFile | None = None
    """State of the file for the next run, if the stored fingerprint does not have it."""
    warning: str = ""
    is_unchanged: bool = False
    is_rejected: bool = False
    """Whether an indexed document of the file is no longer valid."""


class _Run:
    """Applies changes to a store and counts the results."""

    def __init__(self, store: Store, settings: Settings, changes: Changes) -> None:
        self._store = store
        self._settings = settings
        self._changes = changes
        self._namespaces = Namespaces(changes.namespaces)
        self._derived_folders = DerivedFolders(changes.derived_folders)
        self._known = store.fingerprints()
        self._files = {path for path in self._known if not is_folder(path)}
        """Paths of the files that are indexed by now."""
        self._meter = ProgressMeter(changes.found, store)
        self._last = load_run_state(store)
        self._seen = dict(changes.seen)
        self._skipped = list(changes.skipped)
        untouched = set(self._known).difference(changes.found, changes.removed)
        self._warnings = {path: warning for path, warning in self._last.warnings.items() if path in untouched}
        self._added = self._updated = self._removed = 0
        self._unchanged = changes.unchanged
        self._former_before: Mapping[str, str] = {}
        self._former: Mapping[str, str] = {}
        """Former paths of documents with their present paths, before and after this run."""
        self._former_keys: Mapping[str, tuple[str, ...]] = {}
        self.renamed: Mapping[str, str] = {}
        """Files that were renamed since the last run, old path and new path."""
        self.postponed: set[str] = set()
        """Changed files that are left to a later run."""
        if not self._known:
            save_parser_fingerprint(store, settings)

    def detect_renames(self) -> None:
        """Find removed files that were added under another path, and save the pairs first of all."""
        changes = self._changes
        if changes.removed and changes.added:
            removed = {path: self._known[path] for path in changes.removed if path in self._known}
            self.renamed = renames.pair_files(removed, [changes.found[path] for path in changes.added], self._digest)
        self._former_before = renamed_paths(self._store)
        self._former = renames.update_renames(self._former_before, self.renamed, changes.present)
        renames.save_renames(self._store, self._former)
        self._former_keys = renames.former_keys(self._former, self._store) if self._former else {}

    def drop(self, paths: Collection[str]) -> None:
        """Remove documents whose files are gone or may not be read any more."""
        if paths:
            self._store.drop(paths)
            self._removed += len(paths)
            self._files.difference_update(paths)

    def add_files(self, progress: Progress | None, choice: Choice | None) -> None:
        """Read added and modified files and put their entries into the store batch by batch."""
        if choice is None:
            self._add_portion(sorted(self._changes.found), progress)
            return
        done = min(choice.most, len(choice.order))
        self._add_portion(choice.order[:done], progress)
        while 0 < done < len(choice.order) and not choice.is_late():
            portion = choice.order[done : done + _PORTION_FILES]
            self._add_portion(portion, progress)
            done += len(portion)
        self.postponed = {*choice.order[done:]}

    def _add_portion(self, paths: Sequence[str], progress: Progress | None) -> None:
        limits = self._settings.ingest
        batch: list[BuiltEntry] = []
        size = 0
        for path, built in self._build_entries(paths):
            if built:
                batch.append(built)
                size += built.entry.document.size
            if len(batch) >= limits.batch_files or size >= limits.batch_bytes:
                self._put(batch)
                self._meter.save()
                batch, size = [], 0
            self._meter.add(path, progress)
        self._put(batch)

    def update_former_keys(self) -> None:
        """Build documents again whose former names do not match the renamed files."""
        self._former = {old: new for old, new in self._former.items() if new in self._files and old not in self._files}
        renames.save_renames(self._store, self._former)
        if not self._former and not self._former_before:
            return
        self._former_keys = renames.find_outdated(self._former_before, self._former, self._store)
        documents = self._store.documents(self._former_keys)
        roots = self._changes.roots
        for root in roots:
            in_root = [document for id_, document in documents.items() if locate(roots, id_)[0] == root.folder]
            self._store.put([self._finish_entry(entry, root.prefix) for entry in self._rebuild(in_root, root)])

    def _rebuild(self, documents: Iterable[Document], root: Root) -> Iterator[IndexEntry]:
        """Build the entries of indexed files again."""
        tasks = []
        for document in documents:
            path = document.id.removeprefix(root.prefix)
            if is_unread_digest(document.digest):
                yield build_path_entry(path, Fingerprint(document.digest, document.size, document.modified_ns))
            else:
                tasks.append(Task(path))
        for outcome in run_tasks(tasks, self._rules(root)):
            if outcome.built:
                yield outcome.built.entry
            elif outcome.is_path_only and outcome.fingerprint:
                yield build_path_entry(outcome.path, outcome.fingerprint, outcome.role)

    def update_folders(self) -> None:
        """Store the folders above the indexed files and remove all others."""
        listed = list_folders(self._files, self._settings.contexts, self._namespaces)
        folders = {folder.id: folder for folder in listed}
        known = {path: fingerprint.digest for path, fingerprint in self._known.items() if is_folder(path)}
        gone = [path for path in known if path not in folders]
        if gone:
            self._store.drop(gone)
        must_build = (lambda _: False) if self.postponed else self._must_build
        changed = [folder for id_, folder in folders.items() if known.get(id_) != folder.digest or must_build(id_)]
        size = self._settings.ingest.batch_files
        for start in range(0, len(changed), size):
            self._store.put([build_folder_entry(folder) for folder in changed[start : start + size]])

    def finish(self, started: float) -> IndexReport:
        """Save the state of the run and report its result."""
        changes = self._changes
        skipped = tuple(sorted(self._skipped, key=lambda file: file.path))
        state = RunState(
            parser_fingerprint=parser_fingerprint(self._settings),
            indexed_at=changes.started_ns,
            seen=self._seen,
            warnings=self._warnings,
            manifests=changes.manifests,
            namespaces=changes.namespaces,
            extras=installed_extras(),
            pending=self._pending(),
            derived_folders=changes.derived_folders,
        )
        save_run_state(self._store, changes.roots[0].folder, state, skipped)
        self._meter.end()
        return IndexReport(
            files=changes.files,
            added=self._added,
            updated=self._updated,
            removed=self._removed,
            unchanged=self._unchanged,
            skipped=skipped,
            ignored=changes.ignored,
            warnings=tuple(sorted(self._warnings.items())),
            seconds=perf_counter() - started,
            renamed=tuple(sorted(self.renamed.items())),
            missing=changes.missing,
            postponed=len(self.postponed),
        )

    def _pending(self) -> set[str]:
        """List the documents that a later run must build again.

        Nothing else would show that they changed.
        """
        folders = (path for path in self._known if is_folder(path) and self._must_build(path))
        return {*self.postponed.intersection(self._known), *folders} if self.postponed else set()

    def _rules(self, root: Root) -> ParseRules:
        settings, limits = self._settings, self._settings.ingest
        return ParseRules(
            root=root.folder,
            max_file_bytes=limits.max_file_bytes,
            chunking=settings.chunking,
            notebook=settings.notebook,
            mask_secrets=limits.mask_secrets,
            seconds=limits.parse_seconds,
            megabytes=limits.parse_megabytes,
        )

    def _build_entries(self, paths: Iterable[str]) -> Iterator[tuple[str, BuiltEntry | None]]:
        """Yield added or modified paths with their new entries, root by root."""
        files = [self._changes.found[path] for path in paths]
        for root in self._changes.roots:
            in_root = [file for file in files if file.prefix == root.prefix]
            tasks = [self._task(file) for file in in_root if not file.path_only_reason]
            for outcome in run_tasks(tasks, self._rules(root)) if tasks else ():
                path = root.prefix + outcome.path
                built = self._apply(path, self._resolve(path, outcome))
                yield path, replace(built, entry=self._finish_entry(built.entry, root.prefix)) if built else None
            for file in in_root:
                if file.path_only_reason:
                    fingerprint = Fingerprint(unread_digest(file.size), file.size, file.modified_ns)
                    entry = build_path_entry(file.relative_path, fingerprint)
                    yield file.path, BuiltEntry(self._finish_entry(entry, root.prefix))

    def _task(self, file: FoundFile) -> Task:
        known = self._known.get(file.path)
        last = self._last.seen.get(file.path)
        must_parse = self._must_build(file.path) or (last and last.is_path_indexed and last.reason != BINARY)
        return Task(file.relative_path, known.digest if known and not must_parse else "", file.size)

    def _finish_entry(self, entry: IndexEntry, prefix: str) -> IndexEntry:
        """Add to an entry what its file does not hold: prefix, role, namespace and former keys."""
        entry = add_prefix(entry, prefix)
        entry = set_folder_role(entry, self._derived_folders.of(entry.document.id))
        document = entry.document
        namespace, former = self._namespaces.of(document.id), self._former_keys.get(document.id, ())
        if not namespace and not former:
            return entry
        names = tuple(dict.fromkeys((*document.names, *former)))
        return replace(entry, document=replace(document, namespace=namespace, names=names))

    def _resolve(self, path: str, outcome: Outcome) -> _FileResult:
        """Derive the effects of an outcome on the run, without changing anything."""
        if outcome.built:
            return _FileResult(outcome.built)
        if outcome.unreadable:
            return self._resolve_unreadable(path, outcome)
        if outcome.is_path_only and outcome.fingerprint:
            return self._resolve_path_only(path, outcome, outcome.fingerprint)
        if outcome.reason:
            seen = _seen_file(outcome.fingerprint, outcome.reason) if outcome.fingerprint else None
            return _FileResult(skipped=Skipped(path, outcome.reason), seen=seen, is_rejected=True)
        return self._resolve_unchanged(path, outcome.fingerprint)

    def _resolve_unreadable(self, path: str, outcome: Outcome) -> _FileResult:
        """Keep the indexed document of a file that exists but cannot be read."""
        file = self._changes.found[path]
        return _FileResult(
            skipped=Skipped(path, outcome.reason, unreadable=True),
            seen=SeenFile(file.size, file.modified_ns, outcome.reason, unreadable=True),
        )

    def _resolve_path_only(self, path: str, outcome: Outcome, fingerprint: Fingerprint) -> _FileResult:
        """Index the path of a file without text, unless that is indexed already."""
        last = self._last.seen.get(path)
        is_known = last is not None and last.is_path_indexed and not self._must_rebuild(path, fingerprint)
        return _FileResult(
            entry=None if is_known else BuiltEntry(build_path_entry(outcome.path, fingerprint, outcome.role)),
            skipped=Skipped(path, outcome.reason),
            seen=_seen_file(fingerprint, outcome.reason, is_path_indexed=True),
            is_unchanged=is_known,
        )

    def _resolve_unchanged(self, path: str, fingerprint: Fingerprint | None) -> _FileResult:
        """Carry over what the last run knew of a file with the same content."""
        last = self._last.seen.get(path)
        reason = last.reason if last and last.is_path_indexed else ""
        is_time_new = reason or self._known.get(path) != fingerprint
        return _FileResult(
            skipped=Skipped(path, reason) if reason else None,
            seen=_seen_file(fingerprint, reason, is_path_indexed=bool(reason)) if fingerprint and is_time_new else None,
            warning=self._last.warnings.get(path, ""),
            is_unchanged=True,
        )

    def _must_rebuild(self, path: str, fingerprint: Fingerprint) -> bool:
        """Return whether a file differs from the indexed one or is to be indexed differently."""
        known = self._known.get(path)
        return known is None or known.digest != fingerprint.digest or self._must_build(path)

    def _must_build(self, path: str) -> bool:
        """Return whether a document is to be built again even if its file did not change."""
        return self._changes.reparse_all or path in self._changes.must_rebuild

    def _apply(self, path: str, result: _FileResult) -> BuiltEntry | None:
        """Record the effects of a file on the run and return its entry, if there is one."""
        if result.skipped:
            self._skipped.append(result.skipped)
        if result.seen:
            self._seen[path] = result.seen
        if result.warning:
            self._warnings[path] = result.warning
        self._unchanged += result.is_unchanged
        if result.is_rejected and path in self._known:
            self.drop([path])
        return result.entry

    def _put(self, batch: Sequence[BuiltEntry]) -> None:
        if not batch:
            return
        self._store.put([built.entry for built in batch])
        for built in batch:
            path = built.entry.document.id
            self._updated += path in self._known
            self._added += path not in self._known
            self._files.add(path)
            if built.warnings:
                self._warnings[path] = "; ".join(built.warnings)

    def _digest(self, file: FoundFile) -> str:
        """Return the digest of an added file, or "" if it cannot be read."""
        try:
            folder, path = locate(self._changes.roots, file.path)
            return content_digest(read_file(folder, path, file.size).raw)
        except OSError:
            return ""


def _seen_file(fingerprint: Fingerprint, reason: str, *, is_path_indexed: bool = False) -> SeenFile:
    return SeenFile(fingerprint.size, fingerprint.modified_ns, reason, is_path_indexed=is_path_indexed)
