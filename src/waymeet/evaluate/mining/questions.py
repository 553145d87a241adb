"""Rules for which texts can serve as queries, and how they are written as queries."""

import re

from waymeet.analysis import list_terms

_MIN_TERMS, _MAX_WORDS = 2, 40
_ROLE = re.compile(r":[\w:+.-]+:`~?!?([^`<]*?)\s*(?:<[^>`]*>)?`|(?<!\S)\{[a-z][\w:-]*\}(?=[`\w])")
"""Roles of reStructuredText and MyST, such as `:class:` and `{kbd}`."""
_MARKS = re.compile(r"[`\"“”„]|\*+(?=\S)|(?<=\S)\*+|(?<!\S)[-−](?=[^\W\d_])")
"""Markup, and characters that are operators in a query."""
_FILTER = re.compile(r"(?<!\S)([^\W\d_][\w-]+):(?=[^\s:])")
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\beg)(?<!\bie)(?<!\bcf)(?<!\bvs)(?<!\betc)[.!?。！？](?=\s|\Z)|[。！？]")
_REMARK = re.compile(
    r"(?i)\W*(?:todo|fixme|xxx|hack|noqa|nosec|type: ?ignore|pylint|pragma|eslint|copyright|licen[cs]ed?|see)\b"
    r"|\W*[@:\\][a-z]+\b"
)
"""Beginnings of comments that do not describe the code below them, and tags of documentation."""
_CHANGELOG = re.compile(r"(?i)(?:change|history|news|release)[^/]*\Z")


def is_usable_query(text: str) -> bool:
    """Check whether a text has enough terms for a query and is not too long."""
    terms = list_terms(text)
    return len(set(terms)) >= _MIN_TERMS and len(text.split()) <= _MAX_WORDS and "://" not in text


def is_summary(sentence: str) -> bool:
    """Check whether a sentence of a comment describes the code below it.

    >>> is_summary("Rotate all keys"), is_summary("TODO: rotate all keys"), is_summary("Rotates")
    (True, False, False)
    """
    return len(sentence.split()) > _MIN_TERMS and is_usable_query(sentence) and not _REMARK.match(sentence)


def first_sentence(text: str) -> str:
    r"""Return the first sentence of a text, on one line.

    >>> first_sentence("Rotate all\nkeys, e.g. old ones. Then rest.")
    'Rotate all keys, e.g. old ones'
    """
    line = " ".join(text.strip().partition("\n\n")[0].split())
    end = _END.search(line)
    return line[: end.start()] if end else line


def clean_query(text: str) -> str:
    """Remove markup and query operators from a text, as a user would type it.

    >>> clean_query(': Raise :class:`~a.Error` "early" on -Werror, ``lazy*``, path:here')
    'Raise a.Error early on Werror, lazy, path: here'
    """
    plain = _MARKS.sub("", _ROLE.sub(lambda role: role[1] or "", text))
    return _FILTER.sub(r"\1: ", " ".join(plain.split()).lstrip(":;,. "))


def is_changelog(path: str) -> bool:
    """Check whether a file is a changelog, which repeats subjects of commits below versions."""
    return _CHANGELOG.match(path.rpartition("/")[2]) is not None
