"""Changing an agent's settings file: planned as text, checked, written at once, and taken back to the byte."""

import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import ConflictError, UsageError
from waymeet.interfaces.agents import jsonc_edit, toml_edit
from waymeet.interfaces.agents.known_agents import Agent
from waymeet.paths import data_folder


class Plan(Struct, frozen=True):
    """A change of one file that has not been made yet."""

    path: Path
    before: bytes | None
    """What the file holds; None if there is none."""
    after: bytes | None
    """What it will hold; None if it goes."""
    exact: bool = False
    """Whether this gives back, byte for byte, what was there before Waymeet came."""

    @property
    def changes(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after


class _Kept(Struct, frozen=True):
    """What is remembered of a change, to take it back."""

    path: str
    before: str | None
    """The bytes, in base64."""
    after: str
    """The digest of what was written."""
    folders: tuple[str, ...] = ()
    """Folders that were made for it."""


def plan_registration(agent: Agent, path: Path, name: str, entry: Mapping[str, Any]) -> Plan:
    """Plan to register a server; keys that its entry has besides stay."""
    before = _read(path)
    text = _text(path, before)
    target = [agent.table, name]
    try:
        if agent.form == "toml":
            after = toml_edit.set_values(text, target, entry)
        else:
            after = text
            missing = name not in _servers(agent, jsonc_edit.loads(text))
            for key, value in {"": dict(entry)}.items() if missing else entry.items():
                after = jsonc_edit.with_value(after, [*target, key] if key else target, value)
        _check(agent, text, after, name, entry)
    except ValueError as error:
        raise _illegible(path, error) from error
    return Plan(path, before, after.encode())


def plan_removal(agent: Agent, path: Path, name: str) -> Plan:
    """Plan to take a server out: back to what was there before, unless more has changed since; then its entry alone."""
    before = _read(path)
    if before is None:
        return Plan(path, None, None)
    text = _text(path, before)
    try:
        if name not in _servers(agent, _loads(agent, text)):
            return Plan(path, before, before)
        cut = toml_edit.remove_table if agent.form == "toml" else jsonc_edit.without_value
        after = cut(text, [agent.table, name])
        _check(agent, text, after, name, None)
        kept = _recall(path)
        if kept is not None and _digest(before) == kept.after:
            first = None if kept.before is None else b64decode(kept.before)
            if _same(agent, after, _text(path, first), name):  # else there is one of another project, too
                return Plan(path, before, first, exact=True)
    except ValueError as error:
        raise _illegible(path, error) from error
    return Plan(path, before, after.encode())


def plan_restore(path: Path) -> Plan | None:
    """Plan to give back what a file held before; None if nothing is remembered of it, or more has changed since."""
    kept, before = _recall(path), _read(path)
    if kept is None or before is None or _digest(before) != kept.after:
        return None
    return Plan(path, before, None if kept.before is None else b64decode(kept.before), exact=True)


def _same(agent: Agent, one: str, other: str, but: str) -> bool:
    """Tell whether two texts say the same but for one server; no servers at all are as good as none named."""

    def said(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
        whole = _loads(agent, text)
        servers = {key: value for key, value in _servers(agent, whole).items() if key != but}
        return servers, {key: value for key, value in whole.items() if key != agent.table}

    return said(one) == said(other)


def apply_plan(plan: Plan, *, remember: bool) -> None:
    """Make a change, unless the file is no longer what was planned for; with `remember`, so that it can be taken back.

    Raises:
        ConflictError: somebody changed the file meanwhile; nothing was done.
        UsageError: it cannot be written.
    """
    try:
        if _read(plan.path) != plan.before:
            raise ConflictError(f"{plan.path} was changed by somebody else just now; nothing was done.", "Try again.")
        kept = _recall(plan.path)
        if plan.after is None:
            plan.path.unlink(missing_ok=True)
            for folder in kept.folders if kept else ():
                _remove_empty(Path(folder))
        else:
            folders = _make_folders(plan.path.parent)
            if remember:
                _remember(plan, kept, folders)
            _write(plan.path, plan.after, _mode(plan.path))
        if not remember:
            _remember_less(plan, kept)
    except OSError as error:
        raise UsageError(f"{plan.path} cannot be changed: {error.strerror}.", "Check who may write there.") from error


def is_registered(agent: Agent, path: Path, name: str) -> bool:
    """Tell whether an agent knows the server; a file that cannot be read knows nothing."""
    try:
        return name in _servers(agent, _loads(agent, _text(path, _read(path))))
    except (ValueError, UsageError):
        return False


def _check(agent: Agent, before: str, after: str, name: str, entry: Mapping[str, Any] | None) -> None:
    """Make sure that the change is this one and no other, before anything is written."""
    old, new = _loads(agent, before), _loads(agent, after)
    servers = dict(_servers(agent, new))
    got = servers.pop(name, None)
    others = {key: value for key, value in _servers(agent, old).items() if key != name}
    rest_old = {key: value for key, value in old.items() if key != agent.table}
    rest_new = {key: value for key, value in new.items() if key != agent.table}
    wanted = {} if entry is None else entry
    right = got is None if entry is None else {key: (got or {}).get(key) for key in wanted} == dict(wanted)
    if servers != others or rest_old != rest_new or not right:
        raise ValueError(f"its form leaves no safe way to change {agent.table}.{name}")


def _servers(agent: Agent, document: object) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("it holds no object")  # noqa: TRY004 - a fault of the file, told like all others
    found = document.get(agent.table, {})
    if not isinstance(found, dict):
        raise ValueError(f"{agent.table} is no object")  # noqa: TRY004 - likewise
    return found


def _loads(agent: Agent, text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    return toml_edit.loads(text) if agent.form == "toml" else jsonc_edit.loads(text)


def _illegible(path: Path, error: ValueError) -> UsageError:
    return UsageError(
        f"{path} cannot be changed: {error}.", "Correct it, or add the server by hand. Nothing was written."
    )


def _text(path: Path, raw: bytes | None) -> str:
    try:
        return (raw or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8.", "Nothing was written.") from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file whole under another name, then rename it: a reader sees the old or the new one."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(mode)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    """Give the rights that a file has, or those that a new one is to have."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0o644


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder and those above it; give those that were made, the innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir()
    return missing


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _remember(plan: Plan, kept: _Kept | None, folders: list[Path]) -> None:
    """Keep what was there before Waymeet came, for the user's eyes only: settings of agents may hold keys."""
    again = kept is not None and plan.before is not None and _digest(plan.before) == kept.after
    before = kept.before if kept and again else None if plan.before is None else b64encode(plan.before).decode()
    made = kept.folders if kept and again else tuple(map(str, folders))
    record = _record(plan.path)
    record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(record, msgspec.json.encode(_Kept(str(plan.path), before, _digest(plan.after or b""), made)), 0o600)


def _remember_less(plan: Plan, kept: _Kept | None) -> None:
    """Forget what was there before, unless another server of ours is left that leads back to it."""
    ours = kept is not None and plan.before is not None and _digest(plan.before) == kept.after
    if kept is not None and ours and plan.after is not None and not plan.exact:
        _write(_record(plan.path), msgspec.json.encode(replace(kept, after=_digest(plan.after))), 0o600)
    else:
        _record(plan.path).unlink(missing_ok=True)


def _recall(path: Path) -> _Kept | None:
    try:
        kept = msgspec.json.decode(_record(path).read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return None
    return kept if kept.path == str(path) else None


def _record(path: Path) -> Path:
    return data_folder() / "agents" / f"{blake2b(os.fsencode(path), digest_size=8).hexdigest()}.json"


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
