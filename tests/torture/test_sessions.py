"""Agents that open session after session do not fill the memory, and others keep theirs."""

import http.client
import json
import os
import re
import sys
from pathlib import Path

import pytest
from support.server_process import PATIENCE, Served, isolated_environment, make, served

OPENINGS = 8000 if os.environ.get("TORTURE") else 600
MAX_MEGABYTES = 250
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def post(connection: http.client.HTTPConnection, session: str, method: str, **params: object) -> tuple[int, str]:
    """Send a message, and give the status and the session of the answer."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = 1
    headers = {**_HEADERS, "Mcp-Session-Id": session} if session else _HEADERS
    connection.request("POST", "/mcp", json.dumps(message), headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("mcp-session-id", "")


def open_session(connection: http.client.HTTPConnection, name: str) -> str:
    status, session = post(
        connection,
        "",
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": name, "version": "1"},
    )
    assert status == 200
    return session


def megabytes(server: Served) -> float:
    """Give the most memory that the server has used so far."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1000


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process is read from /proc")
def test_many_sessions_take_bounded_memory(tmp_path: Path) -> None:
    with served(make(tmp_path / "project"), isolated_environment(tmp_path)) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        used = open_session(connection, "patient")
        assert post(connection, used, "notifications/initialized")[0] == 202
        first, *_ = [open_session(connection, "x" * 50_000) for _ in range(OPENINGS)]
        assert megabytes(server) < MAX_MEGABYTES
        assert post(connection, used, "ping")[0] == 200, "a session in use is kept"
        assert post(connection, first, "ping")[0] == 404, "the protocol has its client open another one"
        connection.close()
