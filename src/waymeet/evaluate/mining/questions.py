"""Which texts can serve as questions, and how somebody would type them."""

import re

from waymeet.analysis import list_terms

_FEWEST, _MOST_WORDS = 2, 40
_ROLE = re.compile(r":[\w:+.-]+:`~?!?([^`<]*?)\s*(?:<[^>`]*>)?`|(?<!\S)\{[a-z][\w:-]*\}(?=[`\w])")
"""How reStructuredText and MyST say what sort of thing a text is: `:class:` and `{kbd}`."""
_MARKS = re.compile(r"[`\"“”„]|\*+(?=\S)|(?<=\S)\*+|(?<!\S)[-−](?=[^\W\d_])")
"""Marks of markup, and those that mean something in a query: nobody insisted on or ruled out anything."""
_FILTER = re.compile(r"(?<!\S)([^\W\d_][\w-]+):(?=[^\s:])")
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\beg)(?<!\bie)(?<!\bcf)(?<!\bvs)(?<!\betc)[.!?。！？](?=\s|\Z)|[。！？]")
_REMARK = re.compile(
    r"(?i)\W*(?:todo|fixme|xxx|hack|noqa|nosec|type: ?ignore|pylint|pragma|eslint|copyright|licen[cs]ed?|see)\b"
    r"|\W*[@:\\][a-z]+\b"
)
"""How comments begin that say nothing of what they stand at; tags and fields of documentation, too."""
_LOG = re.compile(r"(?i)(?:change|history|news|release)[^/]*\Z")


def says_something(text: str) -> bool:
    """Tell whether a text can serve as a question: some words that mean something, and not a whole page."""
    found = list_terms(text)
    return len(set(found)) >= _FEWEST and len(text.split()) <= _MOST_WORDS and "://" not in text


def is_told(sentence: str) -> bool:
    """Tell whether a sentence sums something up.

    >>> is_told("Rotate all keys"), is_told("TODO: rotate all keys"), is_told("Rotates")
    (True, False, False)
    """
    return len(sentence.split()) > _FEWEST and says_something(sentence) and not _REMARK.match(sentence)


def first_sentence(text: str) -> str:
    r"""Give the first sentence of a text, on one line.

    >>> first_sentence("Rotate all\nkeys, e.g. old ones. Then rest.")
    'Rotate all keys, e.g. old ones'
    """
    line = " ".join(text.strip().partition("\n\n")[0].split())
    found = _END.search(line)
    return line[: found.start()] if found else line


def as_typed(text: str) -> str:
    """Write a text as somebody would type it who looks for what it says.

    >>> as_typed(': Raise :class:`~a.Error` "early" on -Werror, ``lazy*``, path:here')
    'Raise a.Error early on Werror, lazy, path: here'
    """
    plainer = _MARKS.sub("", _ROLE.sub(lambda each: each[1] or "", text))
    return _FILTER.sub(r"\1: ", " ".join(plainer.split()).lstrip(":;,. "))


def is_log(path: str) -> bool:
    """Tell whether a file repeats what commits say, under headings that are versions."""
    return _LOG.match(path.rpartition("/")[2]) is not None
