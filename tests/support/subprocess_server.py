"""Servers that run as processes of their own while tests last."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(ThreadingHTTPServer):
    """Lets clients come and go as they want, and says nothing."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Let it be."""


def serve(handler: type[BaseHTTPRequestHandler]) -> None:
    """Serve on this machine until somebody ends the process, after saying on which port."""
    with Quiet(("127.0.0.1", 0), handler) as server:
        print(server.server_address[1], flush=True)  # noqa: T201 - for whoever started us
        server.serve_forever()


@contextmanager
def process(script: str, *arguments: str) -> Iterator[str]:
    """Run a script that serves, and give its address."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout
            yield f"http://127.0.0.1:{int(running.stdout.readline())}"
        finally:
            running.kill()
