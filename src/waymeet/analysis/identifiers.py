"""Cutting identifiers at the borders that programmers put into them."""

import re

_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_FOREIGN = re.compile(r"[0-9]+|[^0-9]+")
_BORDERS = re.compile(r"[_-]+")
_MOST_NUMBERS = 2


def split(token: str) -> list[str]:
    """Split at camelCase, PascalCase, ALLCaps→Word, digit, snake_case and kebab-case borders.

    >>> split("getUserById"), split("HTTPServer2"), split("user_authentication-flow")
    (['get', 'User', 'By', 'Id'], ['HTTP', 'Server', '2'], ['user', 'authentication', 'flow'])
    >>> split("2024-01-15-release-notes")
    ['2024', '01', '15', 'release', 'notes']

    A part that alternates between letters and digits like a digest or a key is left whole, for its pieces would only
    be noise.

    >>> split("key-6a1cc24734a57e4524")
    ['key', '6a1cc24734a57e4524']
    """
    return [piece for part in _BORDERS.split(token) if part for piece in _pieces(part)]


def _pieces(part: str) -> list[str]:
    if not part.isascii():
        return [hump for word in _FOREIGN.findall(part) for hump in _humps(word)]
    pieces = _HUMPS.findall(part)
    return [part] if sum(map(str.isdigit, pieces)) > _MOST_NUMBERS else pieces


def _humps(word: str) -> list[str]:
    """Split a word of any alphabet before each capital that follows a small letter.

    >>> _humps("étéÉcole")
    ['été', 'École']
    """
    borders = [i for i in range(1, len(word)) if word[i].isupper() and word[i - 1].islower()]
    return [word[start:end] for start, end in zip([0, *borders], [*borders, len(word)], strict=True)]
