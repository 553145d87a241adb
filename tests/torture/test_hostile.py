"""Three hundred hostile files: bounded time and memory, every one of them listed, nothing crashes, search works."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from support.hostile_files import FINE, plant
from support.random_tree import LONG, dice

from waymeet.ingest.index import index
from waymeet.project import Project
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="pipes, sockets, odd names and limits are those of Linux"
)

SECONDS = 1.2 if LONG else 0.3
"""What a file may take; the default only in the long run."""
ROUNDS = 3 if LONG else 1


_MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(file=sys.stderr)
print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1000}), file=sys.stderr)
sys.exit(done.returncode)
"""
"""Runs a command and measures it with its children. It is a small process of its own, because the system counts the
memory of the process that starts another as that one's, and a process that runs tests may be large."""


def waymeet(data: Path, *arguments: str | Path) -> tuple[Any, float, float]:
    """Run a command and give what it printed, the time of the processor it took, and its memory in megabytes."""
    patient = ("--set", f"ingest.parse_seconds={SECONDS}", "--set", "ingest.refresh_seconds=600")
    command = [sys.executable, "-m", "waymeet", *map(str, arguments), "--json", *patient]
    environment = {**os.environ, "XDG_DATA_HOME": str(data)}
    done = subprocess.run([sys.executable, "-c", _MEASURE, *command], capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    used = msgspec.json.decode(done.stderr.splitlines()[-1])
    return msgspec.json.decode(done.stdout), used["seconds"], used["megabytes"]


def everything(root: Path) -> set[str]:
    """List every file, link, pipe and socket below a root that a path can name, spelled as the index spells it."""
    found = set()
    top = os.fsencode(root)
    for folder, folders, files in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118 - bytes
        for name in (*files, *links):
            path = os.path.join(folder, name)[len(top) + 1 :]  # noqa: PTH118
            found.add(path.decode("utf-8", "backslashreplace"))
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    root = tmp_path_factory.mktemp("hostile")
    return root, plant(root, dice("hostile"), ROUNDS)


def test_hostile_files_are_taken_in_or_listed_within_bounds(corpus: tuple[Path, int], tmp_path: Path) -> None:
    (root, number), data = corpus, tmp_path / "data"
    assert number >= 300
    report, seconds, megabytes = waymeet(data, "index", root)
    assert megabytes < 900
    assert seconds < number * (SECONDS * 1.5 + 0.5) * 4  # PDF and Word may take four times as long
    listed = {each["path"] for each in report["skipped"]}
    with Project.open(root, index=next(data.rglob("*.sqlite"))) as project:
        known = set(project._open_store().fingerprints())
        left = {path for path in everything(root) if path not in known and path not in listed}
        assert not {path for path in left if not any(path.startswith(each) for each in listed if each.endswith("/"))}
        assert [hit.document for hit in project.search("lighthouse keeper").hits] == [FINE]
        assert project.read(FINE).text.startswith("# Harbour lights")
    assert all(each["reason"] for each in report["skipped"])
    assert not waymeet(data, "check", "--project", root)[0]["findings"]
    status, again, _ = waymeet(data, "status", "--project", root)
    assert status["changes"] == []
    assert again < 30


def _replace(page: Path, rng: Random) -> None:
    """Put something else in the place of a page."""
    which = rng.randrange(4)
    if which == 0:
        page.symlink_to("/etc/passwd")
    elif which == 1:
        os.mkfifo(page)
    elif which == 2:
        page.write_bytes(b"\xff\x00" * 99)
    else:
        page.write_text("# Page\n\n" + "word " * rng.randrange(60_000))


def test_files_that_change_while_they_are_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    pages = [root / f"page{number}.md" for number in range(30)]
    for page in pages:
        page.touch()
    stop = Event()

    def meddle() -> None:
        rng = dice("meddle")
        while not stop.is_set():
            page = rng.choice(pages)
            with suppress(OSError):
                page.unlink()
                _replace(page, rng)

    meddler = Thread(target=meddle)
    meddler.start()
    store = MemoryStore()
    try:
        for _ in range(6):
            index(root, store, Settings(), accept_removals=True)
    finally:
        stop.set()
        meddler.join()
    index(root, store, Settings(), accept_removals=True)
    fresh = MemoryStore()
    index(root, fresh, Settings())
    assert {path: each.digest for path, each in store.fingerprints().items()} == {
        path: each.digest for path, each in fresh.fingerprints().items()
    }
    for chunks in store.chunks_of(sorted(store.fingerprints())).values():
        assert "root:" not in "".join(chunk.text for chunk in chunks)
