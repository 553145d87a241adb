"""Words that say little about what a question is about: auxiliaries, particles, question words.

Unlike stop words they are indexed, because code and titles use them (`not`, `over()`, "How to do …"). In a question
they only get less weight.
"""

import re

from waymeet.analysis.terms import stem_words

_ENGLISH = """
    do does did done doing is isn has have had having can cannot couldn doesn don didn won aren wasn shouldn
    for if not so also just over about when where while after before there
""".split()
ENGLISH = frozenset(stem_words(_ENGLISH)) | frozenset(_ENGLISH)
"""English function words and their stems."""

_HIRAGANA_PAIR = re.compile(r"[\u3041-\u309f]{2}")
_CHINESE = frozenset(
    "的了是在和与或吗呢吧啊么什怎何哪谁为因所以可能会要想请被把给让从到对于这那有没不也都就还又再但而及其之"
)
"""Chinese particles, pronouns and auxiliaries."""
_QUESTION_PAIRS = frozenset(
    "如何 怎么 怎样 什么 为何 哪些 哪个 多少 可以 是否 能否 需要 应该 使用 进行 方法 何を 何が 何で".split()
)


def is_function_word(word: str) -> bool:
    """Check whether a word, a stem or a pair of characters says little about a question's subject.

    >>> [is_function_word(word) for word in ("over", "do", "session", "です", "設定", "如何", "的设", "设置")]
    [True, True, False, True, False, True, True, False]
    """
    if word.isascii():
        return word in ENGLISH
    if len(word) == 2:
        return bool(_HIRAGANA_PAIR.match(word)) or word in _QUESTION_PAIRS or not _CHINESE.isdisjoint(word)
    return False
