"""The queue of background jobs: one at a time on the machine, the others in order."""

from pathlib import Path

import pytest

from waymeet.errors import BusyIndexError
from waymeet.ingest.embed import background
from waymeet.ingest.embed import job_queue as queue
from waymeet.ingest.embed.job_queue import QueuedJob


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def job(folder: Path, name: str) -> QueuedJob:
    (folder / name).touch()
    return QueuedJob(str(folder), str(folder / name), str(folder))


def test_one_job_at_a_time(tmp_path: Path) -> None:
    one, other = job(tmp_path, "one"), job(tmp_path, "other")
    with queue.machine_turn(one, wait=False):
        running = queue.read_queue().running
        assert running is not None
        assert (running.index, running.pid > 0) == (one.index, True)
        with pytest.raises(BusyIndexError), queue.machine_turn(other, wait=False):
            pytest.fail("two jobs at once")
    assert queue.read_queue().running is None
    with queue.machine_turn(other, wait=False):
        pass


def test_a_wait_can_be_ended(tmp_path: Path) -> None:
    def give_up() -> None:
        raise BusyIndexError("no more time")

    with (
        queue.machine_turn(job(tmp_path, "one"), wait=False),
        pytest.raises(BusyIndexError, match="no more time"),
        queue.machine_turn(job(tmp_path, "other"), wait=True, waiting=give_up),
    ):
        pytest.fail("two jobs at once")


def test_jobs_wait_in_order_and_once_each(tmp_path: Path) -> None:
    first, second = job(tmp_path, "first"), job(tmp_path, "second")
    for each in (first, second, first):
        queue.enqueue(each)
    assert [each.index for each in queue.read_queue().waiting] == [first.index, second.index]
    with queue.machine_turn(first, wait=False):
        assert [each.index for each in queue.read_queue().waiting] == [second.index]
    queue.dequeue(Path(second.index))
    assert queue.next_job() is None


def test_a_job_whose_index_is_gone_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[QueuedJob] = []
    monkeypatch.setattr(background, "start_job", started.append)
    gone, there = job(tmp_path, "gone"), job(tmp_path, "there")
    queue.enqueue(gone)
    queue.enqueue(there)
    Path(gone.index).unlink()
    background.start_next_job()
    assert [each.index for each in started] == [there.index]


def test_each_index_is_announced_once(tmp_path: Path) -> None:
    assert not queue.is_announced(tmp_path / "a")
    queue.record_announcement(tmp_path / "a")
    assert queue.is_announced(tmp_path / "a")
    assert not queue.is_announced(tmp_path / "b")


def test_a_damaged_queue_is_empty(tmp_path: Path) -> None:
    queue.enqueue(job(tmp_path, "one"))
    (tmp_path / "state/waymeet/background.json").write_bytes(b"{")
    assert queue.read_queue() == queue.Queue()
