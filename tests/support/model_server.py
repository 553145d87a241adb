"""A real server in a thread with the formats of rerankers and chat models, and with faults."""

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
    """The next response."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    never: bool = False
    """Whether there is no response while the test lasts."""


@dataclass
class ModelServer:
    """Answers with the given replies first, then properly; records requests."""

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
            state.asked.append(body)
            state.paths.append(self.path)
            state.keys.append(self.headers.get("Authorization"))
            reply = state.replies.pop(0) if state.replies else Reply(body=json.dumps(state.answering(body)).encode())
            if reply.never:
                state.over.wait(30)
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            try:
                self.wfile.write(reply.body)
            except OSError:
                return  # the client has closed the connection

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Log nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore clients that disconnect."""

    with Quiet(("127.0.0.1", 0), Handler) as server:
        state = ModelServer(f"http://127.0.0.1:{server.server_address[1]}/v1", answering)
        thread = Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            state.over.set()
            server.shutdown()
            thread.join()
