"""How large a file may be: of some kinds of files only a small part is text."""

_BULKY = (".pdf", ".docx", ".ipynb")
_TIMES = 10


def most_bytes(name: str, limit: int) -> int:
    """Give the limit for a file: ten times as much for those that carry pictures beside their text.

    >>> most_bytes("a.md", 100), most_bytes("A.PDF", 100)
    (100, 1000)
    """
    return limit * _TIMES if is_bulky(name) else limit


def is_bulky(name: str) -> bool:
    """Tell whether most bytes of such a file are not text."""
    return name.lower().endswith(_BULKY)
