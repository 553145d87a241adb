"""Where things are: the project's root and its index file."""

import os
import re
from glob import escape
from hashlib import blake2b
from pathlib import Path

from waymeet.errors import NotFoundError, UsageError
from waymeet.settings import PROJECT_FILE

_MARKERS = (PROJECT_FILE, ".git", ".hg")


def project_root(start: Path) -> Path:
    """Find the project that a folder belongs to.

    The nearest folder at or above it that was indexed before; else the nearest that carries a project's mark
    (`waymeet.toml` or version control); else the folder itself.
    """
    start = existing_folder(start)
    above = (start, *start.parents)
    for folder in above:
        if is_visible(_usual_file(folder)):
            return folder
    return next((folder for folder in above if any(is_visible(folder / mark) for mark in _MARKERS)), start)


def is_visible(path: Path) -> bool:
    """Tell whether a file can be seen; one in a closed folder cannot."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def existing_folder(path: Path) -> Path:
    """Resolve a folder, or say clearly that there is none."""
    try:
        path = path.expanduser()
        if not path.exists():
            raise NotFoundError(f"There is no folder {path}.", "Check the spelling, or run it from inside the project.")
        if not path.is_dir():
            raise NotFoundError(f"{path} is a file, not a folder.", f"Give its folder: {path.parent}")
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise NotFoundError(f"{path} cannot be a folder: {error}.", "Check the spelling.") from error


def known_folder(path: Path, chosen: Path | None = None) -> Path:
    """Resolve a folder; one that is gone will do if it was indexed before, for its index can still answer."""
    try:
        return existing_folder(path)
    except NotFoundError:
        gone = _in_spite(path)
        if gone is None or not is_visible(index_file(gone, chosen)):
            raise
        return gone


def _in_spite(path: Path) -> Path | None:
    """Say where a folder would be that is not there."""
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def current_folder() -> Path:
    """Say where the user stands, if that place still exists."""
    try:
        return Path.cwd()
    except OSError as error:
        raise NotFoundError("The current folder does not exist any more.", "Go to another one.") from error


def index_file(root: Path, chosen: Path | None = None) -> Path:
    """Say where a project's index lives: the chosen file, `WAYMEET_INDEX`, else the user's data folder.

    It is keyed by the root, and never inside the tree it describes.
    """
    given = chosen or os.environ.get("WAYMEET_INDEX")
    if not given:
        return _usual_file(root)
    try:
        path = Path(given).expanduser().absolute()
        inside = path.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{given} cannot be an index file: {error}.", "Choose another place.") from error
    if inside:
        raise UsageError(
            f"The index {path} would lie inside the project it describes.", "Choose a place outside of it."
        )
    return path


def _usual_file(root: Path) -> Path:
    key = blake2b(os.fsencode(root), digest_size=6).hexdigest()
    name = re.sub(r"[^\w.-]+", "-", root.name)[:40] or "root"
    return data_folder() / "indexes" / f"{name}-{key}.sqlite"


def index_bytes(index: Path) -> int:
    """Add up the index file and what lies beside it."""
    beside = index.parent.glob(f"{escape(index.name)}*")
    files = (file for path in beside for file in (path.rglob("*") if path.is_dir() else (path,)))
    return sum(file.stat().st_size for file in files if file.is_file())


def file_identity(path: Path) -> tuple[int, int] | None:
    """Say which file lies at a place, to tell it from one that takes its place; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def data_folder() -> Path:
    """Say where the user's data lives on this platform."""
    from platformdirs import user_data_path  # noqa: PLC0415 - start-up is a feature

    return user_data_path("waymeet")


def cache_folder() -> Path:
    """Say where what can be made again lives on this platform; it can be deleted at any time."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - start-up is a feature

    return user_cache_path("waymeet")


def state_folder() -> Path:
    """Say where what must be remembered lives on this platform, such as the token for changes over HTTP."""
    from platformdirs import user_state_path  # noqa: PLC0415 - start-up is a feature

    return user_state_path("waymeet")


def is_too_broad(root: Path) -> bool:
    """Tell whether a folder is so wide that nobody means to index it by accident."""
    return root in {Path(root.anchor), Path.home()}
