"""Where settings are read from: the user's file, the project's file, the environment, flags."""

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import SettingsError
from waymeet.settings.layers import Layer, assigned, keys, layer, unknown
from waymeet.settings.merge_aliases import ALIASES, aliased

PROJECT_FILE = "waymeet.toml"
PREFIX = "WAYMEET_"
_LARGEST = 1_000_000
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
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
    try:
        return layer(name, _parsed(path, path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return Layer(name, {})
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}.") from error


def from_project(root: Path) -> Layer:
    """Read the project's `waymeet.toml`, else `[tool.waymeet]` of its `pyproject.toml`, as a stranger's words."""
    own = root / PROJECT_FILE
    if not os.access(root, os.X_OK):
        return Layer(PROJECT_FILE, {})  # gone or closed, as its index will say in every answer
    if own.exists() or own.is_symlink():
        return layer(PROJECT_FILE, _parsed(own, _strange(own)), trusted=False)
    try:
        values = _parsed(root / "pyproject.toml", _strange(root / "pyproject.toml"))
    except SettingsError:
        return Layer("pyproject.toml", {})  # whatever is wrong with it is not ours to complain about
    tool = values.get("tool")
    found = tool.get("waymeet", {}) if isinstance(tool, Mapping) else {}
    return layer("pyproject.toml [tool.waymeet]", found, trusted=False)


def from_environment(variables: Mapping[str, str]) -> list[Layer]:
    """Read `WAYMEET_SECTION_KEY` variables, and below them the older names that `aliases` lists.

    >>> from_environment({"WAYMEET_RRF_K": "30", "HOME": "/"})[0].values
    {'rrf': {'k': 30.0}}
    """
    names = {PREFIX + key.replace(".", "_").upper(): key for key, _ in keys()}
    found = [assigned(key, text, variable) for variable, key, text in aliased(variables)]
    for variable in sorted(variables):
        if variable.startswith(PREFIX) and variable not in RESERVED | ALIASES:
            if variable not in names:
                raise unknown("environment", variable, [*names, *RESERVED, *ALIASES])
            found.append(assigned(names[variable], variables[variable], variable))
    return found


def from_flag(flag: str) -> Layer:
    """Read one `section.key=value`."""
    key, equals, text = flag.partition("=")
    if not equals:
        raise SettingsError(f"--set {flag}: expected section.key=value.", "For example: --set rrf.k=30")
    return assigned(key.strip(), text.strip(), "--set")


def _strange(path: Path) -> bytes:
    """Read a file that a stranger may have written: no link is followed, and no more is read than settings need."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | _CAREFULLY), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                data = file.read(_LARGEST + 1)
                if len(data) <= _LARGEST:
                    return data
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise SettingsError(f"{path.name}: cannot be read: {error.strerror}.") from error
    raise SettingsError(f"{path.name}: not a file of at most {_LARGEST:,} bytes.")


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or made to exhaust the parser
        raise SettingsError(f"{path}: not valid TOML: {error}.") from error
