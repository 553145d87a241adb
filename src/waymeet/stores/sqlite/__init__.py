"""A store in one SQLite file, with derived segment files beside it."""

from waymeet.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
