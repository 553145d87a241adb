"""Cutting identifiers at the borders that programmers put into them."""

import re

_PIECES = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_FOREIGN = re.compile(r"[0-9]+|[^\W0-9_]+")
_MOST_DIGIT_BORDERS = 4


def split(token: str) -> list[str]:
    """Split at camelCase, PascalCase, ALLCaps→Word, digit, snake_case and kebab-case borders.

    >>> split("getUserById"), split("HTTPServer2"), split("user_authentication-flow")
    (['get', 'User', 'By', 'Id'], ['HTTP', 'Server', '2'], ['user', 'authentication', 'flow'])

    A token that alternates between letters and digits like a digest or a key is left whole, for its pieces would
    only be noise.

    >>> split("6a1cc24734a57e4524")
    ['6a1cc24734a57e4524']
    """
    if not token.isascii():
        return [piece for word in _FOREIGN.findall(token) for piece in _humps(word)]
    pieces = _PIECES.findall(token)
    if len(pieces) > _MOST_DIGIT_BORDERS and sum(map(str.isdigit, pieces)) * 2 > _MOST_DIGIT_BORDERS:
        return [token]
    return pieces


def _humps(word: str) -> list[str]:
    """Split a word of any alphabet before each capital that follows a small letter.

    >>> _humps("étéÉcole")
    ['été', 'École']
    """
    borders = [i for i in range(1, len(word)) if word[i].isupper() and word[i - 1].islower()]
    return [word[start:end] for start, end in zip([0, *borders], [*borders, len(word)], strict=True)]
