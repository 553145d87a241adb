"""A model hub as a process: lists and serves the files below a folder, with the faults that the path names.

`/ok/…` serves them well. `/cut/…` closes the connection after the first bytes of every response without a range.
`/wrong/…` serves other bytes than it lists, `/long/…` more bytes. `/blunt/…` lists no checksums and ignores ranges.
`/sizeless/…` lists no sizes.
`/astray/…` redirects to an unencrypted address. `/broken/…` answers with HTTP 500.
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
        """List a model, or serve a file of it."""
        path = unquote(urlsplit(self.path).path).lstrip("/")
        fault, _, rest = path.partition("/")
        if fault == "broken":
            self._say(500, b"oops")
        elif rest.startswith("api/models/"):
            org, name, _ = rest.removeprefix("api/models/").split("/", 2)
            self._list(Path(sys.argv[1], org, name), fault)
        elif "/resolve/" in rest:
            self.send_response(302)
            start = "http://example.com" if fault == "astray" else f"/{fault}/cdn"
            self.send_header("Location", f"{start}/{rest.replace(f'/resolve/{COMMIT}/', '/')}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._serve(Path(sys.argv[1], rest.removeprefix("cdn/")), fault)

    def _list(self, folder: Path, fault: str) -> None:
        if not folder.is_dir():
            self._say(404, b'{"error": "Repository not found"}')
            return
        model = {
            "id": f"{folder.parent.name}/{folder.name}",
            "sha": COMMIT,
            "gated": "auto" if folder.name == "gated" else False,
            "tags": ["x", "license:mit"],
            "config": json.loads((folder / "config.json").read_bytes()),
            "siblings": [self._describe(folder, path, fault) for path in sorted(folder.rglob("*")) if path.is_file()],
        }
        self._say(200, json.dumps(model).encode())

    def _describe(self, folder: Path, path: Path, fault: str) -> dict[str, Any]:
        content = path.read_bytes()
        described: dict[str, Any] = {"rfilename": path.relative_to(folder).as_posix(), "size": len(content)}
        if fault == "blunt":
            return described
        if fault == "sizeless":
            return {"rfilename": described["rfilename"]}
        if len(content) >= LARGE:
            lfs = {"sha256": sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
            return {**described, "blobId": "x", "lfs": lfs}
        blob = sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        return {**described, "blobId": blob}

    def _serve(self, path: Path, fault: str) -> None:
        content = path.read_bytes()
        if fault == "wrong" and len(content) >= LARGE:
            content = content[:-1] + bytes([content[-1] ^ 1])
        if fault == "long":
            content += b"more"
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        if fault == "blunt":
            start = 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        is_cut = fault == "cut" and not start and len(content) >= LARGE
        self.wfile.write(content[start : FIRST if is_cut else None])
        self.close_connection = True

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing."""


if __name__ == "__main__":
    serve(Handler)
