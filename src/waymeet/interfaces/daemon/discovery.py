"""The small file beside an index that tells which process serves it, and how the two sides know one another.

Neither side sends the secret: each shows that it knows it by a keyed digest of a number that is used once. So whoever
has taken over the port of a process that is gone learns nothing, and cannot answer in its place.
"""

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet import __version__
from waymeet.settings import Mcp, Serve, Settings, Terminal

PROOF, SETTINGS = "waymeet-proof", "waymeet-settings"
"""Headers: the server's proof in an answer, and in a request the digest of the settings to answer by."""


class Daemon(Struct, frozen=True, kw_only=True):
    """A process that serves an index."""

    pid: int
    host: str
    port: int
    secret: str
    version: str
    root: str
    started: float
    """Seconds since 1970."""

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def file_of(index: Path) -> Path:
    """Say which file tells who serves an index."""
    return index.with_name(f"{index.name}.serve.json")


def lock_of(index: Path) -> Path:
    """Say which file is locked as long as somebody serves an index."""
    return index.with_name(f"{index.name}.serve.lock")


def log_of(index: Path) -> Path:
    """Say where a process that was started by itself writes what it has to say."""
    return index.with_name(f"{index.name}.serve.log")


def find_daemon(index: Path) -> Daemon | None:
    """Read who serves an index; None if nobody says so whom this user can trust."""
    file = file_of(index)
    try:
        with file.open("rb") as opened:
            state = os.fstat(opened.fileno())
            raw = opened.read()
        told = msgspec.json.decode(raw, type=Daemon)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        return None
    return told


def found(index: Path, root: Path) -> Daemon | None:
    """Find the process that serves an index for a root: alive, another one than this, and of the same version."""
    told = find_daemon(index)
    if told is None or told.pid == os.getpid():
        return None
    if not is_running(told.pid):
        remove_announcement(index, told)
        return None
    return told if told.version == __version__ and told.root == str(root) else None


def announce(index: Path, resident: Daemon) -> None:
    """Tell others who serves an index; only the user can read it."""
    file = file_of(index)
    draft = file.with_name(f"{file.name}.{resident.pid}")
    with suppress(FileNotFoundError):
        draft.unlink()
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as opened:
        opened.write(msgspec.json.encode(resident))
    draft.replace(file)


def remove_announcement(index: Path, resident: Daemon) -> None:
    """Remove what tells of a process that is gone, unless another one has taken its place."""
    if find_daemon(index) == resident:
        with suppress(OSError):
            file_of(index).unlink()


def is_running(pid: int) -> bool:
    """Tell whether there is a process of that number; where that cannot be told, there may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def proof(resident: Daemon, side: str, once: str) -> str:
    """Show that one knows the secret, for one request only."""
    return blake2b(f"{side}:{once}".encode(), key=resident.secret.encode()[:64], digest_size=32).hexdigest()


def proven(resident: Daemon, given: str) -> bool:
    """Tell whether a client's proof, `once:digest`, is right."""
    from hmac import compare_digest

    once, _, digest = given.partition(":")
    return bool(once) and compare_digest(digest.encode(), proof(resident, "client", once).encode())


def digest_of(settings: Settings) -> str:
    """Name the settings that an answer depends on: all but those of doors."""
    answering = msgspec.structs.replace(settings, terminal=Terminal(), mcp=Mcp(), serve=Serve())
    return blake2b(msgspec.json.encode(answering, order="deterministic"), digest_size=16).hexdigest()
