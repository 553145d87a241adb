"""Where a resident process listens, and that there is only one for an index."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from waymeet.errors import BusyIndexError, IndexUnavailableError, UsageError
from waymeet.interfaces.daemon.discovery import file_of, find_daemon, lock_of

_BACKLOG = 512


@contextmanager
def alone(index: Path) -> Iterator[None]:
    """Hold the right to serve an index; the system takes it back when the process ends, however it ends."""
    lock = FileLock(lock_of(index), mode=0o600)
    try:
        index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(timeout=0.0)
    except Timeout as error:
        other = find_daemon(index)
        where = f"process {other.pid} at {other.address}" if other else "another process"
        hint = "Use that one, or end it: waymeet serve --stop"
        raise BusyIndexError(f"This project is served already, by {where}.", hint) from error
    except OSError as error:
        hint = "Check that its folder can be written."
        raise IndexUnavailableError(f"The index {index} cannot be served: {error}.", hint) from error
    with suppress(OSError):
        file_of(index).unlink()  # left behind by one that was killed
    try:
        yield
    finally:
        lock.release()


@contextmanager
def listening(host: str, port: int | None, usual: int) -> Iterator[socket.socket]:
    """Listen, at any free port if the usual one is taken and nobody insists on it."""
    ports = [usual, 0] if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for each in ports:
        wire = socket.socket(family, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            wire.bind((host, each))
            wire.listen(_BACKLOG)  # until somebody listens, another who begins now could take the same port
        except OSError as error:
            wire.close()
            if each == ports[-1]:
                cause = error.strerror or str(error)
                hint = "Choose another: --port 0 takes any."
                raise UsageError(f"{host} port {each} cannot be listened at: {cause}.", hint) from error
            continue
        break
    with wire:
        yield wire


def reachable(host: str) -> str:
    """Say how this machine reaches an address that is listened at.

    >>> reachable("0.0.0.0"), reachable("::"), reachable("127.0.0.1")
    ('127.0.0.1', '::1', '127.0.0.1')
    """
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nobody listens here
