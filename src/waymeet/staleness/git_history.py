"""What git tells: when the content of files last changed.

Files in the working tree are compared here, not by git, for git would run the filters that a repository configures.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing, suppress
from hashlib import new
from pathlib import Path
from shutil import which
from time import monotonic

from msgspec import Struct

from waymeet.paths import is_visible
from waymeet.staleness.git import GitError, run_git

_LOG = (
    "log -z --raw --no-abbrev -c -M100% --full-diff --no-ext-diff --no-textconv --no-color --no-notes "
    "--no-show-signature --format=%x01%ct --stdin"
).split()
_RENAMINGS = 4
"""How many changes of name are followed back."""
_FEW = 20
_FOR_GONE = 2.0
"""Seconds in which files that are gone are looked for."""
_FOR_FORMER = 2.0
"""Seconds in which former versions of files are looked at."""
_MOST_FORMER = 1 << 20
"""Bytes of a former version that are looked at."""
_SECOND = 1_000_000_000

Reader = Callable[[str], bytes | None]
"""Reads a file of the project by its path; None if it cannot be read."""


class History(Struct, frozen=True):
    """What is known of some paths."""

    head: str = ""
    """The commit that is checked out; empty without a repository."""
    changed: Mapping[str, int] = {}
    """When each path got the content it has now, in nanoseconds; without those that git does not know like this."""
    edited: frozenset[str] = frozenset()
    """The paths that the commit has with another content than they have now."""
    gone: Mapping[str, tuple[int, str]] = {}
    """When each vanished path vanished, and the path that has had its content since, if any."""
    problem: str = ""
    """Why less is known than there might be."""


def head(root: Path, seconds: float) -> History:
    """Say which commit is checked out."""
    if not any(is_visible(folder / ".git") for folder in (root, *root.parents)):
        return History()
    git = which("git")
    if git is None:
        return History(problem="git is not installed: file times were used instead of its history")
    try:
        said = b"".join(run_git(git, root, ["rev-parse", "--verify", "--quiet", "HEAD"], b"", monotonic() + seconds))
    except GitError as error:
        if error.code == 1:  # a repository without any commit
            return History()
        return History(problem=f"git could not be asked ({error}): file times were used instead of its history")
    return History(head=said.decode().strip())


def history(root: Path, paths: Collection[str], gone: Collection[str], read: Reader, seconds: float) -> History:
    """Find out when each of some paths last changed, and when those that are gone vanished.

    One call of `git log` looks at all of them, and ends as soon as all are found or the time is up; files that were
    renamed without a change are looked for once more under the name they had.
    """
    found = head(root, seconds)
    git = which("git")
    if not found.head or git is None:
        return found
    try:
        return _Asked(git, root, monotonic() + seconds).about(found.head, paths, gone, read)
    except GitError as error:
        problem = f"git could not be asked ({error}): file times were used instead of its history"
        return History(head=found.head, problem=problem)


def former(root: Path, commit: str, wanted: Collection[tuple[str, int]], seconds: float) -> dict[tuple[str, int], str]:
    """Give the texts that files had at some times, in nanoseconds, as far as git tells them before the time is up."""
    git = which("git")
    found: dict[tuple[str, int], str] = {}
    if git is None or not wanted:
        return found
    asked = _Asked(git, root, monotonic() + min(seconds, _FOR_FORMER))
    with suppress(GitError):  # without it, a symbol counts as changed when its file was
        for path, at in sorted(wanted):
            with suppress(UnknownFormerError):
                found[path, at] = asked.former(commit, path, at)
    return found


class UnknownFormerError(Exception):
    """A file was not there at some time, or is too large."""


class _Asked:
    """One repository that is being asked, until a deadline."""

    def __init__(self, git: str, root: Path, deadline: float) -> None:
        self._git = git
        self._root = root
        self._deadline = deadline

    def about(self, commit: str, paths: Collection[str], gone: Collection[str], read: Reader) -> History:
        """Collect everything about some paths."""
        shallow, prefix = self._text("rev-parse", "--is-shallow-repository", "--show-prefix").split("\n")[:2]
        blobs = dict(self._tree(commit))
        same = {path: blobs[path] for path in sorted(paths) if path in blobs and _same(read(path), blobs[path])}
        problem = ""
        if shallow == "true":
            problem = "git has only the latest history (a shallow clone): what changed before looks unchanged"
        search = _Sought(prefix, same, ())
        try:
            self._log(commit, search)
            for _ in range(_RENAMINGS):
                if not search.rename():
                    break
                self._log(commit, search)
        except GitError as error:
            search.give_up()
            problem = f"git could not tell everything ({error}): some files may have changed earlier than it seems"
        edited = frozenset(path for path in paths if path in blobs and path not in same)
        return History(commit, search.changed, edited, self._vanished(commit, prefix, blobs, gone), problem)

    def former(self, commit: str, path: str, at: int) -> str:
        """Give the text that a file had at some time.

        Raises:
            UnknownFormerError: it was not there by this name, or is too large.
        """
        time = f"--min-age={at // _SECOND}"
        last = self._text("rev-list", "-1", time, commit, "--", f":(literal){path}").strip()
        if not last:
            raise UnknownFormerError
        prefix = self._text("rev-parse", "--show-prefix").removesuffix("\n")
        text = bytearray()
        try:
            for some in run_git(
                self._git, self._root, ["cat-file", "blob", f"{last}:{prefix}{path}"], b"", self._deadline
            ):
                text += some
                if len(text) > _MOST_FORMER:
                    break
        except GitError as error:
            if error.code:  # it was removed then
                raise UnknownFormerError from error
            raise
        if len(text) > _MOST_FORMER:
            raise UnknownFormerError
        return text.decode("utf-8", "replace")

    def _vanished(
        self, commit: str, prefix: str, blobs: Collection[str], gone: Collection[str]
    ) -> Mapping[str, tuple[int, str]]:
        """Find out when files vanished. A name that never was is looked for in all commits, so not for long."""
        present = {path.casefold() for path in blobs}
        search = _Sought(prefix, {}, [path for path in gone if path.casefold() not in present])
        self._deadline = min(self._deadline, monotonic() + _FOR_GONE)
        with suppress(GitError):  # when it vanished is nice to know, and no judgement hangs on it
            self._log(commit, search)
        return search.gone

    def _tree(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yield the files below the root with the ids of their contents."""
        for line in self._pieces(["ls-tree", "-r", "-z", commit], b""):
            about, _, path = line.partition("\t")
            yield path, about.rpartition(" ")[2]

    def _log(self, commit: str, search: "_Sought") -> None:
        """Go back through the commits until everything sought is found."""
        wanted = search.wanted
        if not wanted:
            return
        # Git compares every file of every commit with every pattern: beyond a few it is quicker to hear of all files.
        patterns = ("--", *wanted) if len(wanted) <= _FEW and not any("\n" in each for each in wanted) else ()
        asked = "\n".join((commit, *patterns, "")).encode("utf-8", "surrogateescape")
        with closing(self._pieces(list(_LOG), asked)) as pieces:
            for piece in pieces:
                record = piece.lstrip("\n")
                if record.startswith("\x01"):
                    if search.done:
                        break
                    search.next_commit(_seconds(record[1:]) * _SECOND)
                elif record.startswith(":"):
                    *_, old, new_, status = record.split(" ")
                    first = next(pieces, "")
                    last = next(pieces, "") if status[0] in "RC" and not record.startswith("::") else first
                    search.record(status, (first, last), (old, new_))

    def _text(self, *command: str) -> str:
        return b"".join(run_git(self._git, self._root, list(command), b"", self._deadline)).decode("utf-8", "replace")

    def _pieces(self, command: list[str], given: bytes) -> Generator[str, None, None]:
        """Yield what git says, piece by piece; letting go of it ends git."""
        rest = b""
        for some in run_git(self._git, self._root, command, given, self._deadline):
            *whole, rest = (rest + some).split(b"\0")
            yield from (piece.decode("utf-8", "surrogateescape") for piece in whole)


class _Sought:
    """The paths that are still looked for in one walk back through the commits, and what was found."""

    def __init__(self, prefix: str, blobs: Mapping[str, str], gone: Collection[str]) -> None:
        self._prefix = prefix
        self._blobs = blobs
        self._paths = {path: path for path in blobs}
        self._gone = {path.casefold(): path for path in gone}
        self._renamed: dict[str, tuple[str, int]] = {}
        self._waiting: dict[str, bool] = {}
        """Former names that do not count yet, with whether their renaming was met: what is newer has only the name."""
        self._at = 0
        self.changed: dict[str, int] = {}
        self.gone: dict[str, tuple[int, str]] = {}

    @property
    def wanted(self) -> list[str]:
        """The names to be looked for in this walk, as git wants them; the case of those that are gone is not known."""
        return [*(f":(literal){path}" for path in self._paths), *(f":(literal,icase){path}" for path in self._gone)]

    @property
    def done(self) -> bool:
        """Whether everything of this walk was found."""
        return not self._paths and not self._gone

    def next_commit(self, at: int) -> None:
        """Note that records of another commit follow: former names whose renaming was passed count from here."""
        self._at = at
        for name in [name for name, passed in self._waiting.items() if passed]:
            del self._waiting[name]

    def record(self, status: str, paths: tuple[str, str], contents: tuple[str, str]) -> None:
        """Take in that a commit changed a file: its paths and the ids of its contents, before and after."""
        if not any(path.startswith(self._prefix) for path in paths):
            return
        old, path = (each.removeprefix(self._prefix) for each in paths)
        if old in self._waiting and status[0] in "DR":
            self._waiting[old] = True
        if old.casefold() in self._gone and status[0] in "DR":
            self.gone[self._gone.pop(old.casefold())] = self._at, path if status[0] == "R" else ""
        if path not in self._paths or path in self._waiting or contents[1] != self._blobs[self._paths[path]]:
            return  # of no interest, or a change on a branch that was given up
        if status[0] == "R":
            self._renamed[old] = self._paths.pop(path), self._at
        elif contents[0] != contents[1]:
            self.changed[self._paths.pop(path)] = self._at

    def give_up(self) -> None:
        """Say of what was not found the least that is known: it has not changed since the last commit looked at."""
        for path, at in self._renamed.values():
            self.changed.setdefault(path, at)
        for path in self._paths.values() if self._at else ():
            self.changed.setdefault(path, self._at)

    def rename(self) -> bool:
        """Get ready to look for renamed files under their former names; tell whether there are any."""
        for path, at in self._renamed.values():
            self.changed[path] = at  # the least that is known, should nothing older be found
        self._paths = {old: path for old, (path, _) in self._renamed.items()}
        self._waiting = dict.fromkeys(self._paths, False)
        self._gone, self._renamed = {}, {}
        return bool(self._paths)


def _same(content: bytes | None, blob: str) -> bool:
    """Tell whether a file is what git holds, whichever line endings it was checked out with."""
    if content is None:
        return False
    sort = "sha1" if len(blob) == 40 else "sha256"
    return any(
        new(sort, b"blob %d\0" % len(form) + form, usedforsecurity=False).hexdigest() == blob
        for form in dict.fromkeys((content, content.replace(b"\r\n", b"\n")))
    )


def _seconds(written: str) -> int:
    """Read the time of a commit; one that says none, or nonsense, is taken to be as old as can be.

    >>> _seconds("1700000000"), _seconds(""), _seconds("-5")
    (1700000000, 0, 0)
    """
    return int(written) if written.isascii() and written.isdigit() else 0
