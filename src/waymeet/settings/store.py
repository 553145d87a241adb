"""Settings of the store."""

from msgspec import Struct


class StoreSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the index is stored. Not read from a project's file."""

    dsn: str = ""
    """Address of a PostgreSQL server, such as postgresql://ada@db.example/team; `sqlite` for the index file; empty for
    where `waymeet index` stored it last, at first the index file. Passwords belong in ~/.pgpass."""
    collection: str = ""
    """Name of the project's collection on the server; empty for the name of its folder."""
