"""The settings operation: list settings with their values and origins."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from waymeet.project import Project
from waymeet.settings import find_origin, resolve
from waymeet.settings.layers import list_keys


class SettingsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List settings with their values and origins."""

    everything: Annotated[bool, Meta(description="Also list the settings that have their default.")] = False
    recipe: Annotated[str, Meta(max_length=100, description="Show the values that this recipe uses.")] = "auto"


class SettingValue(Struct, frozen=True):
    """A setting in force."""

    key: str
    value: str
    origin: str
    """`default`, the recipe, a file, a variable or an option."""


class SettingsAnswer(Struct, frozen=True, kw_only=True):
    """Settings in force."""

    recipe: str
    settings: tuple[SettingValue, ...]


def answer_settings(project: Project, request: SettingsRequest) -> SettingsAnswer:
    """List the settings that differ from their defaults, or all."""
    layers = project.layers_for(request.recipe or "auto")
    values = [
        SettingValue(key, _to_text(value), find_origin(key, layers))
        for key, value in list_keys(msgspec.to_builtins(resolve(layers)))
    ]
    chosen = tuple(value for value in values if request.everything or value.origin != "default")
    return SettingsAnswer(recipe=request.recipe or "auto", settings=chosen)


def _to_text(value: object) -> str:
    """Write a value on one line.

    >>> _to_text(["a", "b"]), _to_text(True), _to_text(0.5)
    ('a, b', 'true', '0.5')
    """
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
