"""A hub of models as a process of its own: lists and gives the files below a folder, in the manner of its address.

`/ok/…` gives them well; `/cut/…` breaks off after the first bytes of every answer that was not asked to go on from
somewhere; `/wrong/…` gives other bytes than it lists, `/blunt/…` lists no hashes and cannot go on from somewhere,
`/astray/…` sends its clients where others could listen in.
"""

import json
import sys
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.subprocess_server import serve

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 1000
FIRST = 700


class Handler(BaseHTTPRequestHandler):
    """Answers as a hub does."""

    def do_GET(self) -> None:
        """List a model, or give a file of it."""
        path = unquote(urlsplit(self.path).path).lstrip("/")
        manner, _, rest = path.partition("/")
        if rest.startswith("api/models/"):
            org, name, question, _ = rest.removeprefix("api/models/").split("/", 3)
            folder = Path(sys.argv[1], org, name)
            self._list(folder, manner, question)
        elif "/resolve/" in rest:
            self.send_response(302)
            start = "http://example.com" if manner == "astray" else f"/{manner}/cdn"
            self.send_header("Location", f"{start}/{rest.replace(f'/resolve/{COMMIT}/', '/')}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._give(Path(sys.argv[1], rest.removeprefix("cdn/")), manner)

    def _list(self, folder: Path, manner: str, question: str) -> None:
        if not folder.is_dir():
            self._say(404, b'{"error": "Repository not found"}')
        elif question == "revision":
            gated: Any = "auto" if folder.name == "gated" else False
            self._say(200, json.dumps({"sha": COMMIT, "gated": gated, "tags": ["x", "license:mit"]}).encode())
        else:
            files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
            self._say(200, json.dumps([self._listed(folder, path, manner) for path in files]).encode())

    def _listed(self, folder: Path, path: Path, manner: str) -> dict[str, Any]:
        held = path.read_bytes()
        listed: dict[str, Any] = {"type": "file", "path": path.relative_to(folder).as_posix(), "size": len(held)}
        if manner == "blunt":
            return listed
        if len(held) >= LARGE:
            return {**listed, "oid": "x", "lfs": {"oid": sha256(held).hexdigest(), "size": len(held)}}
        return {**listed, "oid": sha1(b"blob %d\0" % len(held) + held, usedforsecurity=False).hexdigest()}

    def _give(self, path: Path, manner: str) -> None:
        held = path.read_bytes()
        if manner == "wrong" and len(held) >= LARGE:
            held = held[:-1] + bytes([held[-1] ^ 1])
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        if manner == "blunt":
            start = 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(held) - 1}/{len(held)}")
        self.send_header("Content-Length", str(len(held) - start))
        self.end_headers()
        broken = manner == "cut" and not start and len(held) >= LARGE
        self.wfile.write(held[start : FIRST if broken else None])
        self.close_connection = True

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


if __name__ == "__main__":
    serve(Handler)
