"""The embedding job: one at a time, and everybody can see how far it is."""

from pathlib import Path

import pytest

from waymeet.errors import BusyIndexError, IndexUnavailableError
from waymeet.ingest.embed import job


@pytest.fixture
def index(tmp_path: Path) -> Path:
    file = tmp_path / "index.sqlite"
    file.touch()
    return file


def test_one_at_a_time(index: Path) -> None:
    assert job.running_job(index) is None
    with job.embedding_lock(index, wait=False):
        progress = job.running_job(index)
        assert progress is not None
        assert not progress.ended
        with pytest.raises(BusyIndexError, match="embedding"), job.embedding_lock(index, wait=False):
            pass
        with pytest.raises(BusyIndexError), job.try_embedding_lock(index):
            pass
    assert job.running_job(index) is None
    with job.try_embedding_lock(index):
        assert job.running_job(index) is not None
    assert job.running_job(index) is None


def test_who_waits_is_told_again_and_again(index: Path) -> None:
    waited: list[int] = []

    def give_up() -> None:
        waited.append(1)
        if len(waited) == 2:
            raise TimeoutError

    with (
        job.embedding_lock(index, wait=False),
        pytest.raises(TimeoutError),
        job.embedding_lock(index, give_up, wait=True),
    ):
        pass
    assert len(waited) == 2


def test_progress_rate_and_rest(index: Path) -> None:
    now = 100.0
    reporter = job.JobReporter(index, lambda: now)
    reporter.progress(1, 100, "a.md")
    progress = job.last_job(index)
    assert progress is not None
    assert (progress.done, progress.seconds_left) == (0, None)  # written once a second at most
    now = 110.0
    reporter.progress(20, 100, "b.md")
    progress = job.last_job(index)
    assert progress is not None
    assert (progress.done, progress.total, progress.rate, progress.seconds_left) == (20, 100, 2.0, 40.0)
    assert b"md" not in job.job_path(index).read_bytes()
    reporter.end("The model is gone.")
    progress = job.last_job(index)
    assert progress is not None
    assert (progress.ended, progress.error) == (True, "The model is gone.")


def test_an_end_by_an_error_is_reported(index: Path) -> None:
    with pytest.raises(KeyboardInterrupt), job.embedding_lock(index, wait=False):
        raise KeyboardInterrupt
    progress = job.last_job(index)
    assert progress is not None
    assert (progress.ended, progress.error) == (True, "interrupted")
    with pytest.raises(ValueError, match="no"), job.embedding_lock(index, wait=False):
        raise ValueError("no")
    progress = job.last_job(index)
    assert progress is not None
    assert progress.error == "no"


def test_nonsense_in_the_file_is_no_job(index: Path) -> None:
    assert job.last_job(index) is None
    job.job_path(index).write_text("nonsense", encoding="utf-8")
    assert job.last_job(index) is None
    assert job.running_job(index.with_name("other")) is None


def test_without_a_place_for_the_lock_nobody_can_embed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailableError), job.embedding_lock(tmp_path / "file" / "index.sqlite", wait=False):
        pass


def test_nothing_is_reported_of_an_index_that_was_replaced(index: Path) -> None:
    reporter = job.JobReporter(index)
    seen = [reporter.is_index_replaced]
    index.rename(index.with_name("kept, so that its number is not given away"))
    seen.append(reporter.is_index_replaced)
    index.touch()
    assert [*seen, reporter.is_index_replaced] == [False, True, True]
    reporter.end("The old index is gone.")
    progress = job.last_job(index)
    assert progress is not None
    assert not progress.ended
