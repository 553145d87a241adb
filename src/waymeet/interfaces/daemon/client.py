"""Send requests to the daemon of an index, if one is running.

Only requests that read are sent this way, never changes: if the answer is lost, the caller computes it itself.
"""

import os
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from waymeet.interfaces.daemon.discovery import (
    PROOF,
    SETTINGS,
    Daemon,
    find_daemon,
    find_usable_daemon,
    log_path,
    proof,
    remove_announcement,
    settings_digest,
)
from waymeet.paths import is_too_broad
from waymeet.project import Project

if TYPE_CHECKING:
    import socket

_CONNECT_SECONDS = 1.0
_RETRY_SECONDS = 30.0
_CHUNK = 1 << 18
_MAX_BYTES = 1 << 30


class Response(NamedTuple):
    """Status and body of an HTTP response."""

    status: int
    body: bytes


def query_daemon(project: Project, operation: str, request: msgspec.Struct, answer: type[Any]) -> Any:  # noqa: ANN401 - the answer
    """Send a request to the daemon, or return None if it does not answer.

    None is returned for errors, too: the caller runs into the same error with the same message.
    """
    if not project.settings.serve.use:
        return None
    daemon = find_usable_daemon(project.index_path, project.root)
    if daemon is None:
        return None
    path = f"/v1/{operation.replace('_', '-')}"
    seconds = project.settings.serve.request_seconds
    response = send_request(
        daemon, "POST", path, msgspec.json.encode(request), settings=settings_digest(project.settings), seconds=seconds
    )
    if response is None:
        if _is_gone(daemon):
            remove_announcement(project.index_path, daemon)
        return None
    if response.status != 200:
        return None
    try:
        return msgspec.json.decode(response.body, type=answer)
    except msgspec.MsgspecError:
        return None


def send_request(
    daemon: Daemon, method: str, path: str, body: bytes = b"", *, settings: str = "", seconds: float = 10.0
) -> Response | None:
    """Send an HTTP request, or return None without a complete response of that daemon."""
    import socket  # imported only when there is a daemon

    nonce = os.urandom(16).hex()
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {daemon.address.removeprefix('http://')}",
        f"Authorization: Waymeet {nonce}:{proof(daemon, 'client', nonce)}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *([f"{SETTINGS}: {settings}"] if settings else []),
    ]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    try:
        with socket.create_connection((daemon.host, daemon.port), _CONNECT_SECONDS) as connection:
            connection.settimeout(seconds)
            connection.sendall(head + body)
            raw = _receive_all(connection)
    except OSError:
        return None
    return _parse_response(raw, proof(daemon, "server", nonce))


def _receive_all(connection: "socket.socket") -> bytes:
    parts, size = [], 0
    while size <= _MAX_BYTES and (part := connection.recv(_CHUNK)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _parse_response(raw: bytes, expected: str) -> Response | None:
    """Parse a response, or return None if it is incomplete or its proof is wrong."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    try:
        status, length = int(first.split(" ")[1]), int(headers["content-length"])
    except (IndexError, KeyError, ValueError):
        return None
    return Response(status, body) if headers.get(PROOF) == expected and len(body) == length else None


def _is_gone(daemon: Daemon) -> bool:
    """Tell whether the port is closed.

    A busy daemon still accepts connections.
    """
    import socket

    try:
        with socket.create_connection((daemon.host, daemon.port), _CONNECT_SECONDS):
            return False
    except OSError as error:
        return isinstance(error, ConnectionRefusedError)


def start_daemon(project: Project) -> None:
    """Start a daemon for the next query, if the settings allow it.

    None is started by a call with other settings than those of the index, because a daemon stores by its settings.
    """
    settings, log = project.settings.serve, log_path(project.index_path)
    if not (settings.start and settings.use) or is_too_broad(project.root):
        return
    if find_daemon(project.index_path) or _started_recently(log) or project.index_settings != project.settings:
        return
    from waymeet.ingest.embed.background import start_process

    log.touch(mode=0o600)
    arguments = ["serve", "--port", "0", "--idle-seconds", str(settings.idle_seconds or 1.0)]
    start_process(arguments, project.root, project.index_path, project.flags, log)


def _started_recently(log: Path) -> bool:
    """Tell whether a start was tried a moment ago: it takes seconds and may fail each time."""
    try:
        return time() - log.stat().st_mtime < _RETRY_SECONDS
    except OSError:
        return False
