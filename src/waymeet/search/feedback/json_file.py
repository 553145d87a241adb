"""JSON files beside the index, replaced in one step by one writer at a time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec


@contextmanager
def lock_file(file: Path, timeout: float) -> Iterator[None]:
    """Lock a file for writing. A timeout is an OSError."""
    from filelock import FileLock  # noqa: PLC0415 - every search reads these files, few write them

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(file.with_name(f"{file.name}.lock"), timeout=timeout, mode=0o600):
        yield


def write_json(file: Path, content: object) -> None:
    """Replace a file by the JSON of a value. The caller holds a lock."""
    write_bytes(file, msgspec.json.encode(content, order="deterministic"))


def write_bytes(file: Path, content: bytes) -> None:
    """Replace a file, readable only by the user. The caller holds a lock."""
    from tempfile import mkstemp  # noqa: PLC0415 - only writers need it

    handle, name = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as draft:
            draft.write(content)
            draft.flush()
            os.fsync(draft.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
