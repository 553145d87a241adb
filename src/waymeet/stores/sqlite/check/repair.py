"""Checking an index by its file, also one that cannot be opened any more."""

from contextlib import closing
from pathlib import Path

import apsw

from waymeet.errors import DamagedIndexError
from waymeet.stores.sqlite.check.check import CheckResult, Finding, was_ours
from waymeet.stores.sqlite.check.salvage import renewed
from waymeet.stores.sqlite.database.errors import said
from waymeet.stores.sqlite.store import TIMEOUT, SqliteStore


def check_index(path: Path, *, repair: bool) -> CheckResult:
    """Look for damage; with `repair`, mend what can be mended and put what cannot out of the way.

    Raises:
        IndexUnavailableError: there is no index, or the file is something else than an index.
    """
    try:
        store = SqliteStore.open(path)
    except DamagedIndexError as error:
        cause = error.__cause__
        if not isinstance(cause, apsw.Error) or not was_ours(path):  # another program's file is none of our business
            raise
        verdict = CheckResult((Finding("index", said(cause)),), lost=True)
        return _tidied(path, renewed(path, TIMEOUT, verdict)) if repair else verdict
    try:
        verdict = store.check(repair=repair)
    finally:
        store.close()
    return _tidied(path, verdict) if verdict.lost and repair else verdict


def _tidied(path: Path, verdict: CheckResult) -> CheckResult:
    """Make the segments of a new file; those of the old one are nobody's now."""
    with closing(SqliteStore.open(path)) as anew:
        anew.optimize()
    return verdict
