"""Why a file is not indexed: the line of an ignore file that leaves it out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from waymeet.ingest.discover.ignore import Rules
from waymeet.ingest.read.safe_read import read
from waymeet.settings import Ingest

_LARGEST = 1_000_000
_FILES = (".waymeetignore", ".gitignore")
_EXCLUDE = ".git/info/exclude"


def ignored_by(root: Path, path: str, ingest: Ingest) -> str:
    """Name the rule that leaves a path out, or a folder it lies in; empty if none does.

    The strongest rule decides, as in `discover.walk`; rules from outside of the project are not looked at.
    """
    parts = path.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        above = ["/".join(parts[:n]) + "/" if n else "" for n in range(depth - 1, -1, -1)]
        told = _decided(root, "/".join(parts[:depth]), above, ingest, folder=depth < len(parts) or path.endswith("/"))
        if told:
            return told
    return ""


def _decided(root: Path, path: str, above: Sequence[str], ingest: Ingest, *, folder: bool) -> str:
    for where, lines, base in _rules(root, above, ingest):
        for number in range(len(lines), 0, -1):
            verdict = Rules([lines[number - 1]], base).verdict(path, path.rpartition("/")[2], folder=folder)
            if verdict is not None:
                line = f", line {number}" if where.rpartition("/")[2] in {*_FILES, "exclude"} else ""
                return f"{where}{line}: {lines[number - 1].strip()}" if verdict else ""
    return ""


def _rules(root: Path, above: Sequence[str], ingest: Ingest) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the rules that hold for a path, the strongest first: where they stand, what they say, for which folder."""
    for name in _FILES:
        for folder in above:
            yield folder + name, _lines(root, folder + name), folder
    yield _EXCLUDE, _lines(root, _EXCLUDE), ""
    yield "setting ingest.ignore", ingest.ignore, ""
    yield "setting ingest.usual_ignores", ingest.usual_ignores, ""


def _lines(root: Path, file: str) -> Sequence[str]:
    try:
        return read(str(root), file, _LARGEST).raw.decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ()
