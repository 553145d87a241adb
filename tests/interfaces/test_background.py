"""Background jobs: announced once, one at a time on the machine, forbidden by an option or a setting, and stopped."""

import json
import os
import signal
from pathlib import Path

import pytest
from interfaces.conftest import FILES, Run

from waymeet import Project
from waymeet.ingest.embed import background
from waymeet.ingest.embed import job_queue as queue
from waymeet.ingest.embed.job import job_path, last_job
from waymeet.ingest.embed.job_queue import QueuedJob
from waymeet.interfaces.requests.missing_vectors import add_missing

HASHING = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=32")


@pytest.fixture(autouse=True)
def _same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the priority and the signals of this process when it runs a job itself."""
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[QueuedJob]:
    """Allow background jobs, and collect them instead of starting processes."""
    monkeypatch.setenv("WAYMEET_EMBEDDING_BACKGROUND", "true")
    jobs: list[QueuedJob] = []

    def start(job: QueuedJob) -> object:
        jobs.append(job)
        return object()  # in place of the process

    monkeypatch.setattr(background, "start_job", start)
    return jobs


def test_the_first_start_is_announced_with_how_to_stop_and_forbid_it(
    project: Path, run: Run, started: list[QueuedJob]
) -> None:
    run("index", "--no-embed", *HASHING)
    told = run("search", "rotate keys", *HASHING)
    assert [job.root for job in started] == [str(project)]
    assert "is being refined in the background: " in told.err
    for part in ("waymeet jobs.", "waymeet jobs --stop", "--no-background", "background = false"):
        assert part in told.err
    job_path(Project.open(project).index_path).unlink()  # as if the last job had ended long ago
    assert "background" not in run("search", "rotate keys", *HASHING).err
    assert len(started) == 2


@pytest.mark.parametrize("way", ["option", "variable", "user", "project"])
def test_it_can_be_forbidden(
    project: Path, run: Run, started: list[QueuedJob], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    run("index", "--no-embed", *HASHING)
    if way == "variable":
        monkeypatch.setenv("WAYMEET_EMBEDDING_BACKGROUND", "false")
    elif way != "option":
        monkeypatch.delenv("WAYMEET_EMBEDDING_BACKGROUND")
        folder = project if way == "project" else project.parent / "config/waymeet"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "waymeet.toml").write_text("[embedding]\nbackground = false\n", encoding="utf-8")
    told = run("search", "rotate keys", *HASHING, *(["--no-background"] if way == "option" else []))
    assert told.code == 0
    assert not started
    assert "background job" not in told.err


def test_a_project_cannot_allow_it(project: Path, run: Run) -> None:
    (project / "waymeet.toml").write_text("[embedding]\nbackground = true\n", encoding="utf-8")
    refused = run("search", "rotate keys")
    assert refused.code == 2
    assert "may not set embedding.background" in refused.err


def test_a_second_project_is_queued_and_started_by_the_first(
    project: Path, run: Run, started: list[QueuedJob], tmp_path: Path
) -> None:
    second = tmp_path / "second"
    for path, text in FILES.items():
        (second / path).parent.mkdir(parents=True, exist_ok=True)
        (second / path).write_text(text, encoding="utf-8")
    run("index", "--no-embed", *HASHING)
    run("index", "--no-embed", str(second), *HASHING)
    first = QueuedJob(str(project), str(Project.open(project).index_path), str(project))
    with queue.machine_turn(first, wait=False):
        told = run("search", "rotate keys", "-C", str(second), *HASHING)
        assert not started
        assert "does the rest after another project's, then ends" in told.err
        status = json.loads(run("status", "--json", "-C", str(second)).out)["background"]
        assert status == {"pid": os.getpid(), "waits_for": str(project)}
        assert f"is done with {project}" in run("status", "-C", str(second)).out
        assert f"process {os.getpid()} indexes and embeds" in run("status").out
    assert run("index", "--background-job", "-C", str(project)).code == 0
    assert [job.root for job in started] == [str(second)]


def test_the_job_indexes_and_embeds_by_the_settings_of_the_index(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "--no-embed", *HASHING)
    (project / "new.md").write_text("# New\n\nAbout zeppelins.\n", encoding="utf-8")
    monkeypatch.setenv("WAYMEET_CHUNKING_MAX_CHARS", "20")
    job = run("index", "--background-job")
    assert job.code == 0
    assert "sections embedded" in job.out
    monkeypatch.delenv("WAYMEET_CHUNKING_MAX_CHARS")
    status = json.loads(run("status", "--json", *HASHING).out)
    assert (status["changes"], status["vectors"]["embedded"]) == ([], status["vectors"]["chunks"])
    assert "hashing" in str(status["settings"])


def test_files_that_are_left_are_a_reason_to_start(project: Path, run: Run, started: list[QueuedJob]) -> None:
    run("index")
    (project / "new.md").write_text("# New\n\nAbout zeppelins.\n", encoding="utf-8")
    with Project.open(project, flags=["ingest.refresh_files=0"]) as opened:
        answer = opened.search("zeppelins")
        start = add_missing(opened, answer)
        assert start is not None
        assert add_missing(opened, answer) is None, "one job at a time"
    assert len(started) == 1
    assert run("index", "--background-job").code == 0
    assert json.loads(run("search", "zeppelins", "--json").out)["hits"][0]["document"] == "new.md"
    job = last_job(Path(started[0].index))
    assert job is not None
    assert job.ended


def test_jobs_are_listed_and_ended(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index")
    own = QueuedJob(str(project), str(Project.open(project).index_path), str(project))
    other = QueuedJob("/other", str(project / "other.db"), str(project))
    assert "No background job is running" in run("jobs").out
    assert "No background job of this project" in run("jobs", "--stop").out
    queue.enqueue(own)
    queue.enqueue(other)
    assert [line.split()[0] for line in run("jobs").out.splitlines()] == ["waiting", "waiting"]
    assert "Removed from the queue" in run("jobs", "--stop").out
    assert [job.root for job in queue.read_queue().waiting] == ["/other"]
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    with queue.machine_turn(own, wait=False):
        listed = json.loads(run("jobs", "--json").out)["jobs"]
        assert [(job["project"], job["pid"]) for job in listed] == [(str(project), os.getpid()), ("/other", 0)]
        assert "indexing changed files" in run("jobs").out
        assert "was ended" in run("jobs", "--stop").out
        ended = json.loads(run("jobs", "--stop-all", "--json").out)
    assert sent == [(os.getpid(), signal.SIGTERM)] * 2
    assert [job["project"] for job in ended["jobs"]] == [str(project)]
    assert not queue.read_queue().waiting
