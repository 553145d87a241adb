"""The quick look: which files differ from what is indexed, judged by size and time."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from time import time_ns

from msgspec import Struct

from waymeet.ingest.discover.namespaces import Manifest, Namespaces, described, find_namespaces, is_manifest
from waymeet.ingest.discover.roots import Root, list_roots, place, root_problem
from waymeet.ingest.discover.run_state import Seen, maker, recalled
from waymeet.ingest.discover.walk import FoundFile, Skipped, Walk, is_unread, unread, walk
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.read.safe_read import read_file
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Fingerprint

BINARY = "binary file"
_COARSE_NS = 2_000_000_000
_FINE_NS = 50_000_000
_MILLISECOND_NS = 1_000_000
_BETWEEN_GLANCES = 128


class Changes(Struct, frozen=True):
    """How the files differ from the index."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    """Files whose size or time differs, or cannot be relied on; some may turn out to be the same when read."""
    removed: tuple[str, ...]
    looked_at: int
    """When the look began, in nanoseconds."""
    reparse_all: bool
    """Whether everything counts as modified because it would now be parsed in another way."""
    found: Mapping[str, FoundFile] = {}
    """Where to read what was added and modified."""
    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    ignored: int = 0
    seen: Mapping[str, Seen] = {}
    """What is still true of what the last run remembered."""
    must_rebuild: Collection[str] = frozenset()
    """Those of the modified that must be made anew though they may be the same: their namespace is another."""
    present: Collection[str] = frozenset()
    """All files that are there, or may be."""
    known: int = 0
    """Files that were indexed."""
    read: int = 0
    """Files that had to be opened to see that they are the same."""
    roots: tuple[Root, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    """Roots that are gone or cannot be read, with what is wrong with them; what is known of them stays."""
    manifests: Mapping[str, Manifest] = {}
    namespaces: Mapping[str, str] = {}

    @property
    def unchanged(self) -> int:
        """Count the indexed files that are as they were."""
        refused = sum(each.reason != "" and not each.kept for each in self.seen.values())
        return self.files - len(self.added) - len(self.modified) - refused

    @property
    def number(self) -> int:
        """Count what differs."""
        return len(self.added) + len(self.modified) + len(self.removed)


def removal_warning(changes: Changes, ask_above: int) -> str:
    """Say why so much is gone that somebody has to agree before it is forgotten; empty if it is not.

    Files that were replaced by as many others are no loss: another branch may have been checked out.
    """
    own, gone = changes.roots[0].folder, len(changes.removed) - len(changes.added)
    wrong = root_problem(own) if changes.removed and not changes.files else ""
    if wrong:
        return f"{own} {wrong}. Nothing was forgotten."
    if gone > ask_above and gone * 2 > changes.known:
        return f"{gone} of {changes.known} files are gone from {own}. Nothing was forgotten."
    return ""


def find_changes(root: Path, store: Store, settings: Settings, late: Callable[[], bool]) -> Changes | None:
    """Compare the files with the index by size and time; None if it became late before the end.

    Only a file that was written in the very moment of the last look is opened, for its time says nothing.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    look = _Look(root, store, settings, quick=True)
    for number, item in enumerate(look.items()):
        if number % _BETWEEN_GLANCES == 0 and late():
            return None
        look.take(item)
    return look.result()


def compare_files(root: Path, store: Store, settings: Settings) -> Changes:
    """Compare the files with the index by size and time, however long it takes; what was refused is tried again.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    look = _Look(root, store, settings, quick=False)
    for item in look.items():
        look.take(item)
    return look.result()


class _Look:
    """Sorts what a walk meets."""

    def __init__(self, root: Path, store: Store, settings: Settings, *, quick: bool) -> None:
        self._roots = list_roots(root, store, settings)
        self._settings = settings
        self._looked_at = time_ns()
        self._known = store.fingerprints()
        notes = recalled(store)
        self._notes = notes
        self._last_seen = notes.seen
        self._quick = quick
        self._anew = notes.maker != maker(settings)
        self._last_look = notes.indexed_at
        self._files = 0
        self._present: dict[str, FoundFile] = {}
        self._unreadable: list[str] = []
        self._missing: list[tuple[str, str]] = []
        self._added: list[FoundFile] = []
        self._modified: list[FoundFile] = []
        self._skipped: list[Skipped] = []
        self._seen: dict[str, Seen] = {}
        self._read = 0
        self._walks: list[Walk] = []
        self._manifests: dict[str, Manifest] = {}

    def items(self) -> Iterator[FoundFile | Skipped]:
        """Walk through all roots; one beside the project that is gone keeps what is known of it."""
        own, *others = self._roots
        reserved = frozenset(root.prefix for root in others)
        self._walks.append(walk(Path(own.folder), self._settings.ingest, "", reserved))
        yield from self._walks[-1]
        for root in others:
            wrong = root_problem(root.folder)
            if wrong and (
                not wrong.startswith("is empty") or any(path.startswith(root.prefix) for path in self._known)
            ):
                self._missing.append((root.name, wrong))
                yield Skipped(root.prefix, f"{root.folder} {wrong}", unreadable=True)
            elif not wrong:
                self._walks.append(walk(Path(root.folder), self._settings.ingest, root.prefix))
                yield from self._walks[-1]

    def take(self, item: FoundFile | Skipped) -> None:
        """Sort in what the walk met."""
        if isinstance(item, FoundFile):
            self._find(item)
            return
        self._skipped.append(item)
        if item.unreadable:  # what is known of it, or of what lies below it, may still be true
            self._unreadable.append(item.path)

    def _find(self, item: FoundFile) -> None:
        self._files += 1
        self._present[item.path] = item
        known, seen = self._known.get(item.path), self._last_seen.get(item.path)
        if is_manifest(item):
            self._manifests[item.path] = self._manifest(item)
        if item.path_only_reason:
            self._skipped.append(Skipped(item.path, item.path_only_reason))
        if not self._is_as_before(item, known, seen):
            (self._added if known is None else self._modified).append(item)
        elif seen and not item.path_only_reason:
            self._seen[item.path] = seen
            if seen.reason:
                self._skipped.append(Skipped(item.path, seen.reason, seen.unreadable))

    def _manifest(self, item: FoundFile) -> Manifest:
        """Read a package's name, unless that was done before."""
        then = self._notes.manifests.get(item.path)
        same = then and (then.size, then.modified_ns) == (item.size, item.modified_ns) and not self._is_fresh(item)
        return then if then and same else described(item, self._roots)

    def _is_as_before(self, item: FoundFile, known: Fingerprint | None, seen: Seen | None) -> bool:
        if item.path_only_reason:
            return known is not None and not self._anew and known.digest == unread(item.size)
        then = seen or known
        if then is None or self._anew or (then.size, then.modified_ns) != (item.size, item.modified_ns):
            return False
        if seen and seen.reason and self._worth_another_try(item, seen):
            return False
        if seen and seen.reason and not seen.kept:
            return True
        if known is None or is_unread(known.digest):
            return False
        return not self._is_fresh(item) or (self._quick and self._holds(item, known.digest))

    def _worth_another_try(self, item: FoundFile, seen: Seen) -> bool:
        """Tell whether a refused file may be usable by now, though neither its size nor its time has changed."""
        if seen.kept and seen.reason == BINARY:
            return False
        return not self._quick or (seen.unreadable and os.access(item.absolute, os.R_OK))

    def _is_fresh(self, item: FoundFile) -> bool:
        """Tell whether a file may have changed after it was read though neither its size nor its time has.

        Within one tick of its time ("racy git"): the tick is taken to be short if the time shows that the file system
        counts in small steps. Or because another file of the same size and time was given its name.
        """
        window = _COARSE_NS if item.modified_ns % _MILLISECOND_NS == 0 else _FINE_NS
        return item.modified_ns >= self._last_look - window or item.changed_ns >= self._last_look - _FINE_NS

    def _holds(self, item: FoundFile, expected: str) -> bool:
        self._read += 1
        try:
            folder, inside = place(self._roots, item.path)
            return content_digest(read_file(folder, inside, item.size).raw) == expected
        except OSError:
            return False

    def result(self) -> Changes:
        """Put it together, with what is indexed but was not met."""
        dismissed = self._dismissed()
        kept = (*self._unreadable, *dismissed)
        files = [path for path in self._known if not path.endswith("/") and path not in self._present]
        below = tuple(each if each.endswith("/") else f"{each}/" for each in kept)
        gone = sorted(path for path in files if path not in kept and not path.startswith(below))
        repositories = [folder for each in self._walks[:1] for folder in each.repositories]
        now = find_namespaces(
            self._manifests, repositories, self._settings.namespaces, (*self._roots, *dismissed.values())
        )
        again = self._elsewhere(now)
        modified = {item.path: item for item in (*self._modified, *again)}
        return Changes(
            added=tuple(item.path for item in self._added),
            modified=tuple(modified),
            removed=tuple(gone),
            looked_at=self._looked_at,
            reparse_all=self._anew,
            found={item.path: item for item in self._added} | modified,
            files=self._files,
            skipped=tuple(self._skipped),
            ignored=sum(each.ignored for each in self._walks),
            seen=self._seen,
            must_rebuild=frozenset(item.path for item in again),
            present={*self._present, *(path for path in files if path.startswith(kept))},
            read=self._read,
            known=sum(not path.endswith("/") for path in self._known),
            roots=self._roots,
            missing=tuple(self._missing),
            manifests=self._manifests,
            namespaces=now.folders,
        )

    def _dismissed(self) -> dict[str, Root]:
        """List the extra roots that were indexed and are not meant any more, by prefix; only a real run forgets them.

        They may have been named for one call alone, by a variable or a flag.
        """
        if not self._quick:
            return {}
        before = (Root("", name) for folder, name in self._notes.namespaces.items() if folder == f"{name}:/")
        meant = {root.prefix for root in self._roots}
        return {root.prefix: root for root in before if root.prefix not in meant}

    def _elsewhere(self, now: Namespaces) -> list[FoundFile]:
        """List the indexed files that belong to another namespace than before."""
        before = Namespaces(self._notes.namespaces)
        if before.folders == now.folders:
            return []
        known = (item for item in self._present.values() if item.path in self._known)
        return [item for item in known if before.of(item.path) != now.of(item.path)]
