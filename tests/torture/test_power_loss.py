"""Power loss at any moment: at most the last changes are lost, and the next run completes.

A file system of its own is shut down without writing anything more (`EXT4_IOC_SHUTDOWN`) while an index on it is
being made, so that only what was synced, or happened to be written, is there when it is mounted again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import pytest
from support.index_process import LIMITS, bring_up_to_date
from support.random_tree import LONG, change, contents, dice, fresh_contents, strays

from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check.check import STRAY

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = [sys.executable, str(Path(__file__).parents[1] / "support" / "index_process.py")]
ROUNDS = 150 if LONG else 6
_SHUTDOWN = 0x8004587D
_HOW = {"with its journal": 1, "at once": 2}
_MEGABYTES = 48


def quietly(*command: object) -> None:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{command[0]}: {done.stderr.strip()}")


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[None]:
    quietly("mount", "-o", "loop", image, place)
    try:
        yield
    finally:
        quietly("umount", place)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Make a file system in a file, where that is allowed and can be shut down."""
    image, place = tmp_path / "image", tmp_path / "disk"
    image.touch()
    os.truncate(image, _MEGABYTES << 20)
    place.mkdir()
    try:
        quietly("mkfs.ext4", "-q", image)
        with mounted(image, place):
            fail(place, 2)
    except OSError as error:
        pytest.skip(f"NO FILE SYSTEM CAN BE SHUT DOWN HERE: power failures are not tested ({error})")
    return image


def fail(place: Path, how: int) -> None:
    """Shut down the file system mounted at a path."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", how))
    finally:
        os.close(descriptor)


def judge(root: Path, file: Path) -> None:
    """Open the index, which repairs it, and compare it with a fresh one."""
    with closing(SqliteStore.open(file, create=True, limits=LIMITS)) as store:
        contents(store)
        assert {each.what for each in store.check().findings} <= {STRAY}
        bring_up_to_date(root, store)
        assert contents(store) == fresh_contents(root)
        assert not strays(file, store)
        assert not store.check().findings


def test_the_power_fails_at_a_random_moment(tmp_path: Path, image: Path) -> None:
    rng = dice("power")
    root, disk, left = tmp_path / "root", tmp_path / "disk", tmp_path / "left"
    failed, kept = 0, 0
    for number in range(ROUNDS):
        change(root, rng, 40)
        with mounted(image, disk):
            if number % 5 == 0:
                shutil.rmtree(disk / "index", ignore_errors=True)
            (disk / "index").mkdir(exist_ok=True)
            with subprocess.Popen(
                [*WORKER, root, disk / "index" / "index.db"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            ) as process:
                assert process.stdout is not None
                assert "ready" in process.stdout.readline()
                for _ in range(rng.randrange(3)):  # systems write by themselves now and then
                    sleep(rng.random() * 0.2)
                    quietly("sync", "-f", disk)
                sleep(rng.random() * 0.3)
                fail(disk, rng.choice(list(_HOW.values())))
                process.kill()
                failed += '"done"' not in process.stdout.read()
        shutil.rmtree(left, ignore_errors=True)
        with mounted(image, disk):  # what is judged is a copy: nothing may hold files of the disk when it is unmounted
            if (disk / "index").exists():
                shutil.copytree(disk / "index", left)
        kept += (left / "index.db").exists()
        judge(root, left / "index.db")
    assert failed, "the power never failed in the midst of a run"
    assert kept, "there never was anything left"
