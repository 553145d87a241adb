"""SHA-256 verification of model files from packages, before anything in them is used."""

import os
from hashlib import file_digest
from pathlib import Path

from waymeet.errors import EmbeddingError

_REINSTALL = "Install Waymeet's packages again."


def verify_file(path: Path, sha256: str, folder: Path | None = None) -> None:
    """Verify that a file has the pinned SHA-256.

    Hashing 30 MB takes longer than embedding a query, so the result is cached in the user's cache folder together with
    path, size, times and inode of the file. A changed file differs in one of these, because no program can set the
    change time of an inode (st_ctime). If the result cannot be cached, the file is hashed again next time.

    Raises:
        EmbeddingError: the file is missing or is not the published one.
    """
    record = (folder or cache_folder()) / f"{sha256[:32]}.verified"
    try:
        state = path.stat()
        facts = f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_dev} {state.st_ino} {path}"
        if _read_record(record) == facts:
            return
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"The model file {path} cannot be read: {error.strerror}.", _REINSTALL) from error
    if digest != sha256:
        raise EmbeddingError(f"The model file {path} is not the published one: its SHA-256 is {digest}.", _REINSTALL)
    _write_record(record, facts)


def cache_folder() -> Path:
    """Return the folder for unpacked models and verification results.

    It can be deleted at any time.
    """
    from platformdirs import user_cache_path  # noqa: PLC0415 - start-up is a feature

    return user_cache_path("waymeet") / "models"


def _read_record(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _write_record(path: Path, facts: str) -> None:
    """Write a record atomically, so that no process reads a part of it."""
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 - needed once per installation

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False) as file:
            file.write(facts.encode("utf-8", "surrogateescape"))
        os.replace(file.name, path)  # noqa: PTH105 - a temporary file's name is a string
    except OSError:
        return  # a full or read-only disk only costs the next start some milliseconds


def find_package_file(package: str, file: str) -> Path:
    """Find a data file of an installed package without importing the package."""
    from importlib.util import find_spec  # noqa: PLC0415 - start-up is a feature

    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(f"The package {package} with the model is not installed.", "Install Waymeet again.")
    return Path(spec.submodule_search_locations[0], file)
