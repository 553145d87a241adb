"""Usage counts of skills, saved next to the index so that a use changes no file in git."""

import os
from pathlib import Path
from tempfile import mkstemp
from time import time_ns

import msgspec

from waymeet.errors import UsageError


class Usage(msgspec.Struct, frozen=True):
    """The number of uses of a skill, and the time of the last one."""

    count: int = 0
    last_ns: int = 0


def read_usage(file: Path) -> dict[str, Usage]:
    """Read the usage of all skills, by id."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Usage])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Remove it to start counting again.") from error


def count_use(file: Path, skill: str) -> Usage:
    """Count one more use of a skill. The caller holds the write lock."""
    usage = read_usage(file)
    updated = Usage(usage.get(skill, Usage()).count + 1, time_ns())
    _write_usage(file, {**usage, skill: updated})
    return updated


def forget_skill(file: Path, skill: str) -> None:
    """Remove the usage of a skill. The caller holds the write lock."""
    usage = read_usage(file)
    if usage.pop(skill, None):
        _write_usage(file, usage)


def _write_usage(file: Path, usage: dict[str, Usage]) -> None:
    handle, name = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as draft:
            draft.write(msgspec.json.encode(usage, order="deterministic"))
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
