"""Embedding from commands: at once, in the background, not at all, and never at a cost without consent."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from urllib.request import ProxyHandler, build_opener

import pytest
from interfaces.conftest import Run
from support.subprocess_server import process

from waymeet import Project
from waymeet.errors import EmbeddingError, NoIndexError
from waymeet.ingest.watch import WatchEvent
from waymeet.interfaces.quality.bench import embed_or_raise
from waymeet.models.remote.cost import Estimate
from waymeet.stores.sqlite import SqliteStore

HASHING = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=32")
OTHER = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")
PATIENCE = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with process("embedding_server.py") as address:
        yield address


@pytest.fixture
def asked(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let OpenAI be a server of this machine that wants a key; give what it was sent."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    monkeypatch.setenv("WAYMEET_EMBEDDING_PROVIDER", "openai")
    monkeypatch.setenv("WAYMEET_EMBEDDING_DIMENSION", "8")
    monkeypatch.setenv("WAYMEET_EMBEDDING_URL", f"{server}/ok/v1")
    monkeypatch.setenv("WAYMEET_EMBEDDING_CONFIRM_ABOVE_TOKENS", "20")
    before = sent(server)
    found: list[str] = []
    yield found
    found += sent(server)[len(before) :]


def sent(server: str) -> list[str]:
    with build_opener(ProxyHandler({})).open(f"{server}/asked") as answer:
        return [text for each in json.load(answer) for text in each["body"]["input"]]


def vector_status(run: Run, *flags: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(run("status", "--json", *flags).out)["vectors"]
    return found


def test_indexing_embeds_and_says_so(project: Path, run: Run) -> None:
    told = run("index", *HASHING)
    assert told.code == 0
    assert "sections embedded in" in told.out
    assert "/s)" in told.out
    assert "embedded" not in run("index", *HASHING).out
    found = vector_status(run, *HASHING)
    assert found["embedded"] == found["chunks"]
    assert "sections embedded by hashing-32+2" in run("status", *HASHING).out


def test_words_and_links_alone(project: Path, run: Run) -> None:
    report = json.loads(run("index", "--no-embed", "--json", *HASHING).out)
    assert report["embedding"] is None
    assert vector_status(run, *HASHING)["embedded"] == 0
    assert "no process is embedding the rest" in run("status", *HASHING).out
    report = json.loads(run("index", "--json", *HASHING).out)
    assert report["embedding"]["embedded"] == vector_status(run, *HASHING)["chunks"]


@pytest.mark.parametrize("ways", [("--no-embed", "--background"), ("--watch", "--no-embed")])
def test_contradictions_are_refused(project: Path, run: Run, ways: tuple[str, ...]) -> None:
    told = run("index", *ways)
    assert told.code == 2
    assert "exclude each other" in told.err


def test_a_search_says_how_much_is_embedded(project: Path, run: Run) -> None:
    run("index", "--no-embed")
    found = json.loads(run("search", "rotate keys", "--json", *HASHING).out)
    assert found["vector_coverage"] == 0.0
    assert [each for each in found["degraded"] if each["code"] == "partial_vectors"]
    run("index", *HASHING)
    found = json.loads(run("search", "rotate keys", "--json", *HASHING).out)
    assert found["vector_coverage"] == 1.0
    assert not found["degraded"]


def test_what_a_search_embedded_is_kept(project: Path, run: Run) -> None:
    run("index", "--no-embed", *HASHING)
    run("search", "rotate keys", *HASHING)
    kept = vector_status(run, *HASHING)["embedded"]
    assert kept
    found = json.loads(run("search", "rotate keys", "--json", *HASHING).out)
    (partial,) = (each["detail"] for each in found["degraded"])
    assert partial.startswith(f"{kept} of ")
    assert "just now" not in partial


def test_another_model_takes_over_when_it_is_complete(project: Path, run: Run) -> None:
    run("index", *HASHING)
    found = json.loads(run("search", "rotate keys", "--json", *OTHER).out)
    (change,) = (each["detail"] for each in found["degraded"])
    assert "hashing-32+2" in change
    assert {"vector"} <= {each["source"] for hit in found["hits"] for each in hit["sources"]}
    assert "until all are embedded, search uses hashing-32+2" in run("status", *OTHER).out
    run("index", *OTHER)
    assert not json.loads(run("search", "rotate keys", "--json", *OTHER).out)["degraded"]
    assert list(Project.open(project).counts().vectors) == ["hashing-16+2", "hashing-16+2 files/1"]


def test_without_a_model_vectors_are_kept_until_somebody_removes_them(project: Path, run: Run) -> None:
    run("index", *HASHING)
    assert "no_model" in run("search", "rotate keys", "--json").out
    status = run("status").out
    assert "unused vectors of hashing-32+2: waymeet index --forget-vectors" in status
    assert not json.loads(run("search", "rotate keys", "--json", *HASHING).out)["degraded"]
    told = run("index", "--forget-vectors")
    assert "Removed the vectors of hashing-32+2." in told.err
    assert "unused vectors" not in run("status").out
    assert "no unused vectors" in run("index", "--forget-vectors").err


def test_nothing_is_paid_for_without_consent(project: Path, run: Run, asked: list[str], server: str) -> None:
    before = len(sent(server))
    told = run("index")
    assert told.code == 3
    assert "Nothing was sent" in told.err
    assert "openai (text-embedding-3-small): less than $0.01" in told.err
    assert "--yes" in told.err
    run("search", "rotate keys", "--no-refresh")
    with Project.open(project) as opened:
        assert opened.index().embedding.remaining > 0  # type: ignore[union-attr]
        with pytest.raises(EmbeddingError, match="Nothing was sent"):
            embed_or_raise(opened, opened.refreshed_store()[0])
    assert len(sent(server)) == before
    assert run("index", "--yes").code == 0
    assert len(sent(server)) > before
    assert "sk-test" not in run("status").out


def test_consent_is_asked_with_an_estimate(project: Path, asked: list[str], server: str) -> None:
    told: list[str] = []

    def refuse(estimate: Estimate) -> bool:
        told.append(estimate.sentence())
        return False

    with Project.open(project) as opened:
        report = opened.index(consent=refuse)
        assert report.embedding
        assert report.embedding.remaining
        report = opened.index(consent=lambda _: True)
        assert report.embedding
        assert not report.embedding.remaining
    assert "sent to openai" in told[0]


def test_a_provider_that_does_not_answer_costs_meaning_alone(
    project: Path, run: Run, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    flags = [f"embedding.{each}" for each in ("provider=compatible", "model=m", f"url={server}/unauthorized/v1")]
    told = run("index", *(part for flag in flags for part in ("--set", flag)))
    assert told.code == 3
    assert "6 files" in told.out
    assert "HTTP 401" in told.err
    assert "without a vector; text search still finds them" in told.err
    assert run("search", "rotate keys").code == 0


def test_the_cache_is_told_of_when_it_was_damaged(
    project: Path, run: Run, server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("WAYMEET_EMBEDDING_CACHE_MEGABYTES", "10")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    flags = [f"embedding.{each}" for each in ("provider=compatible", "model=m", f"url={server}/ok/v1")]
    file = tmp_path / "cache" / "waymeet" / "vectors.sqlite"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"nonsense" * 1000)
    told = run("index", *(part for flag in flags for part in ("--set", flag)))
    assert told.code == 0
    assert "was corrupt" in told.err


def test_watching_embeds_beside_taking_changes_in(project: Path) -> None:
    ended, rounds = Event(), list[WatchEvent]()
    with Project.open(project, flags=[HASHING[1], HASHING[3], "watch.debounce_seconds=0"]) as opened:
        watching = Thread(target=opened.watch, args=(rounds.append,), kwargs={"stopped": ended.is_set})
        watching.start()
        try:
            wait_for(lambda: whole(opened))
            (project / "new.md").write_text("# New\n\nA page that came while watching.\n", encoding="utf-8")
            wait_for(lambda: "new.md" in documents(opened) and whole(opened))
        finally:
            ended.set()
            watching.join()
    assert not [each.error for each in rounds if each.error]


def whole(project: Project) -> bool:
    try:
        with closing(SqliteStore.open(project.index_path)) as store:
            embedded, chunks = store.coverage(["hashing-32+2"])
    except NoIndexError:
        return False
    return 0 < embedded == chunks


def documents(project: Project) -> set[str]:
    with closing(SqliteStore.open(project.index_path)) as store:
        return set(store.fingerprints())


def wait_for(there: Callable[[], bool]) -> None:
    until = monotonic() + PATIENCE
    while not there():
        assert monotonic() < until
        sleep(0.05)


def test_an_index_that_is_removed_meanwhile_is_not_embedded_to_the_end(project: Path) -> None:
    flags = [HASHING[1], HASHING[3], "embedding.batch_chunks=1"]
    with Project.open(project, flags=flags) as opened:
        opened.index(embed=False)
        came = opened.embed(lambda *_: opened.index_path.unlink(missing_ok=True))
        assert came.files + came.embedded == 1
        assert "was removed or replaced" in came.error
        assert not opened.index_path.exists()


def test_who_asks_again_at_once_does_not_start_a_second_process(project: Path) -> None:
    with Project.open(project, flags=[HASHING[1], HASHING[3], "embedding.background=true"]) as opened:
        opened.index(embed=False)
        assert opened.start_background()
        assert not opened.start_background()
        wait_for(lambda: whole(opened))


def test_the_models_that_a_strangers_index_names_are_not_asked(
    project: Path, server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "theirs"))
    index = tmp_path / "index.sqlite"
    flags = [f"embedding.{each}" for each in ("provider=compatible", "model=theirs", f"url={server}/ok/v1")]
    with Project.open(project, index=index, flags=flags) as opened:
        opened.index()
    with Project.open(project, index=index, flags=[HASHING[1], HASHING[3]]) as opened:
        opened.search("whom the old model knows")  # as who made the index and then chose another model
    assert "whom the old model knows" in sent(server)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    with Project.open(project, index=index, flags=[HASHING[1], HASHING[3]]) as opened:
        answer = opened.search("what nobody else may hear")
    assert "what nobody else may hear" not in sent(server)
    (told,) = [each.detail for each in answer.degraded if each.code == "model_change"]
    assert "not chosen by you" in told
