"""What an entry's file is called: its title in letters that every file system and every link can hold."""

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from waymeet.analysis import replace_surrogates

_LONGEST = 60
_LONGEST_BYTES = 150
_RESERVED = frozenset("con prn aux nul".split()) | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}
"""Names that mean devices on Windows, whatever their ending."""
_SPACE = re.compile(r"\s+")


def slug(title: str, otherwise: str) -> str:
    """Make a file name of a title, keeping the letters of every script.

    >>> slug("Rotate the keys!", "note"), slug("鍵の更新 2026", "note"), slug("../../etc/passwd", "note")
    ('rotate-the-keys', '鍵の更新-2026', 'etc-passwd')
    >>> slug("…", "note"), slug("CON", "note")
    ('note', 'con-note')
    """
    letters = (
        letter if category(letter)[0] in "LNM" else "-" for letter in normalize("NFKC", replace_surrogates(title))
    )
    name = re.sub("-+", "-", "".join(letters).lower())[:_LONGEST].strip("-")
    while len(normalize("NFC", name).encode()) > _LONGEST_BYTES:
        name = name[:-1]
    name = normalize("NFC", name).strip("-")
    return f"{name}-{otherwise}" if name in _RESERVED else name or otherwise


def numbered(name: str) -> Iterator[str]:
    """Yield a name and then others for when it is taken.

    >>> names = numbered("a")
    >>> next(names), next(names), next(names)
    ('a', 'a-2', 'a-3')
    """
    yield name
    for number in range(2, 10_000):
        yield f"{name}-{number}"


def one_line(text: str) -> str:
    r"""Bring a title onto one line, without characters that no title has.

    >>> one_line("  Two\n lines ")
    'Two lines'
    """
    shown = "".join(" " if category(letter) in {"Cc", "Zl", "Zp"} else letter for letter in replace_surrogates(text))
    return _SPACE.sub(" ", shown).strip()
