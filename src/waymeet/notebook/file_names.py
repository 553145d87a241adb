"""File names of items, made of their titles for every file system and link syntax."""

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from waymeet.analysis import replace_surrogates

_MAX_CHARS = 60
_MAX_BYTES = 150
_RESERVED = frozenset("con prn aux nul".split()) | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}
"""Names of devices on Windows, with any ending."""
_SPACE = re.compile(r"\s+")


def make_slug(title: str, default: str) -> str:
    """Make a file name of a title, with the letters of every script.

    >>> make_slug("Rotate the keys!", "note"), make_slug("鍵の更新 2026", "note"), make_slug("../../etc/passwd", "note")
    ('rotate-the-keys', '鍵の更新-2026', 'etc-passwd')
    >>> make_slug("…", "note"), make_slug("CON", "note")
    ('note', 'con-note')
    """
    letters = (
        letter if category(letter)[0] in "LNM" else "-" for letter in normalize("NFKC", replace_surrogates(title))
    )
    name = re.sub("-+", "-", "".join(letters).lower())[:_MAX_CHARS].strip("-")
    while len(normalize("NFC", name).encode()) > _MAX_BYTES:
        name = name[:-1]
    name = normalize("NFC", name).strip("-")
    return f"{name}-{default}" if name in _RESERVED else name or default


def numbered_names(name: str) -> Iterator[str]:
    """Yield a name, then the same name with a number.

    >>> names = numbered_names("a")
    >>> next(names), next(names), next(names)
    ('a', 'a-2', 'a-3')
    """
    yield name
    for number in range(2, 10_000):
        yield f"{name}-{number}"


def to_one_line(text: str) -> str:
    r"""Replace line ends and control characters of a title by spaces.

    >>> to_one_line("  Two\n lines ")
    'Two lines'
    """
    text = "".join(" " if category(letter) in {"Cc", "Zl", "Zp"} else letter for letter in replace_surrogates(text))
    return _SPACE.sub(" ", text).strip()
