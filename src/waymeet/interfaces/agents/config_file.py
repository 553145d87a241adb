"""Changes of an agent's settings file: planned, verified, written atomically, undoable."""

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
    """A planned change of one file."""

    path: Path
    before: bytes | None
    """The current content; None if the file does not exist."""
    after: bytes | None
    """The new content; None to delete the file."""
    exact: bool = False
    """Whether this restores the content before the registration, byte for byte."""

    @property
    def changes(self) -> bool:
        """Whether the content differs."""
        return self.before != self.after


class _UndoRecord(Struct, frozen=True):
    """The data that undoes a change."""

    path: str
    before: str | None
    """The content before the change, in base64."""
    after: str
    """The digest of the written content."""
    folders: tuple[str, ...] = ()
    """Folders that were created for it."""


def plan_registration(agent: Agent, path: Path, name: str, entry: Mapping[str, Any]) -> Plan:
    """Plan to register a server. Other keys of its entry stay."""
    before = _read(path)
    text = _text(path, before)
    target = [agent.table, name]
    try:
        if agent.form == "toml":
            after = toml_edit.set_values(text, target, entry)
        else:
            after = text
            is_missing = name not in _servers(agent, jsonc_edit.loads(text))
            for key, value in {"": dict(entry)}.items() if is_missing else entry.items():
                after = jsonc_edit.with_value(after, [*target, key] if key else target, value)
        _check(agent, text, after, name, entry)
    except ValueError as error:
        raise _edit_error(path, error) from error
    return Plan(path, before, after.encode())


def plan_removal(agent: Agent, path: Path, name: str) -> Plan:
    """Plan to unregister a server.

    The previous content is restored, or, if the file changed since, only the entry is removed.
    """
    before = _read(path)
    if before is None:
        return Plan(path, None, None)
    text = _text(path, before)
    try:
        if name not in _servers(agent, _loads(agent, text)):
            return Plan(path, before, before)
        remove = toml_edit.remove_table if agent.form == "toml" else jsonc_edit.without_value
        after = remove(text, [agent.table, name])
        _check(agent, text, after, name, None)
        record = _read_record(path)
        if record is not None and _digest(before) == record.after:
            original = None if record.before is None else b64decode(record.before)
            if _equal_except(agent, after, _text(path, original), name):  # else another project is registered, too
                return Plan(path, before, original, exact=True)
    except ValueError as error:
        raise _edit_error(path, error) from error
    return Plan(path, before, after.encode())


def plan_restore(path: Path) -> Plan | None:
    """Plan to restore the previous content.

    None if there is no record, or the file changed since.
    """
    record, before = _read_record(path), _read(path)
    if record is None or before is None or _digest(before) != record.after:
        return None
    return Plan(path, before, None if record.before is None else b64decode(record.before), exact=True)


def _equal_except(agent: Agent, text: str, other: str, name: str) -> bool:
    """Return whether two files are equal except for one server.

    A missing table equals an empty one.
    """

    def parse(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
        document = _loads(agent, text)
        servers = {key: value for key, value in _servers(agent, document).items() if key != name}
        return servers, {key: value for key, value in document.items() if key != agent.table}

    return parse(text) == parse(other)


def apply_plan(plan: Plan, *, remember: bool) -> None:
    """Write a planned change, with `remember` together with a record that can undo it.

    Raises:
        ConflictError: the file changed since the plan was made; nothing was written.
        UsageError: the file cannot be written.
    """
    try:
        if _read(plan.path) != plan.before:
            raise ConflictError(f"{plan.path} was changed by another program; nothing was written.", "Try again.")
        record = _read_record(plan.path)
        if plan.after is None:
            plan.path.unlink(missing_ok=True)
            for folder in record.folders if record else ():
                _remove_empty(Path(folder))
        else:
            folders = _make_folders(plan.path.parent)
            if remember:
                _save_record(plan, record, folders)
            _write(plan.path, plan.after, _mode(plan.path))
        if not remember:
            _update_record(plan, record)
    except OSError as error:
        raise UsageError(f"{plan.path} cannot be changed: {error.strerror}.", "Check the permissions.") from error


def is_registered(agent: Agent, path: Path, name: str) -> bool:
    """Return whether a server is registered. An unreadable file has none."""
    try:
        return name in _servers(agent, _loads(agent, _text(path, _read(path))))
    except (ValueError, UsageError):
        return False


def _check(agent: Agent, before: str, after: str, name: str, entry: Mapping[str, Any] | None) -> None:
    """Verify that the edit changes only the entry of the server, before it is written."""
    old, new = _loads(agent, before), _loads(agent, after)
    servers = dict(_servers(agent, new))
    written = servers.pop(name, None)
    others = {key: value for key, value in _servers(agent, old).items() if key != name}
    rest_old = {key: value for key, value in old.items() if key != agent.table}
    rest_new = {key: value for key, value in new.items() if key != agent.table}
    values = {key: (written or {}).get(key) for key in entry or ()}
    is_correct = written is None if entry is None else values == dict(entry)
    if servers != others or rest_old != rest_new or not is_correct:
        raise ValueError(f"{agent.table}.{name} cannot be changed safely in this format")


def _servers(agent: Agent, document: object) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - an error of the file
    servers = document.get(agent.table, {})
    if not isinstance(servers, dict):
        raise ValueError(f"{agent.table} is not an object")  # noqa: TRY004 - an error of the file
    return servers


def _loads(agent: Agent, text: str) -> Any:  # noqa: ANN401 - any JSON or TOML value
    return toml_edit.loads(text) if agent.form == "toml" else jsonc_edit.loads(text)


def _edit_error(path: Path, error: ValueError) -> UsageError:
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
    """Write a file atomically: to a temporary name, which is then renamed."""
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
    """Return the permissions of a file, or those of a new one."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0o644


def _make_folders(folder: Path) -> list[Path]:
    """Create a folder with its parents. Return the created ones, the innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
    return missing


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _save_record(plan: Plan, record: _UndoRecord | None, folders: list[Path]) -> None:
    """Save the original content, readable by the user only: settings of agents may contain keys."""
    if record and plan.before is not None and _digest(plan.before) == record.after:  # a second registration
        before, created = record.before, record.folders
    else:
        before = None if plan.before is None else b64encode(plan.before).decode()
        created = tuple(map(str, folders))
    path = _record_path(plan.path)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = _UndoRecord(str(plan.path), before, _digest(plan.after or b""), created)
    _write(path, msgspec.json.encode(new), 0o600)


def _update_record(plan: Plan, record: _UndoRecord | None) -> None:
    """Delete the record, unless another server of ours is still registered in the file."""
    is_unchanged = record is not None and plan.before is not None and _digest(plan.before) == record.after
    if record is not None and is_unchanged and plan.after is not None and not plan.exact:
        _write(_record_path(plan.path), msgspec.json.encode(replace(record, after=_digest(plan.after))), 0o600)
    else:
        _record_path(plan.path).unlink(missing_ok=True)


def _read_record(path: Path) -> _UndoRecord | None:
    try:
        record = msgspec.json.decode(_record_path(path).read_bytes(), type=_UndoRecord)
    except (OSError, msgspec.MsgspecError):
        return None
    return record if record.path == str(path) else None


def _record_path(path: Path) -> Path:
    return data_folder() / "agents" / f"{blake2b(os.fsencode(path), digest_size=8).hexdigest()}.json"


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
