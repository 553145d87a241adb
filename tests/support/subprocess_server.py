"""Server processes for the duration of a test."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(ThreadingHTTPServer):
    """A server that ignores clients which disconnect."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore the error."""


def serve(handler: type[BaseHTTPRequestHandler]) -> None:
    """Print the port and serve on this machine until the process is ended."""
    with Quiet(("127.0.0.1", 0), handler) as server:
        print(server.server_address[1], flush=True)  # noqa: T201 - read by the parent process
        server.serve_forever()


@contextmanager
def process(script: str, *arguments: str) -> Iterator[str]:
    """Run a server script and yield its address."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout
            yield f"http://127.0.0.1:{int(running.stdout.readline())}"
        finally:
            running.kill()
