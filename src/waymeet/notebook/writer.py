"""Changing the files of items: one writer at a time, each change based on a version.

All writers of this package take the write lock. An editor, which takes no lock, loses nothing either: see
`atomic_replace`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from difflib import unified_diff
from pathlib import Path

from waymeet.errors import BusyIndexError, ConflictError, UsageError
from waymeet.ingest.read.decode import decode
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.notebook import atomic_replace, frontmatter_edit
from waymeet.notebook.atomic_replace import ItemFolder
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.fields import ACYCLIC_RELATIONS
from waymeet.notebook.file_names import numbered_names
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.history import History
from waymeet.notebook.item import Item, parse_item
from waymeet.notebook.relations import refuse_cycles
from waymeet.notebook.write_lock import hold_write_lock
from waymeet.settings import Settings

Change = Callable[[Item, str], str]
"""Makes the new text of an item from the item and its current text."""

_LOCK_TIMEOUT_SECONDS = 300.0
"""The lock of a dead writer is free at once, so only very many writers, or one that hangs, take so long."""


class Writer:
    """Changes the files of a project's items."""

    def __init__(
        self, catalog: Catalog, index_path: Path, settings: Settings, refuse_write: Callable[[], None] = lambda: None
    ) -> None:
        """The lock and past versions are stored next to `index_path`.

        `refuse_write` raises an error if nothing may be written.
        """
        self.catalog = catalog
        self._refuse_write = refuse_write
        self.history = History(index_path.with_name(f"{index_path.name}.history"), settings.notebook.history)
        self._lock_file = index_path.with_name(f"{index_path.name}.notebook.lock")
        self._masks_secrets = settings.ingest.mask_secrets
        self._max_bytes = min(settings.notebook.max_bytes, settings.ingest.max_file_bytes)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the write lock.

        Raises:
            BusyIndexError: other writers hold it for too long.
        """
        self._refuse_write()
        with ExitStack() as lock:
            try:
                self._lock_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                lock.enter_context(hold_write_lock(self._lock_file, _LOCK_TIMEOUT_SECONDS))
            except TimeoutError as error:
                message = f"Other processes have been writing items for {_LOCK_TIMEOUT_SECONDS:g} seconds."
                raise BusyIndexError(message, "Try again.") from error
            except OSError as error:
                raise UsageError(f"{self._lock_file.parent} cannot be used: {error.strerror}.") from error
            yield

    def create(self, kind: str, name: str, text: str) -> str:
        """Write a new item under the first free name, and return its path."""
        items, raw = self.catalog.folders[kind], self._encode(text)
        self._validate(parse_item(f"{items.folder}/{name}.md", kind, raw), None)
        for free_name in numbered_names(name):
            path = f"{items.folder}/{free_name}.md"
            with _report_os_errors(path):
                if atomic_replace.create(items, f"{free_name}.md", raw):
                    self.history.save(path, raw)
                    return path
        raise UsageError(f"There are too many items called {name}.", "Choose another title.")

    def change(self, path: str, expected: str, change: Change) -> bool:
        """Change an item of the expected version, and return False if its text stays the same.

        Raises:
            ConflictError: it is of another version; nothing was written.
        """
        item, raw = self.load_writable(path)
        before = _decode(path, raw)
        after = change(item, before)
        if item.version != expected:
            raise self._conflict(path, raw, after)
        if after == before:
            return False
        encoded = self._encode(after)
        self._validate(parse_item(path, item.kind, encoded), item)
        items, inside = self._locate(item)
        with _report_os_errors(path):
            self.history.save(path, raw)
        self._write_or_conflict(path, lambda: atomic_replace.replace(items, inside, expected, encoded), after)
        with _report_os_errors(path):
            self.history.save(path, encoded)
        return True

    def set_fields(self, path: str, changes: Mapping[str, Value]) -> None:
        """Set fields of the current version of an item."""
        version = self.catalog.load(path)[0].version
        self.change(path, version, lambda _, text: frontmatter_edit.set_fields(text, changes))

    def remove(self, path: str, expected: str) -> Item:
        """Remove an item of the expected version."""
        item, raw = self.load_writable(path)
        if item.version != expected:
            raise self._conflict(path, raw, "")
        items, inside = self._locate(item)
        with _report_os_errors(path):
            self.history.save(path, raw)
        self._write_or_conflict(path, lambda: atomic_replace.remove(items, inside, expected), "")
        return item

    def restore(self, path: str, expected: str, past: bytes) -> None:
        """Write a past text over the expected version, or as a new file if that is empty."""
        if expected:
            self.change(path, expected, lambda _item, _text: past.decode("utf-8", "replace"))
            return
        folders = self.catalog.folders.values()
        items = next((folder for folder in folders if path.startswith(f"{folder.folder}/")), None)
        if items is None:
            raise UsageError(f"{path} is not in a folder of the notebook any more.", "See the settings notebook.*")
        with _report_os_errors(path):
            if not atomic_replace.create(items, path.removeprefix(f"{items.folder}/"), past):
                raise self._conflict(path, self.catalog.load(path)[1], past.decode("utf-8", "replace"))

    def put(self, path: str, expected: str, raw: bytes) -> None:
        """Write bytes over the expected version, or as a new file, without validating them.

        Raises:
            ConflictError: the file is of another version; nothing was written.
        """
        kind, current = self.catalog.read_bytes(path) if expected else ("", b"")
        folders = [self.catalog.folders[kind]] if kind else self.catalog.folders.values()
        items = next((items for items in folders if path.startswith(f"{items.folder}/")), None)
        if items is None:
            raise UsageError(f"{path} is not in a folder of the notebook.", "See the settings notebook.*")
        inside, text = path.removeprefix(f"{items.folder}/"), raw.decode("utf-8", "replace")
        if expected:
            with _report_os_errors(path):
                self.history.save(path, current)
            self._write_or_conflict(path, lambda: atomic_replace.replace(items, inside, expected, raw), text)
        else:
            with _report_os_errors(path):
                if not atomic_replace.create(items, inside, raw):
                    raise self._conflict(path, self.catalog.read_bytes(path)[1], text)
        with _report_os_errors(path):
            self.history.save(path, raw)

    def recover(self) -> tuple[str, ...]:
        """Recover texts that editors wrote to files while they were replaced, and say where."""
        messages: list[str] = []
        for items in self.catalog.folders.values():
            try:
                messages.extend(
                    f"{items.folder}/{recovered.saved_as} has text that was written to {recovered.path} while that "
                    "was being replaced"
                    for recovered in atomic_replace.sweep(items)
                )
            except (OSError, UsageError) as error:  # must not prevent reading
                messages.append(f"{items.work_folder} could not be checked: {error}")
        return tuple(messages)

    def load_writable(self, path: str) -> tuple[Item, bytes]:
        """Load an item that may be changed."""
        item, raw = self.catalog.load(path)
        if not item.writable:
            folder = self.catalog.folders[item.kind].folder
            raise UsageError(f"{path} is read-only, because it is not in {folder}.", "Change it in an editor.")
        return item, raw

    def _locate(self, item: Item) -> tuple[ItemFolder, str]:
        """Return an item's folder and its path inside."""
        items = self.catalog.folders[item.kind]
        return items, item.id.removeprefix(f"{items.folder}/")

    def _validate(self, item: Item, before: Item | None) -> None:
        """Refuse problems and cycles of relations, unless the item had them before."""
        new = [problem for problem in item.problems if before is None or problem not in before.problems]
        if new:
            raise UsageError(new[0])
        if any(item.values(key) != (before.values(key) if before else ()) for key in ACYCLIC_RELATIONS):
            refuse_cycles(self.catalog.all_items(), item)

    def _encode(self, text: str) -> bytes:
        raw = text.encode()
        if len(raw) > self._max_bytes:
            raise UsageError(
                f"The item would have {len(raw):,} bytes; {self._max_bytes:,} are allowed (setting notebook.max_bytes)."
            )
        return raw

    def _write_or_conflict(self, path: str, write: Callable[[], bytes | None], refused: str) -> None:
        """Write, and raise a conflict if the file was changed or removed by then."""
        try:
            with _report_os_errors(path):
                current = write()
        except FileNotFoundError as error:
            raise self._conflict(path, None, refused) from error
        if current is not None:
            with _report_os_errors(path):
                self.history.save(path, current)
            raise self._conflict(path, current, refused)

    def _conflict(self, path: str, current: bytes | None, refused: str) -> ConflictError:
        """Make the error for an item that was changed since, with a diff to the refused text.

        Secrets are masked in both texts: a change that is based on them keeps the values.
        """
        refused = self._mask(refused, path)
        if current is None:
            return ConflictError(f"{path} was removed: nothing was written.", refused=refused)
        decoded = decode(current)
        text, version = self._mask(decoded.text if decoded else "", path), atomic_replace.version_of(current)
        message = f"{path} was changed since: nothing was written. Its version is {version} now."
        hint = f"Read it again, and base the change on version {version}."
        names = f"current (version {version})", "refused"
        diff = unified_diff(text.splitlines(), refused.splitlines(), *names, lineterm="")
        details = "\n".join(diff) if refused else text
        return ConflictError(f"{message}\n{details}", hint, current=text, refused=refused, version=version)

    def _mask(self, text: str, path: str) -> str:
        return mask_secrets(text, path).text if self._masks_secrets else text


@contextmanager
def _report_os_errors(path: str) -> Iterator[None]:
    """Turn errors of the file system into a message, except that a file does not exist."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise UsageError(message, "Check the folder's permissions and free disk space.") from error


def _decode(path: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 and cannot be changed here.", "Save it as UTF-8 first.") from error
