"""The settings of an index, which decide what is stored, apart from those of one call.

An index is made by the settings files, and by the variables and `--set` options of the last run that was meant to
store: `waymeet index`, `waymeet serve`, `waymeet mcp`, or `index` of the library, HTTP and MCP. The latter are recorded
in the user's data folder, not in the index, which may come from another person. Every other call reads them from there,
so that its own variables and options change its answer only.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from waymeet.errors import SettingsError
from waymeet.paths import data_folder
from waymeet.settings import Layer, Settings, make_layer, resolve
from waymeet.settings.layers import Tree, list_keys, merge_trees
from waymeet.types import Degraded

_SECTIONS = frozenset({"chunking", "ingest", "embedding", "notebook", "staleness", "contexts", "namespaces", "roots"})
"""Sections with settings that decide what is stored."""
_OF_THE_CALL = frozenset(
    {
        "ingest.refresh_seconds",
        "ingest.refresh_files",
        "ingest.confirm_removals_above",
        "embedding.background",
        "embedding.batch_chunks",
        "embedding.timeout_seconds",
        "embedding.query_seconds",
        "embedding.requests_per_minute",
        "embedding.tokens_per_minute",
        "embedding.on_demand_seconds",
        "embedding.confirm_above_tokens",
        "embedding.hub",
        "staleness.threshold_days",
    }
)
"""Settings of these sections that decide only how long a call takes, what it may do, and what it answers."""
_NOT_REPORTED = frozenset({"embedding", "contexts", "staleness"})
"""Sections whose difference is reported elsewhere (the model), or applies to the answer."""


def index_settings(index: Path, layers: Sequence[Layer]) -> Settings:
    """Give the settings that decide what is stored, whatever the call sets.

    Before the first run, and for an index of an earlier version, variables count, because none are recorded.
    """
    files = [layer for layer in layers if layer.source == "file"]
    call = [layer for layer in layers if layer.source != "file"]
    recorded = _load(index)
    if recorded is None:
        kept = [Layer(layer.name, _split(layer.values)[0]) for layer in call if layer.source == "environment"]
    else:
        kept = [recorded]
        if _is_url_withheld(recorded.values):
            kept += [Layer(layer.name, {"embedding": {"url": url}}) for layer in call if (url := _url(layer.values))]
    return resolve((*files, *kept, *(Layer(layer.name, _split(layer.values)[1]) for layer in call)))


def stored_settings(layers: Sequence[Layer]) -> Tree:
    """Give the settings that decide what is stored, as a tree."""
    return _split(msgspec.to_builtins(resolve(layers)))[0]


def record_settings(index: Path, layers: Sequence[Layer], *, section: str = "") -> tuple[str, ...]:
    """Record the variables and options that a run stores by, and list what they change.

    With `section`, only the settings of this section are recorded anew.
    """
    stored: dict[str, Any] = {}
    for layer in layers:
        if layer.source != "file":
            stored = merge_trees(stored, _split(layer.values)[0])
    before = _load(index)
    if section:
        others = {key: value for key, value in before.values.items() if key != section} if before else {}
        stored = {**others, **({section: stored[section]} if section in stored else {})}
    if "@" in _url(stored).partition("://")[2].partition("/")[0]:  # a password is not written down
        stored = merge_trees(stored, {"embedding": {"url": ""}})
    if before and before.values == stored:
        return ()
    changed = list_differences(index_settings(index, layers), resolve(layers)) if before else ()
    _save(index, stored)
    return changed


def recorded_settings(index: Path) -> tuple[str, ...]:
    """List the settings that the index keeps from variables and options, as `key = value`."""
    recorded = _load(index)
    keys = list_keys(recorded.values) if recorded and recorded.values else ()
    return tuple(f"{key} = {value}" for key, value in keys)


def list_differences(before: Settings, after: Settings) -> tuple[str, ...]:
    """List the settings that decide what is stored and differ, as `key: before → after`."""
    old, new = (dict(list_keys(_split(msgspec.to_builtins(each))[0])) for each in (before, after))
    return tuple(
        key if key == "embedding.url" else f"{key}: {old.get(key, 'none')} → {new.get(key, 'none')}"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    )


def report_unapplied(own: Settings, settings: Settings) -> tuple[Degraded, ...]:
    """Report settings of a call that would have to be applied to the index."""
    differences = [text for text in list_differences(own, settings) if text.partition(".")[0] not in _NOT_REPORTED]
    if not differences:
        return ()
    detail = f"the index keeps its own settings ({', '.join(differences)}); to apply yours: `waymeet index`"
    return (Degraded("settings", "not_applied", detail),)


def _load(index: Path) -> Layer | None:
    """Load the recorded settings, or None if there are none or of another version."""
    try:
        return make_layer("the index", msgspec.json.decode(_record_path(index).read_bytes(), type=dict[str, Any]))
    except (OSError, msgspec.MsgspecError, SettingsError):
        return None


def _save(index: Path, stored: Tree) -> None:
    """Save the settings of a run. If they cannot be written, variables count for the next one."""
    file = _record_path(index)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.touch(mode=0o600)
        draft.write_bytes(msgspec.json.encode(stored, order="deterministic"))
        draft.replace(file)


def _record_path(index: Path) -> Path:
    return data_folder() / "index-settings" / f"{blake2b(os.fsencode(index), digest_size=16).hexdigest()}.json"


def _split(values: Tree) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split settings into those that decide what is stored and the others.

    >>> _split({"chunking": {"max_chars": 9}, "ingest": {"refresh_files": 1}, "shape": {"limit": 3}})
    ({'chunking': {'max_chars': 9}}, {'ingest': {'refresh_files': 1}, 'shape': {'limit': 3}})
    """
    stored: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for section, content in values.items():
        if section not in _SECTIONS or not isinstance(content, Mapping):
            others[section] = content
            continue
        for key, value in content.items():
            part = others if f"{section}.{key}" in _OF_THE_CALL else stored
            part.setdefault(section, {})[key] = value
    return stored, others


def _url(values: Tree) -> str:
    """Give the URL of the embedding server that a layer sets, or the empty string."""
    return str(values.get("embedding", {}).get("url", ""))


def _is_url_withheld(values: Tree) -> bool:
    """Tell whether the run was given a URL that was not recorded because it holds a password."""
    return "url" in values.get("embedding", {}) and not _url(values)
