"""What the shell can complete: documents, recipes, settings, namespaces. Silent when something is wrong."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

    Completions = list[str | CompletionItem]

_MOST = 200
"""Completions that are worth showing."""


def documents(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the path of an indexed file, as seen from the root."""
    from waymeet.project.backend import complete_paths

    return _asked(ctx, lambda index: complete_paths(index, incomplete.removeprefix("./"), _MOST))


def namespaces(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a package or extra folder."""
    from waymeet.project.backend import complete_namespaces as known

    return _asked(ctx, lambda index: _beginning(known(index), incomplete))


def recipes(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a recipe, the user's own among them."""
    from waymeet.errors import WaymeetError
    from waymeet.project import Project
    from waymeet.recipes import list_recipes

    try:
        own = Project.open(ctx.params.get("root")).settings.recipes
    except WaymeetError:
        own = {}
    return _beginning((recipe.name for recipe in list_recipes(own)), incomplete)


def settings_like(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a setting, up to the `=`."""
    from waymeet.settings.layers import list_keys

    return _beginning((f"{key}=" for key, _ in list_keys()), incomplete)


def setting_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a setting."""
    from waymeet.settings.layers import list_keys

    return _beginning((key for key, _ in list_keys()), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> "Completions":
    return [name for name in names if name.startswith(incomplete)]


def _asked(ctx: click.Context, look: "Callable[[Path], Iterable[str | CompletionItem]]") -> "Completions":
    """Look into the index that the line so far names; a shell that completes has no place for an error."""
    from waymeet.errors import WaymeetError
    from waymeet.paths import current_folder, index_file, known_folder, project_root

    root, index = ctx.params.get("root"), ctx.params.get("index")
    try:
        folder = known_folder(root, index) if root else project_root(current_folder())
        return list(look(index_file(folder, index)))
    except (WaymeetError, OSError):
        return []
