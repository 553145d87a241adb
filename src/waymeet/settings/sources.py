"""Where settings are read from: the user's file, the project's file, the environment, flags."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import SettingsError
from waymeet.settings.layers import Layer, assigned, keys, layer, unknown

PROJECT_FILE = "waymeet.toml"
PREFIX = "WAYMEET_"
RESERVED = frozenset({"WAYMEET_CONFIG", "WAYMEET_INDEX"})
"""Variables that are not settings: the user's settings file and the index file."""


def user_file(environment: Mapping[str, str] | None = None) -> Path:
    """Say where the user's own settings file is: `WAYMEET_CONFIG`, else the platform's place for it."""
    chosen = (os.environ if environment is None else environment).get("WAYMEET_CONFIG")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_config_path  # noqa: PLC0415 - start-up is a feature

    return user_config_path("waymeet") / PROJECT_FILE


def layers(root: Path, flags: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> tuple[Layer, ...]:
    """Read all layers above the recipe's, lowest first: user, project, environment, flags (`section.key=value`)."""
    variables = os.environ if environment is None else environment
    mine = user_file(variables)
    found = [from_file(mine, f"{mine}")]
    found.append(from_project(root))
    found.extend(from_environment(variables))
    found.extend(from_flag(flag) for flag in flags)
    return tuple(each for each in found if each.values)


def from_file(path: Path, name: str) -> Layer:
    """Read a settings file that the user trusts; a missing one sets nothing."""
    return layer(name, _toml(path))


def from_project(root: Path) -> Layer:
    """Read the project's `waymeet.toml`, else `[tool.waymeet]` of its `pyproject.toml`, as a stranger's words."""
    own = root / PROJECT_FILE
    if own.is_file():
        return layer(PROJECT_FILE, _toml(own), trusted=False)
    values = _toml(root / "pyproject.toml", tolerant=True).get("tool", {})
    return layer("pyproject.toml [tool.waymeet]", values.get("waymeet", {}), trusted=False)


def from_environment(variables: Mapping[str, str]) -> list[Layer]:
    """Read `WAYMEET_SECTION_KEY` variables.

    >>> from_environment({"WAYMEET_RRF_K": "30", "HOME": "/"})[0].values
    {'rrf': {'k': 30.0}}
    """
    names = {PREFIX + key.replace(".", "_").upper(): key for key, _ in keys()}
    found = []
    for variable in sorted(variables):
        if variable.startswith(PREFIX) and variable not in RESERVED:
            if variable not in names:
                raise unknown("environment", variable, [*names, *RESERVED])
            found.append(assigned(names[variable], variables[variable], variable))
    return found


def from_flag(flag: str) -> Layer:
    """Read one `section.key=value`."""
    key, equals, text = flag.partition("=")
    if not equals:
        raise SettingsError(f"--set {flag}: expected section.key=value.", "For example: --set rrf.k=30")
    return assigned(key.strip(), text.strip(), "--set")


def _toml(path: Path, *, tolerant: bool = False) -> dict[str, Any]:
    """Read a TOML file; `tolerant` passes over a broken file that is not ours to complain about."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return {}
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if tolerant:
            return {}
        raise SettingsError(f"{path}: not valid TOML: {error}.") from error
