"""A place in a file as traces and diffs name it."""

from msgspec import Struct


class Location(Struct, frozen=True):
    """A place in a file, as far as it was told."""

    path: str
    line: int = 0
    symbol: str = ""
    """The function or class that it lies in."""
