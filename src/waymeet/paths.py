"""Paths of projects, indexes and data folders."""

import os
import re
from glob import escape
from hashlib import blake2b
from pathlib import Path, PurePath

from waymeet.errors import NotFoundError, UsageError
from waymeet.settings import PROJECT_FILE

_MARKERS = (PROJECT_FILE, ".git", ".hg")


def project_root(start: Path) -> Path:
    """Find the root of the project that contains a folder.

    It is the nearest folder at or above it with an index; else the nearest with `waymeet.toml` or version control; else
    the folder itself.
    """
    start = existing_folder(start)
    above = (start, *start.parents)
    for folder in above:
        if is_visible(_default_index(folder)):
            return folder
    return next((folder for folder in above if any(is_visible(folder / mark) for mark in _MARKERS)), start)


def is_visible(path: Path) -> bool:
    """Return whether a path exists and can be accessed."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def existing_folder(path: Path) -> Path:
    """Resolve a folder, or raise an error with a hint."""
    try:
        path = path.expanduser()
        if not path.exists():
            raise NotFoundError(
                f"There is no folder {path}.", "Check the spelling, or run the command inside the project."
            )
        if not path.is_dir():
            raise NotFoundError(f"{path} is a file, not a folder.", f"Use its folder: {path.parent}")
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise NotFoundError(f"{path} is not a valid folder: {error}.", "Check the spelling.") from error


def known_folder(path: Path, index: Path | None = None) -> Path:
    """Resolve a folder that exists or has an index.

    A missing one is accepted if it has an index, which can still be searched.
    """
    try:
        return existing_folder(path)
    except NotFoundError:
        missing = _resolve_missing(path)
        if missing is None or not is_visible(index_file(missing, index)):
            raise
        return missing


def _resolve_missing(path: Path) -> Path | None:
    """Resolve the path of a folder that does not exist."""
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def current_folder() -> Path:
    """Return the current folder, if it still exists."""
    try:
        return Path.cwd()
    except OSError as error:
        raise NotFoundError("The current folder no longer exists.", "Change to another folder.") from error


def index_file(root: Path, index: Path | None = None) -> Path:
    """Return the path of a project's index.

    It is the chosen file, `WAYMEET_INDEX`, or a file in the user's data folder whose name contains a hash of the root.
    An index inside its own project is refused.
    """
    chosen = index or os.environ.get("WAYMEET_INDEX")
    if not chosen:
        return _default_index(root)
    try:
        path = Path(chosen).expanduser().absolute()
        is_inside = path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{chosen} is not a valid index file: {error}.", "Choose another path.") from error
    if is_inside:
        raise UsageError(f"The index {path} would be inside the project.", "Choose a path outside of it.")
    return path


def _default_index(root: Path) -> Path:
    key = blake2b(os.fsencode(root), digest_size=6).hexdigest()
    name = re.sub(r"[^\w.-]+", "-", root.name)[:40] or "root"
    return data_folder() / "indexes" / f"{name}-{key}.sqlite"


def list_index_files(index: Path) -> list[Path]:
    """List the index file and the files next to it."""
    paths = index.parent.glob(f"{escape(index.name)}*")
    files = (file for path in paths for file in (path.rglob("*") if path.is_dir() else (path,)))
    return sorted(file for file in files if file.is_file())


def index_bytes(index: Path) -> int:
    """Return the size of the index file and of the files next to it."""
    return sum(file.stat().st_size for file in list_index_files(index))


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file, to detect its replacement. None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def data_folder() -> Path:
    """Return the user's data folder of this platform."""
    from platformdirs import user_data_path  # noqa: PLC0415 - for a fast start-up

    return user_data_path("waymeet")


def cache_folder() -> Path:
    """Return the user's cache folder of this platform, which can be deleted at any time."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - for a fast start-up

    return user_cache_path("waymeet")


def state_folder() -> Path:
    """Return the user's state folder of this platform, for example for the HTTP token."""
    from platformdirs import user_state_path  # noqa: PLC0415 - for a fast start-up

    return user_state_path("waymeet")


def is_too_broad(root: Path) -> bool:
    """Return whether a folder is too broad to index without a request: home folder or root."""
    return root in {Path(root.anchor), Path.home()}


def relative_to_root(root: Path, path: str) -> str:
    """Make a path or id relative to the root.

    A path outside the root is returned unchanged; nothing is found under it.

    >>> relative_to_root(Path("/project"), "/project/docs/a.md#L1-L2")
    'docs/a.md#L1-L2'
    >>> relative_to_root(Path("/a"), "./docs"), relative_to_root(Path("/a"), "b.md")
    ('docs', 'b.md')
    """
    path = path.removeprefix("./")
    pure = PurePath(path)
    if not pure.is_absolute() or not pure.is_relative_to(root):
        return path
    slash = "/" if path.endswith("/") else ""
    return pure.relative_to(root).as_posix() + slash if pure != root else "."
