"""The user's token for changes over HTTP: made on first use, readable by nobody else."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from waymeet.errors import UsageError
from waymeet.paths import state_folder

_SHORTEST = 20


def token_file() -> Path:
    """Say where the token is kept."""
    return state_folder() / "token"


def read_token() -> str:
    """Give the user's token, made now if there is none.

    Raises:
        UsageError: it cannot be kept safe.
    """
    file = token_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _make(file)
        if hasattr(os, "getuid") and file.stat().st_mode & 0o077:
            file.chmod(0o600)
        found = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise UsageError(f"The token cannot be kept in {file}: {error}.", "Check that folder.") from error
    if len(found) < _SHORTEST:
        raise UsageError(f"{file} holds no token.", "Remove that file; a new one is made then.")
    return found


def _make(file: Path) -> None:
    """Write a token in one step, so that nobody reads half of it."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(f"{secrets.token_urlsafe(32)}\n")
        os.link(draft, file)  # fails if there is one by now, which a rename would not
    finally:
        draft.unlink()
