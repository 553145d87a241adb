"""A process with the formats of embedding providers, and with the faults that the path names.

`/ok/v1/embeddings` and `/ok/v2/embed` answer well, `/busy-…/…`, `/broken/…` and the others badly; `/asked` lists the
requests so far. `/gated-…/…` answers twice, then only when a gate was opened by `/open/gated-…`.
"""

import json
import sys
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.subprocess_server import serve

ASKED: list[dict[str, Any]] = []
GATES: dict[str, Event] = defaultdict(Event)
NUMBERS: dict[str, "count[int]"] = {}
LENGTH = 8


def vector(text: str, length: int = LENGTH) -> list[Any]:
    """Make a vector that differs between texts."""
    codes = text.encode()[:64]
    return [1.0 + len(text) % 97, *(float(sum(codes[at::7]) % 31) for at in range(1, length))]


class Handler(BaseHTTPRequestHandler):
    """Answers with the fault that the path names."""

    def do_GET(self) -> None:
        """List the requests, or open a gate."""
        if self.path.startswith("/open/"):
            GATES[self.path.removeprefix("/open/")].set()
        self._say(200, json.dumps(ASKED).encode())

    def do_POST(self) -> None:
        """Embed, or fail."""
        manner, _, path = self.path.lstrip("/").partition("/")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = {"manner": manner, "path": path, "body": body, "key": self.headers.get("Authorization"), "well": False}
        ASKED.append(asked)
        number = next(NUMBERS.setdefault(self.path, count(1)))
        key = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if manner == "unauthorized":
            self._say(401, json.dumps({"error": f"invalid key {key}"}).encode())
        elif manner.startswith("busy") and number <= 2:
            self._say(429, b'{"error": "slow down"}', {"Retry-After": "7"})
        elif manner == "broken" or (manner == "shaky" and number % 3 == 0):
            self._say(500, b"oops")
        elif manner == "slow":
            time.sleep(30)
        elif manner == "malformed":
            self._say(200, b"<html>welcome</html>")
        else:
            if manner.startswith("paced-"):
                time.sleep(int(manner.removeprefix("paced-")) / 1000)
            if manner.startswith("gated-") and number > 2:
                GATES[manner].wait(60)
            asked["well"] = True
            self._say(200, self._answer(manner, path, body))

    def _answer(self, manner: str, path: str, body: dict[str, Any]) -> bytes:
        texts = body["texts"] if path.endswith("/embed") else body["input"]
        vectors = [vector(text, LENGTH + (manner == "longer")) for text in texts]
        if manner == "zero":
            vectors = [[0.0] * LENGTH for _ in texts]
        if manner == "fewer":
            vectors = vectors[1:]
        if manner == "nan":
            vectors[0][0] = float("nan")
        if manner == "choosy":
            vectors = [[0.0] * LENGTH if "poison" in text else each for text, each in zip(texts, vectors, strict=True)]
        if manner == "null":
            vectors[0][0] = None
        if manner == "huge":
            vectors[0][0] = 1e308
            vectors[0][1] = 1e308
        if path.endswith("/embed"):
            return json.dumps({"id": "1", "embeddings": {"float": vectors}, "texts": texts}).encode()
        placed = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(vectors)]
        return json.dumps({"object": "list", "data": placed[::-1], "usage": {"total_tokens": len(texts)}}).encode()

    def _say(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing."""


if __name__ == "__main__":
    serve(Handler)
