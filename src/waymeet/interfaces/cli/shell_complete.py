"""Shell completion of documents, recipes, settings and namespaces.

Errors yield no completions.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

    Completions = list[str | CompletionItem]

_LIMIT = 200


def complete_documents(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the path of an indexed file, relative to the root, with secrets masked."""
    from waymeet.interfaces.outgoing import mask_outgoing
    from waymeet.project.backend import complete_paths

    paths = _query_index(ctx, lambda index: complete_paths(index, incomplete.removeprefix("./"), _LIMIT))
    return mask_outgoing(paths, enabled=True)


def complete_namespaces(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a package or extra folder."""
    from waymeet.project.backend import complete_namespaces as list_namespaces

    return _query_index(ctx, lambda index: _with_prefix(list_namespaces(index), incomplete))


def complete_recipes(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a recipe, custom ones included."""
    from waymeet.errors import WaymeetError
    from waymeet.project import Project
    from waymeet.recipes import list_recipes

    try:
        custom = Project.open(ctx.params.get("root")).settings.recipes
    except WaymeetError:
        custom = {}
    return _with_prefix((recipe.name for recipe in list_recipes(custom)), incomplete)


def complete_projects(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a registered project, the last one of a list with commas."""
    from waymeet.errors import WaymeetError
    from waymeet.project.registered.registry import list_projects

    before, comma, last = incomplete.rpartition(",")
    try:
        names = [project.name for project in list_projects()]
    except WaymeetError:
        return []
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def complete_assignments(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a setting, up to the `=`."""
    from waymeet.settings.layers import list_keys

    return _with_prefix((f"{key}=" for key, _ in list_keys()), incomplete)


def complete_setting_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Complete the name of a setting."""
    from waymeet.settings.layers import list_keys

    return _with_prefix((key for key, _ in list_keys()), incomplete)


def _with_prefix(names: Iterable[str], incomplete: str) -> "Completions":
    return [name for name in names if name.startswith(incomplete)]


def _query_index(ctx: click.Context, query: "Callable[[Path], Iterable[str | CompletionItem]]") -> "Completions":
    """Query the index that the command line so far selects."""
    from waymeet.errors import WaymeetError
    from waymeet.paths import current_folder, index_file, known_folder, project_root

    root, index = ctx.params.get("root"), ctx.params.get("index")
    try:
        folder = known_folder(root, index) if root else project_root(current_folder())
        return list(query(index_file(folder, index)))
    except (WaymeetError, OSError):
        return []
