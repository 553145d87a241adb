"""Forms of questions: whether a query asks how something is done, or about the code itself."""

import re
from enum import Enum

from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.word_classes import WordClass, classify_word

_ABOUT_CODE = (
    r"(?i)\b(?:implement(?:s|ed|ing|ations?)?|defin(?:ed|itions?)|declar(?:ed|ations?)|codebase|(?:source|the) code"
    r"|algorithm|func(?:tions?)?|methods?|(?:sub)?class(?:es)?|structs?|traits?|interfaces?|modules?|returns"
    r"|overrid(?:es?|den)|internal(?:s|ly)?|called|callers?|invoked|instantiated|bugs?|refactor(?:s|ed|ing)?"
    r"|tests|tested|test cases?|fixed|fixes|typos?)\b"
    r"|^\W*(?:(?:in )?(?:which|what) (?:files?|places?|parts?|lines?)|where(?:'s| (?:is|are|does|do|did)))\b(?! i\b)"
)
"""Words of questions about the code itself."""
_WHERE_IN_CODE = (
    r"(?i)^\W*(?:(?:in )?which (?:files?|functions?|methods?|class(?:es)?|modules?|code|lines?)"
    r"|(?:in )?what (?:files?|functions?|methods?|modules?)"
    r"|where(?:'s| (?:is|are|does|do))|(?:the )?(?:code|function|method|class) (?:that|which|for|to))\b"
    r"|\b(?:implemented|implementations?|(?<!not )(?<!-)defined)\b"
)
"""Questions for the place in the code that does something."""
_PERSON = r"(?i)\b(?:i|me|my|we|us|our|you|your)\b"
"""Words for the person who asks, about what to do rather than about the code."""
_HOW_TO = r"(?i)^\W*how (?:to|(?:do|can|could|should|would|may) (?:i|we|you|one))\b"
_TASK = (
    r"(?i)^\W*(?:how|why|when|what (?:happens|does|is|are)|what's|is (?:it|there)|can|could|should|do|does|may|must)\b"
    r"|\b(?:i|we|you|my|our|your)\b"
)
"""Beginnings of questions, and words for the person who asks."""
_CODE = r"[\w$]\(|`|::|->|[{};=]|[^\W_]_[^\W_]|[a-z][A-Z]|\w\.\w"
"""Text written as code: calls, operators, and names with marks between their parts."""
_WORD = r"[^\W\d_][\w'’-]*"
_MIN_WORDS = 4
_MAX_CHARS = 500
"""Length of the part of a query that is read. A longer one is pasted text."""


class QuestionForm(Enum):
    """What a query asks for, by its form."""

    TASK = "task"
    """How something is done or why it happens, which documentation explains."""
    PROSE = "prose"
    """A description in a sentence or a phrase."""
    CODE = "code"
    """Where in the code something is done."""
    OTHER = "other"
    """Names, keywords, code, or another question about the code itself."""


def find_question_form(text: str) -> QuestionForm:
    """Find the form of an English query. One in another language has the form `OTHER`.

    >>> find_question_form("how do I hide a password?").value, find_question_form("hide what the user types").value
    ('task', 'prose')
    >>> find_question_form("where is the path matched").value, find_question_form("how does get_user() work").value
    ('code', 'other')
    """
    text = text[:_MAX_CHARS]
    words = re.findall(_WORD, text)
    if len(words) < _MIN_WORDS or has_cjk(text) or re.search(_CODE, text):
        return QuestionForm.OTHER
    if re.match(_HOW_TO, text):
        return QuestionForm.TASK
    if re.search(_WHERE_IN_CODE, text) and not re.search(_PERSON, text):
        return QuestionForm.CODE
    has_function_word = any(classify_word(word) is WordClass.FUNCTION for word in words)
    if re.search(_ABOUT_CODE, text) or not has_function_word:
        return QuestionForm.OTHER
    return QuestionForm.TASK if re.search(_TASK, text) else QuestionForm.PROSE
