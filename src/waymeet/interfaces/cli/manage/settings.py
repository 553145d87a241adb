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
    waymeet settings ingest                   one section
    waymeet settings auto --recipe files      the values used by a recipe
    WAYMEET_RRF_K=30 waymeet settings rrf.k   the origin of a value
    waymeet search x --set rrf.k=30           another value for one call
    """,
    exits={0: "shown", 3: ""},
    see="waymeet recipes, waymeet init",
)


@click.command(epilog=_EPILOG)
@click.argument("prefix", default="", metavar="[KEY]", shell_complete=complete_setting_names)
@click.option(
    "--recipe",
    default="auto",
    show_default=True,
    shell_complete=complete_recipes,
    help="Show the values used by this recipe.",
)
@project_options
@format_option(drop=("files",))
def command(prefix: str, recipe: str, root: Path | None, index: Path | None, flags: tuple[str, ...], form: str) -> int:
    """Show all settings, or those whose name contains KEY, with values and origins.

    Later sources override earlier ones: defaults, the recipe, your own file, the project's waymeet.toml (or
    [tool.waymeet] in pyproject.toml), WAYMEET_SECTION_KEY variables, --set flags.
    """
    with open_project(root, index, flags) as project:
        layers = project.layers_for(recipe)
    known = dict(list_keys(msgspec.to_builtins(resolve(layers))))
    shown = {key: value for key, value in known.items() if key.startswith(prefix)}
    shown = shown or {key: value for key, value in known.items() if prefix in key}
    if not shown:
        raise unknown_key_error("", prefix, [key for key, _ in list_keys()])
    document = {key: {"value": value, "from": find_origin(key, layers)} for key, value in shown.items()}
    items = [{"key": key, **entry} for key, entry in document.items()]
    print_listing(form, Listing(document, items, tuple(_lines(shown, layers))), project)
    return 0


def _lines(shown: dict[str, object], layers: tuple[Layer, ...]) -> Iterator[Line]:
    documented = descriptions()
    for key, value in shown.items():
        origin = find_origin(key, layers)
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield [(key, "cyan"), (" = ", "dim"), (text, "bold" if origin != "default" else "")] + (
            [(f"  ({origin})", "yellow")] if origin != "default" else []
        )
        if documented.get(key):
            yield [(f"    {documented[key]}", "dim")]
    yield [(f"Your own settings file: {user_settings_file()}", "dim")]


def descriptions() -> dict[str, str]:
    """Return the docstring of each setting, by dotted key."""
    return dict(_describe_group("", Settings))


def _describe_group(prefix: str, group: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    docstrings = _attribute_docstrings(group.__module__)[group.__name__]
    for field in msgspec.structs.fields(group):
        key = f"{prefix}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from _describe_group(f"{key}.", field.type)
        elif field.name in docstrings:
            yield key, docstrings[field.name]


@cache
def _attribute_docstrings(module: str) -> dict[str, dict[str, str]]:
    """Parse the source of a module for the docstrings below the attributes of its classes."""
    body = ast.parse(inspect.getsource(import_module(module))).body
    return {node.name: dict(_documented_attributes(node.body)) for node in body if isinstance(node, ast.ClassDef)}


def _documented_attributes(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node, follower in pairwise(body):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and isinstance(follower, ast.Expr)
            and isinstance(follower.value, ast.Constant)
        ):
            yield node.target.id, " ".join(str(follower.value.value).split())
