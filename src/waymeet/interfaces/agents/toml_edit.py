"""Edits of TOML files that keep comments, formatting and all other keys.

tomlkit is imported on use: only commands that edit files need it.
"""

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tomlkit.container import Container

_BOM = "\ufeff"


def loads(text: str) -> dict[str, Any]:
    """Parse TOML, with or without a byte order mark.

    Raises:
        ValueError: the text is not valid TOML.
    """
    return tomllib.loads(text.removeprefix(_BOM))


def set_values(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    r"""Set keys of the table at a path.

    A missing table is appended, equal values are not rewritten.

    >>> print(set_values("a = 1\n", ["mcp_servers", "x"], {"command": "x", "args": ["y"]}))
    a = 1
    <BLANKLINE>
    [mcp_servers.x]
    command = "x"
    args = ["y"]
    <BLANKLINE>
    >>> set_values("[auto]\na = 0.3 # why\n\n# Lexical.\n[bm25]\n", ["auto"], {"a": 0.6, "b": 1.0})
    '[auto]\na = 0.6 # why\nb = 1.0\n\n# Lexical.\n[bm25]\n'
    """
    import tomlkit
    from tomlkit.items import InlineTable

    ended = text if not text.strip(_BOM) or text.endswith("\n") else f"{text}\n"
    loads(ended)  # its errors are ValueErrors, those of tomlkit are not always
    document = tomlkit.parse(ended.removeprefix(_BOM))
    table: Any = document
    for depth, key in enumerate(path):
        if key not in table:
            if not isinstance(table, InlineTable):
                # Not by tomlkit: it would put the table above comments that belong to the next one.
                block = tomlkit.dumps(_nest(path, values))
                return _with_line_ends(text, ended + ("\n" if ended.strip(f"{_BOM}\r\n") else "") + block)
            table[key] = tomlkit.inline_table()
        table = table[key]
        if not isinstance(table, MutableMapping):
            raise ValueError(f"{'.'.join(path[: depth + 1])} is not a table")  # noqa: TRY004 - an error of the file
    for key, value in values.items():
        if key not in table:
            _append(table, key, value)
        elif table[key] != value:
            table[key] = value
    return _with_line_ends(text, tomlkit.dumps(document))


def remove_table(text: str, path: Sequence[str]) -> str:
    r"""Remove the table at a path and those below it. Comments that follow its last key stay.

    >>> remove_table("a = 1\n\n[x.y]\nb = 2\n[x.y.z]\nc = 3\n\n# Last.\n[w]\n", ["x", "y"])
    'a = 1\n\n\n# Last.\n[w]\n'
    """
    import tomlkit
    from tomlkit.items import Whitespace

    document = tomlkit.parse(text.removeprefix(_BOM))
    parent: Any = document
    for key in path[:-1]:
        parent = parent[key]
    body = _container(parent).body
    tail = _trailing_trivia(parent[path[-1]])
    place = next((place for place, (key, _) in enumerate(body) if key and key.key == path[-1]), None)
    del parent[path[-1]]
    # tomlkit counts the blank lines and comments above the next header as part of the removed table.
    if tail and place is not None:
        body[place] = (None, Whitespace(tail))
    return _with_line_ends(text, tomlkit.dumps(document))


def _nest(path: Sequence[str], values: Mapping[str, object]) -> Mapping[str, object]:
    for key in reversed(path):
        values = {key: values}
    return values


def _container(table: Any) -> "Container":  # noqa: ANN401 - a document, a table, or a proxy of several tables
    from tomlkit.container import Container

    value = table if isinstance(table, Container) else getattr(table, "value", None)
    return value if isinstance(value, Container) else Container()


def _append(table: Any, key: str, value: object) -> None:  # noqa: ANN401 - a document, a table, or a proxy
    """Append a key above the blank lines and comments that belong to the next table."""
    body = _container(table).body
    tail = []
    while body and body[-1][0] is None:
        tail.append(body.pop())
    table[key] = value
    body.extend(reversed(tail))


def _trailing_trivia(table: Any) -> str:  # noqa: ANN401 - a table, or a value
    """Return the blank lines and comments behind the last key of a table."""
    texts: list[str] = []
    for key, item in reversed(_container(table).body):
        if key is not None:
            return _trailing_trivia(item) + "".join(reversed(texts))
        texts.append(item.as_string())
    return ""


def _with_line_ends(before: str, after: str) -> str:
    """Give new lines the line ends of the file, and restore its byte order mark."""
    if "\r\n" in before and before.count("\n") == before.count("\r\n"):
        after = after.replace("\r\n", "\n").replace("\n", "\r\n")
    return _BOM + after.removeprefix(_BOM) if before.startswith(_BOM) else after
