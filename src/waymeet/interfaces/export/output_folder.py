"""Write the files of a site into a folder, without touching files of others.

All files are written into a temporary folder first and moved at the end, so that a failed export leaves the earlier
one. A list of the written files tells the next export which files it may replace and remove.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from waymeet.errors import UsageError

LIST_FILE = ".waymeet-export.json"
"""The list of written files, in the folder."""
_MAX_NAMED = 3
_TEMPORARY = (".waymeet-export-", ".part")
"""Beginning and end of the names of temporary folders."""


class SiteWriter:
    """Collects the files of a site in a temporary folder."""

    def __init__(self, target: Path, folder: Path) -> None:
        self._target, self._folder = target, folder
        self.sizes: dict[str, int] = {}
        """Bytes of each file, by its path."""

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the site."""
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        self.sizes[path] = len(content)

    def publish(self, *, force: bool) -> int:
        """Move the files into the target folder, and remove those of the earlier export.

        Returns the number of removed files.
        """
        earlier = read_list(self._target)
        _check_foreign(self._target, [path for path in self.sizes if path not in earlier], force=force)
        self.write(LIST_FILE, msgspec.json.encode({"files": sorted(self.sizes)}))
        self._target.mkdir(parents=True, exist_ok=True)
        # Pages refer to files of the search, so these come first; the start page and the list come last.
        for path in sorted(self.sizes, key=_moving_order):
            file = self._target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._folder / path, file)  # noqa: PTH105 - the same as Path.replace
        gone = [path for path in earlier if path not in self.sizes]
        for path in gone:
            _remove_file(self._target, path)
        return len(gone)


def _moving_order(path: str) -> tuple[int, str]:
    last = {"index.html": 2, LIST_FILE: 3}
    return last.get(path, 0 if path.startswith("search-") else 1), path


@contextmanager
def site_writer(target: Path, *, force: bool) -> Iterator[SiteWriter]:
    """Prepare the writing of a site. What was not published is removed at the end.

    Raises:
        UsageError: the folder has files of others, or cannot be written.
    """
    check_target(target, force=force)
    try:
        # In the folder itself if there is one, which may be on another disk than the folder above it.
        place = target if target.is_dir() else target.parent
        place.mkdir(parents=True, exist_ok=True)
        for leftover in filter(_is_temporary, place.iterdir()):
            shutil.rmtree(leftover, ignore_errors=True)  # of an export that was killed
        folder = Path(mkdtemp(prefix=_TEMPORARY[0], suffix=_TEMPORARY[1], dir=place))
    except OSError as error:
        raise _write_error(target, error) from error
    try:
        yield SiteWriter(target, folder)
    except OSError as error:
        raise _write_error(target, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_error(target: Path, error: OSError) -> UsageError:
    return UsageError(
        f"The site cannot be written to {target}: {error.strerror}.", "Free space, or choose another folder."
    )


def check_target(target: Path, *, force: bool) -> None:
    """Check that a folder is missing, empty, or was written by an export.

    Raises:
        UsageError: it is a file, or has files of others and `force` is off.
    """
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file.", "Name a folder to write the site into.")
    if force or not target.exists() or (target / LIST_FILE).is_file() or all(map(_is_temporary, target.iterdir())):
        return
    raise UsageError(
        f"{target} has files that no export has written.",
        "Choose an empty folder. With --force the site is written into this one; other files in it are kept.",
    )


def _is_temporary(path: Path) -> bool:
    return path.name.startswith(_TEMPORARY[0]) and path.name.endswith(_TEMPORARY[1])


def read_list(target: Path) -> list[str]:
    """List the files that the earlier export wrote into a folder."""
    try:
        listed = msgspec.json.decode((target / LIST_FILE).read_bytes(), type=Mapping[str, list[str]])
    except (OSError, msgspec.MsgspecError):
        return []
    return [path for path in listed.get("files", []) if _is_inside(path)] + [LIST_FILE]


def _is_inside(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\\" not in path


def _check_foreign(target: Path, new: list[str], *, force: bool) -> None:
    """Check that no file of others would be replaced."""
    foreign = [path for path in new if (target / path).exists() or (target / path).is_symlink()]
    if foreign and not force:
        named = ", ".join(foreign[:_MAX_NAMED]) + ("…" if len(foreign) > _MAX_NAMED else "")
        raise UsageError(f"{target} has other files with names of this site: {named}.", "--force replaces them.")


def _remove_file(target: Path, path: str) -> None:
    """Remove a file of the earlier export, and folders that are empty then."""
    (target / path).unlink(missing_ok=True)
    for folder in (target / path).parents:
        if folder == target or any(folder.iterdir()):
            break
        folder.rmdir()
