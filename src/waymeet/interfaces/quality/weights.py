"""Writing weights into a project's settings file, as text: comments and all else stay as they are."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import UsageError
from waymeet.interfaces.agents.changing import Plan
from waymeet.interfaces.agents.toml import loads, with_table
from waymeet.settings import PROJECT_FILE, layer
from waymeet.settings.layers import merge

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
            after = with_table(after, [*above, *table.split(".")], values)
        if loads(after) != merge(loads(text), _tree(above, weights)):
            raise ValueError("it would say something else then")
    except (OSError, ValueError) as error:
        lines = "\n".join(f"{key} = {value!r}" for key, value in weights.items())
        raise UsageError(f"{path} cannot be changed: {error}.", f"Write these into it by hand:\n{lines}") from error
    layer(path.name, _tree((), weights), trusted=False)
    return Plan(path, before, after.encode())


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


def _tables(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Sort weights by the table they belong to.

    >>> _tables({"auto.exact": 0.3, "bm25.fields.title": 4.0})
    {'auto': {'exact': 0.3}, 'bm25.fields': {'title': 4.0}}
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
        tree = merge(tree, one)
    return tree
