"""`waymeet index --store` that is killed while it writes, or whose server has no space left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager
from time import monotonic, sleep
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg
import pytest
from support.postgres_server import PostgresServer, fresh_database, missing_reason, shared_server
from support.server_process import command, isolated_environment

from waymeet.errors import NoIndexError
from waymeet.stores.postgres import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from waymeet.types import Fingerprint

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())]
KILLS = 10 if os.environ.get("TORTURE") else 2
FILES = 240
PATIENCE = 120.0
FLAGS = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")


def write_project(root: Path, files: int = FILES) -> None:
    """Write pages that link to each other."""
    root.mkdir()
    for number in range(files):
        text = "".join(
            f"\n## Part {part}\n\nWord{number} and part{part} of [next](p{number + 1}.md).\n" for part in "abc"
        )
        (root / f"p{number}.md").write_text(f"# Page {number}\n{text}", encoding="utf-8")


def read_files(dsn: str, collection: str) -> Mapping[str, Fingerprint]:
    """Give the committed pages."""
    try:
        with closing(PostgresStore.open(dsn, collection)) as store:
            return {id_: each for id_, each in store.fingerprints().items() if id_.endswith(".md")}
    except NoIndexError:
        return {}


def test_a_killed_run_resumes_and_loses_nothing_acknowledged(tmp_path: Path) -> None:
    root, collection = tmp_path / "pages", f"kill-{uuid4().hex}"
    write_project(root)
    environment = {**isolated_environment(tmp_path), "WAYMEET_STORE_COLLECTION": collection}
    with fresh_database(shared_server()) as dsn:
        arguments = [sys.executable, "-m", "waymeet", "index", "--store", dsn, *FLAGS]
        acknowledged: Mapping[str, Fingerprint] = {}
        for _ in range(KILLS):
            process = subprocess.Popen(arguments, env=environment, cwd=root, stderr=subprocess.PIPE)
            deadline = monotonic() + PATIENCE
            while process.poll() is None and len(read_files(dsn, collection)) <= len(acknowledged):
                assert monotonic() < deadline
                sleep(0.01)
            process.kill()
            process.communicate()
            committed = read_files(dsn, collection)
            assert committed.items() >= acknowledged.items(), "an earlier run's pages stay"
            acknowledged = committed
        assert acknowledged
        done = command(environment, root, "index", "--store", dsn, *FLAGS)
        assert done.returncode == 0, done.stderr
        indexed = read_files(dsn, collection)
        assert len(indexed) == FILES
        assert indexed.items() >= acknowledged.items()
        found = command(environment, root, "search", f"word{FILES - 1}", "--format", "files", *FLAGS)
        assert found.stdout.splitlines()[0] == f"p{FILES - 1}.md"
        with closing(PostgresStore.open(dsn, collection)) as store:
            assert store.coverage(list(store.spaces()))[0] == store.counts().chunks, "every section has a vector"


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a file system of a few megabytes, or skip the test where that is not allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("NO FULL DISK IS TESTED: file systems cannot be mounted here")
    try:
        shutil.chown(folder, "nobody")  # the user of the server
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_of_the_server_is_named_and_the_run_continues_later(tmp_path: Path) -> None:
    root = tmp_path / "pages"
    write_project(root, 1500)
    environment = {**isolated_environment(tmp_path), "WAYMEET_STORE_COLLECTION": "small"}
    server = PostgresServer()
    server.initialise()
    server.start()
    place = server.folder / "small"
    try:
        with small_disk(place, 11):
            with psycopg.connect(server.dsn, autocommit=True) as connection:
                connection.execute(f"CREATE TABLESPACE small LOCATION '{place}'".encode())
                connection.execute("CREATE DATABASE small TABLESPACE small")
            dsn = server.dsn.replace("/postgres", "/small")
            full = command(environment, root, "index", "--store", dsn, *FLAGS)
            assert full.returncode == 3, full.stdout
            assert "disk" in full.stderr
            assert "Free some space" in full.stderr
            subprocess.run(["mount", "-o", "remount,size=400m", str(place)], check=True)
            kept = read_files(dsn, "small")
            done = command(environment, root, "index", "--store", dsn, *FLAGS)
            assert done.returncode == 0, done.stderr
            indexed = read_files(dsn, "small")
            assert len(indexed) == 1500
            assert indexed.items() >= kept.items()
            server.stop()
    finally:
        server.remove()
