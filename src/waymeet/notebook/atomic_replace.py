"""Replacing a file without losing what an editor writes to it at the same time.

An editor takes no lock, so it may save the file between our last look at it and our rename, and a rename would
overwrite its text. Therefore the new text is written to a draft, and the draft and the file are *exchanged* in one
system call (rename-exchange). The draft's name then holds the old file. If its content is not of the expected version,
the two are exchanged back, and the change is refused as a conflict. On systems that cannot exchange files, the old
file is moved away first, and the new one is put in its place only if no file has that name again.

The replaced file is kept for a while: an editor may have opened it before and may still write to it. `sweep` checks it
later. It is removed if its content is a known version, and else recovered next to the item.

These files are in the folder `.aside` inside the folder of the items, because only files of one file system can be
exchanged. A .gitignore in it hides it from git and from the index.
"""

import errno
import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from waymeet.errors import UsageError
from waymeet.ingest.read.decode import content_digest
from waymeet.notebook.safe_folder import Folder, move_file, move_if_free, open_folder

WORK_FOLDER = ".aside"
"""The folder of drafts and replaced files."""
_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS, which are the same number."""
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})
_GRACE_NS = 10_000_000_000
"""The time that an editor may take between opening a file and closing it."""
_ABANDONED_NS = 3_600_000_000_000
"""The age from which an unfinished draft is removed."""
_STAMP = re.compile(r"[0-9a-f]{1,16}")
_MAX_BYTES = 1 << 26
_MAX_NAME_BYTES = 160
_MAX_RECOVERED = 1000
# The first field of a name in the work folder, see `_work_name`.
_DRAFT, _MOVED_AWAY, _REPLACED = "n", "u", "k"


class ItemFolder(NamedTuple):
    """The folder of all items of a kind."""

    root: Path
    folder: str
    """Its path below the root."""

    @property
    def work_folder(self) -> str:
        """The path of the folder of drafts and replaced files below the root."""
        return f"{self.folder}/{WORK_FOLDER}"


class Recovered(NamedTuple):
    """A text that was written to a file while it was being replaced."""

    path: str
    """The item's path."""
    saved_as: str
    """The path of the recovered text; both are below the item folder."""


def version_of(raw: bytes) -> str:
    """Compute the version of a file: the first digits of its hash.

    >>> version_of(b"")
    'cae66941d9ef'
    """
    return content_digest(raw)[:12]


def create(items: ItemFolder, path: str, raw: bytes) -> bool:
    """Write a new file unless one of that name exists, and return whether it was written."""
    folder, name = posixpath.split(path)
    with _open_work_folder(items) as work, open_folder(items.root, f"{items.folder}/{folder}", create=True) as home:
        draft = _write_draft(work, raw, None)
        if move_if_free(work, draft, home, name):
            home.sync()
            return True
        work.remove(draft)
        return False


def replace(items: ItemFolder, path: str, expected: str, raw: bytes) -> bytes | None:
    """Replace a file of the expected version.

    Returns None, or the current content if the file is of another version and nothing was changed.

    Raises:
        FileNotFoundError: the file does not exist any more.
    """
    folder, name = posixpath.split(path)
    with open_folder(items.root, f"{items.folder}/{folder}") as home, _open_work_folder(items) as work:
        draft = _write_draft(work, raw, home.mode(name))
        # After the exchange, this name holds the old file, so it already says what that is.
        replaced = _work_name(_REPLACED, expected, version_of(raw), path)
        move_file(work, draft, work, replaced)
        # Checked as late as possible: an exchange that is undone may confuse an editor that watches the file.
        current = home.read(name, _MAX_BYTES)
        if version_of(current) != expected:
            work.remove(replaced)
            return current
        try:
            if not exchange_files(work, replaced, home, name):
                return _replace_in_two_steps(work, replaced, home, name, path)
        except FileNotFoundError:
            work.remove(replaced)
            raise
        old = _read_regular(work, replaced)
        if old is not None and version_of(old) == expected:
            work.sync()
            home.sync()
            return None
        _undo_exchange(items, work, replaced, home, path)
        return old if old is not None else b""


def remove(items: ItemFolder, path: str, expected: str) -> bytes | None:
    """Remove a file of the expected version.

    Returns None, or the current content if the file is of another version and nothing was changed.

    Raises:
        FileNotFoundError: the file does not exist any more.
    """
    folder, name = posixpath.split(path)
    with open_folder(items.root, f"{items.folder}/{folder}") as home, _open_work_folder(items) as work:
        current = home.read(name, _MAX_BYTES)
        if version_of(current) != expected:
            return current
        removed = _work_name(_REPLACED, expected, expected, path)
        move_file(home, name, work, removed)
        old = _read_regular(work, removed)
        if old is not None and version_of(old) == expected:
            home.sync()
            return None
        if not move_if_free(work, removed, home, name):
            _recover(items, work, removed, path)
        return old if old is not None else b""


def exchange_files(one: Folder, name: str, other: Folder, other_name: str) -> bool:
    """Exchange two files atomically, and return False if the system or file system cannot do so.

    Raises:
        FileNotFoundError: one of the files does not exist.
    """
    rename = _rename_call()
    if rename is None or one.handle is None or other.handle is None:
        return False
    import ctypes  # noqa: PLC0415 - only writing needs it

    if rename(one.handle, os.fsencode(name), other.handle, os.fsencode(other_name), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), other_name)


@cache
def _rename_call() -> Callable[..., Any] | None:
    """Find the system's rename call that takes flags, which Python's `os` does not offer."""
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    if name is None:
        return None
    import ctypes  # noqa: PLC0415 - only writing needs it

    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        call.restype = ctypes.c_int
    return call


def _replace_in_two_steps(work: Folder, draft: str, home: Folder, name: str, path: str) -> bytes | None:
    """Replace a file by two renames, neither of which can overwrite a file."""
    _, _, expected, new, _ = draft.split("~")
    old_name = _work_name(_MOVED_AWAY, expected, new, path)
    move_file(home, name, work, old_name)
    old = _read_regular(work, old_name)
    if old is None or version_of(old) != expected:
        move_if_free(work, old_name, home, name)  # if the name is taken by now, `sweep` recovers the old file
        work.remove(draft)
        return old if old is not None else b""
    is_replaced = move_if_free(work, draft, home, name)
    if not is_replaced:
        work.remove(draft)
    # The old file stays in the work folder, as after an exchange.
    move_file(work, old_name, work, f"{_REPLACED}{old_name[1:]}")
    if not is_replaced:
        return home.read(name, _MAX_BYTES)
    work.sync()
    home.sync()
    return None


def _undo_exchange(items: ItemFolder, work: Folder, replaced: str, home: Folder, path: str) -> None:
    """Exchange back, so that the editor's file is in its place again.

    The refused text stays in the work folder for a while: it was in place for a moment, in which an editor may have
    opened it.
    """
    name, refused = posixpath.basename(path), replaced.split("~")[3]
    try:
        exchange_files(work, replaced, home, name)
    except FileNotFoundError:  # removed in between
        if not move_if_free(work, replaced, home, name):
            _recover(items, work, replaced, path)
        return
    raw = _read_regular(work, replaced)
    if raw is None or version_of(raw) != refused:
        _recover(items, work, replaced, path)  # an editor wrote in between, too: both texts are kept


def sweep(items: ItemFolder, *, now: bool = False) -> tuple[Recovered, ...]:
    """Remove files that were replaced a while ago, and recover what was written to them since.

    With `now`, files that were replaced a moment ago are checked, too.
    """
    try:
        with open_folder(items.root, items.work_folder) as work:
            recovered = [_try_to_sweep(items, work, name, now=now) for name in work.names() if _is_work_name(name)]
    except FileNotFoundError:  # there is no work folder
        return ()
    return tuple(each for each in recovered if each)


def _try_to_sweep(items: ItemFolder, work: Folder, name: str, *, now: bool) -> Recovered | None:
    """Sweep one file, or leave it where it is if its name cannot be used.

    A repository may contain names that lead out of the item folder or are too long, and another process may sweep the
    same file. Neither must stop the recovery of the other files.
    """
    try:
        return _sweep_file(items, work, name, now=now)
    except (OSError, UsageError):
        return None


def _sweep_file(items: ItemFolder, work: Folder, name: str, *, now: bool) -> Recovered | None:
    state, stamp, old, new, path = name.split("~")
    path = unquote(path)
    age = time_ns() - int(stamp, 16)
    if state == _DRAFT:  # never finished
        if age > _ABANDONED_NS:
            work.remove(name)
        return None
    if age < _GRACE_NS and not now:
        return None
    raw = _read_regular(work, name)
    if raw is None:
        return None
    if version_of(raw) not in {old, new}:
        return _recover(items, work, name, path)
    if state == _MOVED_AWAY and _restore(items, work, name, path):
        return None
    work.remove(name)
    return None


def _restore(items: ItemFolder, work: Folder, name: str, path: str) -> bool:
    """Put back a file whose replacement was interrupted between its two steps."""
    folder, file = posixpath.split(path)
    with open_folder(items.root, f"{items.folder}/{folder}", create=True) as home:
        return move_if_free(work, name, home, file)


def _recover(items: ItemFolder, work: Folder, name: str, path: str) -> Recovered:
    """Move a file back to the items, under its own name or, if that exists, a similar one."""
    folder, file = posixpath.split(path)
    stem, ending = posixpath.splitext(file)
    with open_folder(items.root, f"{items.folder}/{folder}", create=True) as home:
        for number in range(_MAX_RECOVERED):
            saved_as = file if not number else f"{stem}.rescued{f'-{number}' if number > 1 else ''}{ending}"
            if move_if_free(work, name, home, saved_as):
                home.sync()
                return Recovered(path, posixpath.join(folder, saved_as))
    return Recovered(path, posixpath.join(WORK_FOLDER, name))


def _read_regular(folder: Folder, name: str) -> bytes | None:
    """Read a file, or return None if it is not a regular one."""
    try:
        return folder.read(name, _MAX_BYTES)
    except OSError:
        return None


def _write_draft(work: Folder, raw: bytes, mode: int | None) -> str:
    """Write a draft with the given permissions, and return its name."""
    name = _work_name(_DRAFT, "", version_of(raw), "")
    work.write(name, raw, mode)
    return name


def _work_name(state: str, old: str, new: str, path: str) -> str:
    """Make a name in the work folder: `state~time~old version~new version~path`.

    The state is `n` for a draft, `u` for a file that was moved away and not replaced yet, `k` for a replaced one. The
    time, with a few random bits, makes the name unique.
    """
    quoted = quote(path, safe="")
    if len(quoted) > _MAX_NAME_BYTES:
        stem, ending = posixpath.splitext(posixpath.basename(path))
        quoted = quote(stem, safe="")[: _MAX_NAME_BYTES - 20].rsplit("%", 3)[0] + quote(ending, safe="")[:20]
    stamp = (time_ns() & ~0xFFF) | int.from_bytes(os.urandom(2), "big") & 0xFFF
    return f"{state}~{stamp:x}~{old}~{new}~{quoted}"


def _is_work_name(name: str) -> bool:
    """Check whether a name has the form of `_work_name`, as a repository may have any file.

    >>> _is_work_name("u~17f~a~b~c.md"), _is_work_name("u~zz~a~b~c.md"), _is_work_name("u~17f~a~b~c%00.md")
    (True, False, False)
    >>> _is_work_name("note.md")
    False
    """
    parts = name.split("~")
    return len(parts) == 5 and bool(_STAMP.fullmatch(parts[1])) and "\0" not in unquote(parts[4])


@contextmanager
def _open_work_folder(items: ItemFolder) -> Iterator[Folder]:
    """Open the folder of drafts and replaced files, hidden from git and from the index."""
    with open_folder(items.root, items.work_folder, create=True) as folder:
        if folder.mode(".gitignore") is None:
            with suppress(FileExistsError):
                folder.write(".gitignore", b"*\n")
        yield folder
