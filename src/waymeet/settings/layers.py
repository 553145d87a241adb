"""Laying settings over one another: defaults < recipe < user < project < environment < flags.

A layer is a nested mapping with a name that messages and `waymeet settings` can show. Every layer is checked when it
is made, so that a mistake is reported with the place it stands in.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, get_origin

import msgspec

from waymeet.errors import SettingsError
from waymeet.settings.values import PRIVATE, Settings

Tree = Mapping[str, Any]


class Layer(msgspec.Struct, frozen=True):
    """Some settings and where they come from."""

    name: str
    values: Tree


def make_layer(name: str, values: Tree, *, trusted: bool = True) -> Layer:
    """Make a layer, refusing keys that do not exist, values that do not fit, and what a stranger may not set."""
    _check_keys(name, values, defaults())
    for key, _ in list_keys(values):
        if not trusted and any(key == private or key.startswith(f"{private}.") for private in PRIVATE):
            raise SettingsError(
                f"{name} may not set {key}: a project's file cannot choose what is read or secret, or who is asked.",
                "Put it into your own settings file (waymeet settings shows where that is) or into the environment.",
            )
    resolve((Layer(name, values),))
    return Layer(name, values)


def resolve(layers: Sequence[Layer]) -> Settings:
    """Lay the layers over the defaults, later ones on top."""
    merged: dict[str, Any] = {}
    for each in layers:
        merged = merge_trees(merged, each.values)
    try:
        return msgspec.convert(merged, Settings)
    except msgspec.ValidationError as error:
        cause, _, at = str(error).partition(" - at `$.")
        names = " / ".join(each.name for each in layers)
        raise SettingsError(f"{names}: {at.rstrip('`') or 'settings'}: {cause}.") from error


def find_origin(key: str, layers: Sequence[Layer]) -> str:
    """Name the layer that decides a key."""
    for each in reversed(layers):
        values: Any = each.values
        for part in key.split("."):
            values = values.get(part) if isinstance(values, Mapping) else None
        if values is not None:
            return each.name
    return "default"


def merge_trees(below: Tree, above: Tree) -> dict[str, Any]:
    """Merge two trees; where both have a value the upper one wins.

    >>> merge_trees({"rrf": {"k": 60, "vector": 1}}, {"rrf": {"k": 10}})
    {'rrf': {'k': 10, 'vector': 1}}
    """
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = merge_trees(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def defaults() -> dict[str, Any]:
    """Give the default settings as a tree."""
    tree: dict[str, Any] = msgspec.to_builtins(Settings())
    return tree


def list_keys(tree: Tree | None = None, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting as a dotted key with its default; a group whose keys its user names is one setting."""
    for key, value in (defaults() if tree is None else tree).items():
        if isinstance(value, Mapping) and value:
            yield from list_keys(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def parse_assignment(key: str, text: str, name: str) -> Layer:
    """Make a layer from one `section.key` and the text of its value, read as the type of that setting.

    >>> parse_assignment("rrf.k", "30", "--set").values
    {'rrf': {'k': 30.0}}
    """
    known = dict(list_keys())
    if key not in known:
        raise unknown_key_error(name, key, list(known))
    try:
        value = msgspec.convert(_read(key, text), _type_of(key), strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{name}: {key}: {error}.") from error
    tree: Any = value
    for part in reversed(key.split(".")):
        tree = {part: tree}
    return make_layer(name, tree)


def unknown_key_error(name: str, key: str, known: Sequence[str]) -> SettingsError:
    """Say that there is no such key, and which one was probably meant."""
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {close[0]}?" if close else "`waymeet settings` lists all of them."
    return SettingsError(f"{name}: there is no setting {key}." if name else f"There is no setting {key}.", hint)


def _check_keys(name: str, values: Tree, known: Tree, above: str = "") -> None:
    if not isinstance(values, Mapping):
        raise SettingsError(f"{name}: {above.rstrip('.') or 'it'} is a value, not a group of settings.")
    for key, value in values.items():
        if key not in known:
            raise unknown_key_error(
                name, f"{above}{key}", [f"{above}{other}" for other in known] + [k for k, _ in list_keys()]
            )
        if isinstance(known[key], Mapping):
            if not isinstance(value, Mapping):
                raise SettingsError(f"{name}: {above}{key} is a group of settings, not a value.")
            if known[key]:  # an empty group has no keys of its own: its user names them
                _check_keys(name, value, known[key], f"{above}{key}.")


def _type_of(key: str) -> Any:  # noqa: ANN401 - a type expression
    found: Any = Settings
    for part in key.split("."):
        found = next(item.type for item in msgspec.structs.fields(found) if item.name == part)
    return found


def _read(key: str, text: str) -> object:
    """Read a text as far as the type of a setting asks for it: as a list, as a table, or not at all."""
    kind = get_origin(_type_of(key))
    return _listed(text) if kind is tuple else _table(text) if kind is Mapping else text


def _listed(text: str) -> list[str]:
    r"""Read a list, written with commas or as in TOML.

    >>> _listed("*.log, tmp/"), _listed('["a, b", "c"]')
    (['*.log', 'tmp/'], ['a, b', 'c'])
    """
    if text.startswith("["):
        with suppress(tomllib.TOMLDecodeError):
            return list(map(str, tomllib.loads(f"list = {text}")["list"]))
    return [item.strip() for item in text.split(",") if item.strip()]


def _table(text: str) -> object:
    """Read a table, written as in TOML.

    >>> _table('{notes = "~/notes"}'), _table("notes")
    ({'notes': '~/notes'}, 'notes')
    """
    try:
        return tomllib.loads(f"table = {text}")["table"]
    except tomllib.TOMLDecodeError:
        return text
