"""Usage counts of skills, saved next to the index so that a use changes no file in git."""

from collections.abc import Mapping
from pathlib import Path
from time import time_ns

import msgspec

from waymeet.errors import UsageError
from waymeet.notebook.write_lock import hold_write_lock
from waymeet.search.feedback.json_file import write_json

_LOCK_SECONDS = 10.0


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
    write_json(file, {**usage, skill: updated})
    return updated


def forget_skill(file: Path, skill: str) -> None:
    """Remove the usage of a skill. The caller holds the write lock."""
    usage = read_usage(file)
    if usage.pop(skill, None):
        write_json(file, usage)


def rename_skills(file: Path, lock: Path, renamed: Mapping[str, str]) -> None:
    """Move the usage of renamed skills to their new paths, old path → new path."""
    if not read_usage(file).keys() & renamed.keys():
        return
    with hold_write_lock(lock, _LOCK_SECONDS):
        usage = read_usage(file)
        write_json(file, {renamed.get(skill, skill): usage[skill] for skill in usage})
