"""Replacing a file without losing what an editor, who asks nobody, writes into it in the same moment.

The new text is written aside and exchanged with the file in one step. What was there is then looked at: if it is not
what the change was based on, the two are exchanged back, and the change is refused. Where the system cannot exchange
files, the old one is moved aside first and the new one put in its place only if that is still free.

What was replaced stays aside for a while: an editor may have opened it before and may write into it yet. `sweep` looks
at it once more, removes it if it is what it was, and else brings it back beside the entry, so that nothing is lost.

The folder of such files is inside the folder of the entries, for files can be exchanged only within one file system; a
.gitignore in it keeps git and the index away.
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

from waymeet.ingest.read.decode import content_digest
from waymeet.notebook.safe_folder import Folder, below, move, place

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS happen to be the same number."""
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})


def exchanged(one: Folder, name: str, other: Folder, called: str) -> bool:
    """Exchange two files; False, and nothing is done, if this system or file system cannot.

    Raises:
        FileNotFoundError: one of them is not there.
    """
    rename = _rename()
    if rename is None or one.handle is None or other.handle is None:
        return False
    import ctypes  # noqa: PLC0415 - only writing needs it

    if rename(one.handle, os.fsencode(name), other.handle, os.fsencode(called), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), called)


@cache
def _rename() -> Callable[..., Any] | None:
    """Find the system's call for it."""
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    if name is None:
        return None
    import ctypes  # noqa: PLC0415 - only writing needs it

    found = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        found.restype = ctypes.c_int
    return found


ASIDE = ".aside"
_GRACE_NS = 10_000_000_000
"""How long an editor may take between opening a file and closing it."""
_STAMP = re.compile(r"[0-9a-f]{1,16}")
_ABANDONED_NS = 3_600_000_000_000
_LONGEST = 1 << 26
_NAME_BYTES = 160
_MOST_RESCUED = 1000


class Expected(NamedTuple):
    """The folder that holds all entries of a kind."""

    root: Path
    folder: str

    @property
    def aside(self) -> str:
        """Name the folder for what is being replaced."""
        return f"{self.folder}/{ASIDE}"


class Recovered(NamedTuple):
    """Text that somebody wrote into a file that was being replaced."""

    path: str
    kept: str
    """Where it is now; both below the base."""


def version_of(raw: bytes) -> str:
    """Name a state of a file, shortly.

    >>> version_of(b"")
    'cae66941d9ef'
    """
    return content_digest(raw)[:12]


def create(base: Expected, path: str, raw: bytes) -> bool:
    """Write a new file; False, and nothing is done, if there is one of that name."""
    folder, name = posixpath.split(path)
    with _aside(base) as aside, below(base.root, f"{base.folder}/{folder}", create=True) as home:
        draft = _drafted(aside, raw, None)
        if place(aside, draft, home, name):
            home.settle()
            return True
        aside.remove(draft)
        return False


def replace(base: Expected, path: str, expected: str, raw: bytes) -> bytes | None:
    """Replace a file if it is still of the expected version; else give what it holds now, and change nothing.

    Raises:
        FileNotFoundError: it is gone.
    """
    folder, name = posixpath.split(path)
    with below(base.root, f"{base.folder}/{folder}") as home, _aside(base) as aside:
        draft = _drafted(aside, raw, home.mode(name))
        old = _label("k", expected, version_of(raw), path)
        move(aside, draft, aside, old)
        current = home.read(name, _LONGEST)  # at the last moment: to exchange files and back may puzzle an editor
        if version_of(current) != expected:
            aside.remove(old)
            return current
        try:
            if not exchanged(aside, old, home, name):
                return _replaced_by_hand(aside, old, home, name, path)
        except FileNotFoundError:
            aside.remove(old)
            raise
        found = _content(aside, old)
        if found is not None and version_of(found) == expected:
            aside.settle()
            home.settle()
            return None
        _given_back(base, aside, old, home, path)
        return found if found is not None else b""


def remove(base: Expected, path: str, expected: str) -> bytes | None:
    """Remove a file if it is still of the expected version; else give what it holds now, and change nothing.

    Raises:
        FileNotFoundError: it is gone.
    """
    folder, name = posixpath.split(path)
    with below(base.root, f"{base.folder}/{folder}") as home, _aside(base) as aside:
        current = home.read(name, _LONGEST)
        if version_of(current) != expected:
            return current
        old = _label("k", expected, expected, path)
        move(home, name, aside, old)
        found = _content(aside, old)
        if found is not None and version_of(found) == expected:
            home.settle()
            return None
        if not place(aside, old, home, name):
            _rescue(base, aside, old, path)
        return found if found is not None else b""


def sweep(base: Expected, *, now: bool = False) -> tuple[Recovered, ...]:
    """Look once more at what was replaced a while ago: forget it, or bring back what was written into it since."""
    try:
        with below(base.root, base.aside) as aside:
            rescued = [_swept(base, aside, name, now=now) for name in aside.names() if _ours(name)]
    except FileNotFoundError:  # there is nothing aside, or somebody else is sweeping
        return ()
    return tuple(each for each in rescued if each)


def _ours(name: str) -> bool:
    """Tell whether a name is one that we give: a stranger's repository may hold anything.

    >>> _ours("u~17f~a~b~c.md"), _ours("u~zz~a~b~c.md"), _ours("u~17f~a~b~c%00.md"), _ours("note.md")
    (True, False, False, False)
    """
    parts = name.split("~")
    return len(parts) == 5 and bool(_STAMP.fullmatch(parts[1])) and "\0" not in unquote(parts[4])


def _swept(base: Expected, aside: Folder, name: str, *, now: bool) -> Recovered | None:
    state, stamp, old, new, path = name.split("~")
    path = unquote(path)
    age = time_ns() - int(stamp, 16)
    if state == "n":  # a draft that was never finished
        if age > _ABANDONED_NS:
            aside.remove(name)
        return None
    if age < _GRACE_NS and not now:
        return None
    raw = _content(aside, name)
    if raw is None:
        return None
    if version_of(raw) not in {old, new}:
        return _rescue(base, aside, name, path)
    if state == "u" and _restored(base, aside, name, path):
        return None
    aside.remove(name)
    return None


def _restored(base: Expected, aside: Folder, name: str, path: str) -> bool:
    """Put back a file whose replacement was broken off between its two steps."""
    folder, file = posixpath.split(path)
    with below(base.root, f"{base.folder}/{folder}", create=True) as home:
        return place(aside, name, home, file)


def _rescue(base: Expected, aside: Folder, name: str, path: str) -> Recovered:
    """Bring a file from aside back to the entries: under its own name if that is free, else beside it."""
    folder, file = posixpath.split(path)
    stem, ending = posixpath.splitext(file)
    with below(base.root, f"{base.folder}/{folder}", create=True) as home:
        for number in range(_MOST_RESCUED):
            kept = file if not number else f"{stem}.rescued{f'-{number}' if number > 1 else ''}{ending}"
            if place(aside, name, home, kept):
                home.settle()
                return Recovered(path, posixpath.join(folder, kept))
    return Recovered(path, posixpath.join(ASIDE, name))


def _given_back(base: Expected, aside: Folder, old: str, home: Folder, path: str) -> None:
    """Undo an exchange: the file of somebody else returns to its place.

    The refused one stays aside for a while: it was in place for a moment, and somebody may have opened it.
    """
    name, refused = posixpath.basename(path), old.split("~")[3]
    try:
        exchanged(aside, old, home, name)
    except FileNotFoundError:  # removed in between
        if not place(aside, old, home, name):
            _rescue(base, aside, old, path)
        return
    raw = _content(aside, old)
    if raw is None or version_of(raw) != refused:
        _rescue(base, aside, old, path)  # somebody wrote in between, too: both are kept


def _replaced_by_hand(aside: Folder, draft: str, home: Folder, name: str, path: str) -> bytes | None:
    """Replace a file in two steps, neither of which can overwrite anything."""
    _, _, expected, new, _ = draft.split("~")
    old = _label("u", expected, new, path)
    move(home, name, aside, old)
    found = _content(aside, old)
    if found is None or version_of(found) != expected:
        place(aside, old, home, name)  # if the name is taken by now, `sweep` brings it back beside it
        aside.remove(draft)
        return found if found is not None else b""
    if place(aside, draft, home, name):
        move(aside, old, aside, f"k{old[1:]}")
        aside.settle()
        home.settle()
        return None
    aside.remove(draft)
    move(aside, old, aside, f"k{old[1:]}")
    return home.read(name, _LONGEST)


def _content(folder: Folder, name: str) -> bytes | None:
    """Read a file; None if it is no regular one."""
    try:
        return folder.read(name, _LONGEST)
    except OSError:
        return None


def _drafted(aside: Folder, raw: bytes, mode: int | None) -> str:
    name = _label("n", "", version_of(raw), "")
    aside.write(name, raw, mode)
    return name


def _label(state: str, old: str, new: str, path: str) -> str:
    """Say in a file's name what it is: being written (n), under way (u) or kept (k); when; instead of what; of whom.

    The time is also what makes it unique, together with a few random bits.
    """
    shown = quote(path, safe="")
    if len(shown) > _NAME_BYTES:
        stem, ending = posixpath.splitext(posixpath.basename(path))
        shown = quote(stem, safe="")[: _NAME_BYTES - 20].rsplit("%", 3)[0] + quote(ending, safe="")[:20]
    stamp = (time_ns() & ~0xFFF) | int.from_bytes(os.urandom(2), "big") & 0xFFF
    return f"{state}~{stamp:x}~{old}~{new}~{shown}"


@contextmanager
def _aside(base: Expected) -> Iterator[Folder]:
    """Open the folder for what is being replaced, hidden from git and from the index."""
    with below(base.root, base.aside, create=True) as folder:
        if folder.mode(".gitignore") is None:
            with suppress(FileExistsError):
                folder.write(".gitignore", b"*\n")
        yield folder
