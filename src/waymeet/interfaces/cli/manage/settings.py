"""`waymeet settings`."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click
import msgspec

from waymeet.interfaces.cli.common import open_project, project_options
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_recipes, complete_setting_names
from waymeet.interfaces.render.text import Line
from waymeet.settings import Layer, Settings, find_origin, resolve, user_settings_file
from waymeet.settings.layers import list_keys, unknown_key_error

_EPILOG = manual(
    """
    waymeet settings ingest                   those whose names begin so
    waymeet settings auto --recipe files      the numbers that a recipe runs with
    WAYMEET_RRF_K=30 waymeet settings rrf.k   where a value comes from
    waymeet search x --set rrf.k=30           another value for one call
    """,
    exits={0: "shown", 3: ""},
    see="waymeet recipes, waymeet init",
)


@click.command(short_help="Show every setting, its value and where that comes from.", epilog=_EPILOG)
@click.argument("beginning", default="", metavar="[KEY]", shell_complete=complete_setting_names)
@click.option(
    "--recipe",
    default="auto",
    show_default=True,
    shell_complete=complete_recipes,
    help="Show the numbers this recipe runs with.",
)
@project_options
@format_option(drop=("files",))
def command(
    beginning: str, recipe: str, root: Path | None, index: Path | None, flags: tuple[str, ...], form: str
) -> int:
    """Show every setting, or those whose name begins with KEY, with its value and where that comes from.

    If none begins so, those that hold KEY are shown.

    Lowest to highest: defaults, the recipe, your own file, the project's waymeet.toml (or [tool.waymeet] in
    pyproject.toml), WAYMEET_SECTION_KEY variables, --set flags.
    """
    with open_project(root, index, flags) as project:
        layers = project.layers_for(recipe)
    known = dict(current(resolve(layers)))
    shown = {key: value for key, value in known.items() if key.startswith(beginning)}
    shown = shown or {key: value for key, value in known.items() if beginning in key}
    if not shown:
        raise unknown_key_error("", beginning, [key for key, _ in list_keys()])
    whole = {key: {"value": value, "from": find_origin(key, layers)} for key, value in shown.items()}
    items = [{"key": key, **told} for key, told in whole.items()]
    print_listing(form, Listing(whole, items, tuple(_lines(shown, layers))), project)
    return 0


def current(settings: Settings) -> Iterator[tuple[str, object]]:
    """List settings as dotted keys with their values."""
    yield from list_keys(msgspec.to_builtins(settings))


def _lines(shown: dict[str, object], layers: tuple[Layer, ...]) -> Iterator[Line]:
    explained = descriptions()
    for key, value in shown.items():
        source = find_origin(key, layers)
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield [(key, "cyan"), (" = ", "dim"), (text, "bold" if source != "default" else "")] + (
            [(f"  ({source})", "yellow")] if source != "default" else []
        )
        if explained.get(key):
            yield [(f"    {explained[key]}", "dim")]
    yield [(f"Your own settings file: {user_settings_file()}", "dim")]


def descriptions() -> dict[str, str]:
    """Read what each setting means from the docstrings under the attributes."""
    return dict(_described("", Settings))


def _described(above: str, group: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    told = _docstrings(group.__module__)[group.__name__]
    for field in msgspec.structs.fields(group):
        key = f"{above}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from _described(f"{key}.", field.type)
        elif field.name in told:
            yield key, told[field.name]


@cache
def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """Give the docstrings under the attributes of each class of a module."""
    body = ast.parse(inspect.getsource(import_module(module))).body
    return {node.name: dict(_under(node.body)) for node in body if isinstance(node, ast.ClassDef)}


def _under(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node, follower in pairwise(body):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and isinstance(follower, ast.Expr)
            and isinstance(follower.value, ast.Constant)
        ):
            yield node.target.id, " ".join(str(follower.value.value).split())
