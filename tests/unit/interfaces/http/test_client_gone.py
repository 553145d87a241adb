"""A search that nobody waits for ends on the server."""

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from waymeet.errors import SearchCancelledError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.metrics import RequestMetrics
from waymeet.interfaces.http.middleware import Middleware
from waymeet.project import Project
from waymeet.search.cancellation import check_cancelled
from waymeet.settings import Serve

_PATIENCE = 60.0
_DAEMON = Daemon(pid=1, host="127.0.0.1", port=80, secret="s", version="1", root="", started=0.0)  # noqa: S106


class Client:
    """A client that sends a request and goes away when a test says so."""

    def __init__(self, method: str = "GET") -> None:
        headers = [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer t")]
        self.scope = {"type": "http", "method": method, "path": "/v1/search", "query_string": b"", "headers": headers}
        self.gone = asyncio.Event()
        self.received: list[str] = []
        self._is_sent = False

    async def receive(self) -> dict[str, Any]:
        """Give the empty body, then wait until the client has gone."""
        if not self._is_sent:
            self._is_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        """Receive a part of the response."""
        self.received.append(message["type"])


def wrap(app: Any) -> Middleware:
    return Middleware(app, AccessPolicy("127.0.0.1", 80, "t", _DAEMON, Serve()), RequestMetrics(), lambda: "")


class LongSearch:
    """A search in a thread that runs stages until it is cancelled."""

    def __init__(self) -> None:
        self.started, self.cancelled = Event(), Event()

    def run(self, _project: Project) -> None:
        """Run stages without end."""
        self.started.set()
        pause = Event()
        try:
            while True:
                check_cancelled()
                pause.wait(0.001)
        except SearchCancelledError:
            self.cancelled.set()
            raise


def finish_search(_project: Project) -> str:
    check_cancelled()
    return "done"


def test_a_search_whose_client_has_gone_ends(tmp_path: Path) -> None:
    search = LongSearch()

    async def run() -> None:
        client = Client()
        async with AsyncProject(Project.open(tmp_path)) as project:

            async def app(_scope: Any, _receive: Any, _send: Any) -> None:
                await project.call(search.run)

            answering = asyncio.create_task(wrap(app)(client.scope, client.receive, client.send))
            assert await asyncio.to_thread(search.started.wait, _PATIENCE)
            client.gone.set()
            await asyncio.wait_for(answering, _PATIENCE)
            assert await asyncio.to_thread(search.cancelled.wait, _PATIENCE)
        assert client.received == [], "nobody is answered"

    asyncio.run(run())


def test_a_change_runs_to_its_end_if_the_client_has_gone() -> None:
    async def run() -> list[str]:
        client, done = Client("POST"), list[str]()

        async def app(_scope: Any, _receive: Any, _send: Any) -> None:
            client.gone.set()
            for _ in range(20):
                await asyncio.sleep(0)
            done.append("changed")

        await wrap(app)(client.scope, client.receive, client.send)
        return done

    assert asyncio.run(run()) == ["changed"]


def test_an_answer_that_was_sent_is_not_an_error() -> None:
    async def run() -> list[str]:
        client = Client()

        async def app(_scope: Any, _receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x"})
            client.gone.set()  # as uvicorn reports it after the end of a response
            for _ in range(20):
                await asyncio.sleep(0)

        await wrap(app)(client.scope, client.receive, client.send)
        return client.received

    assert asyncio.run(run()) == ["http.response.start", "http.response.body"]


def test_a_search_without_anyone_to_cancel_it_goes_on(tmp_path: Path) -> None:
    async def run() -> str:
        async with AsyncProject(Project.open(tmp_path)) as project:
            return await project.call(finish_search)

    assert asyncio.run(run()) == "done"


def test_the_thread_of_a_search_is_not_cancelled_by_an_earlier_one(tmp_path: Path) -> None:
    search = LongSearch()

    async def run() -> str:
        async with AsyncProject(Project.open(tmp_path), threads=1) as project:
            first = asyncio.create_task(project.call(search.run))
            assert await asyncio.to_thread(search.started.wait, _PATIENCE)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            return await project.call(finish_search)

    assert asyncio.run(run()) == "done"
