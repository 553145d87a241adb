"""Edits of a project's settings file: writes tuned weights, keeps everything else."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import UsageError
from waymeet.interfaces.agents.config_file import Plan
from waymeet.interfaces.agents.toml_edit import loads, set_values
from waymeet.settings import PROJECT_FILE, make_layer
from waymeet.settings.layers import merge_trees

_PYPROJECT, _TOOL = "pyproject.toml", ("tool", "waymeet")


def plan_weights(root: Path, weights: Mapping[str, float]) -> Plan:
    """Plan to write weights into the project's settings file, or into a new one.

    Raises:
        UsageError: the file cannot be edited safely; the hint lists the lines to write by hand.
    """
    path, table = _locate(root)
    try:
        before = path.read_bytes() if path.exists() else None
        text = (before or b"").decode("utf-8")
        after = text
        for section, values in _group_by_section(weights).items():
            after = set_values(after, [*table, *section.split(".")], values)
        if loads(after) != merge_trees(loads(text), _nest(table, weights)):
            raise ValueError("other values would change with them")
    except (OSError, ValueError) as error:
        lines = "\n".join(f"{key} = {value!r}" for key, value in weights.items())
        raise UsageError(f"{path} cannot be changed: {error}.", f"Write these into it by hand:\n{lines}") from error
    make_layer(path.name, _nest((), weights), trusted=False)
    return Plan(path, before, after.encode())


def settings_file(root: Path) -> Path:
    """Return the file that holds a project's settings, or would hold them."""
    return _locate(root)[0]


def expect_change(root: Path, keys: Iterable[str]) -> None:
    """Check that weights can be written later, before a long search for them begins.

    Raises:
        UsageError: they cannot.
    """
    path = settings_file(root)
    hint = "Show the change with --dry-run, and write it by hand."
    try:
        plan_weights(root, dict.fromkeys(keys, 0.5))
    except UsageError as error:
        raise UsageError(error.message, hint) from error
    if not os.access(path if path.exists() else root, os.W_OK):
        raise UsageError(f"{path} is not writable.", hint)


def _locate(root: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the settings file and the path of the table that holds the settings."""
    own = root / PROJECT_FILE
    if own.exists():
        return own, ()
    try:
        pyproject = tomllib.loads((root / _PYPROJECT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return own, ()
    # A new waymeet.toml would hide the settings in pyproject.toml.
    return (root / _PYPROJECT, _TOOL) if pyproject.get("tool", {}).get("waymeet") else (own, ())


def _group_by_section(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Group weights by the table they belong to.

    >>> _group_by_section({"auto.name_bonus": 0.3, "bm25.fields.title": 4.0})
    {'auto': {'name_bonus': 0.3}, 'bm25.fields': {'title': 4.0}}
    """
    sections: dict[str, dict[str, float]] = {}
    for key, value in weights.items():
        section, _, name = key.rpartition(".")
        sections.setdefault(section, {})[name] = value
    return sections


def _nest(table: tuple[str, ...], weights: Mapping[str, float]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in weights.items():
        branch: Any = value
        for part in reversed([*table, *key.split(".")]):
            branch = {part: branch}
        tree = merge_trees(tree, branch)
    return tree
