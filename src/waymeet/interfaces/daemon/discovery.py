"""The daemon file beside an index: process, address and secret of the server.

Neither side sends the secret: each proves that it knows it by a keyed digest of a nonce. So a process that took over
the port of a daemon that ended learns nothing and cannot answer in its place.
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
"""Headers: the proof of the server in a response, the digest of the client's settings in a request."""


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
    scheme: str = "http"

    @property
    def address(self) -> str:
        """The base URL of the server."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def daemon_file(index: Path) -> Path:
    """Give the path of the daemon file."""
    return index.with_name(f"{index.name}.serve.json")


def lock_path(index: Path) -> Path:
    """Give the path of the lock that a running server holds."""
    return index.with_name(f"{index.name}.serve.lock")


def log_path(index: Path) -> Path:
    """Give the path of the log of a server that was started automatically."""
    return index.with_name(f"{index.name}.serve.log")


def find_daemon(index: Path) -> Daemon | None:
    """Read the daemon file, or return None unless it belongs to this user alone."""
    path = daemon_file(index)
    try:
        with path.open("rb") as file:
            state = os.fstat(file.fileno())
            raw = file.read()
        daemon = msgspec.json.decode(raw, type=Daemon)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        return None
    return daemon


def find_usable_daemon(index: Path, root: Path) -> Daemon | None:
    """Find a running daemon of this index and root, of this version, in another process."""
    daemon = find_daemon(index)
    if daemon is None or daemon.pid == os.getpid() or daemon.scheme != "http":
        return None  # clients of this machine send requests without TLS
    if not is_running(daemon.pid):
        remove_announcement(index, daemon)
        return None
    return daemon if daemon.version == __version__ and daemon.root == str(root) else None


def announce(index: Path, daemon: Daemon) -> None:
    """Write the daemon file, readable by this user only."""
    path = daemon_file(index)
    draft = path.with_name(f"{path.name}.{daemon.pid}")
    with suppress(FileNotFoundError):
        draft.unlink()
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.json.encode(daemon))
    draft.replace(path)


def remove_announcement(index: Path, daemon: Daemon) -> None:
    """Remove the daemon file, unless it belongs to another daemon by now."""
    if find_daemon(index) == daemon:
        with suppress(OSError):
            daemon_file(index).unlink()


def is_running(pid: int) -> bool:
    """Tell whether a process exists, True where the system cannot tell."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def is_server(index: Path, daemon: Daemon) -> bool:
    """Tell whether the process of a daemon file has the lock of the server open.

    A process id alone may belong to another process by now. Where the system does not list open files, it is enough
    that some process holds the lock, because a new server replaces the daemon file.
    """
    if os.name != "posix":
        return False
    lock, open_files = lock_path(index), Path(f"/proc/{daemon.pid}/fd")
    try:
        if Path("/proc/self/fd").is_dir():
            return any(file.exists() and file.samefile(lock) for file in open_files.iterdir())
        return _is_locked(lock)
    except OSError:
        return False


def _is_locked(lock: Path) -> bool:
    """Tell whether another process holds a lock."""
    import fcntl

    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def proof(daemon: Daemon, side: str, nonce: str) -> str:
    """Compute the proof that one side knows the secret, for one nonce."""
    return blake2b(f"{side}:{nonce}".encode(), key=daemon.secret.encode()[:64], digest_size=32).hexdigest()


def is_proof_valid(daemon: Daemon, client_proof: str) -> bool:
    """Check the proof of a client, `nonce:digest`."""
    from hmac import compare_digest

    nonce, _, digest = client_proof.partition(":")
    return bool(nonce) and compare_digest(digest.encode(), proof(daemon, "client", nonce).encode())


def settings_digest(settings: Settings) -> str:
    """Compute a digest of the settings that an answer depends on."""
    relevant = msgspec.structs.replace(settings, terminal=Terminal(), mcp=Mcp(), serve=Serve())
    return blake2b(msgspec.json.encode(relevant, order="deterministic"), digest_size=16).hexdigest()
