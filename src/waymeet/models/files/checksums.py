"""Files that must be exactly what was published: checked by SHA-256 before anything in them is used."""

import os
from hashlib import file_digest
from pathlib import Path

from waymeet.errors import EmbeddingError


def verify(path: Path, sha256: str, folder: Path | None = None) -> None:
    """Make sure that a file has the pinned SHA-256.

    Hashing 30 MB costs more than embedding a question, so the verdict is remembered in the user's cache folder together
    with the file's place, size, times and inode: whoever changes the file changes one of them, for nobody can set the
    time of the last change of an inode. A verdict that cannot be kept only means hashing again.

    Raises:
        EmbeddingError: the file is missing or is not the one that was published.
    """
    note = (folder or cache_folder()) / f"{sha256[:32]}.verified"
    try:
        state = path.stat()
        facts = f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_dev} {state.st_ino} {path}"
        if _read(note) == facts:
            return
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"The model file {path} cannot be read: {error.strerror}.", _REINSTALL) from error
    if found != sha256:
        raise EmbeddingError(f"The model file {path} is not the published one: its SHA-256 is {found}.", _REINSTALL)
    _keep(note, facts)


_REINSTALL = "Install Waymeet's packages again."


def cache_folder() -> Path:
    """Say where what models leave behind is kept; it can be deleted at any time."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - start-up is a feature

    return user_cache_path("waymeet") / "models"


def _read(note: Path) -> str:
    try:
        return note.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _keep(note: Path, facts: str) -> None:
    """Write the note in one step, so that nobody ever reads half of it."""
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 - needed once per installation

    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb", dir=note.parent, prefix=note.name, delete=False) as file:
            file.write(facts.encode("utf-8", "surrogateescape"))
        os.replace(file.name, note)  # noqa: PTH105 - a temporary file's name is a string
    except OSError:
        return  # a full or read-only disk costs the next start some milliseconds, nothing else


def published(package: str, file: str) -> Path:
    """Find a file that comes with a package, without running any code of it."""
    from importlib.util import find_spec  # noqa: PLC0415 - start-up is a feature

    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise EmbeddingError(f"The package {package} with the model is not installed.", "Install Waymeet again.")
    return Path(found.submodule_search_locations[0], file)
