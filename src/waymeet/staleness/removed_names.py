"""Definitions that commits removed from a project's source code, by name."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from shutil import which
from time import monotonic

import msgspec
from msgspec import Struct

from waymeet.analysis.file_roles import SOURCE, find_role
from waymeet.ports import Store
from waymeet.staleness.dates import Removal
from waymeet.staleness.git import GitError, run_git

_LOG = (
    "-c core.quotePath=false log -p -U0 -M100% --relative --no-merges --diff-filter=MDR --no-ext-diff --no-textconv "
    "--no-color --no-notes --no-show-signature --format=%x01%H%x20%ct"
).split()
_EXTENSIONS = frozenset("py js jsx mjs cjs ts tsx go rs java kt scala c h cc cpp hpp cs rb php swift".split())
_METADATA_KEY = "removed_names"
_MAX_SECONDS = 5.0
"""Time limit for reading a history. The next reading goes on with older commits."""
_MAX_CHANGED_FILES = 50
"""Files with uncommitted changes whose last committed version is read."""
_MAX_NAMES = 20_000
_MAX_LINE = 400
_MIN_RENAME_RATIO = 0.7
_SECOND = 1_000_000_000
_NOTHING_READ = -1
_COMMIT_CHARS = 10
_WORDS = (
    r"(?:(?:export|default|async|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|virtual|override"
    r"|inline|extern|unsafe|open|suspend|declare)[ \t]+)*"
)
_DEFINITION = re.compile(
    rf"[ \t]{{0,8}}{_WORDS}(?:def|class|func(?:[ \t]*\([^)]*\))?|fn|fun|interface|struct|enum|trait|type|module|object"
    r"|protocol|record)[ \t]+(?P<member>[A-Za-z_$][\w$]*)"
    rf"|{_WORDS}(?:function\*?|const|let|var)[ \t]+(?P<variable>[A-Za-z_$][\w$]*)"
    r"|(?:[\w$]+\.)+(?P<assigned>[A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^()]*\)[ \t]*=>|[\w$]+[ \t]*=>)"
    r"|(?P<global>[A-Za-z_]\w*)[ \t]*(?::[^=\n]{1,80})?=[^=]"
    rf"|(?:[ ]{{2,4}}|\t){_WORDS}(?:[\w<>\[\].*&]+[ \t]+){{0,3}}(?P<method>[A-Za-z_$][\w$]*)[ \t]*"
    r"\([^;{}]*\)[^;{}=]{0,60}\{[ \t]*$"
)
"""Definitions at the top level or in a class, as far as one line shows them. Local ones are indented more."""
_KEYWORDS = frozenset("if for while switch catch function return else do try with match loop unless until elif".split())


class RemovedNames(Struct, frozen=True):
    """Removed definitions by name, as of a commit."""

    head: str = ""
    """Commit up to which the history was read; empty if it was not."""
    names: Mapping[str, Removal] = {}
    since_ns: int = 0
    """Time of the oldest commit that was read, 0 if all were."""


def update_removed_names(store: Store, root: Path, head: str, seconds: float, *, search_history: bool) -> RemovedNames:
    """Bring the removed names in a store up to date with the history.

    Without `search_history` only commits since the last search are read, and nothing if there was none.
    """
    stored = store.metadata(_METADATA_KEY)
    previous = msgspec.json.decode(stored, type=RemovedNames) if stored else RemovedNames()
    if not head or not (previous.head or search_history):
        return previous
    removed = read_removed_names(root, head, previous, min(seconds, _MAX_SECONDS), only_newer=not search_history)
    if removed is not previous:
        store.set_metadata(_METADATA_KEY, msgspec.json.encode(removed).decode())
    return removed


def read_uncommitted_removals(store: Store, root: Path, head: str, seconds: float, now: int) -> dict[str, Removal]:
    """Read the definitions of committed source files that differ in size from the indexed ones."""
    git = which("git")
    if git is None:
        return {}
    deadline = monotonic() + min(seconds, _MAX_SECONDS)
    sizes = {id_: fingerprint.size for id_, fingerprint in store.fingerprints().items()}
    removals: dict[str, Removal] = {}
    with suppress(GitError):  # only names that other evidence shows are reported then
        listing = b"".join(run_git(git, root, ["ls-tree", "-r", "-l", "-z", head], b"", deadline))
        changed = [path for path, size in _parse_tree(listing) if sizes.get(path) != size and _is_source(path)]
        for path in changed[:_MAX_CHANGED_FILES]:
            blocks = run_git(git, root, ["cat-file", "blob", f"{head}:./{path}"], b"", deadline)
            names = (find_definition(line) for line in _lines(blocks))
            removals.update({name: Removal(path, now) for name in names if name})
    return removals


def _parse_tree(listing: bytes) -> Iterator[tuple[str, int]]:
    """Yield the paths and sizes of files in the output of `git ls-tree -l`."""
    for line in listing.decode("utf-8", "surrogateescape").split("\0"):
        attributes, _, path = line.partition("\t")
        size = attributes.rpartition(" ")[2]
        if size.isdigit():
            yield path, int(size)


def _is_source(path: str) -> bool:
    return path.rpartition(".")[2] in _EXTENSIONS and find_role(path, "code", "") == SOURCE


def read_removed_names(
    root: Path, head: str, previous: RemovedNames, seconds: float, *, only_newer: bool = False
) -> RemovedNames:
    """Read the definitions that commits removed, the latest first, until the time is up.

    Only commits since the previous reading are read, if those before are still part of the history. If that reading
    was cut off, the commits before it are.
    """
    git = which("git")
    if git is None or not head or (head == previous.head and not previous.since_ns):
        return previous
    is_newer = bool(previous.head) and _is_ancestor(git, root, previous.head, head, seconds)
    if only_newer and (not is_newer or head == previous.head):  # another branch is checked out, or nothing is new
        return previous
    known = previous if is_newer else RemovedNames()
    if head == known.head:  # go on where the time was up
        read = _read_log(git, root, [head, f"--min-age={known.since_ns // _SECOND - 1}"], seconds)
        names, since_ns = {**read.names, **known.names}, read.since_ns
    else:
        read = _read_log(git, root, [head, *([f"^{known.head}"] if known.head else [])], seconds)
        names, since_ns = {**known.names, **read.names}, read.since_ns or known.since_ns
    if read.since_ns == _NOTHING_READ:
        return known
    return RemovedNames(head, dict(islice(names.items(), _MAX_NAMES)), since_ns)


def _read_log(git: str, root: Path, revisions: Sequence[str], seconds: float) -> RemovedNames:
    """Read the removed definitions of commits, and how far back if the time was up."""
    names: dict[str, Removal] = {}
    command = [*_LOG, *revisions, "--", *(f"*.{extension}" for extension in sorted(_EXTENSIONS))]
    since_ns = _NOTHING_READ
    try:
        for time_ns, removals in _split_commits(_lines(run_git(git, root, command, b"", monotonic() + seconds))):
            since_ns = time_ns or since_ns
            for name, removal in removals.items():
                names.setdefault(name, removal)
    except GitError:  # mostly because the time is up
        return RemovedNames("", names, since_ns)
    return RemovedNames("", names)


def find_definition(line: str) -> str:
    """Return the name that a line of source code defines, or "" if it defines none.

    >>> list(map(find_definition, ("def load(x):", "res.json = function json() {", "  get(key) {", "LIMIT = 3")))
    ['load', 'json', 'get', 'LIMIT']
    >>> list(map(find_definition, ("    if (a) {", "    total = 3", "return load(x)")))
    ['', '', '']
    """
    match = _DEFINITION.match(line[:_MAX_LINE])
    name = next(filter(None, match.groups()), "") if match else ""
    return "" if name in _KEYWORDS else name


def find_similar(name: str, others: Iterable[str], min_ratio: float = _MIN_RENAME_RATIO) -> str:
    """Return the most similar of other names, or "" if none is similar enough.

    >>> find_similar("get_template_attribute", ["get_template_attr", "render_template"])
    'get_template_attr'
    """
    matcher = SequenceMatcher(None, "", name.lower())
    best, best_ratio = "", min_ratio
    for other in others:
        matcher.set_seq1(other.lower())
        if matcher.real_quick_ratio() >= best_ratio and matcher.quick_ratio() >= best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio or (ratio == best_ratio and not best):
                best, best_ratio = other, ratio
    return best


def _is_ancestor(git: str, root: Path, older: str, newer: str, seconds: float) -> bool:
    try:
        for _ in run_git(git, root, ["merge-base", "--is-ancestor", older, newer], b"", monotonic() + seconds):
            pass
    except GitError:
        return False
    return True


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    incomplete = b""
    for block in blocks:
        *complete, incomplete = (incomplete + block).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in complete)
    yield incomplete.decode("utf-8", "replace")


def _split_commits(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Removal]]]:
    """Yield the time and the removed definitions of each commit in the output of `git log -p`."""
    commit = _Commit("", 0)
    is_header = False
    for line in lines:
        if line.startswith("\x01"):
            yield commit.time_ns, commit.removals()
            id_, _, seconds = line[1:].partition(" ")
            commit = _Commit(id_[:_COMMIT_CHARS], int(seconds) * _SECOND if seconds.isdigit() else 0)
        elif line.startswith("diff --git "):
            is_header = True
        elif line.startswith("@@"):
            is_header = False
        elif is_header:
            if line.startswith("--- a/"):
                commit.start_file(line[len("--- a/") :].rstrip("\t"))
        elif line[:1] in {"-", "+"}:
            commit.add_line(line)
    yield commit.time_ns, commit.removals()


class _Commit:
    """Definitions that a commit removes and adds."""

    def __init__(self, id_: str, time_ns: int) -> None:
        self._id = id_
        self.time_ns = time_ns
        self._removed: dict[str, str] = {}
        self._added: dict[str, str] = {}
        self._path = ""
        self._is_source = False

    def start_file(self, path: str) -> None:
        self._path = path
        self._is_source = _is_source(path)

    def add_line(self, line: str) -> None:
        name = find_definition(line[1:]) if self._is_source else ""
        if name:
            (self._removed if line[0] == "-" else self._added).setdefault(name, self._path)

    def removals(self) -> dict[str, Removal]:
        """Return the names that the commit removes and does not add elsewhere."""
        gone = {name: path for name, path in self._removed.items() if name not in self._added}
        new = {name: path for name, path in self._added.items() if name not in self._removed}
        return {
            name: Removal(
                path,
                self.time_ns,
                self._id,
                find_similar(name, (other for other, new_path in new.items() if new_path == path)),
            )
            for name, path in gone.items()
        }
