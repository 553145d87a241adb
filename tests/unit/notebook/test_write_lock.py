"""Writers of notes, tasks and skills are serialised by a lock file."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from waymeet.notebook.write_lock import hold_write_lock

TIMEOUT = 60.0
HOLD_FOREVER = """
import sys, time
from pathlib import Path
from waymeet.notebook.write_lock import hold_write_lock
with hold_write_lock(Path(sys.argv[1]), 60.0):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_threads_write_one_at_a_time_and_all_get_their_turn(tmp_path: Path) -> None:
    writing, most_writing, done = 0, 0, []

    def write(number: int) -> None:
        nonlocal writing, most_writing
        with hold_write_lock(tmp_path / "lock", TIMEOUT):
            writing += 1
            most_writing = max(most_writing, writing)
            done.append(number)
            writing -= 1

    writers = [Thread(target=write, args=(number,)) for number in range(30)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(TIMEOUT)
    assert sorted(done) == list(range(30))
    assert most_writing == 1
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_a_writer_that_timed_out_does_not_block_others(tmp_path: Path) -> None:
    locked, release = Event(), Event()

    def hold() -> None:
        with hold_write_lock(tmp_path / "lock", TIMEOUT):
            locked.set()
            release.wait(TIMEOUT)

    holder = Thread(target=hold)
    holder.start()
    locked.wait(TIMEOUT)
    with (
        pytest.raises(TimeoutError, match=r"lock was locked by another writer for 0\.05 seconds"),
        hold_write_lock(tmp_path / "lock", 0.05),
    ):
        pytest.fail("another thread holds the lock")
    release.set()
    holder.join(TIMEOUT)
    with hold_write_lock(tmp_path / "lock", TIMEOUT):
        pass


def test_a_process_excludes_others_until_it_dies(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD_FOREVER, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(TimeoutError), hold_write_lock(tmp_path / "lock", 0.05):
            pytest.fail("another process holds the lock")
        os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait(TIMEOUT)
    with hold_write_lock(tmp_path / "lock", TIMEOUT):
        pass


def test_a_lock_file_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OSError, match="file"), hold_write_lock(tmp_path / "file" / "lock", 1.0):
        pytest.fail("a lock needs a folder")
