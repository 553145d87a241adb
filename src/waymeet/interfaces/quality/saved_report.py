"""The report of an evaluation that was saved in a project."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.interfaces.quality.report import Report

FILE_NAME = "quality.json"
"""Written by `waymeet eval --report quality.json` in the folder of a project."""
_MAX_BYTES = 20_000_000


class SavedReport(Struct, frozen=True):
    """A report with the date of its file."""

    report: Report
    written: str


def load_report(root: Path) -> SavedReport | None:
    """Load the report of a project, or None if it has none.

    Another program may write a file of the same name, so a file of another form is not an error.
    """
    path = root / FILE_NAME
    try:
        state = path.lstat()
        if path.is_symlink() or state.st_size > _MAX_BYTES:
            return None
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return SavedReport(report, datetime.fromtimestamp(state.st_mtime, UTC).date().isoformat())
