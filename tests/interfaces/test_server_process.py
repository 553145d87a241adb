"""The resident process: found when it runs, not missed when it does not, never in the way."""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from threading import Thread
from time import monotonic, sleep, time
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from support.server_process import (
    PATIENCE,
    Served,
    command,
    find_leftover_processes,
    isolated_environment,
    make,
    served,
)

from waymeet import __version__
from waymeet.interfaces.daemon.client import send_request
from waymeet.interfaces.daemon.discovery import (
    Daemon,
    announce,
    daemon_file,
    find_daemon,
    find_usable_daemon,
    is_proof_valid,
    proof,
    settings_digest,
)
from waymeet.settings import Embedding, Serve, Settings

ASKED = ("search", "rotate keys", "--json")


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Make a project that is indexed."""
    root, environment = make(tmp_path / "project"), isolated_environment(tmp_path)
    assert command(environment, root, "index", "--no-embed").returncode == 0
    return root, environment


def index_of(environment: dict[str, str]) -> Path:
    (file,) = (Path(environment["XDG_DATA_HOME"]) / "waymeet" / "indexes").glob("*.sqlite")
    return file


def answered(ran: CompletedProcess[str]) -> Any:
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    for timing in ("seconds", "steps"):
        found.pop(timing, None)
    return found


def requests(server: Served, route: str) -> int:
    for line in server.ask("GET", "/metrics").body.decode().splitlines():
        if line.startswith(f'waymeet_requests_total{{route="{route}",method="POST",status="200"}}'):
            return int(float(line.rpartition(" ")[2]))
    return 0


def wait_until(true: Callable[[], object]) -> None:
    until = monotonic() + PATIENCE
    while not true():
        assert monotonic() < until, "it does not come to pass"
        sleep(0.05)


def test_commands_ask_it_and_get_what_they_would_find_alone(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    calls = [ASKED, ("read", "docs/setup.md", "--json"), ("related", "docs/fusion.md", "--json")]
    alone = [answered(command(environment, root, *call)) for call in calls]
    with served(root, environment) as server:
        assert [answered(command(environment, root, *call)) for call in calls] == alone
        assert [requests(server, f"/v1/{call[0]}") for call in calls] == [1, 1, 1]
        others = [("serve.use=false",), ("shape.limit=1",), ("bm25.k1=2.0",)]
        for flags in others:  # it does not answer by these settings
            call = (*ASKED, *(part for flag in flags for part in ("--set", flag)))
            assert answered(command(environment, root, *call))["hits"]
        assert requests(server, "/v1/search") == 1
        nothing = command(environment, root, "read", "nothing.md")
        assert (nothing.returncode, nothing.stdout) == (1, "")
        assert "nothing.md" in nothing.stderr
        (root / "docs" / "new.md").write_text("# New\n\nZanzibar keys.\n", encoding="utf-8")
        assert answered(command(environment, root, "search", "zanzibar", "--json"))["hits"], "it looks for changes, too"


def test_agents_over_pipes_ask_it_too(place: tuple[Path, dict[str, str]]) -> None:
    import asyncio

    root, environment = place
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "waymeet", "mcp"], env=environment, cwd=str(root)
    )

    async def ask(server: Served) -> None:
        async with Client(parameters, read_timeout_seconds=PATIENCE) as client:
            first = await client.call_tool("search", {"query": "rotate keys"})
            assert requests(server, "/v1/search") == 1
            server.process.kill()
            await asyncio.to_thread(server.process.wait)
            second = await client.call_tool("search", {"query": "rotate keys"})
            assert first.structured_content is not None
            assert second.structured_content is not None
            assert first.structured_content["hits"] == second.structured_content["hits"] != []

    with served(root, environment) as server:
        asyncio.run(ask(server))


def test_one_serves_an_index_and_the_second_says_so(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    assert command(environment, root, "serve", "--status").returncode == 1
    assert command(environment, root, "serve", "--stop").returncode == 1
    with served(root, environment) as server:
        file = daemon_file(index_of(environment))
        assert file.stat().st_mode & 0o777 == 0o600
        second = command(environment, root, "serve", "--port", "0")
        assert second.returncode == 3
        assert f"process {server.process.pid} at {server.address}" in second.stderr
        told = json.loads(command(environment, root, "serve", "--status", "--json").stdout)
        assert (told["running"], told["pid"], told["address"]) == (True, server.process.pid, server.address)
        ended = Thread(target=server.process.wait)  # the parent must reap it
        ended.start()
        assert command(environment, root, "serve", "--stop").returncode == 0
        ended.join(PATIENCE)
        assert server.process.returncode == 0
        assert not file.exists()
        assert not find_leftover_processes(environment)
    with served(root, environment) as again:
        assert again.ask("GET", "/healthz").status == 200


def test_one_that_was_killed_is_not_missed(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    with served(root, environment) as server:
        for number in range(50):  # something to do for processes of its own
            (root / "src" / f"{number}.py").write_text("def f():\n    pass\n" * 100, encoding="utf-8")
        server.ask("POST", "/v1/index", token=True)
        server.process.kill()
        server.process.wait(PATIENCE)
        wait_until(lambda: not find_leftover_processes(environment))
        file = daemon_file(index_of(environment))
        assert file.exists(), "it could not clear it away"
        assert answered(command(environment, root, *ASKED))["hits"]
        assert not file.exists()
    with served(root, environment) as again:
        assert again.ask("GET", "/healthz").status == 200


@contextmanager
def impostor(answer: Callable[[bytes], bytes]) -> Iterator[int]:
    """Listen where the resident process did, and answer in its place."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    wire, _ = listening.accept()
                except OSError:
                    return
                with wire:
                    raw = answer(wire.recv(100_000))
                    if raw:
                        wire.sendall(raw)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]


def _lie(secret: str) -> Callable[[bytes], bytes]:
    def answer(_request: bytes) -> bytes:
        body = json.dumps({"query": "", "recipe": "", "mode": "", "search_type": "", "hits": [], "total_found": 0})
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nWaymeet-Proof: {secret}\r\n\r\n"
        return (head + body).encode()

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: b"",
        lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{",
        lambda _: b"nonsense",
        lambda _: b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        _lie("0" * 64),
    ],
    ids=["hangs up", "dies in the middle", "talks nonsense", "is busy", "lies"],
)
def test_who_answers_badly_is_not_believed(
    place: tuple[Path, dict[str, str]], answer: Callable[[bytes], bytes]
) -> None:
    root, environment = place
    with impostor(answer) as port:
        told = resident(root, port=port)
        announce(index_of(environment), told)
        assert answered(command(environment, root, *ASKED))["hits"]
        assert find_daemon(index_of(environment)) == told, "the port is in use"
    assert answered(command(environment, root, *ASKED))["hits"]
    assert find_daemon(index_of(environment)) is None, "the port is free"


def resident(root: Path, **other: Any) -> Daemon:
    given = {"pid": os.getppid(), "host": "127.0.0.1", "port": 1, "secret": "a" * 64, "version": __version__}
    return Daemon(**{**given, "root": str(root), "started": time(), **other})


def test_who_is_not_meant_or_not_trusted_is_not_found(tmp_path: Path) -> None:
    index = tmp_path / "a.sqlite"
    announce(index, resident(tmp_path))
    assert find_usable_daemon(index, tmp_path)
    assert not find_usable_daemon(index, tmp_path / "another")
    for other in ({"version": "0.0.1"}, {"pid": os.getpid()}, {"pid": 2**22 + 1}):
        announce(index, resident(tmp_path, **other))
        assert not find_usable_daemon(index, tmp_path)
    announce(index, resident(tmp_path))
    daemon_file(index).chmod(0o644)
    assert not find_usable_daemon(index, tmp_path), "others could have read the secret"
    daemon_file(index).write_text("{", encoding="utf-8")
    assert not find_usable_daemon(index, tmp_path)


def test_each_side_proves_itself_without_the_secret(tmp_path: Path) -> None:
    told = resident(tmp_path)
    assert is_proof_valid(told, f"once:{proof(told, 'client', 'once')}")
    for wrong in ("", ":", "once:", f"twice:{proof(told, 'client', 'once')}", f"once:{proof(told, 'server', 'once')}"):
        assert not is_proof_valid(told, wrong)
    seen = []

    def answer(request: bytes) -> bytes:
        seen.append(request)
        return b""

    with impostor(answer) as port:
        assert send_request(resident(tmp_path, port=port), "GET", "/healthz") is None
    assert told.secret.encode() not in seen[0]


def test_settings_of_doors_do_not_keep_one_from_asking() -> None:
    usual = settings_digest(Settings())
    assert settings_digest(Settings(serve=Serve(port=1))) == usual
    assert settings_digest(Settings(embedding=Embedding(provider="none"))) != usual


def test_it_takes_in_what_changes_by_itself(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    with served(root, environment) as server:
        (root / "docs" / "new.md").write_text("# New\n\nZanzibar.\n", encoding="utf-8")
        wait_until(lambda: server.ask("GET", "/v1/search?query=zanzibar&refresh=false").json["hits"])


def test_it_ends_by_itself_when_nobody_wants_anything(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    command(environment, root, "index")
    ended = command(environment, root, "serve", "--port", "0", "--json", "--idle-seconds", "0.5")
    assert ended.returncode == 0
    assert json.loads(ended.stdout.splitlines()[0])["address"]
    assert not daemon_file(index_of(environment)).exists()
    assert not find_leftover_processes(environment)


def test_it_is_started_by_itself_only_if_the_user_says_so(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    index = index_of(environment)
    command(environment, root, *ASKED)
    assert find_daemon(index) is None
    assert not index.with_name(f"{index.name}.serve.log").exists()
    wanted = {**environment, "WAYMEET_SERVE_START": "true", "WAYMEET_SERVE_IDLE_SECONDS": "60"}
    assert command(wanted, root, *ASKED).returncode == 0
    try:
        wait_until(lambda: find_daemon(index))
        assert answered(command(wanted, root, *ASKED))["hits"]
    finally:
        assert command(environment, root, "serve", "--stop").returncode == 0
    assert find_daemon(index) is None


def test_a_project_cannot_have_itself_served_elsewhere(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    (root / "waymeet.toml").write_text('[serve]\nhosts = ["evil.example"]\n', encoding="utf-8")
    refused = command(environment, root, "serve", "--port", "0")
    assert refused.returncode == 2
    assert "serve.hosts" in refused.stderr


def test_a_signal_ends_it_while_it_works(place: tuple[Path, dict[str, str]]) -> None:
    root, environment = place
    with served(root, environment) as server:
        for number in range(300):
            (root / "docs" / f"{number}.md").write_text(f"# Page {number}\n\nWords {number}.\n", encoding="utf-8")
        job = server.ask("POST", "/v1/index", token=True)
        assert job.status == 202
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
    assert command(environment, root, "check").returncode == 0
    assert command(environment, root, "index", "--no-embed").returncode == 0
    assert len(answered(command(environment, root, "search", "page words", "--json", "-n", "400"))["hits"]) >= 300
