"""The socket of the server, and the lock that allows one server for an index."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from waymeet.errors import BusyIndexError, IndexUnavailableError, UsageError
from waymeet.interfaces.daemon.discovery import daemon_file, find_daemon, lock_path

_BACKLOG = 512
_SEND_BUFFER = 1 << 18
"""Bytes of answers that the system keeps for one client that does not read; its default is ten times as much."""


@contextmanager
def serve_lock(index: Path) -> Iterator[None]:
    """Hold the lock of the server of an index, unless its folder can only be read.

    The system releases it when the process ends.
    """
    lock = FileLock(lock_path(index), mode=0o600)
    try:
        index.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(timeout=0.0)
    except Timeout as error:
        other = find_daemon(index)
        where = f"process {other.pid} at {other.address}" if other else "another process"
        hint = "Use that server, or stop it: waymeet serve --stop"
        raise BusyIndexError(f"This project is already served by {where}.", hint) from error
    except OSError as error:
        if index.exists() and not os.access(index.parent, os.W_OK):  # no other server can take the lock either
            yield
            return
        hint = "Check that its folder can be written."
        raise IndexUnavailableError(f"The index {index} cannot be served: {error}.", hint) from error
    with suppress(OSError):
        daemon_file(index).unlink()  # left behind by one that was killed
    try:
        yield
    finally:
        lock.release()


@contextmanager
def open_socket(host: str, port: int | None, default_port: int) -> Iterator[socket.socket]:
    """Listen on a port, by default the default port or any free one."""
    ports = [default_port, 0] if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in ports:
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio sets TCP_NODELAY
        try:
            if sys.platform != "win32":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # accepted sockets inherit it
            listener.bind((host, number))
            listener.listen(_BACKLOG)  # until then another process could take the same port
        except OSError as error:
            listener.close()
            if number == ports[-1]:
                cause = error.strerror or str(error)
                hint = "Choose another port; --port 0 takes any free one."
                raise UsageError(f"{host} port {number} cannot be opened: {cause}.", hint) from error
            continue
        break
    with listener:
        yield listener


def local_address(host: str) -> str:
    """Give the address by which this machine reaches a listening address.

    >>> local_address("0.0.0.0"), local_address("::"), local_address("127.0.0.1")
    ('127.0.0.1', '::1', '127.0.0.1')
    """
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
