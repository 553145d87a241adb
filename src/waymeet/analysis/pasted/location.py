"""Location in a file, as given by a trace or a diff."""

from msgspec import Struct


class Location(Struct, frozen=True):
    """A location in a file, with the line and symbol if they are known."""

    path: str
    line: int = 0
    symbol: str = ""
    """The function or class around it."""
