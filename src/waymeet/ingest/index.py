"""The run: bring a store up to date with the files of a folder."""

from collections.abc import Collection, Sequence
from pathlib import Path
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest import notes
from waymeet.ingest.changes import Changes, changed, compared
from waymeet.ingest.entry import Made
from waymeet.ingest.notes import Notes, Seen
from waymeet.ingest.outcome import Outcome, Rules, Task
from waymeet.ingest.walk import Skipped
from waymeet.ingest.workers import outcomes
from waymeet.places import existing_folder
from waymeet.ports import Progress, Store
from waymeet.settings import Settings

__all__ = ["Changes", "Report", "changed", "index"]


class Report(Struct, frozen=True):
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
    noted: tuple[tuple[str, str], ...]
    """Files that are indexed although something was wrong with them, with what it was."""
    seconds: float


def index(
    root: Path, store: Store, settings: Settings, progress: Progress | None = None, only: Changes | None = None
) -> Report:
    """Read what changed since the last run, forget what is gone, and say what was done.

    Every batch is one change of the store, so that a run may be broken off at any moment: the next one goes on from
    there. `only` takes the result of `changed` instead of looking again.

    Raises:
        NotFoundError: the root is gone or cannot be read; nothing is forgotten then.
    """
    started = perf_counter()
    root = existing_folder(root)
    changes = compared(root, store, settings) if only is None else only
    run = _Run(root, store, settings, changes)
    run.forget(changes.removed)
    run.take_in(progress)
    if only is None:  # a search that takes in a few files in passing should not be held up by housekeeping
        store.tidy()
    return run.finish(started)


class _Run:
    """Carries out the changes of one look and counts what comes of them."""

    def __init__(self, root: Path, store: Store, settings: Settings, changes: Changes) -> None:
        self._root = str(root)
        self._store = store
        self._settings = settings
        self._changes = changes
        self._known = store.fingerprints()
        self._seen = dict(changes.seen)
        self._skipped = list(changes.skipped)
        untouched = set(self._known).difference(changes.found, changes.removed)
        self._noted = {path: note for path, note in notes.recalled(store).noted.items() if path in untouched}
        self._added = self._updated = self._removed = 0
        self._unchanged = changes.unchanged
        if not self._known:
            notes.begin(store, settings)

    def forget(self, paths: Collection[str]) -> None:
        """Remove documents whose files are gone or may not be read any more."""
        if paths:
            self._store.drop(paths)
            self._removed += len(paths)

    def take_in(self, progress: Progress | None) -> None:
        """Read what was added and modified, and put it into the store batch by batch."""
        limits, found = self._settings.ingest, self._changes.found
        rules = Rules(self._root, limits.max_file_bytes, self._settings.chunking)
        batch: list[Made] = []
        for done, each in enumerate(outcomes([self._task(path) for path in sorted(found)], rules), start=1):
            made = self._judged(each)
            if made:
                batch.append(made)
            if len(batch) >= limits.batch_files or _size(batch) >= limits.batch_bytes:
                self._put(batch)
                batch = []
            if progress:
                progress(done, len(found), each.path)
        self._put(batch)

    def finish(self, started: float) -> Report:
        """Keep the remarks of the run and report it."""
        skipped = tuple(sorted(self._skipped, key=lambda each: each.path))
        remarks = Notes(notes.maker(self._settings), self._changes.looked_at, self._seen, self._noted)
        notes.keep(self._store, self._root, remarks, skipped)
        return Report(
            files=self._changes.files,
            added=self._added,
            updated=self._updated,
            removed=self._removed,
            unchanged=self._unchanged,
            skipped=skipped,
            ignored=self._changes.ignored,
            noted=tuple(sorted(self._noted.items())),
            seconds=perf_counter() - started,
        )

    def _task(self, path: str) -> Task:
        known = self._known.get(path)
        digest = known.digest if known and not self._changes.anew else ""
        return Task(path, digest, self._changes.found[path].size)

    def _judged(self, outcome: Outcome) -> Made | None:
        """Note what became of a file, and give what is to be put into the store, if anything is."""
        path, fingerprint = outcome.path, outcome.fingerprint
        if outcome.made:
            return outcome.made
        if outcome.unreadable:
            found = self._changes.found[path]
            self._skipped.append(Skipped(path, outcome.reason, unreadable=True))
            self._seen[path] = Seen(found.size, found.modified_ns, outcome.reason, unreadable=True)
        elif outcome.reason:
            seen = Seen(fingerprint.size, fingerprint.modified_ns) if fingerprint else None
            self._refuse(path, outcome.reason, seen)
        else:
            self._unchanged += 1
            if fingerprint and self._known.get(path) != fingerprint:
                self._seen[path] = Seen(fingerprint.size, fingerprint.modified_ns)
        return None

    def _refuse(self, path: str, reason: str, seen: Seen | None = None) -> None:
        """List a file as skipped; what was known of it is no longer true. `seen` saves the next run reading it."""
        self._skipped.append(Skipped(path, reason))
        if seen:
            self._seen[path] = replace(seen, reason=reason)
        if path in self._known:
            self.forget([path])

    def _put(self, batch: Sequence[Made]) -> None:
        if not batch:
            return
        self._store.put([made.entry for made in batch])
        for made in batch:
            path = made.entry.document.id
            self._updated += path in self._known
            self._added += path not in self._known
            if made.notes:
                self._noted[path] = "; ".join(made.notes)


def _size(batch: Sequence[Made]) -> int:
    return sum(made.entry.document.size for made in batch)
