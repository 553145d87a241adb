"""A real server in a thread that speaks as rerankers and chat models do, well and badly."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Answering = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class Reply:
    """What the server says next."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    never: bool = False
    """Whether it says nothing at all while the test lasts."""


@dataclass
class ModelServer:
    """Answers as it is told first, then properly; remembers what it was asked."""

    url: str
    answering: Answering
    replies: list[Reply] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    over: Event = field(default_factory=Event)


def judged(body: dict[str, Any]) -> dict[str, Any]:
    """Score as Cohere and others do: the longer the text the better, best first."""
    scores = [{"index": at, "relevance_score": len(text) / 1000} for at, text in enumerate(body["documents"])]
    return {"results": sorted(scores, key=lambda each: -each["relevance_score"])}


def chatting(content: object) -> Answering:
    """Reply as a chat model that always writes the same."""
    text = content if isinstance(content, str) else json.dumps(content)
    return lambda _: {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}


@contextmanager
def serving(answering: Answering = judged) -> Iterator[ModelServer]:
    """Serve on this machine while a test lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append(body)
            told.paths.append(self.path)
            told.keys.append(self.headers.get("Authorization"))
            reply = told.replies.pop(0) if told.replies else Reply(body=json.dumps(told.answering(body)).encode())
            if reply.never:
                told.over.wait(30)
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            try:
                self.wfile.write(reply.body)
            except OSError:
                return  # the other side has had enough

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Let clients go when they want."""

    with Quiet(("127.0.0.1", 0), Handler) as server:
        told = ModelServer(f"http://127.0.0.1:{server.server_address[1]}/v1", answering)
        thread = Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
        thread.start()
        try:
            yield told
        finally:
            told.over.set()
            server.shutdown()
            thread.join()
