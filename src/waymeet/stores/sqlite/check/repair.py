"""Checking an index by its path, also one that cannot be opened."""

from contextlib import closing
from pathlib import Path

import apsw

from waymeet.errors import DamagedIndexError
from waymeet.stores.sqlite.check.check import CheckResult, Finding, looks_like_index
from waymeet.stores.sqlite.check.salvage import salvage_index
from waymeet.stores.sqlite.database.errors import describe
from waymeet.stores.sqlite.store import TIMEOUT, SqliteStore


def check_index(path: Path, *, repair: bool) -> CheckResult:
    """Check an index for corruption, and repair it on request.

    Raises:
        IndexUnavailableError: there is no index, or the file is not an index.
    """
    try:
        store = SqliteStore.open(path)
    except DamagedIndexError as error:
        cause = error.__cause__
        if not isinstance(cause, apsw.Error) or not looks_like_index(path):  # a file of another program stays untouched
            raise
        result = CheckResult((Finding("index", describe(cause)),), lost=True)
        return _write_segments(path, salvage_index(path, TIMEOUT, result)) if repair else result
    try:
        result = store.check(repair=repair)
    finally:
        store.close()
    return _write_segments(path, result) if result.lost and repair else result


def _write_segments(path: Path, result: CheckResult) -> CheckResult:
    """Write the segments of a new file. Those of the old one are removed."""
    with closing(SqliteStore.open(path)) as store:
        store.optimize()
    return result
