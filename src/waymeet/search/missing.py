"""Files that documents name as their sources and that are not indexed: are they there all the same?"""

import stat
from collections.abc import Collection
from pathlib import Path


def unindexed(root: Path, names: Collection[str]) -> dict[str, tuple[str, int]]:
    """Find files by names whose case is not known, with their paths and times; no link is followed.

    The path of a folder ends with a slash.
    """
    found = {}
    for name in names:
        path = _spelled(root, name.rstrip("/"))
        if path is not None:
            try:
                state = (root / path).lstat()
            except OSError:  # gone this very moment
                continue
            found[name] = path + "/" * stat.S_ISDIR(state.st_mode), state.st_mtime_ns
    return found


def _spelled(root: Path, name: str) -> str | None:
    """Walk down to a file or folder, comparing each step without regard to case."""
    here: list[str] = []
    for step in name.split("/"):
        folder = root.joinpath(*here)
        try:
            if step in {"", ".", ".."} or not stat.S_ISDIR(folder.lstat().st_mode):
                return None
            entries = sorted(each.name for each in folder.iterdir())
        except OSError:
            return None
        match = next((entry for entry in entries if entry == step), None)
        match = match or next((entry for entry in entries if entry.casefold() == step.casefold()), None)
        if match is None:
            return None
        here.append(match)
    return "/".join(here)
