"""The models that were fetched: where they lie, and which there are."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.paths import data_folder

NOTE = "waymeet.json"
"""The file beside a fetched model that says what it is; one without it was not fetched to the end."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")


class DownloadedModel(Struct, frozen=True):
    """A model that was fetched from a hub."""

    name: str
    revision: str
    source: str
    licence: str
    size: int
    """In bytes."""


def models_folder() -> Path:
    """Say where fetched models lie."""
    return data_folder() / "models"


def model_path(name: str) -> Path:
    """Say where a model of a name lies, or would lie.

    Raises:
        EmbeddingError: that cannot be the name of a model.
    """
    if not _NAME.fullmatch(name) or ".." in name or "--" in name:
        raise EmbeddingError(f"{name!r} is not the name of a model.", "It is like intfloat/multilingual-e5-small.")
    return models_folder() / name.replace("/", "--")


def located(model: str) -> Path:
    """Find a model's folder: a path begins with `/`, `~` or `.`, everything else is the name of a fetched model.

    So no folder that happens to lie where somebody stands can pass for a model that was fetched.

    Raises:
        EmbeddingError: no model of that name was fetched.
    """
    path = Path(model)
    if model.startswith(("~", ".")) or path.is_absolute():
        try:
            return path.expanduser().absolute()
        except RuntimeError as error:
            raise EmbeddingError(f"{model} cannot be a folder: {error}.", "Check embedding.model.") from error
    folder = model_path(model)
    if read_downloaded(folder) is None:
        raise EmbeddingError(f"There is no model {model} here.", f"Fetch it: waymeet models get {model}")
    return folder


def read_downloaded(folder: Path) -> DownloadedModel | None:
    """Read what is known of a fetched model; none if it is none."""
    try:
        return msgspec.json.decode((folder / NOTE).read_bytes(), type=DownloadedModel)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


def all_fetched() -> Iterator[tuple[Path, DownloadedModel]]:
    """List the models that were fetched, by name."""
    try:
        folders = sorted(models_folder().iterdir())
    except OSError:
        return
    for folder in folders:
        if found := read_downloaded(folder):
            yield folder, found
