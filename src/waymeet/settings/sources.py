"""Where settings are read from: the user's file, the project's file, the environment, flags."""

import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from waymeet.errors import SettingsError
from waymeet.settings.layers import Layer, list_keys, make_layer, parse_assignment, unknown_key_error

_SWITCH = "WAYMEET_ENABLE_CROSS_ENCODER"
_PROVIDER = "WAYMEET_CROSS_ENCODER_PROVIDER"
_MILLISECONDS = "WAYMEET_RERANK_CACHE_TTL"
_SAME = {
    "WAYMEET_MAX_RERANK_CANDIDATES": "rerank.candidates",
    "WAYMEET_RERANK_P95_THRESHOLD": "rerank.p95_ms",
    "WAYMEET_RERANK_CACHE_SIZE": "rerank.cache_entries",
    "WAYMEET_ENABLE_RRF_FUSION": "memory.rrf",
    "WAYMEET_ENABLE_BM25": "memory.lexical",
    "WAYMEET_ENABLE_FUZZY_MATCH": "understand.fuzzy",
}
ALIASES = frozenset({_SWITCH, _PROVIDER, _MILLISECONDS, *_SAME})


def aliased(variables: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Give what older names set: the variable, the key and the text of its value.

    >>> list(aliased({"WAYMEET_ENABLE_CROSS_ENCODER": "true"}))
    [('WAYMEET_ENABLE_CROSS_ENCODER', 'rerank.provider', 'auto')]
    >>> list(aliased({"WAYMEET_RERANK_CACHE_TTL": "300000"}))
    [('WAYMEET_RERANK_CACHE_TTL', 'rerank.cache_seconds', '300.0')]
    >>> list(aliased({"WAYMEET_CROSS_ENCODER_PROVIDER": "voyage"}))
    []
    """
    for variable in sorted(ALIASES & variables.keys()):
        text = variables[variable].strip()
        if variable == _SWITCH:
            chosen = variables.get(_PROVIDER, "").strip() or "auto"
            yield variable, "rerank.provider", chosen if _truth(variable, text) else "none"
        elif variable == _MILLISECONDS:
            yield variable, "rerank.cache_seconds", _seconds(variable, text)
        elif variable != _PROVIDER:
            yield variable, _SAME[variable], text


def _truth(variable: str, text: str) -> bool:
    if text.lower() not in {"true", "false", "1", "0"}:
        raise SettingsError(f"{variable}: expected true or false, not {text!r}.")
    return text.lower() in {"true", "1"}


def _seconds(variable: str, text: str) -> str:
    try:
        return str(float(text) / 1000.0)
    except ValueError:
        raise SettingsError(f"{variable}: expected milliseconds, not {text!r}.") from None


PROJECT_FILE = "waymeet.toml"
PREFIX = "WAYMEET_"
_LARGEST = 1_000_000
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
RESERVED = frozenset({"WAYMEET_CONFIG", "WAYMEET_INDEX"})
"""Variables that are not settings: the user's settings file and the index file."""


def user_settings_file(environment: Mapping[str, str] | None = None) -> Path:
    """Say where the user's own settings file is: `WAYMEET_CONFIG`, else the platform's place for it."""
    chosen = (os.environ if environment is None else environment).get("WAYMEET_CONFIG")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_config_path  # noqa: PLC0415 - start-up is a feature

    return user_config_path("waymeet") / PROJECT_FILE


def read_layers(
    root: Path, flags: Iterable[str] = (), environment: Mapping[str, str] | None = None
) -> tuple[Layer, ...]:
    """Read all layers above the recipe's, lowest first: user, project, environment, flags (`section.key=value`)."""
    variables = os.environ if environment is None else environment
    mine = user_settings_file(variables)
    found = [from_file(mine, f"{mine}")]
    found.append(from_project(root))
    found.extend(from_environment(variables))
    found.extend(from_flag(flag) for flag in flags)
    return tuple(each for each in found if each.values)


def from_file(path: Path, name: str) -> Layer:
    """Read a settings file that the user trusts; a missing one sets nothing."""
    try:
        return make_layer(name, _parsed(path, path.read_bytes()))
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
        return make_layer(PROJECT_FILE, _parsed(own, _strange(own)), trusted=False)
    try:
        values = _parsed(root / "pyproject.toml", _strange(root / "pyproject.toml"))
    except SettingsError:
        return Layer("pyproject.toml", {})  # whatever is wrong with it is not ours to complain about
    tool = values.get("tool")
    found = tool.get("waymeet", {}) if isinstance(tool, Mapping) else {}
    return make_layer("pyproject.toml [tool.waymeet]", found, trusted=False)


def from_environment(variables: Mapping[str, str]) -> list[Layer]:
    """Read `WAYMEET_SECTION_KEY` variables, and below them the older names that `aliases` lists.

    >>> from_environment({"WAYMEET_RRF_K": "30", "HOME": "/"})[0].values
    {'rrf': {'k': 30.0}}
    """
    names = {PREFIX + key.replace(".", "_").upper(): key for key, _ in list_keys()}
    found = [parse_assignment(key, text, variable) for variable, key, text in aliased(variables)]
    for variable in sorted(variables):
        if variable.startswith(PREFIX) and variable not in RESERVED | ALIASES:
            if variable not in names:
                raise unknown_key_error("environment", variable, [*names, *RESERVED, *ALIASES])
            found.append(parse_assignment(names[variable], variables[variable], variable))
    return found


def from_flag(flag: str) -> Layer:
    """Read one `section.key=value`."""
    key, equals, text = flag.partition("=")
    if not equals:
        raise SettingsError(f"--set {flag}: expected section.key=value.", "For example: --set rrf.k=30")
    return parse_assignment(key.strip(), text.strip(), "--set")


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
