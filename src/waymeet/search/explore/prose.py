"""Find the prose of a page: its text without code and links."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_MARKUP = (
    r"`+[^`\n]*`+"  # code
    r"|!?\[\[[^\[\]\n]{0,500}\]\]"  # wiki links
    r"|!?\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])?"  # links, and brackets that may be one
    r"|<[^<>\n]{1,1000}>"  # tags and addresses
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s)>\]]+"
)
_NOT_PROSE = re.compile(_MARKUP + r"|\$[^$\n]{1,500}\$")  # formulas
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$|^.*\n[ \t]*(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^.*\n[ \t]*([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$", re.MULTILINE)
_RST_INLINE = re.compile(
    r"``[^`\n]{1,500}``|(?::[\w:.+-]{1,60}:)?`[^`\n]{1,500}`_{0,2}|\|[^|\n]{1,100}\||\[[^\[\]\n]{1,60}\]_|\b\w+_{1,2}(?!\w)"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s)>\]]+|^[ \t]*>>>.*$|^[ \t]*:[^:\n]{1,60}:.*$|^[ \t]*[+|].*$",
    re.MULTILINE,
)
_ADOC_BLOCK = re.compile(
    r"^(-{4,80}|\.{4,80}|\+{4,80}|/{4,80}|`{3,80}|\|={3,80})(?![-.+/`=])[^\n]*\n.*?(?:^\1[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ADOC_LINE = re.compile(r"^(?:={1,6} .*|:[\w-]+!?:.*|\[[^\]\n]*\][ \t]*|\.\w.*|\w+::.*|//.*)$", re.MULTILINE)
_ADOC_INLINE = re.compile(
    r"\b(?:xref|link|image|icon|kbd|btn|footnote|mailto):[^\s\[]{0,300}\[[^\]\n]{0,300}\]|<<[^>\n]{1,300}>>|\+[^+\n]{1,200}\+"
)
_ORG_BLOCK = re.compile(
    r"^[ \t]*#\+BEGIN_(\w+).*?(?:^[ \t]*#\+END_\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_ORG_LINE = re.compile(r"^\*+ .*$|^[ \t]*#.*$|^[ \t]*:\w+:.*$|[=~][^=~\n]{1,200}[=~]", re.MULTILINE)
_HTML_BLOCK = re.compile(r"<(pre|code|script|style|a|h[1-6])\b.{0,1000}?</\1\s*>", re.DOTALL | re.IGNORECASE)
_PATTERNS = {
    "markdown": (_FENCE, _COMMENT, _HEADING, _ROW, _NOT_PROSE),
    "rst": (_UNDERLINED, _RST_INLINE),
    "asciidoc": (_ADOC_BLOCK, _ADOC_LINE, _ADOC_INLINE, _ROW, _NOT_PROSE),
    "org": (_ORG_BLOCK, _ORG_LINE, _ROW, _NOT_PROSE),
    "html": (_COMMENT, _HTML_BLOCK, _NOT_PROSE),
}
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_PROSE_DIRECTIVES = re.compile(
    r"\.\. (?:note|warning|tip|important|caution|hint|attention|danger|error|seealso|admonition|topic|versionadded"
    r"|versionchanged|deprecated)::"
)
_END = re.compile(r"[.!?](?=\s)|[。！？]|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|]|\d{1,3}[.)])[ \t])")
_MAX_SENTENCE_SIDE = 300
"""Characters of a sentence before and behind the piece that it is cut around."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


class Sentence(Struct, frozen=True):
    """A sentence, and the offsets of a piece of it."""

    text: str
    start: int
    end: int


def blank_non_prose(text: str, language: str = "markdown") -> str:
    r"""Replace code, links, headings and tables by blanks, so that offsets stay the same.

    >>> blank_non_prose("See `code` and [a link](b.md).")
    'See        and               .'
    >>> blank_non_prose("Use::\n\n  code\n\nSee ``code``, :doc:`a <b>`.", "rst")
    'Use::\n\n      \n\nSee         ,             .'
    """
    if language == "markdown":
        text = _blank_lines(text, _indented_code_lines(text))
    elif language == "rst":
        text = _blank_lines(text, _literal_lines(text))
    for pattern in _PATTERNS.get(language, _PATTERNS["markdown"]):
        text = pattern.sub(_blank, text)
    return text


def _indented_code_lines(text: str) -> Iterator[int]:
    """Yield the lines of indented code in Markdown: behind a blank line, and not inside a list."""
    in_list, before = False, "blank"
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            before = "code" if before == "code" else "blank"
        elif line.startswith(("    ", "\t")) and before != "text" and not in_list:
            before = "code"
            yield number
        else:
            in_list = bool(_LIST_ITEM.match(line)) or (in_list and line[:1].isspace())
            before = "text"


def _literal_lines(text: str) -> Iterator[int]:
    """Yield the lines of literal blocks, directives and comments in reStructuredText."""
    depth: int | None = None
    """Indentation of the line above an indented block that is no prose."""
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        indentation = len(line) - len(line.lstrip())
        if depth is not None and indentation > depth:
            yield number
            continue
        depth = None
        stripped = line.strip()
        if stripped == ".." or (stripped.startswith(".. ") and not _PROSE_DIRECTIVES.match(stripped)):
            depth = indentation
            yield number
        elif stripped.endswith("::") and not stripped.startswith(".. "):
            depth = indentation


def _blank_lines(text: str, numbers: Iterable[int]) -> str:
    lines = text.split("\n")
    for number in numbers:
        lines[number] = " " * len(lines[number])
    return "\n".join(lines)


def cut_sentence(text: str, start: int, end: int) -> Sentence:
    """Cut out the sentence around a piece of text, with the offsets of the piece in it.

    >>> cut_sentence("First. See the setup guide!", 15, 20)
    Sentence(text='See the setup guide!', start=8, end=13)
    """
    low, high = max(start - _MAX_SENTENCE_SIDE, 0), min(end + _MAX_SENTENCE_SIDE, len(text))
    first = max((match.end() for match in _END.finditer(text, low, start)), default=low)
    sentence_end = _END.search(text, end, high)
    last = sentence_end.end() if sentence_end else high
    while first < start and text[first].isspace():
        first += 1
    return Sentence(text[first:last].rstrip(), start - first, end - first)


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of a text."""
    return (match.span() for match in _WORD.finditer(text))


def _blank(match: re.Match[str]) -> str:
    return "".join(letter if letter == "\n" else " " for letter in match.group())
