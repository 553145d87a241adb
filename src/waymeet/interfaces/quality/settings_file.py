"""Writing weights into a project's settings file, as text: comments and all else stay as they are."""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import UsageError
from waymeet.interfaces.agents.config_file import Plan
from waymeet.interfaces.agents.toml_edit import loads, remark, with_table
from waymeet.settings import PROJECT_FILE, make_layer
from waymeet.settings.layers import merge_trees

_PYPROJECT, _TOOL = "pyproject.toml", ("tool", "waymeet")


def planned(root: Path, weights: Mapping[str, float]) -> Plan:
    """Plan to write weights into the file that the project's settings are in, or a new one.

    Raises:
        UsageError: its form leaves no safe way to do so; says what to write by hand.
    """
    path, above = _place(root)
    try:
        before = path.read_bytes() if path.exists() else None
        text = (before or b"").decode("utf-8")
        after = text
        for table, values in _tables(weights).items():
            after = _dotted(after, table, values) or with_table(after, [*above, *table.split(".")], values)
        if loads(after) != merge_trees(loads(text), _tree(above, weights)):
            raise ValueError("it would say something else then")
    except (OSError, ValueError) as error:
        lines = "\n".join(f"{key} = {value!r}" for key, value in weights.items())
        raise UsageError(f"{path} cannot be changed: {error}.", f"Write these into it by hand:\n{lines}") from error
    make_layer(path.name, _tree((), weights), trusted=False)
    return Plan(path, before, after.encode())


def settings_file(root: Path) -> Path:
    """Say which file of a project its settings are in, or would be."""
    return _place(root)[0]


def expect_change(root: Path, keys: Iterable[str]) -> None:
    """Make sure that weights can be written later: better said now than after a long search.

    Raises:
        UsageError: they cannot.
    """
    path = settings_file(root)
    hint = "See what would be written with --dry-run, and write it by hand."
    try:
        planned(root, dict.fromkeys(keys, 0.5))
    except UsageError as error:
        raise UsageError(error.message, hint) from error
    if not os.access(path if path.exists() else root, os.W_OK):
        raise UsageError(f"{path} may not be written.", hint)


def _place(root: Path) -> tuple[Path, tuple[str, ...]]:
    """Say which file settings are read from, and below which table."""
    own = root / PROJECT_FILE
    if own.exists():
        return own, ()
    try:
        other = tomllib.loads((root / _PYPROJECT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return own, ()
    # A file of our own would hide what stands there.
    return (root / _PYPROJECT, _TOOL) if other.get("tool", {}).get("waymeet") else (own, ())


def _dotted(text: str, table: str, values: Mapping[str, float]) -> str:
    r"""Set keys where they are written like `auto.name_bonus = 0.3`, above all tables; empty if that is nowhere.

    >>> _dotted("auto.name_bonus = 0.3 # mine\n[bm25]\n", "auto", {"name_bonus": 0.6, "definition_bonus": 0.1})
    'auto.name_bonus = 0.6 # mine\nauto.definition_bonus = 0.1\n[bm25]\n'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    for name, value in values.items():
        top = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
        rows = {
            at: found[1] for at in range(top) if (found := re.match(rf"\s*{re.escape(table)}\.([\w-]+)\s*=", lines[at]))
        }
        if not rows:
            return ""
        old = next((at for at, key in rows.items() if key == name), None)
        row = f"{table}.{name} = {value!r}"
        if old is None:
            lines.insert(max(rows) + 1, row)
        else:
            lines[old] = row + remark(lines[old])
    return newline.join(lines)


def _tables(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Sort weights by the table they belong to.

    >>> _tables({"auto.name_bonus": 0.3, "bm25.fields.title": 4.0})
    {'auto': {'name_bonus': 0.3}, 'bm25.fields': {'title': 4.0}}
    """
    found: dict[str, dict[str, float]] = {}
    for key, value in weights.items():
        table, _, name = key.rpartition(".")
        found.setdefault(table, {})[name] = value
    return found


def _tree(above: tuple[str, ...], weights: Mapping[str, float]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in weights.items():
        one: Any = value
        for part in reversed([*above, *key.split(".")]):
            one = {part: one}
        tree = merge_trees(tree, one)
    return tree
