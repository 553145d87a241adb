"""An index in one SQLite file: the truth, kept plainly."""

from waymeet.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
