"""Asking the resident process of an index, if there is one; who gets no answer works alone.

Only questions are asked this way, never changes: an answer that got lost on the way can be asked for again.
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
    digest_of,
    find_daemon,
    found,
    log_of,
    proof,
    remove_announcement,
)
from waymeet.paths import is_too_broad
from waymeet.project import Project

if TYPE_CHECKING:
    import socket

_CONNECT_SECONDS = 1.0
_AGAIN_SECONDS = 30.0
_CHUNK = 1 << 18
_LARGEST = 1 << 30


class Response(NamedTuple):
    """What came back: the status of HTTP and the body."""

    status: int
    body: bytes


def query_daemon(project: Project, operation: str, request: msgspec.Struct, answer: type[Any]) -> Any:  # noqa: ANN401 - the answer
    """Have a question answered by the resident process; None if there is none, or it cannot answer as this one would.

    That includes every error: working alone leads to the same one, told in the same words.
    """
    if not project.settings.serve.use:
        return None
    resident = found(project.index_path, project.root)
    if resident is None:
        return None
    path = f"/v1/{operation.replace('_', '-')}"
    seconds = project.settings.serve.request_seconds
    reply = send_request(
        resident, "POST", path, msgspec.json.encode(request), settings=digest_of(project.settings), seconds=seconds
    )
    if reply is None:
        if _deserted(resident):
            remove_announcement(project.index_path, resident)
        return None
    if reply.status != 200:
        return None
    try:
        return msgspec.json.decode(reply.body, type=answer)
    except msgspec.MsgspecError:
        return None


def send_request(
    resident: Daemon, method: str, path: str, body: bytes = b"", *, settings: str = "", seconds: float = 10.0
) -> Response | None:
    """Send a request; None if no whole answer of that very process came back."""
    import socket  # only where somebody is to be asked

    once = os.urandom(16).hex()
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {resident.address.removeprefix('http://')}",
        f"Authorization: Waymeet {once}:{proof(resident, 'client', once)}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *([f"{SETTINGS}: {settings}"] if settings else []),
    ]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    try:
        with socket.create_connection((resident.host, resident.port), _CONNECT_SECONDS) as wire:
            wire.settimeout(seconds)
            wire.sendall(head + body)
            raw = _all(wire)
    except OSError:
        return None
    return _read(raw, proof(resident, "server", once))


def _all(wire: "socket.socket") -> bytes:
    parts, size = [], 0
    while size <= _LARGEST and (part := wire.recv(_CHUNK)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _read(raw: bytes, expected: str) -> Response | None:
    """Take an answer apart; None if it is not whole, or not from whom it should be."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    try:
        status, length = int(first.split(" ")[1]), int(headers["content-length"])
    except (IndexError, KeyError, ValueError):
        return None
    return Response(status, body) if headers.get(PROOF) == expected and len(body) == length else None


def _deserted(resident: Daemon) -> bool:
    """Tell whether nobody listens any more; one that is too busy to say anything still does."""
    import socket

    try:
        with socket.create_connection((resident.host, resident.port), _CONNECT_SECONDS):
            return False
    except OSError as error:
        return isinstance(error, ConnectionRefusedError)


def start_daemon(project: Project) -> None:
    """Have a resident process started for the next question, if the user wants that to happen by itself."""
    numbers, log = project.settings.serve, log_of(project.index_path)
    if not (numbers.start and numbers.use) or is_too_broad(project.root):
        return
    if find_daemon(project.index_path) or _just_tried(log):
        return
    from waymeet.ingest.embed.background import start_process

    log.touch(mode=0o600)
    arguments = ["serve", "--port", "0", "--idle-seconds", str(numbers.idle_seconds or 1.0)]
    start_process(arguments, project.root, project.index_path, project.flags, log)


def _just_tried(log: Path) -> bool:
    """Tell whether somebody tried a moment ago: it takes seconds to begin, and may fail each time."""
    try:
        return time() - log.stat().st_mtime < _AGAIN_SECONDS
    except OSError:
        return False
