"""The user's token for changes over HTTP, created on first use."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from waymeet.errors import UsageError
from waymeet.paths import state_folder

_MIN_LENGTH = 20


def token_file() -> Path:
    """Give the path of the token file."""
    return state_folder() / "token"


def read_token() -> str:
    """Read the token, or create it.

    Raises:
        UsageError: the file cannot be read or written.
    """
    file = token_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _create(file)
        if hasattr(os, "getuid") and file.stat().st_mode & 0o077:
            file.chmod(0o600)
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"Cannot read or write the token file {file}: {error}.", "Check the folder and its permissions."
        ) from error
    if len(token) < _MIN_LENGTH:
        raise UsageError(f"{file} contains no token.", "Delete the file; a new token is created then.")
    return token


def _create(file: Path) -> None:
    """Write a new token atomically."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(f"{secrets.token_urlsafe(32)}\n")
        os.link(draft, file)  # fails if another process created one, which a rename would not
    finally:
        draft.unlink()
