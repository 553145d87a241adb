"""Layers of settings, each overriding the ones before.

The order is: defaults, recipe, user, project, environment, flags. A layer is a nested mapping with the name of its
source. Each layer is validated when it is made, so that an error message names the source.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, Literal, get_origin

import msgspec

from waymeet.errors import SettingsError
from waymeet.settings.settings import STRICTER, Settings, is_project_setting

Tree = Mapping[str, Any]


class Layer(msgspec.Struct, frozen=True):
    """Settings of one source."""

    name: str
    values: Tree
    source: Literal["file", "environment", "call"] = "call"
    """Whether it applies to every call (a settings file), to those of one shell, or to one call."""


def make_layer(name: str, values: Tree, *, trusted: bool = True) -> Layer:
    """Make a layer after validating its keys and values.

    Settings that are the user's alone are refused in untrusted sources, and in the definition of a recipe.
    """
    _check_keys(name, values, defaults())
    if not trusted:
        _check_allowed(name, values)
    layer = resolve((Layer(name, values),))
    for recipe, definition in layer.recipes.items():
        _check_recipe(f"{name}: recipes.{recipe}.settings", definition.settings)
    return Layer(name, values)


def _check_recipe(name: str, values: Tree) -> None:
    """Refuse settings that a recipe cannot have."""
    if "recipes" in values:
        raise SettingsError(f"{name}: a recipe cannot define recipes.", "Define each one under [recipes.NAME].")
    make_layer(name, values, trusted=False)


def _check_allowed(name: str, values: Tree) -> None:
    """Refuse settings that only the user may set."""
    for key, value in list_keys(values):
        if not is_project_setting(key) and (key not in STRICTER or value is not STRICTER[key]):
            raise SettingsError(
                f"{name} may not set {key}: only you can set providers, paths, secrets, limits and safeguards.",
                "Set it in your own settings file (waymeet settings shows its path) or in the environment.",
            )


def resolve(layers: Sequence[Layer]) -> Settings:
    """Merge the layers with the defaults. Later layers override earlier ones."""
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = merge_trees(merged, layer.values)
    try:
        return msgspec.convert(merged, Settings)
    except msgspec.ValidationError as error:
        cause, _, key = str(error).partition(" - at `$.")
        names = " / ".join(layer.name for layer in layers)
        raise SettingsError(f"{names}: {key.rstrip('`') or 'settings'}: {cause}.") from error


def find_origin(key: str, layers: Sequence[Layer]) -> str:
    """Return the name of the layer that sets a key."""
    for layer in reversed(layers):
        values: Any = layer.values
        for part in key.split("."):
            values = values.get(part) if isinstance(values, Mapping) else None
        if values is not None:
            return layer.name
    return "default"


def merge_trees(below: Tree, above: Tree) -> dict[str, Any]:
    """Merge two trees, with the values of the second where both have one.

    >>> merge_trees({"rrf": {"k": 60, "vector": 1}}, {"rrf": {"k": 10}})
    {'rrf': {'k': 10, 'vector': 1}}
    """
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = merge_trees(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def defaults() -> dict[str, Any]:
    """Return the default settings as a tree."""
    tree: dict[str, Any] = msgspec.to_builtins(Settings())
    return tree


def list_keys(tree: Tree | None = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """List all settings as dotted keys with their values.

    A mapping with custom keys is one setting.
    """
    for key, value in (defaults() if tree is None else tree).items():
        if isinstance(value, Mapping) and value:
            yield from list_keys(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def parse_assignment(key: str, text: str, name: str) -> Layer:
    """Make a layer from one key and the text of its value, converted to the type of the setting.

    >>> parse_assignment("rrf.k", "30", "--set").values
    {'rrf': {'k': 30.0}}
    """
    known = dict(list_keys())
    if key not in known:
        raise unknown_key_error(name, key, list(known))
    try:
        value = msgspec.convert(_parse_value(key, text), _type_of(key), strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{name}: {key}: {error}.") from error
    tree: Any = value
    for part in reversed(key.split(".")):
        tree = {part: tree}
    return make_layer(name, tree)


def unknown_key_error(name: str, key: str, known: Sequence[str]) -> SettingsError:
    """Make the error for an unknown key, with a suggestion."""
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {close[0]}?" if close else "To list all settings: waymeet settings"
    return SettingsError(f"{name}: there is no setting {key}." if name else f"There is no setting {key}.", hint)


def _check_keys(name: str, values: Tree, known: Tree, prefix: str = "") -> None:
    if not isinstance(values, Mapping):
        raise SettingsError(f"{name}: {prefix.rstrip('.') or 'the file'} is a value, not a group of settings.")
    for key, value in values.items():
        if key not in known:
            raise unknown_key_error(
                name, f"{prefix}{key}", [f"{prefix}{other}" for other in known] + [k for k, _ in list_keys()]
            )
        if isinstance(known[key], Mapping):
            if not isinstance(value, Mapping):
                raise SettingsError(f"{name}: {prefix}{key} is a group of settings, not a value.")
            if known[key]:  # a group that is empty by default has custom keys
                _check_keys(name, value, known[key], f"{prefix}{key}.")


def _type_of(key: str) -> Any:  # noqa: ANN401 - a type expression
    type_: Any = Settings
    for part in key.split("."):
        type_ = next(field.type for field in msgspec.structs.fields(type_) if field.name == part)
    return type_


def _parse_value(key: str, text: str) -> object:
    """Parse the text of a list or a table. Other types are converted by msgspec."""
    kind = get_origin(_type_of(key))
    return _parse_list(text) if kind is tuple else _parse_table(text) if kind is Mapping else text


def _parse_list(text: str) -> list[str]:
    r"""Parse a list, separated by commas or in TOML syntax.

    >>> _parse_list("*.log, tmp/"), _parse_list('["a, b", "c"]')
    (['*.log', 'tmp/'], ['a, b', 'c'])
    """
    if text.startswith("["):
        with suppress(tomllib.TOMLDecodeError):
            return list(map(str, tomllib.loads(f"list = {text}")["list"]))
    return [item.strip() for item in text.split(",") if item.strip()]


def _parse_table(text: str) -> object:
    """Parse a table in TOML syntax.

    >>> _parse_table('{notes = "~/notes"}'), _parse_table("notes")
    ({'notes': '~/notes'}, 'notes')
    """
    try:
        return tomllib.loads(f"table = {text}")["table"]
    except tomllib.TOMLDecodeError:
        return text
