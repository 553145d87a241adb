"""Estimate of the number of language model tokens in a text."""

_CHARS_PER_TOKEN = 3.5
"""ASCII characters per token: prose has four and more, code and JSON about three."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: 1 per 3.5 ASCII characters, 1 per other character.

    The exact count differs between models and needs their vocabularies. For accented Latin letters and for Chinese,
    Japanese and Korean the estimate is rather too high than too low.

    >>> estimate_tokens(""), estimate_tokens("How are ranks fused?"), estimate_tokens("在庫はどこ")
    (0, 6, 5)
    """
    ascii_only = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -int(-(ascii_only / _CHARS_PER_TOKEN) // 1) + len(text) - ascii_only
