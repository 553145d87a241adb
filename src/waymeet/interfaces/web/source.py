"""Show source code with colours and line numbers."""

from contextlib import suppress
from typing import Any

from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

_MAX_COLOURED = 400_000
"""Characters above which a text is shown without colours."""
_FORMATTER = HtmlFormatter(nowrap=True)
_OPTIONS: dict[str, Any] = {"stripnl": False, "ensurenl": False}


def colour_lines(text: str, path: str, language: str = "") -> list[Markup]:
    r"""Colour a text by its file name or language, and give its lines as HTML.

    >>> colour_lines("x < 1\n\ny", "a.py")[0]
    Markup('<span class="n">x</span> <span class="o">&lt;</span> <span class="mi">1</span>')
    >>> len(colour_lines("x < 1\n\ny", "a.py"))
    3
    """
    lines = text.split("\n")
    if len(text) > _MAX_COLOURED:
        return [escape(line) for line in lines]
    from pygments import highlight

    coloured = highlight(text, _find_lexer(path, language), _FORMATTER).split("\n")
    if len(coloured) < len(lines) or any(coloured[len(lines) :]):  # a lexer that changed the number of lines
        return [escape(line) for line in lines]
    return [Markup(line) for line in coloured[: len(lines)]]  # noqa: S704 - made and escaped by Pygments


def _find_lexer(path: str, language: str) -> Lexer:
    """Find the lexer of a language or of a file name. No content is analysed."""
    if language:
        with suppress(ClassNotFound):  # the file name may tell more
            return get_lexer_by_name(language, **_OPTIONS)
    try:
        return get_lexer_for_filename(path.rpartition("/")[2], **_OPTIONS)
    except ClassNotFound:
        return TextLexer(**_OPTIONS)
