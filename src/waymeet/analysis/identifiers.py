"""Splitting of identifiers into words."""

import re

_ASCII_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_DIGITS_OR_TEXT = re.compile(r"[0-9]+|[^0-9]+")
_SEPARATORS = re.compile(r"[_-]+")
_MAX_NUMBERS = 2


def split_identifier(token: str) -> list[str]:
    """Split an identifier at case changes, digits, underscores and hyphens.

    >>> split_identifier("getUserById"), split_identifier("HTTPServer2"), split_identifier("user_authentication-flow")
    (['get', 'User', 'By', 'Id'], ['HTTP', 'Server', '2'], ['user', 'authentication', 'flow'])
    >>> split_identifier("2024-01-15-release-notes")
    ['2024', '01', '15', 'release', 'notes']

    A part that alternates between letters and digits, like a digest or a key, is not split: its pieces would be noise.

    >>> split_identifier("key-6a1cc24734a57e4524")
    ['key', '6a1cc24734a57e4524']
    """
    return [piece for part in _SEPARATORS.split(token) if part for piece in _split_part(part)]


def _split_part(part: str) -> list[str]:
    if not part.isascii():
        return [piece for word in _DIGITS_OR_TEXT.findall(part) for piece in _split_camel_case(word)]
    pieces = _ASCII_PARTS.findall(part)
    return [part] if sum(map(str.isdigit, pieces)) > _MAX_NUMBERS else pieces


def _split_camel_case(word: str) -> list[str]:
    """Split a word of any alphabet before each capital that follows a lower-case letter.

    >>> _split_camel_case("étéÉcole")
    ['été', 'École']
    """
    boundaries = [i for i in range(1, len(word)) if word[i].isupper() and word[i - 1].islower()]
    return [word[start:end] for start, end in zip([0, *boundaries], [*boundaries, len(word)], strict=True)]
