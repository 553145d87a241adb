"""Sources of settings: the user's file, the project's file, environment variables, flags."""

import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from waymeet.errors import SettingsError
from waymeet.settings.layers import Layer, list_keys, make_layer, parse_assignment, unknown_key_error

_SWITCH = "WAYMEET_ENABLE_CROSS_ENCODER"
_PROVIDER = "WAYMEET_CROSS_ENCODER_PROVIDER"
_MILLISECONDS = "WAYMEET_RERANK_CACHE_TTL"
SAME_VALUE = {
    "WAYMEET_MAX_RERANK_CANDIDATES": "rerank.candidates",
    "WAYMEET_RERANK_P95_THRESHOLD": "rerank.p95_ms",
    "WAYMEET_RERANK_CACHE_SIZE": "rerank.cache_entries",
    "WAYMEET_ENABLE_RRF_FUSION": "memory.rrf",
    "WAYMEET_ENABLE_BM25": "memory.lexical",
    "WAYMEET_ENABLE_FUZZY_MATCH": "understand.fuzzy",
}
"""Older variable names of settings with the same value."""
ALIASES = frozenset({_SWITCH, _PROVIDER, _MILLISECONDS, *SAME_VALUE})


def read_aliases(variables: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the variable, key and value of each setting given by an older variable name.

    >>> list(read_aliases({"WAYMEET_ENABLE_CROSS_ENCODER": "true"}))
    [('WAYMEET_ENABLE_CROSS_ENCODER', 'rerank.provider', 'auto')]
    >>> list(read_aliases({"WAYMEET_RERANK_CACHE_TTL": "300000"}))
    [('WAYMEET_RERANK_CACHE_TTL', 'rerank.cache_seconds', '300.0')]
    >>> list(read_aliases({"WAYMEET_CROSS_ENCODER_PROVIDER": "voyage"}))
    []
    """
    for variable in sorted(ALIASES & variables.keys()):
        text = variables[variable].strip()
        if variable == _SWITCH:
            chosen = variables.get(_PROVIDER, "").strip() or "auto"
            yield variable, "rerank.provider", chosen if _parse_bool(variable, text) else "none"
        elif variable == _MILLISECONDS:
            yield variable, "rerank.cache_seconds", _to_seconds(variable, text)
        elif variable != _PROVIDER:
            yield variable, SAME_VALUE[variable], text


def _parse_bool(variable: str, text: str) -> bool:
    if text.lower() not in {"true", "false", "1", "0"}:
        raise SettingsError(f"{variable}: expected true or false, not {text!r}.")
    return text.lower() in {"true", "1"}


def _to_seconds(variable: str, text: str) -> str:
    try:
        return str(float(text) / 1000.0)
    except ValueError:
        raise SettingsError(f"{variable}: expected milliseconds, not {text!r}.") from None


PROJECT_FILE = "waymeet.toml"
PREFIX = "WAYMEET_"
_MAX_BYTES = 1_000_000
_SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
RAISE_ERRORS = "WAYMEET_RAISE_ERRORS"
"""If set, a stage that fails ends the search with its error instead of being skipped."""
RESERVED = frozenset({"WAYMEET_CONFIG", "WAYMEET_INDEX", RAISE_ERRORS})
"""Variables that are not settings: the paths of the user's settings file and of the index."""


def user_settings_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the user's settings file: `WAYMEET_CONFIG`, else the platform's default."""
    chosen = (os.environ if environment is None else environment).get("WAYMEET_CONFIG")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_config_path  # noqa: PLC0415 - for a fast start-up

    return user_config_path("waymeet") / PROJECT_FILE


def read_layers(
    root: Path, flags: Iterable[str] = (), environment: Mapping[str, str] | None = None
) -> tuple[Layer, ...]:
    """Read the layers of user, project, environment and flags, in this order."""
    variables = os.environ if environment is None else environment
    user_file = user_settings_file(variables)
    layers = [replace(layer, source="file") for layer in (from_file(user_file, f"{user_file}"), from_project(root))]
    layers.extend(replace(layer, source="environment") for layer in from_environment(variables))
    layers.extend(from_flag(flag) for flag in flags)
    return tuple(layer for layer in layers if layer.values)


def from_file(path: Path, name: str) -> Layer:
    """Read a trusted settings file. A missing one gives an empty layer."""
    try:
        return make_layer(name, _parse_toml(path, path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return Layer(name, {})
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}.") from error


def from_project(root: Path) -> Layer:
    """Read `waymeet.toml`, else `[tool.waymeet]` in `pyproject.toml`, as an untrusted source."""
    own = root / PROJECT_FILE
    if not os.access(root, os.X_OK):
        return Layer(PROJECT_FILE, {})  # missing or not accessible; searches report that
    if own.exists() or own.is_symlink():
        return make_layer(PROJECT_FILE, _parse_toml(own, _read_untrusted(own)), trusted=False)
    try:
        values = _parse_toml(root / "pyproject.toml", _read_untrusted(root / "pyproject.toml"))
    except SettingsError:
        return Layer("pyproject.toml", {})  # an invalid pyproject.toml is reported by other tools
    tool = values.get("tool")
    own_table = tool.get("waymeet", {}) if isinstance(tool, Mapping) else {}
    return make_layer("pyproject.toml [tool.waymeet]", own_table, trusted=False)


def from_environment(variables: Mapping[str, str]) -> list[Layer]:
    """Read `WAYMEET_SECTION_KEY` variables. They override those with older names.

    >>> from_environment({"WAYMEET_RRF_K": "30", "HOME": "/"})[0].values
    {'rrf': {'k': 30.0}}
    """
    names = {PREFIX + key.replace(".", "_").upper(): key for key, _ in list_keys()}
    layers = [parse_assignment(key, text, variable) for variable, key, text in read_aliases(variables)]
    for variable in sorted(variables):
        if variable.startswith(PREFIX) and variable not in RESERVED | ALIASES:
            if variable not in names:
                raise unknown_key_error("environment", variable, [*names, *RESERVED, *ALIASES])
            layers.append(parse_assignment(names[variable], variables[variable], variable))
    return layers


def from_flag(flag: str) -> Layer:
    """Parse one `section.key=value`."""
    key, equals, text = flag.partition("=")
    if not equals:
        raise SettingsError(f"--set {flag}: expected section.key=value.", "For example: --set rrf.k=30")
    return parse_assignment(key.strip(), text.strip(), "--set")


def _read_untrusted(path: Path) -> bytes:
    """Read an untrusted file without following links, up to a size limit."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | _SAFE_FLAGS), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                data = file.read(_MAX_BYTES + 1)
                if len(data) <= _MAX_BYTES:
                    return data
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise SettingsError(f"{path.name}: cannot be read: {error.strerror}.") from error
    raise SettingsError(f"{path.name}: not a regular file of at most {_MAX_BYTES:,} bytes.")


def _parse_toml(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or nested too deeply
        raise SettingsError(f"{path}: not valid TOML: {error}.") from error
