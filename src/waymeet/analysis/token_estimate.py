"""How many tokens of a language model a text costs, by a cheap estimate."""

_CHARACTERS = 3.5
"""ASCII characters in a token. Prose has four and more, code and JSON about three: the estimate sits between."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for every 3.5 ASCII characters and one for every other character.

    No model's own count, for each has its own; it needs no vocabulary and costs next to nothing. For Latin letters with
    accents and for Chinese, Japanese and Korean it is rather too high than too low.

    >>> estimate_tokens(""), estimate_tokens("How are ranks fused?"), estimate_tokens("在庫はどこ")
    (0, 6, 5)
    """
    ascii_only = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -int(-(ascii_only / _CHARACTERS) // 1) + len(text) - ascii_only
