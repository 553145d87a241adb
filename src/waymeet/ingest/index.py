"""The run: bring a store up to date with the files of a folder."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import RemovalsError
from waymeet.ingest.build import renames
from waymeet.ingest.build.entry import BuiltEntry, bare
from waymeet.ingest.build.folders import entry as folder_entry
from waymeet.ingest.build.folders import folders, is_folder
from waymeet.ingest.discover import run_state
from waymeet.ingest.discover.changes import BINARY, Changes, compare_files, find_changes, removal_warning
from waymeet.ingest.discover.namespaces import Namespaces
from waymeet.ingest.discover.roots import Root, place, settled
from waymeet.ingest.discover.run_state import Notes, Seen
from waymeet.ingest.discover.walk import FoundFile, Skipped, is_unread, unread
from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.read.safe_read import read_file
from waymeet.ingest.workers.dispatch import run_tasks
from waymeet.ingest.workers.task import Outcome, ParseRules, Task
from waymeet.paths import existing_folder
from waymeet.ports import Progress, Store
from waymeet.settings import Settings
from waymeet.types import Document, Fingerprint, IndexEntry

__all__ = ["Changes", "IndexReport", "find_changes", "index"]


class IndexReport(Struct, frozen=True):
    """What a run did."""

    files: int
    """Files found that are not ignored."""
    added: int
    updated: int
    removed: int
    unchanged: int
    skipped: tuple[Skipped, ...]
    """What was not read, and why. Ignored files are not among them."""
    ignored: int
    """How many files and folders the ignore rules left out."""
    warnings: tuple[tuple[str, str], ...]
    """Files that are indexed although something was wrong with them, with what it was."""
    seconds: float
    renamed: tuple[tuple[str, str], ...] = ()
    """Files that were renamed, old path and new; they are among the added and the removed."""
    missing: tuple[tuple[str, str], ...] = ()
    """Extra roots that are gone or cannot be read; what is known of them is kept."""
    embedding: EmbeddingReport | None = None
    """What came of embedding, if it was done."""


def index(
    root: Path,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    only: Changes | None = None,
    *,
    accept_removals: bool = False,
) -> IndexReport:
    """Read what changed since the last run, forget what is gone, and say what was done.

    Every batch is one change of the store, so that a run may be broken off at any moment: the next one goes on from
    there. `only` takes the result of `changed` instead of looking again.

    Raises:
        NotFoundError: the root is gone or cannot be read; nothing is forgotten then.
        RemovalsError: so much is gone that `accept_removals` is needed to forget it; nothing was changed.
    """
    started = perf_counter()
    root = existing_folder(root)
    changes = compare_files(root, store, settings) if only is None else only
    wrong = "" if accept_removals else removal_warning(changes, settings.ingest.confirm_removals_above)
    if wrong:
        raise RemovalsError(wrong, "If they are meant to be gone: waymeet index --accept-removals")
    run = _Run(store, settings, changes)
    run.recognise_moves()
    run.forget([path for path in changes.removed if path not in run.moved])
    run.take_in(progress)
    run.forget(list(run.moved))
    run.put_names_right()
    run.put_folders_right()
    if only is None:  # a search that takes in a few files in passing should not be held up by housekeeping
        store.optimize()
    return run.finish(started)


class _Run:
    """Carries out the changes of one look and counts what comes of them."""

    def __init__(self, store: Store, settings: Settings, changes: Changes) -> None:
        self._store = store
        self._settings = settings
        self._changes = changes
        self._spaces = Namespaces(changes.namespaces)
        self._known = store.fingerprints()
        self._files = {path for path in self._known if not is_folder(path)}
        """What is indexed by now, but for folders."""
        last = run_state.recalled(store)
        self._last = last
        self._seen = dict(changes.seen)
        self._skipped = list(changes.skipped)
        untouched = set(self._known).difference(changes.found, changes.removed)
        self._noted = {path: note for path, note in last.noted.items() if path in untouched}
        self._added = self._updated = self._removed = 0
        self._unchanged = changes.unchanged
        self._former_before: Mapping[str, str] = {}
        self._former: Mapping[str, str] = {}
        self._names: Mapping[str, tuple[str, ...]] = {}
        self.moved: Mapping[str, str] = {}
        """Files that were renamed, old path and new."""
        if not self._known:
            run_state.begin(store, settings)

    def recognise_moves(self) -> None:
        """Find out which of the vanished files are there under another name, and remember that first of all."""
        changes = self._changes
        if changes.removed and changes.added:
            gone = {path: self._known[path] for path in changes.removed if path in self._known}
            self.moved = renames.paired(gone, [changes.found[path] for path in changes.added], self._digest)
        self._former_before = run_state.renamed_paths(self._store)
        self._former = renames.continued(self._former_before, self.moved, changes.present)
        renames.keep_former(self._store, self._former)
        self._names = renames.former_names(self._former, self._store) if self._former else {}

    def forget(self, paths: Collection[str]) -> None:
        """Remove documents whose files are gone or may not be read any more."""
        if paths:
            self._store.drop(paths)
            self._removed += len(paths)
            self._files.difference_update(paths)

    def take_in(self, progress: Progress | None) -> None:
        """Read what was added and modified, and put it into the store batch by batch."""
        limits, total = self._settings.ingest, len(self._changes.found)
        batch: list[BuiltEntry] = []
        for done, (path, made) in enumerate(self._made(), start=1):
            if made:
                batch.append(made)
            if len(batch) >= limits.batch_files or _size(batch) >= limits.batch_bytes:
                self._put(batch)
                batch = []
            if progress:
                progress(done, total, path)
        self._put(batch)

    def put_names_right(self) -> None:
        """Let documents carry the former names that they should, and no others."""
        self._former = {old: new for old, new in self._former.items() if new in self._files and old not in self._files}
        renames.keep_former(self._store, self._former)
        if not self._former and not self._former_before:
            return
        self._names = renames.misnamed(self._former_before, self._former, self._store)
        documents = self._store.documents(self._names)
        for root in self._changes.roots:
            mine = {id_: each for id_, each in documents.items() if place(self._changes.roots, id_)[0] == root.folder}
            again = [self._finished(entry, root.prefix) for entry in self._remade(mine.values(), root)]
            self._store.put(again)

    def _remade(self, documents: Iterable[Document], root: Root) -> Iterator[IndexEntry]:
        """Make the entries of indexed files once more."""
        tasks = []
        for each in documents:
            inside = each.id.removeprefix(root.prefix)
            if is_unread(each.digest):
                yield bare(inside, Fingerprint(each.digest, each.size, each.modified_ns))
            else:
                tasks.append(Task(inside))
        for outcome in run_tasks(tasks, self._rules(root)):
            if outcome.made:
                yield outcome.made.entry
            elif outcome.bare and outcome.fingerprint:
                yield bare(outcome.path, outcome.fingerprint)

    def put_folders_right(self) -> None:
        """Let the folders that are indexed be those above the files that are, with what is in them."""
        found = folders(self._files, self._settings.contexts, self._spaces)
        wanted = {folder.id: folder for folder in found}
        gone = [path for path in self._known if is_folder(path) and path not in wanted]
        if gone:
            self._store.drop(gone)
        known = {path: each.digest for path, each in self._known.items() if is_folder(path)}
        stale = [each for each in wanted.values() if self._changes.reparse_all or known.get(each.id) != each.digest]
        size = self._settings.ingest.batch_files
        for start in range(0, len(stale), size):
            self._store.put([folder_entry(each) for each in stale[start : start + size]])

    def finish(self, started: float) -> IndexReport:
        """Keep the remarks of the run and report it."""
        changes = self._changes
        skipped = tuple(sorted(self._skipped, key=lambda each: each.path))
        remarks = Notes(
            maker=run_state.maker(self._settings),
            indexed_at=changes.looked_at,
            seen=self._seen,
            noted=self._noted,
            manifests=changes.manifests,
            namespaces=changes.namespaces,
        )
        run_state.keep(self._store, changes.roots[0].folder, remarks, skipped)
        return IndexReport(
            files=changes.files,
            added=self._added,
            updated=self._updated,
            removed=self._removed,
            unchanged=self._unchanged,
            skipped=skipped,
            ignored=changes.ignored,
            warnings=tuple(sorted(self._noted.items())),
            seconds=perf_counter() - started,
            renamed=tuple(sorted(self.moved.items())),
            missing=changes.missing,
        )

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

    def _made(self) -> Iterator[tuple[str, BuiltEntry | None]]:
        """Make what was found, root by root in the order of paths, and give what is to be put into the store."""
        items = [self._changes.found[path] for path in sorted(self._changes.found)]
        for root in self._changes.roots:
            mine = [item for item in items if item.prefix == root.prefix]
            tasks = [self._task(item) for item in mine if not item.path_only_reason]
            for outcome in run_tasks(tasks, self._rules(root)) if tasks else ():
                path = root.prefix + outcome.path
                made = self._judged(path, outcome)
                yield path, replace(made, entry=self._finished(made.entry, root.prefix)) if made else None
            for item in mine:
                if item.path_only_reason:
                    entry = bare(item.relative_path, Fingerprint(unread(item.size), item.size, item.modified_ns))
                    yield item.path, BuiltEntry(self._finished(entry, root.prefix))

    def _task(self, item: FoundFile) -> Task:
        known = self._known.get(item.path)
        last = self._last.seen.get(item.path)
        anew = (
            self._changes.reparse_all
            or item.path in self._changes.must_rebuild
            or (last and last.kept and last.reason != BINARY)
        )
        return Task(item.relative_path, known.digest if known and not anew else "", item.size)

    def _finished(self, entry: IndexEntry, prefix: str) -> IndexEntry:
        """Add what only the whole of a project tells of a document: its namespace and its former names."""
        entry = settled(entry, prefix)
        document = entry.document
        space, former = self._spaces.of(document.id), self._names.get(document.id, ())
        if not space and not former:
            return entry
        names = tuple(dict.fromkeys((*document.names, *former)))
        return replace(entry, document=replace(document, namespace=space, names=names))

    def _judged(self, path: str, outcome: Outcome) -> BuiltEntry | None:
        """Note what became of a file, and give what is to be put into the store, if anything is."""
        fingerprint, last = outcome.fingerprint, self._last.seen.get(path)
        if outcome.made:
            return outcome.made
        if outcome.unreadable:
            found = self._changes.found[path]
            self._skipped.append(Skipped(path, outcome.reason, unreadable=True))
            self._seen[path] = Seen(found.size, found.modified_ns, outcome.reason, unreadable=True)
        elif outcome.bare and fingerprint:
            self._skipped.append(Skipped(path, outcome.reason))
            self._seen[path] = Seen(fingerprint.size, fingerprint.modified_ns, outcome.reason, kept=True)
            if not (last and last.kept) or self._is_other(path, fingerprint):
                return BuiltEntry(bare(outcome.path, fingerprint))
            self._unchanged += 1
        elif outcome.reason:
            seen = Seen(fingerprint.size, fingerprint.modified_ns) if fingerprint else None
            self._refuse(path, outcome.reason, seen)
        else:
            self._unchanged += 1
            if path in self._last.noted:
                self._noted[path] = self._last.noted[path]
            reason = last.reason if last and last.kept else ""
            if reason:
                self._skipped.append(Skipped(path, reason))
            if fingerprint and (reason or self._known.get(path) != fingerprint):
                self._seen[path] = Seen(fingerprint.size, fingerprint.modified_ns, reason, kept=bool(reason))
        return None

    def _is_other(self, path: str, fingerprint: Fingerprint) -> bool:
        """Tell whether a file is not the one that is indexed, or is to be indexed in another way."""
        known, changes = self._known.get(path), self._changes
        return (
            known is None or known.digest != fingerprint.digest or changes.reparse_all or path in changes.must_rebuild
        )

    def _refuse(self, path: str, reason: str, seen: Seen | None = None) -> None:
        """List a file as skipped; what was known of it is no longer true. `seen` saves the next run reading it."""
        self._skipped.append(Skipped(path, reason))
        if seen:
            self._seen[path] = replace(seen, reason=reason)
        if path in self._known:
            self.forget([path])

    def _put(self, batch: Sequence[BuiltEntry]) -> None:
        if not batch:
            return
        self._store.put([made.entry for made in batch])
        for made in batch:
            path = made.entry.document.id
            self._updated += path in self._known
            self._added += path not in self._known
            self._files.add(path)
            if made.notes:
                self._noted[path] = "; ".join(made.notes)

    def _digest(self, item: FoundFile) -> str:
        """Name what an added file holds; empty if it cannot be read."""
        try:
            folder, inside = place(self._changes.roots, item.path)
            return content_digest(read_file(folder, inside, item.size).raw)
        except OSError:
            return ""


def _size(batch: Sequence[BuiltEntry]) -> int:
    return sum(made.entry.document.size for made in batch)
