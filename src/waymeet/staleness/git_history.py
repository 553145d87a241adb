"""Change dates of files from the git history.

Files in the working tree are compared with their blobs here, not by git: git would run the filters that a repository
configures.
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
_MAX_RENAMES = 4
"""Number of renames that are followed back."""
_MAX_PATTERNS = 20
"""Number of paths up to which `git log` gets them as patterns."""
_GONE_SECONDS = 2.0
"""Time limit for the search for removed files."""
_FORMER_SECONDS = 2.0
"""Time limit for reading former versions of files."""
_MAX_FORMER_BYTES = 1 << 20
"""Size limit of a former version."""
_SECOND = 1_000_000_000
_SHA1_DIGITS = 40

Reader = Callable[[str], bytes | None]
"""Reads a file of the project by its path; None if it cannot be read."""


class History(Struct, frozen=True):
    """Change dates of some paths, as git knows them."""

    head: str = ""
    """Commit that is checked out; empty without a repository."""
    changed: Mapping[str, int] = {}
    """Time in nanoseconds at which each path got its present content, without paths that differ from the commit."""
    edited: frozenset[str] = frozenset()
    """Paths whose content differs from that in the commit."""
    gone: Mapping[str, tuple[int, str]] = {}
    """Removed paths: time of removal and the path that has the content since, if any."""
    problem: str = ""
    """Warning for the user if dates may be incomplete; otherwise empty."""


def read_head(root: Path, seconds: float) -> History:
    """Read which commit is checked out."""
    if not any(is_visible(folder / ".git") for folder in (root, *root.parents)):
        return History()
    git = which("git")
    if git is None:
        return History(problem="git is not installed; file times were used instead of commit dates")
    try:
        output = b"".join(run_git(git, root, ["rev-parse", "--verify", "--quiet", "HEAD"], b"", monotonic() + seconds))
    except GitError as error:
        if error.code == 1:  # a repository without any commit
            return History()
        return History(problem=_describe_failure(error))
    return History(head=output.decode().strip())


def _describe_failure(error: GitError) -> str:
    return f"git failed ({error}); file times were used instead of commit dates"


def read_history(root: Path, paths: Collection[str], gone: Collection[str], read: Reader, seconds: float) -> History:
    """Find out when paths last changed, and when missing ones were removed.

    One call of `git log` covers all paths and ends as soon as all are found or the time is up. Another one looks for
    files that were renamed without a change, under their former names.
    """
    history = read_head(root, seconds)
    git = which("git")
    if not history.head or git is None:
        return history
    try:
        return _Repository(git, root, monotonic() + seconds).collect_history(history.head, paths, gone, read)
    except GitError as error:
        return History(head=history.head, problem=_describe_failure(error))


def read_changed_paths(root: Path, before: str, after: str, seconds: float) -> frozenset[str] | None:
    """List the paths that differ between two commits, or return None if git cannot compare them."""
    git = which("git")
    if git is None:
        return None
    command = ["diff", "--name-only", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"]
    try:
        output = b"".join(run_git(git, root, [*command, before, after, "--"], b"", monotonic() + seconds))
    except GitError:  # for example because the commit is gone after a rebase
        return None
    return frozenset(path for path in output.decode("utf-8", "surrogateescape").split("\0") if path)


def read_former_texts(
    root: Path, commit: str, versions: Collection[tuple[str, int]], seconds: float
) -> dict[tuple[str, int], str]:
    """Read the texts that files had at given times (in nanoseconds), until the time is up."""
    git = which("git")
    texts: dict[tuple[str, int], str] = {}
    if git is None or not versions:
        return texts
    repository = _Repository(git, root, monotonic() + min(seconds, _FORMER_SECONDS))
    with suppress(GitError):  # without a former text, a symbol counts as changed when its file was
        for path, time_ns in sorted(versions):
            with suppress(UnknownFormerError):
                texts[path, time_ns] = repository.read_former(commit, path, time_ns)
    return texts


class UnknownFormerError(Exception):
    """A file did not exist at some time, or was too large."""


class _Repository:
    """Queries to one repository, until a deadline."""

    def __init__(self, git: str, root: Path, deadline: float) -> None:
        self._git = git
        self._root = root
        self._deadline = deadline

    def collect_history(self, commit: str, paths: Collection[str], gone: Collection[str], read: Reader) -> History:
        """Collect the change dates of paths and the dates of removed files."""
        shallow, prefix = self._output("rev-parse", "--is-shallow-repository", "--show-prefix").split("\n")[:2]
        blobs = dict(self._list_blobs(commit))
        same = {path: blobs[path] for path in sorted(paths) if path in blobs and _is_blob(read(path), blobs[path])}
        problem = ""
        if shallow == "true":
            problem = "shallow git clone; changes before the first available commit are not known"
        walk = _CommitWalk(prefix, same, ())
        try:
            self._walk_commits(commit, walk)
            for _ in range(_MAX_RENAMES):
                if not walk.continue_with_former_names():
                    break
                self._walk_commits(commit, walk)
        except GitError as error:
            walk.assume_unchanged()
            problem = f"git history incomplete ({error}); some files may have changed earlier than shown"
        edited = frozenset(path for path in paths if path in blobs and path not in same)
        return History(commit, walk.changed, edited, self._find_removals(commit, prefix, blobs, gone), problem)

    def read_former(self, commit: str, path: str, time_ns: int) -> str:
        """Read the text that a file had at some time.

        Raises:
            UnknownFormerError: it did not exist by this name, or is too large.
        """
        age = f"--min-age={time_ns // _SECOND}"
        last = self._output("rev-list", "-1", age, commit, "--", f":(literal){path}").strip()
        if not last:
            raise UnknownFormerError
        prefix = self._output("rev-parse", "--show-prefix").removesuffix("\n")
        text = bytearray()
        command = ["cat-file", "blob", f"{last}:{prefix}{path}"]
        try:
            for block in run_git(self._git, self._root, command, b"", self._deadline):
                text += block
                if len(text) > _MAX_FORMER_BYTES:
                    break
        except GitError as error:
            if error.code:  # that commit removed the file
                raise UnknownFormerError from error
            raise
        if len(text) > _MAX_FORMER_BYTES:
            raise UnknownFormerError
        return text.decode("utf-8", "replace")

    def _find_removals(
        self, commit: str, prefix: str, blobs: Collection[str], gone: Collection[str]
    ) -> Mapping[str, tuple[int, str]]:
        """Find out when files were removed.

        The time limit is short: a name that never existed is looked for in all commits.
        """
        present = {path.casefold() for path in blobs}
        walk = _CommitWalk(prefix, {}, [path for path in gone if path.casefold() not in present])
        self._deadline = min(self._deadline, monotonic() + _GONE_SECONDS)
        with suppress(GitError):  # no verdict depends on the date of a removal
            self._walk_commits(commit, walk)
        return walk.gone

    def _list_blobs(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yield the files below the root with the ids of their contents."""
        for line in self._fields(["ls-tree", "-r", "-z", commit], b""):
            attributes, _, path = line.partition("\t")
            yield path, attributes.rpartition(" ")[2]

    def _walk_commits(self, commit: str, walk: "_CommitWalk") -> None:
        """Go back through the commits until all paths of the walk are found."""
        pathspecs = walk.pathspecs
        if not pathspecs:
            return
        # Git compares every file of every commit with every pattern: beyond a few it is quicker to list all files.
        few = len(pathspecs) <= _MAX_PATTERNS and not any("\n" in pathspec for pathspec in pathspecs)
        arguments = (commit, "--", *pathspecs, "") if few else (commit, "")
        stdin = "\n".join(arguments).encode("utf-8", "surrogateescape")
        with closing(self._fields(list(_LOG), stdin)) as fields:
            for field in fields:
                record = field.lstrip("\n")
                if record.startswith("\x01"):
                    if walk.is_complete:
                        break
                    walk.start_commit(_parse_seconds(record[1:]) * _SECOND)
                elif record.startswith(":"):
                    *_, old_blob, new_blob, status = record.split(" ")
                    first = next(fields, "")
                    last = next(fields, "") if status[0] in "RC" and not record.startswith("::") else first
                    walk.record_change(status, (first, last), (old_blob, new_blob))

    def _output(self, *command: str) -> str:
        return b"".join(run_git(self._git, self._root, list(command), b"", self._deadline)).decode("utf-8", "replace")

    def _fields(self, command: list[str], stdin: bytes) -> Generator[str, None, None]:
        """Yield the NUL-separated fields of git's output. Closing the generator ends git."""
        incomplete = b""
        for block in run_git(self._git, self._root, command, stdin, self._deadline):
            *complete, incomplete = (incomplete + block).split(b"\0")
            yield from (field.decode("utf-8", "surrogateescape") for field in complete)


class _CommitWalk:
    """Paths still looked for while walking back through the commits, and the dates found."""

    def __init__(self, prefix: str, blobs: Mapping[str, str], gone: Collection[str]) -> None:
        self._prefix = prefix
        self._blobs = blobs
        self._paths = {path: path for path in blobs}
        """Present path by the name that is looked for in this walk."""
        self._gone = {path.casefold(): path for path in gone}
        self._renamed: dict[str, tuple[str, int]] = {}
        """Present path and time of renaming, by former name."""
        self._pending: dict[str, bool] = {}
        """Former names that do not count yet, with whether this walk has reached their renaming.

        Newer commits may have another file of the same name.
        """
        self._commit_ns = 0
        self.changed: dict[str, int] = {}
        self.gone: dict[str, tuple[int, str]] = {}

    @property
    def pathspecs(self) -> list[str]:
        """Git pathspecs of this walk, without regard to case for removed files."""
        return [*(f":(literal){path}" for path in self._paths), *(f":(literal,icase){path}" for path in self._gone)]

    @property
    def is_complete(self) -> bool:
        """Whether all paths of this walk were found."""
        return not self._paths and not self._gone

    def start_commit(self, time_ns: int) -> None:
        """Start the records of another commit.

        Former names whose renaming was reached count from here on.
        """
        self._commit_ns = time_ns
        for name in [name for name, is_reached in self._pending.items() if is_reached]:
            del self._pending[name]

    def record_change(self, status: str, paths: tuple[str, str], blobs: tuple[str, str]) -> None:
        """Record that the commit changed a file, by its paths and blob ids before and after."""
        if not any(path.startswith(self._prefix) for path in paths):
            return
        old, path = (each.removeprefix(self._prefix) for each in paths)
        if old in self._pending and status[0] in "DR":
            self._pending[old] = True
        if old.casefold() in self._gone and status[0] in "DR":
            self.gone[self._gone.pop(old.casefold())] = self._commit_ns, path if status[0] == "R" else ""
        if path not in self._paths or path in self._pending or blobs[1] != self._blobs[self._paths[path]]:
            return  # another file, or a change on a branch whose content was not merged
        if status[0] == "R":
            self._renamed[old] = self._paths.pop(path), self._commit_ns
        elif blobs[0] != blobs[1]:
            self.changed[self._paths.pop(path)] = self._commit_ns

    def assume_unchanged(self) -> None:
        """Date each path not found by the last commit seen: it has not changed since then."""
        for path, time_ns in self._renamed.values():
            self.changed.setdefault(path, time_ns)
        for path in self._paths.values() if self._commit_ns else ():
            self.changed.setdefault(path, self._commit_ns)

    def continue_with_former_names(self) -> bool:
        """Prepare a walk for the former names of renamed files, and return whether there are any."""
        for path, time_ns in self._renamed.values():
            self.changed[path] = time_ns  # the latest possible date, in case nothing older is found
        self._paths = {old: path for old, (path, _) in self._renamed.items()}
        self._pending = dict.fromkeys(self._paths, False)
        self._gone, self._renamed = {}, {}
        return bool(self._paths)


def _is_blob(content: bytes | None, blob: str) -> bool:
    """Check whether a file has the content of a git blob, with either kind of line endings."""
    if content is None:
        return False
    algorithm = "sha1" if len(blob) == _SHA1_DIGITS else "sha256"
    return any(
        new(algorithm, b"blob %d\0" % len(form) + form, usedforsecurity=False).hexdigest() == blob
        for form in dict.fromkeys((content, content.replace(b"\r\n", b"\n")))
    )


def _parse_seconds(written: str) -> int:
    """Parse the time of a commit, 0 if it is missing or invalid.

    >>> _parse_seconds("1700000000"), _parse_seconds(""), _parse_seconds("-5")
    (1700000000, 0, 0)
    """
    return int(written) if written.isascii() and written.isdigit() else 0
