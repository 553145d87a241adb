"""How often skills were used: kept beside the index, for using a skill must not change what git sees."""

import os
from pathlib import Path
from tempfile import mkstemp
from time import time_ns

import msgspec

from waymeet.errors import UsageError


class Usage(msgspec.Struct, frozen=True):
    """How often a skill was used, and when it was last."""

    count: int = 0
    last_ns: int = 0


def usage(file: Path) -> dict[str, Usage]:
    """Read how often each skill was used, by id."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Usage])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Remove it to start counting anew.") from error


def used(file: Path, skill: str) -> Usage:
    """Count one more use. The caller holds the lock."""
    known = usage(file)
    now = Usage(known.get(skill, Usage()).count + 1, time_ns())
    _keep(file, {**known, skill: now})
    return now


def forget(file: Path, skill: str) -> None:
    """Forget a skill that is gone. The caller holds the lock."""
    known = usage(file)
    if known.pop(skill, None):
        _keep(file, known)


def _keep(file: Path, counts: dict[str, Usage]) -> None:
    handle, name = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as draft:
            draft.write(msgspec.json.encode(counts, order="deterministic"))
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
