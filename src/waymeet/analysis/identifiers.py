"""Splitting of identifiers into words."""

import re
from collections.abc import Iterable, Iterator

_ASCII_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_DIGITS_OR_TEXT = re.compile(r"[0-9]+|[^0-9]+")
_SEPARATORS = re.compile(r"[_-]+")
_MAX_NUMBERS = 2
_MAX_HEADING_CHARS = 300


_HEADING_NAME = re.compile(
    r"(?:(?:class|function|interface|struct|enum|def|func|fn) )?[.#@]?"
    r"(?P<name>\$?[^\W\d][\w$]*(?:(?:\.|::|#)\$?[^\W\d][\w$]*)*)(?:[\[(<].*)?:?"
)
"""Name as a heading by itself: perhaps with the kind of symbol before it and with parameters behind it."""


def documented_name(heading: str) -> str:
    """Return the name that a heading consists of, written with dots, or "".

    >>> documented_name("`res.json([body])`"), documented_name("class Store(path, *, x=3)"), documented_name(".code()")
    ('res.json', 'Store', 'code')
    >>> documented_name("Store::put"), documented_name("How to store"), documented_name("Store (deprecated)")
    ('Store.put', '', '')
    """
    match = _HEADING_NAME.fullmatch(" ".join(heading.replace("`", "").replace("\\", "").split())[:_MAX_HEADING_CHARS])
    return re.sub("::|#", ".", match["name"]) if match else ""


_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\. (?:\w+:)?(?:auto)?(?P<kind>class|exception|function|method|attribute|property|data"
    r"|staticmethod|classmethod|decorator|decoratormethod|module|type|macro|struct|enum|enumerator|member|var|func"
    r"|interface|describe|setting|confval|envvar|option|templatetag|templatefilter|fieldlookup|django-admin|signal)"
    r":: +(?P<text>\S.*)"
)
"""Directive of reStructuredText that describes a name, in the domain of any language."""
_DESCRIBES_CLASS = frozenset({"class", "exception", "interface", "struct", "enum"})


def documented_names(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    r"""Yield the index of each line with a directive that describes a name, and that name.

    >>> text = ".. class:: Store(path)\n\n   .. method:: put(x)\n\n.. setting:: DEBUG\n\n.. note:: Store"
    >>> list(documented_names(text.split("\n")))
    [(0, 'Store'), (2, 'Store.put'), (4, 'DEBUG')]
    """
    around: list[tuple[int, str]] = []
    for index, line in enumerate(lines):
        match = _DIRECTIVE.fullmatch(line.rstrip()) if ".. " in line else None
        name = documented_name(match["text"]) if match else ""
        if match is None or not name:
            continue
        indent = len(match["indent"])
        around = [scope for scope in around if scope[0] < indent]
        if around and "." not in name:
            name = f"{around[-1][1]}.{name}"
        if match["kind"] in _DESCRIBES_CLASS:
            around.append((indent, name))
        yield index, name


def split_identifier(token: str) -> list[str]:
    """Split an identifier at case changes, digits, underscores and hyphens.

    >>> split_identifier("getUserById"), split_identifier("HTTPServer2"), split_identifier("user_authentication-flow")
    (['get', 'User', 'By', 'Id'], ['HTTP', 'Server', '2'], ['user', 'authentication', 'flow'])
    >>> split_identifier("2024-01-15-release-notes")
    ['2024', '01', '15', 'release', 'notes']

    A part that alternates between letters and digits, like a digest or a key, is not split: its pieces would be noise.

    >>> split_identifier("key-6a1cc24734a57e4524")
    ['key', '6a1cc24734a57e4524']
    """
    return [piece for part in _SEPARATORS.split(token) if part for piece in _split_part(part)]


def _split_part(part: str) -> list[str]:
    if not part.isascii():
        return [piece for word in _DIGITS_OR_TEXT.findall(part) for piece in _split_camel_case(word)]
    pieces = _ASCII_PARTS.findall(part)
    return [part] if sum(map(str.isdigit, pieces)) > _MAX_NUMBERS else pieces


def _split_camel_case(word: str) -> list[str]:
    """Split a word of any alphabet before each capital that follows a lower-case letter.

    >>> _split_camel_case("étéÉcole")
    ['été', 'École']
    """
    boundaries = [i for i in range(1, len(word)) if word[i].isupper() and word[i - 1].islower()]
    return [word[start:end] for start, end in zip([0, *boundaries], [*boundaries, len(word)], strict=True)]
