"""Clients that send or read slowly do not keep others out of the server."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from support.server_process import Served, command, isolated_environment, make, served

from waymeet.interfaces.daemon.discovery import Daemon, is_server, lock_path

pytestmark = pytest.mark.slow

CLIENTS = 550
"""More than the server has connections for."""
ROUNDS = 4
_HEAD = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
SLOW = {
    "head": b"GET /healthz HTTP/1.1\r\nHost: 127",
    "body": b"POST /v1/search HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100000\r\n\r\n{",
    "body of a request without one": b"GET /healthz HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100000\r\n\r\n{",
    "body of a call": b"POST /mcp HTTP/1.1\r\n" + _HEAD + b"Content-Length: 100000\r\n\r\n{",
    "chunks": b"POST /v1/search HTTP/1.1\r\n" + _HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "answer": b"GET /openapi.json HTTP/1.1\r\n" + _HEAD + b"\r\n",
    "answers": (b"GET /openapi.json HTTP/1.1\r\n" + _HEAD + b"\r\n") * 5,
}
_NEXT = {"head": b"x", "chunks": b"1\r\n \r\n", "answer": b"", "answers": b""}


class SlowClients:
    """Connections that send a little now and then, and come back when they are closed."""

    def __init__(self, server: Served, kind: str, cleanup: ExitStack) -> None:
        self._server, self._kind, self._cleanup = server, kind, cleanup
        self._connections = [self._connect() for _ in range(CLIENTS)]

    def _connect(self) -> socket.socket:
        connection = self._cleanup.enter_context(socket.socket())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(60)
        with suppress(ConnectionError):
            connection.connect(("127.0.0.1", self._server.port))
            connection.sendall(SLOW[self._kind])
        connection.setblocking(False)
        return connection

    def go_on(self) -> None:
        """Send the next bytes."""
        for number, connection in enumerate(self._connections):
            try:
                connection.send(_NEXT.get(self._kind, b" "))
            except BlockingIOError:
                continue
            except OSError:
                connection.close()
                self._connections[number] = self._connect()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("slow")
    with served(make(folder / "project"), isolated_environment(folder)) as running:
        yield running


@pytest.mark.parametrize("kind", SLOW)
def test_others_are_answered_while_many_are_slow(server: Served, kind: str) -> None:
    with ExitStack() as cleanup:
        slow = SlowClients(server, kind, cleanup)
        for _ in range(ROUNDS):
            slow.go_on()
            assert server.ask("GET", "/v1/search?query=rotate+keys").json["hits"]
            assert server.ask("POST", "/v1/search", {"query": "rotate keys"}).status == 200
            assert _open_session(server) == 200


def _open_session(server: Served) -> int:
    opening = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
    }
    return server.ask("POST", "/mcp", opening, {"Accept": "application/json, text/event-stream"}).status


def test_it_shows_its_status_and_stops_while_many_are_slow(tmp_path: Path) -> None:
    root, environment, log = make(tmp_path / "project"), isolated_environment(tmp_path), tmp_path / "log"
    with log.open("w") as errors, served(root, environment, errors=errors) as running, ExitStack() as cleanup:
        SlowClients(running, "body", cleanup).go_on()
        status = json.loads(command(environment, root, "serve", "--status", "--json").stdout)
        assert status["pid"] == running.process.pid
        assert status["running"] is status["responds"] is True
        assert command(environment, root, "serve", "--stop").returncode == 0
        assert running.process.wait(60) == 0
    assert "Traceback" not in log.read_text()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_one_that_does_not_answer_is_shown_and_stopped(tmp_path: Path) -> None:
    root, environment = make(tmp_path / "project"), isolated_environment(tmp_path)
    with served(root, environment) as running:
        pid = running.process.pid
        os.kill(pid, signal.SIGSTOP)  # its port still accepts connections
        try:
            shown = command(environment, root, "serve", "--status")
            assert shown.returncode == 0
            assert str(pid) in shown.stdout
            assert "does not answer over HTTP" in shown.stderr
            whole = [sys.executable, "-m", "waymeet", "serve", "--stop"]
            with subprocess.Popen(whole, env=environment, cwd=root, stdout=subprocess.PIPE, text=True) as stopping:
                Timer(6.0, os.kill, (pid, signal.SIGCONT)).start()
                assert running.process.wait(60) == 0, "the signal waited for it"
                assert stopping.wait(60) == 0
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_another_process_with_the_id_of_an_ended_server_is_left_alone(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    fields: dict[str, Any] = {"host": "::1", "port": 1, "secret": "", "version": "1", "root": "/", "started": 0.0}
    daemon = Daemon(pid=os.getpid(), **fields)
    assert not is_server(index, daemon), "no lock at all"
    lock_path(index).touch()
    assert not is_server(index, daemon), "it does not hold the lock"
    with lock_path(index).open("rb"):
        assert is_server(index, daemon) or sys.platform != "linux"
