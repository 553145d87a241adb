"""Where entries are changed: one writer at a time, each change based on a version, and nothing lost.

All who write through this take turns. An editor, who knows nothing of turns, cannot lose anything either: see `aside`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from difflib import unified_diff
from pathlib import Path

from waymeet.errors import BusyIndexError, ConflictError, UsageError
from waymeet.ingest.read.decode import decode
from waymeet.notebook import atomic_replace, frontmatter_edit, write_lock
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.fields import WITHOUT_CIRCLES
from waymeet.notebook.file_names import numbered
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.history import History
from waymeet.notebook.item import Item, parsed
from waymeet.notebook.relations import without_circles
from waymeet.settings import Settings

Change = Callable[[Item, str], str]
"""Makes a new text of an entry and its text."""

_PATIENCE = 300.0
"""Seconds; the system lets go for a writer that died, so that only a crowd or one that hangs takes so long."""


class Writer:
    """Changes the files of a project's entries."""

    def __init__(self, shelves: Catalog, beside: Path, settings: Settings) -> None:
        """`beside` is the file next to which the lock and past versions are kept."""
        self.shelves = shelves
        self.history = History(beside.with_name(f"{beside.name}.history"), settings.notebook.history)
        self._lock = beside.with_name(f"{beside.name}.notebook.lock")
        self._largest = min(settings.notebook.max_bytes, settings.ingest.max_file_bytes)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the right to write; the system takes it back when the process ends, however it ends."""
        with ExitStack() as held:
            try:
                self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                held.enter_context(write_lock.hold_write_lock(self._lock, _PATIENCE))
            except TimeoutError as error:
                long = "Another process has been writing entries for a long time."
                raise BusyIndexError(long, "Try again.") from error
            except OSError as error:
                raise UsageError(f"{self._lock.parent} cannot be used: {error.strerror}.") from error
            yield

    def create(self, kind: str, name: str, text: str) -> str:
        """Write a new entry under the first name that is free, and give its path."""
        base, raw = self.shelves.bases[kind], self._encoded(text)
        self._sound(parsed(f"{base.folder}/{name}.md", kind, raw), None)
        for free in numbered(name):
            with _written(f"{base.folder}/{free}.md"):
                if atomic_replace.create(base, f"{free}.md", raw):
                    self.history.keep(f"{base.folder}/{free}.md", raw)
                    return f"{base.folder}/{free}.md"
        raise UsageError(f"There are too many entries called {name}.", "Choose another title.")

    def change(self, path: str, version: str, change: Change) -> bool:
        """Change an entry that must be of a version; False if the change leaves everything as it is.

        Raises:
            ConflictError: it is of another version; nothing was written.
        """
        item, raw = self.writable(path)
        before = _text(path, raw)
        after = change(item, before)
        if item.version != version:
            raise _conflict(path, raw, after)
        if after == before:
            return False
        encoded = self._encoded(after)
        self._sound(parsed(path, item.kind, encoded), item)
        base, inside = self._inside(item)
        with _written(path):
            self.history.keep(path, raw)
        self._kept(path, lambda: atomic_replace.replace(base, inside, version, encoded), after)
        with _written(path):
            self.history.keep(path, encoded)
        return True

    def set(self, path: str, changes: Mapping[str, Value]) -> None:
        """Set fields of an entry as it is now."""
        self.change(
            path, self.shelves.load(path)[0].version, lambda _, text: frontmatter_edit.with_fields(text, changes)
        )

    def remove(self, path: str, version: str) -> Item:
        """Remove an entry that must be of a version."""
        item, raw = self.writable(path)
        if item.version != version:
            raise _conflict(path, raw, "")
        base, inside = self._inside(item)
        with _written(path):
            self.history.keep(path, raw)
        self._kept(path, lambda: atomic_replace.remove(base, inside, version), "")
        return item

    def restore(self, path: str, version: str, past: bytes) -> None:
        """Write an entry's past text again: over the version that it is of, or anew if it is gone."""
        if version:
            self.change(path, version, lambda _item, _text: past.decode("utf-8", "replace"))
            return
        base = next((each for each in self.shelves.bases.values() if path.startswith(f"{each.folder}/")), None)
        if base is None:
            raise UsageError(f"{path} does not lie in a folder of entries any more.", "See the settings notebook.*")
        with _written(path):
            if not atomic_replace.create(base, path.removeprefix(f"{base.folder}/"), past):
                raise _conflict(path, self.shelves.load(path)[1], past.decode("utf-8", "replace"))

    def rescue(self) -> tuple[str, ...]:
        """Bring back what editors wrote into files that were being replaced, and say so."""
        told: list[str] = []
        for base in self.shelves.bases.values():
            try:
                told.extend(
                    f"{base.folder}/{each.kept} holds what was written into {each.path} while that was being replaced"
                    for each in atomic_replace.sweep(base)
                )
            except (OSError, UsageError) as error:  # reading must be possible all the same
                told.append(f"{base.aside} could not be looked through: {error}")
        return tuple(told)

    def writable(self, path: str) -> tuple[Item, bytes]:
        """Read an entry that may be changed."""
        item, raw = self.shelves.load(path)
        if not item.writable:
            folder = self.shelves.bases[item.kind].folder
            raise UsageError(f"{path} is only read: it does not lie in {folder}.", "Change it in an editor.")
        return item, raw

    def _inside(self, item: Item) -> tuple[atomic_replace.Expected, str]:
        base = self.shelves.bases[item.kind]
        return base, item.id.removeprefix(f"{base.folder}/")

    def _sound(self, item: Item, before: Item | None) -> None:
        """Refuse what makes no sense, unless it was there before."""
        new = [problem for problem in item.problems if before is None or problem not in before.problems]
        if new:
            raise UsageError(new[0])
        if any(item.values(key) != (before.values(key) if before else ()) for key in WITHOUT_CIRCLES):
            without_circles(self.shelves.everything(), item)

    def _encoded(self, text: str) -> bytes:
        raw = text.encode()
        if len(raw) > self._largest:
            raise UsageError(
                f"It would be {len(raw):,} bytes long; {self._largest:,} are allowed (setting notebook.max_bytes)."
            )
        return raw

    def _kept(self, path: str, write: Callable[[], bytes | None], refused: str) -> None:
        """Write, and turn what stood in the way into a conflict."""
        try:
            with _written(path):
                found = write()
        except FileNotFoundError as error:
            raise _conflict(path, None, refused) from error
        if found is not None:
            with _written(path):
                self.history.keep(path, found)
            raise _conflict(path, found, refused)


@contextmanager
def _written(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Check its folder and the disk.") from error


def _text(path: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: it cannot be changed here.", "Save it as UTF-8 first.") from error


def _conflict(path: str, current: bytes | None, refused: str) -> ConflictError:
    """Say that somebody else was first, showing both texts."""
    if current is None:
        return ConflictError(f"{path} is gone: nothing was written.", refused=refused)
    decoded = decode(current)
    now = decoded.text if decoded else ""
    version = atomic_replace.version_of(current)
    told = f"{path} has been changed by somebody else: nothing was written. It is now of version {version}."
    hint = f"Read it again, and base the change on version {version}."
    difference = unified_diff(
        now.splitlines(), refused.splitlines(), f"current (version {version})", "refused", lineterm=""
    )
    shown = "\n".join(difference) if refused else now
    return ConflictError(f"{told}\n{shown}", hint, current=now, refused=refused, version=version)
