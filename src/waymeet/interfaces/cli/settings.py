"""`waymeet settings`."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from waymeet.interfaces.cli.common import json_option, opened, print_json, print_lines, project_options
from waymeet.interfaces.present import Line
from waymeet.settings import Layer, Settings, asked, origin, rankings, reading, resolve, user_file, values
from waymeet.settings.layers import keys, unknown


@click.command(short_help="Show every setting, its value and where that comes from.")
@click.argument("beginning", default="", metavar="[KEY]")
@click.option("--recipe", default="auto", show_default=True, help="Show the numbers this recipe runs with.")
@project_options
@json_option
def command(
    beginning: str, recipe: str, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int:
    """Show every setting, or those whose name begins with KEY, with its value and where that comes from.

    Lowest to highest: defaults, the recipe, your own file, the project's waymeet.toml (or [tool.waymeet] in
    pyproject.toml), WAYMEET_SECTION_KEY variables, --set flags.
    """
    with opened(root, index, flags) as project:
        layers = project.layers_for(recipe)
    shown = {key: value for key, value in current(resolve(layers)) if key.startswith(beginning)}
    if not shown:
        raise unknown("waymeet settings", beginning, [key for key, _ in keys()])
    if as_json:
        print_json({key: {"value": value, "from": origin(key, layers)} for key, value in shown.items()})
    else:
        print_lines(_lines(shown, layers))
    return 0


def current(settings: Settings) -> Iterator[tuple[str, object]]:
    """List settings as dotted keys with their values."""
    yield from keys(msgspec.to_builtins(settings))


def _lines(shown: dict[str, object], layers: tuple[Layer, ...]) -> Iterator[Line]:
    explained = descriptions()
    for key, value in shown.items():
        source = origin(key, layers)
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield [(key, "cyan"), (" = ", "dim"), (text, "bold" if source != "default" else "")] + (
            [(f"  ({source})", "yellow")] if source != "default" else []
        )
        if explained.get(key):
            yield [(f"    {explained[key]}", "dim")]
    yield [(f"Your own settings file: {user_file()}", "dim")]


def descriptions() -> dict[str, str]:
    """Read what each setting means from the docstrings under the attributes."""
    bodies = [ast.parse(inspect.getsource(module)).body for module in (values, rankings, asked, reading)]
    classes = {node.name: node for body in bodies for node in body if isinstance(node, ast.ClassDef)}
    return dict(_described("", "Settings", classes))


def _described(above: str, name: str, classes: dict[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    body = classes[name].body
    for node, follower in zip(body, [*body[1:], ast.Pass()], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        key = f"{above}{node.target.id}"
        if isinstance(node.annotation, ast.Name) and node.annotation.id in classes:
            yield from _described(f"{key}.", node.annotation.id, classes)
        elif isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant):
            yield key, str(follower.value.value)
