"""Labels from git: what a commit says it did, and the files it did it to."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from shutil import which
from time import monotonic

from waymeet.analysis import normalise_text
from waymeet.evaluate.mining.labels import COMMITS, Label
from waymeet.evaluate.mining.questions import is_log, says_something
from waymeet.ingest.filetypes import file_type
from waymeet.paths import is_visible
from waymeet.staleness.git import GitError, run_git

_LOG = (
    "log -z --no-merges --no-renames --no-ext-diff --no-textconv --no-color --no-notes --no-show-signature "
    "--relative --name-only --diff-filter=AM --max-count=2000 --format=%x01%s%x02 HEAD -- ."
).split()
_MOST_FILES = 5
"""A commit that changed more was about no file in particular."""
_RECORDS = frozenset({"", "json", "csv", "xml", "diff", "log"})
"""Languages of files that programs write more often than people do: nobody asks for them in words."""
_CHORES = re.compile(r"(?i)\W*(?:merge|revert|bump|release|version|wip|fixup!|squash!|initial commit|v?\d+\.\d+)\b")
_TICKET = re.compile(r"\s*\(?#\d+\)?|^\w+(?:\([^)]*\))?!?:\s+")
"""A number of a ticket, or `fix(parser):` in front: no question has them."""


def from_commits(root: Path, documents: Collection[str], seconds: float) -> tuple[list[Label], str]:
    """Find commits whose files are still there; also say why there are none, if git cannot tell."""
    if not any(is_visible(folder / ".git") for folder in (root, *root.parents)):
        return [], "no git repository"
    git = which("git")
    if git is None:
        return [], "git is not installed"
    try:
        said = b"".join(run_git(git, root, list(_LOG), b"", monotonic() + seconds))
    except GitError as error:
        return [], f"git could not be asked: {error}"
    return list(_labels(said.decode("utf-8", "replace"), frozenset(documents))), ""


def _labels(said: str, documents: frozenset[str]) -> Iterator[Label]:
    seen: set[str] = set()
    for record in said.split("\x01")[1:]:
        subject, _, rest = record.partition("\x02")
        text = " ".join(_TICKET.sub("", subject).split())
        changed = {path for each in rest.split("\0") if (path := each.strip("\n")) and _is_written(path)}
        right = tuple(sorted(changed & documents))
        if not right or len(changed) > _MOST_FILES or _CHORES.match(text) or not says_something(text):
            continue
        if len(text.split()) > 2 and normalise_text(text) not in seen:
            seen.add(normalise_text(text))
            yield Label(COMMITS, text, right)


def _is_written(path: str) -> bool:
    return not is_log(path) and file_type(path).language not in _RECORDS
