"""The quick look: which files differ from what is indexed, judged by size and time."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from time import time_ns

from msgspec import Struct

from waymeet.ingest.decode import digest
from waymeet.ingest.notes import Seen, maker, recalled
from waymeet.ingest.read import read
from waymeet.ingest.walk import Found, Skipped, walk
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Fingerprint

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
    anew: bool
    """Whether everything counts as modified because it would now be parsed in another way."""
    found: Mapping[str, Found] = {}
    """Where to read what was added and modified."""
    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    ignored: int = 0
    seen: Mapping[str, Seen] = {}
    """What is still true of what the last run remembered."""

    @property
    def unchanged(self) -> int:
        """Count the indexed files that are as they were."""
        refused = sum(each.reason != "" for each in self.seen.values())
        return self.files - len(self.added) - len(self.modified) - refused


def changed(root: Path, store: Store, settings: Settings, late: Callable[[], bool]) -> Changes | None:
    """Compare the files with the index by size and time; None if it became late before the end.

    Only a file that was written in the very moment of the last look is opened, for its time says nothing.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    look = _Look(root, store, settings, quick=True)
    for number, item in enumerate(look.walk):
        if number % _BETWEEN_GLANCES == 0 and late():
            return None
        look.take(item)
    return look.result()


def compared(root: Path, store: Store, settings: Settings) -> Changes:
    """Compare the files with the index by size and time, however long it takes; what was refused is tried again.

    Raises:
        NotFoundError: the root is gone or cannot be read.
    """
    look = _Look(root, store, settings, quick=False)
    for item in look.walk:
        look.take(item)
    return look.result()


class _Look:
    """Sorts what a walk meets."""

    def __init__(self, root: Path, store: Store, settings: Settings, *, quick: bool) -> None:
        self.walk = walk(root, settings.ingest)
        self._root = str(root)
        self._looked_at = time_ns()
        self._known = store.fingerprints()
        notes = recalled(store)
        self._last_seen = notes.seen
        self._quick = quick
        self._anew = notes.maker != maker(settings)
        self._last_look = notes.indexed_at
        self._files = 0
        self._present: set[str] = set()
        self._unreadable: list[str] = []
        self._added: list[Found] = []
        self._modified: list[Found] = []
        self._skipped: list[Skipped] = []
        self._seen: dict[str, Seen] = {}

    def take(self, item: Found | Skipped) -> None:
        """Sort in what the walk met."""
        if isinstance(item, Found):
            self._find(item)
            return
        self._skipped.append(item)
        if item.unreadable:  # what is known of it, or of what lies below it, may still be true
            self._unreadable.append(item.path)

    def _find(self, item: Found) -> None:
        self._files += 1
        self._present.add(item.path)
        known, seen = self._known.get(item.path), self._last_seen.get(item.path)
        if not self._is_as_before(item, known, seen):
            (self._added if known is None else self._modified).append(item)
        elif seen:
            self._seen[item.path] = seen
            if seen.reason:
                self._skipped.append(Skipped(item.path, seen.reason, seen.unreadable))

    def _is_as_before(self, item: Found, known: Fingerprint | None, seen: Seen | None) -> bool:
        then = seen or known
        if then is None or self._anew or (then.size, then.modified_ns) != (item.size, item.modified_ns):
            return False
        if seen and seen.reason:
            return not self._worth_another_try(item, seen)
        return known is not None and (not self._is_fresh(item) or (self._quick and self._holds(item, known.digest)))

    def _worth_another_try(self, item: Found, seen: Seen) -> bool:
        """Tell whether a refused file may be usable by now, though neither its size nor its time has changed."""
        return not self._quick or (seen.unreadable and os.access(item.absolute, os.R_OK))

    def _is_fresh(self, item: Found) -> bool:
        """Tell whether a file may have changed once more after it was read, within one tick of its time ("racy git").

        The tick is taken to be short if the time shows that the file system counts in small steps.
        """
        window = _COARSE_NS if item.modified_ns % _MILLISECOND_NS == 0 else _FINE_NS
        return item.modified_ns >= self._last_look - window

    def _holds(self, item: Found, expected: str) -> bool:
        try:
            return digest(read(self._root, item.path, item.size).raw) == expected
        except OSError:
            return False

    def result(self) -> Changes:
        """Put it together, with what is indexed but was not met."""
        kept = tuple(self._unreadable)
        gone = (path for path in self._known if path not in self._present and not path.startswith(kept))
        return Changes(
            added=tuple(item.path for item in self._added),
            modified=tuple(item.path for item in self._modified),
            removed=tuple(sorted(gone)),
            looked_at=self._looked_at,
            anew=self._anew,
            found={item.path: item for item in (*self._added, *self._modified)},
            files=self._files,
            skipped=tuple(self._skipped),
            ignored=self.walk.ignored,
            seen=self._seen,
        )
