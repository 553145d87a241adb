"""Reading of an indexed file's text as it is now."""

from pathlib import Path

from msgspec import Struct

from waymeet.errors import NotFoundError
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.read.extract import ExtractError, extract_text
from waymeet.ingest.read.safe_read import read_file

_MAX_BYTES = 64_000_000


class LoadedFile(Struct, frozen=True):
    """Text of a file with the digest of its bytes."""

    text: str
    digest: str
    warning: str = ""
    """How the text differs from the file, such as masked secrets; empty if it does not."""


def load_file(root: Path, path: str) -> LoadedFile:
    """Read and decode an indexed file, with any secrets in it.

    Raises:
        NotFoundError: the file is gone, cannot be read, or holds no text any more.
    """
    try:
        raw = read_file(str(root), path, _MAX_BYTES).raw
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror}.", "Run: waymeet index") from error
    try:
        decoded = extract_text(path, raw)
    except ExtractError as error:
        raise NotFoundError(f"{path} cannot be read: {error}.", "Run: waymeet index") from error
    if decoded is None:
        raise NotFoundError(f"{path} holds no text any more.", "Run: waymeet index")
    return LoadedFile(decoded.text, content_digest(raw))
