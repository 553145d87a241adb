"""Folders of downloaded models."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.paths import data_folder

MANIFEST = "waymeet.json"
"""The file in a model's folder that describes the download; written last, so a folder without it is incomplete."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")


class DownloadedModel(Struct, frozen=True):
    """A model that was downloaded from a hub."""

    name: str
    revision: str
    source: str
    licence: str
    size: int
    """In bytes."""


def models_folder() -> Path:
    """Return the folder of all downloaded models."""
    return data_folder() / "models"


def model_path(name: str) -> Path:
    """Return the folder that a model of this name has or would get.

    Raises:
        EmbeddingError: this cannot be the name of a model.
    """
    if not _NAME.fullmatch(name) or ".." in name or "--" in name:
        raise EmbeddingError(f"{name!r} is not the name of a model.", "A name is like intfloat/multilingual-e5-small.")
    return models_folder() / name.replace("/", "--")


def find_model_folder(model: str) -> Path:
    """Find a model's folder by its path or by the name of a downloaded model.

    A path begins with `/`, `~` or `.`. So a folder that happens to exist in the working directory cannot be mistaken
    for a downloaded model.

    Raises:
        EmbeddingError: no model of that name was downloaded.
    """
    path = Path(model)
    if model.startswith(("~", ".")) or path.is_absolute():
        try:
            return path.expanduser().absolute()
        except RuntimeError as error:
            raise EmbeddingError(f"{model} cannot be a folder: {error}.", "Check embedding.model.") from error
    folder = model_path(model)
    if read_downloaded(folder) is None:
        raise EmbeddingError(f"There is no model {model} here.", f"Download it: waymeet models get {model}")
    return folder


def read_downloaded(folder: Path) -> DownloadedModel | None:
    """Read the manifest of a downloaded model, if there is one."""
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=DownloadedModel)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


def list_downloaded() -> Iterator[tuple[Path, DownloadedModel]]:
    """List the downloaded models with their folders, by name."""
    try:
        folders = sorted(models_folder().iterdir())
    except OSError:
        return
    for folder in folders:
        if model := read_downloaded(folder):
            yield folder, model
