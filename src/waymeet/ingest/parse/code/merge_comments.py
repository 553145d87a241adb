"""Comments before definitions: which lines belong to one, and what they say."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_DOC = 500
_LONGEST_COMMENT = 4_000
_MARKS = re.compile(
    r"^\s*(?:/\*\*?!?|\*+/|\*(?!\S*\*)|///?!?|#(?!\w)|--)\s?|\*+/\s*$|^\s*[rRbBuUfF]{0,2}(?:\"{3}|'{3}|\"|')",
    re.MULTILINE,
)
_CLOSING = re.compile(r"(?:\"{3}|'{3}|\"|')\s*$")
_TAGS = re.compile(r"</?[a-zA-Z][^<>]*>")
_FIELDS = re.compile(r"^\s*[@\\][a-z]\w*\b", re.MULTILINE)
_NO_DOC = re.compile(r"^\s*(?:#!|#\s*(?:-\*-|noqa|type:|pylint|frozen_string)|//\s*(?:eslint|@ts-|nolint|go:))")


class Comments:
    """The comments of a file that have lines to themselves, ready to be asked for by the line below them."""

    def __init__(self, found: "list[dict[str, list[Node]]]", text: bytes) -> None:
        self._ending: dict[int, tuple[int, Node | None]] = {}
        for captured in found:
            for what in ("comment", "attribute"):
                for node in captured.get(what, ()):
                    start, end = node.start_point, node.end_point
                    line = text.rfind(b"\n", 0, node.start_byte) + 1
                    if not text[line : node.start_byte].strip():
                        # A comment may take the line's end with it.
                        last = end.row - (end.column == 0 and end.row > start.row)
                        self._ending[last] = (start.row, node if what == "comment" else None)

    def before(self, row: int) -> tuple[int, str]:
        """Say at which row the comment before a row begins (that row itself if there is none), and what it says."""
        said: list[str] = []
        length = 0
        while (above := self._ending.pop(row - 1, None)) is not None:
            row, node = above
            text = (node.text or b"").decode("utf-8", "replace") if node and length < _LONGEST_COMMENT else ""
            length += len(text)
            if not _NO_DOC.match(text):
                said.append(text)
        return row, documented("\n".join(reversed(said)))


def documented(text: str) -> str:
    r'''Give the first paragraph of a comment, without what makes it one.

    >>> documented('/**\n * Adds up.\n * All of it.\n *\n * @param a one\n */')
    'Adds up. All of it.'
    >>> documented('"""Say hello.\n\n    Loudly."""'), documented('/// <summary>Says.</summary>'), documented('# Says.')
    ('Say hello.', 'Says.', 'Says.')
    '''
    text = text[:_LONGEST_COMMENT]
    plain = _CLOSING.sub("", _MARKS.sub("", text).strip()) if text else ""
    plain = _FIELDS.split(_TAGS.sub(" ", plain), maxsplit=1)[0].strip()
    paragraph = re.split(r"\n\s*\n", plain, maxsplit=1)[0]
    said = " ".join(paragraph.split())
    return said if len(said) <= LONGEST_DOC else said[: LONGEST_DOC - 1] + "…"
