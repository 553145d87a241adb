"""Labels from git: subjects of commits, relevant to the files that they changed."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from shutil import which
from time import monotonic

from waymeet.analysis import normalise_text
from waymeet.evaluate.mining.labels import COMMITS, Label
from waymeet.evaluate.mining.questions import is_changelog, is_usable_query
from waymeet.ingest.filetypes import file_type
from waymeet.paths import is_visible
from waymeet.staleness.git import GitError, run_git

_LOG = (
    "log -z --no-merges --no-renames --no-ext-diff --no-textconv --no-color --no-notes --no-show-signature "
    "--relative --name-only --diff-filter=AM --max-count=2000 --format=%x01%s%x02 HEAD -- ."
).split()
_MAX_FILES = 5
"""A commit that changed more files is about none of them in particular."""
_GENERATED = frozenset({"", "json", "csv", "xml", "diff", "log"})
"""Languages of files that are mostly written by programs and rarely searched for in words."""
_CHORES = re.compile(r"(?i)\W*(?:merge|revert|bump|release|version|wip|fixup!|squash!|initial commit|v?\d+\.\d+)\b")
_TICKET = re.compile(r"\s*\(?#\d+\)?|^\w+(?:\([^)]*\))?!?:\s+")
"""The number of a ticket, or a prefix such as `fix(parser):`, which no query has."""


def find_commit_labels(root: Path, documents: Collection[str], timeout_seconds: float) -> tuple[list[Label], str]:
    """Find commits whose files are still indexed, or the reason why git cannot list any."""
    if not any(is_visible(folder / ".git") for folder in (root, *root.parents)):
        return [], "no git repository"
    git = which("git")
    if git is None:
        return [], "git is not installed"
    try:
        log = b"".join(run_git(git, root, list(_LOG), b"", monotonic() + timeout_seconds))
    except GitError as error:
        return [], f"git failed: {error}"
    return list(_parse_log(log.decode("utf-8", "replace"), frozenset(documents))), ""


def _parse_log(log: str, documents: frozenset[str]) -> Iterator[Label]:
    subjects: set[str] = set()
    for record in log.split("\x01")[1:]:
        subject, _, files = record.partition("\x02")
        text = " ".join(_TICKET.sub("", subject).split())
        changed = {path for each in files.split("\0") if (path := each.strip("\n")) and _is_written_by_hand(path)}
        relevant = tuple(sorted(changed & documents))
        if not relevant or len(changed) > _MAX_FILES or _CHORES.match(text) or not is_usable_query(text):
            continue
        if len(text.split()) > 2 and normalise_text(text) not in subjects:
            subjects.add(normalise_text(text))
            yield Label(COMMITS, text, relevant)


def _is_written_by_hand(path: str) -> bool:
    return not is_changelog(path) and file_type(path).language not in _GENERATED
