"""Saving the state of all notes, tasks and skills, comparing two states, and restoring one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from time import time_ns

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import ConflictError, ItemNotFoundError, UsageError
from waymeet.ingest.discover.entry_kind import KINDS
from waymeet.ingest.read.decode import decode
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.notebook.atomic_replace import version_of
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.checkpoints.storage import Checkpoint, CheckpointFolder, digest_of
from waymeet.notebook.file_names import numbered_names, to_one_line
from waymeet.notebook.writer import Writer

_MAX_NAME_CHARS = 100


class FileChange(Struct, frozen=True):
    """The difference of one file between two states."""

    path: str
    change: str
    """`added`, `changed` or `removed`."""
    diff: str = ""
    """The changed lines, if they were asked for."""


class Restored(Struct, frozen=True):
    """The result of restoring a checkpoint."""

    name: str
    changes: tuple[FileChange, ...] = ()
    """The files that were written or removed."""
    failed: tuple[tuple[str, str], ...] = ()
    """Files that were not restored, with the reason."""
    saved_as: str = ""
    """The checkpoint of the state before; empty if nothing had to be changed."""


class Checkpoints:
    """The checkpoints of a project, stored next to its index."""

    def __init__(self, catalog: Catalog, writer: Writer, index_path: Path, *, masked: bool = True) -> None:
        """Secrets in differences are masked, unless `masked` is false."""
        self._catalog = catalog
        self._masked = masked
        self._writer = writer
        self._folder = CheckpointFolder(index_path.with_name(f"{index_path.name}.checkpoints"))

    def create(self, name: str = "") -> Checkpoint:
        """Save the state of all items, by default under the name of the present time.

        Raises:
            UsageError: there is a checkpoint of that name, or it cannot be written.
        """
        with self._lock():
            return self._save(name, self._read_files())

    def list(self) -> tuple[Checkpoint, ...]:
        """List the checkpoints, the newest first."""
        return tuple(self._folder.all())

    def diff(self, name: str, other: str = "", *, with_text: bool = True) -> tuple[FileChange, ...]:
        """Compare a checkpoint with a later one, by default with the present state."""
        before = _Files(self._folder.find(name).files, self._folder.content)
        after = _Files(self._folder.find(other).files, self._folder.content) if other else self._read_files()
        return tuple(
            self._add_text(change, before, after) if with_text else change for change in _compare(before, after)
        )

    def plan(self, name: str) -> tuple[FileChange, ...]:
        """List what restoring a checkpoint would change."""
        target = _Files(self._folder.find(name).files, self._folder.content)
        return tuple(_compare(self._read_files(), target))

    def restore(
        self,
        name: str,
        *,
        planned: Sequence[FileChange] | None = None,
        on_saved: Callable[[str], None] = lambda _name: None,
    ) -> Restored:
        """Restore all items as they were, and keep the present state as another checkpoint.

        Each file is changed as by an update: its present text is kept in its history, and a file that an editor changes
        meanwhile is left alone and reported. `on_saved` gets the name of the checkpoint of the present state before
        anything is changed.

        Raises:
            ConflictError: the changes are not those `planned` any more; nothing was changed.
        """
        with self._lock():
            target = self._folder.find(name)
            contents = {digest: self._folder.content(digest) for digest in set(target.files.values())}
            present = self._read_files()
            changes = tuple(_compare(present, _Files(target.files, contents.__getitem__)))
            if planned is not None and [(each.path, each.change) for each in planned] != [
                (each.path, each.change) for each in changes
            ]:
                raise ConflictError("Items were changed meanwhile: nothing was restored.", "Run the command again.")
            unreadable = tuple(each for each in present.left_out if each[0] in target.files)
            if not changes:
                return Restored(name, failed=unreadable)
            saved = self._save(f"before-restoring-{name}"[:_MAX_NAME_CHARS], present, numbered=True)
            on_saved(saved.name)
            reasons = [(change.path, self._apply(change, present, target.files, contents)) for change in changes]
        failed = [*((path, reason) for path, reason in reasons if reason), *unreadable]
        not_restored = {path for path, _ in failed}
        done = tuple(change for change in changes if change.path not in not_restored)
        return Restored(name, done, tuple(failed), saved.name)

    def delete(self, name: str) -> Checkpoint:
        """Delete a checkpoint."""
        with self._lock():
            return self._folder.delete(name)

    def _add_text(self, change: FileChange, before: "_Files", after: "_Files") -> FileChange:
        """Add the lines that differ to a change."""
        texts = []
        for raw in (before.read(change.path), after.read(change.path)):
            decoded = decode(raw)
            if decoded is None:
                return replace(change, diff="(not text)")
            texts.append(mask_secrets(decoded.text, change.path).text if self._masked else decoded.text)
        return replace(change, diff=_diff(*texts))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with self._writer.lock():
            try:
                yield
            except OSError as error:
                message = f"The checkpoints cannot be written: {error.strerror or error}."
                raise UsageError(message, "Check the folder's permissions and free disk space.") from error

    def _apply(
        self, change: FileChange, present: "_Files", target: Mapping[str, str], contents: Mapping[str, bytes]
    ) -> str:
        """Restore one file, or return why it was not restored."""
        version = version_of(present.read(change.path)) if change.path in present.digests else ""
        try:
            if change.change == "removed":
                self._writer.remove(change.path, version)
            else:
                self._writer.put(change.path, version, contents[target[change.path]])
        except (ConflictError, ItemNotFoundError, UsageError) as error:
            return error.message.splitlines()[0]
        return ""

    def _save(self, name: str, files: "_Files", *, numbered: bool = False) -> Checkpoint:
        names = numbered_names(name) if numbered else iter((_check_name(name),))
        if not name:
            names = numbered_names(datetime.now().strftime("%Y-%m-%d-%H%M%S"))
        free = next((each for each in names if not self._folder.exists(each)), "")
        if not free:
            raise UsageError(f"There is a checkpoint {name!r} already.", "Choose another name, or delete it first.")
        checkpoint = Checkpoint(free, time_ns(), dict(files.digests), files.left_out)
        self._folder.save(checkpoint, {digest: files.read(path) for path, digest in files.digests.items()})
        return checkpoint

    def _read_files(self) -> "_Files":
        """Read the present files of all items."""
        contents: dict[str, bytes] = {}
        left_out = []
        for kind in KINDS:
            for path in self._catalog.paths(kind):
                if not path.startswith(f"{self._catalog.folders[kind].folder}/"):
                    left_out.append((path, f"it is not in {self._catalog.folders[kind].folder}"))
                    continue
                try:
                    contents[path] = self._catalog.read_bytes(path)[1]
                except (ItemNotFoundError, UsageError) as error:
                    left_out.append((path, error.message))
        digests = {path: digest_of(raw) for path, raw in contents.items()}
        by_digest = {digests[path]: raw for path, raw in contents.items()}
        return _Files(digests, by_digest.__getitem__, tuple(left_out))


class _Files:
    """The files of one state."""

    def __init__(
        self,
        digests: Mapping[str, str],
        content: Callable[[str], bytes],
        left_out: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.digests = digests
        self.left_out = left_out
        self._content = content

    def read(self, path: str) -> bytes:
        return self._content(self.digests[path]) if path in self.digests else b""


def _compare(before: _Files, after: _Files) -> Iterator[FileChange]:
    """Yield the differences of two states, by path. Files that could not be read are left out."""
    left_out = {path for path, _ in (*before.left_out, *after.left_out)}
    for path in sorted(before.digests.keys() | after.digests.keys()):
        one, other = before.digests.get(path), after.digests.get(path)
        if one == other or path in left_out:
            continue
        change = "added" if one is None else "removed" if other is None else "changed"
        yield FileChange(path, change)


def _diff(before: str, after: str) -> str:
    """Return the lines that differ, as a unified diff without file names."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return "\n".join([*lines][2:]) or "(only masked text or line ends differ)"


def _check_name(name: str) -> str:
    """Return a valid name, without surrounding spaces."""
    cleaned = to_one_line(name)
    if len(cleaned) > _MAX_NAME_CHARS:
        raise UsageError(f"The name is longer than {_MAX_NAME_CHARS} characters.", "Choose a shorter one.")
    return cleaned
