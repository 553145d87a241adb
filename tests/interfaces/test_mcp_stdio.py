"""`waymeet mcp` as a process: messages, malformed input, and its end."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run
from mcp import Client, StdioServerParameters

from waymeet.interfaces.mcp import stdio
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.stdio import TooLong, read_lines
from waymeet.interfaces.mcp.tools import TOOLS

COMMAND = [sys.executable, "-m", "waymeet", "mcp", "--set", "embedding.provider=none"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
_PATIENCE = 60
"""Seconds until a test gives up; a loaded machine may need some to start a process."""


class Spoken:
    """A process that is spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._held = b""

    def say(self, line: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        raw = line if isinstance(line, bytes) else json.dumps(line).encode()
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """Read the next message, and fail if anything else was written."""
        assert self.process.stdout is not None
        wire = self.process.stdout.fileno()
        while b"\n" not in self._held:
            ready, _, _ = select.select([wire], [], [], _PATIENCE)
            assert ready, "it says nothing"
            more = os.read(wire, 1 << 20)
            assert more, "it has ended"
            self._held += more
        line, _, self._held = self._held.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def rest(self) -> bytes:
        assert self.process.stdout is not None
        return self._held + self.process.stdout.read()


@contextmanager
def started(*command: str, **how: Any) -> Iterator[Spoken]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*(command or COMMAND)], stdin=pipe, stdout=pipe, stderr=pipe, **how) as process:
        try:
            yield Spoken(process)
        finally:
            process.kill()


def call(id_: int, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_client_and_a_hundred_calls_at_once(project: Path, mode: str, version: str) -> None:
    async def talking() -> None:
        environment = {name: os.environ[name] for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME")}
        server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=project, env=environment)
        async with Client(server, mode=mode, read_timeout_seconds=_PATIENCE) as client:
            assert client.protocol_version == version
            await client.list_tools()
            words = ["keys", "fusion", "検索", "users"]
            asked = [client.call_tool("search", {"query": words[at % 4]}) for at in range(80)]
            written = [client.call_tool("remember", {"kind": "notes", "title": f"Note {at}"}) for at in range(20)]
            answers = await asyncio.gather(*asked, *written)
            assert not any(each.is_error for each in answers)
            assert len(list((project / ".waymeet" / "notes").glob("*.md"))) == 20, "no note is lost"

    asyncio.run(talking())


def test_what_is_no_message_is_refused_and_the_server_goes_on(project: Path) -> None:
    with started() as server:
        server.say(b"Hello, is anybody there?")
        assert server.hear()["error"]["code"] == -32700
        server.say(HELLO)
        hello = server.hear()
        assert hello["result"]["protocolVersion"] == "2025-11-25"
        server.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

        server.say(b'\xff\xfe{"jsonrpc"')
        refused = server.hear()
        assert (refused["id"], refused["error"]["code"]) == (None, -32700)
        server.say(b"[" * 100_000)
        assert server.hear()["error"]["code"] == -32700
        server.say(b"[]")
        assert server.hear()["error"]["code"] == -32600
        server.say({"jsonrpc": "2.0", "id": 5, "method": 7})
        refused = server.hear()
        assert (refused["id"], refused["error"]["code"]) == (5, -32600)
        server.say({"jsonrpc": "2.0", "id": 6, "method": "nope/nope"})
        assert server.hear()["error"]["code"] == -32601

        server.say(call(7, "search", query="x" * 10_000_000))
        long = server.hear()
        assert long["id"] == 7
        assert long["result"]["isError"]
        assert "length <= 100000" in long["result"]["content"][0]["text"]
        server.say(b"x" * 10_000_000)
        assert server.hear()["error"]["code"] == -32700
        server.say(call(8, "search", query="x" * (stdio.MAX_LINE_BYTES + 1)))
        refused = server.hear()
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        assert str(stdio.MAX_LINE_BYTES) in refused["error"]["message"]

        server.say(json.dumps(call(9, "search", query="keys \ud83d")).encode())
        assert server.hear()["result"]["structuredContent"]["hits"], "it still answers"


def test_calls_under_way_are_answered_when_the_input_ends(project: Path) -> None:
    lines = [json.dumps(each) for each in (HELLO, call(2, "status"))]
    ran = subprocess.run(COMMAND, input="\n".join(lines), capture_output=True, text=True, timeout=_PATIENCE, check=True)
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [1, 2]
    assert ran.stderr == ""


def test_it_ends_when_its_input_ends_whatever_it_is_doing(project: Path) -> None:
    """Here it waits for its turn to index, which never comes."""
    holding = (
        "import sys, time; from waymeet import Project; from waymeet.ingest.lock import index_lock\n"
        "index = Project.open().index_path; index.parent.mkdir(parents=True, exist_ok=True)\n"
        "with index_lock(index, wait=True): print('held', flush=True); time.sleep(600)"
    )
    with started(sys.executable, "-c", holding) as holder, started() as server:
        assert holder.process.stdout is not None
        assert holder.process.stdout.readline() == b"held\n"
        server.say(HELLO)
        server.hear()
        server.say(call(2, "index"))
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(_PATIENCE) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a parent's number says nothing there")
def test_it_ends_when_its_parent_dies_though_its_input_stays_open(project: Path) -> None:
    ours, theirs = os.pipe()
    back, out = os.pipe()
    starting = (
        "import subprocess, time\n"
        f"subprocess.Popen({COMMAND!r}, stdin={ours}, stdout={out}, stderr=subprocess.DEVNULL)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", starting], pass_fds=(ours, out)) as parent:
        os.close(ours)
        os.close(out)
        os.write(theirs, json.dumps(HELLO).encode() + b"\n")
        ready, _, _ = select.select([back], [], [], _PATIENCE)
        assert ready
        assert b'"id":1' in os.read(back, 1 << 20)
        parent.kill()
    ready, _, _ = select.select([back], [], [], _PATIENCE)
    assert ready
    assert os.read(back, 1) == b"", "its output is closed, so it is gone"
    os.close(theirs)
    os.close(back)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_only_messages_are_on_the_wire_whoever_prints(project: Path) -> None:
    printing = (
        "import os, signal, subprocess, sys\n"
        "def stray(*_):\n"
        "    print('stray print'); sys.stdout.flush(); os.write(1, b'stray write\\n')\n"
        "    subprocess.run(['echo', 'stray child']); sys.stderr.write('done\\n'); sys.stderr.flush()\n"
        "signal.signal(signal.SIGUSR1, stray)\n"
        "from waymeet.interfaces.cli import main\n"
        f"main({COMMAND[3:]!r})"
    )
    with started(sys.executable, "-c", printing) as server:
        server.say(HELLO)
        server.hear()
        server.process.send_signal(signal.SIGUSR1)
        assert server.process.stderr is not None
        told = [server.process.stderr.readline() for _ in range(4)]
        assert told == [b"stray print\n", b"stray write\n", b"stray child\n", b"done\n"]
        server.say(call(2, "status"))
        assert server.hear()["id"] == 2
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(_PATIENCE) == 0
        assert server.rest() == b""


def test_the_command_lists_its_tools(run: Run) -> None:
    shown = run("mcp", "--list")
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()] == list(TOOLS)
    fewer = json.loads(run("mcp", "--list", "--read-only", "--compat", "--json").out)
    assert {each["name"] for each in fewer} == {
        "search",
        "read",
        "related",
        "context",
        "recall_skills",
        "status",
        *COMPAT,
    }


@pytest.mark.parametrize("args", [("--set", "nope=1"), ("-C", "/nowhere/at/all")])
def test_a_wrong_start_says_so_and_not_on_the_wire(project: Path, args: tuple[str, ...], run: Run) -> None:
    ended = run("mcp", *args)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err


def test_lines_are_parted_wherever_they_come_in_pieces() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\n\n  \ntwo\nthr")
    os.write(writing, b"ee\nlast")
    os.close(writing)
    assert list(read_lines(reading)) == [b"one", b"two", b"three", b"last"]
    os.close(reading)


def test_a_line_without_end_fills_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.write(b"a\n")
        file.truncate(stdio.MAX_LINE_BYTES + 100_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nb\n")
        file.truncate(2 * stdio.MAX_LINE_BYTES + 300_000)
    with path.open("rb") as file:
        kinds = [each if isinstance(each, bytes) else type(each) for each in read_lines(file.fileno())]
    assert kinds == [b"a", TooLong, b"b", TooLong]
