"""Chinese, Japanese and Korean text, split into characters and pairs instead of words."""

import re

CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Ranges of Chinese, Japanese and Korean characters, for a character class."""
RUN = re.compile(f"[{CJK}]+")
"""A run of Chinese, Japanese or Korean characters."""


def has_cjk(text: str) -> bool:
    """Check whether any character is Chinese, Japanese or Korean."""
    return not text.isascii() and RUN.search(text) is not None


def grams(run: str) -> list[str]:
    """List the single characters and the overlapping pairs of a run.

    With both in the index, any substring can be found.

    >>> grams("検索語")
    ['検', '索', '語', '検索', '索語']
    """
    return [*run, *pairs(run)]


def pairs(run: str) -> list[str]:
    """List the overlapping pairs of a run.

    >>> pairs("検索語"), pairs("検")
    (['検索', '索語'], [])
    """
    return [run[i : i + 2] for i in range(len(run) - 1)]
