"""A setting of one call changes its answer, never what is stored."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from interfaces.conftest import Run

from waymeet import Project
from waymeet.errors import SettingsError
from waymeet.ingest.embed import background
from waymeet.ingest.embed.job_queue import QueuedJob
from waymeet.interfaces.requests.missing_vectors import add_missing
from waymeet.settings.layers import list_keys, parse_assignment

KEYS = dict(list_keys())
SECTIONS = sorted({key.partition(".")[0] for key in KEYS})
USER_SETTINGS = '[embedding]\nprovider = "hashing"\ndimension = 32\ncache_megabytes = 0\n'
BY_KEY = {
    "store.dsn": ("sqlite",),  # other places: test_postgres.py
    "embedding.provider": ("none", "granite", "compatible"),
    "rerank.provider": ("local",),
    "rerank.scale": ("logits",),
    "expand.provider": ("chat",),
    "classic.fusion": ("linear",),
    "understand.acronyms": ('{sla = "service level agreement"}',),
    "roots": ('{other = "PARENT/other"}',),
    "contexts": ('{docs = "the pages"}',),
    "namespaces": ('{docs = "pages"}',),
    "recipes": ('{mine = {base = "classic"}}',),
    "ingest.ignore": ("docs/",),
    "ingest.secret_files": ("*.py",),
}
"""Values of settings for which those below would be no temptation to store anything."""
CANDIDATES = ("other", "1", "7", "0.5", "0", "[0.5, 0.25]", "[0.5, 0.25, 0.25]", "{}")


@pytest.fixture
def indexed(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Index and embed the project by a settings file alone."""
    for variable in ("PROVIDER", "BACKGROUND", "CACHE_MEGABYTES"):
        monkeypatch.delenv(f"WAYMEET_EMBEDDING_{variable}", raising=False)
    (tmp_path / "config/waymeet").mkdir(parents=True)
    (tmp_path / "config/waymeet/waymeet.toml").write_text(USER_SETTINGS, encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/page.md").write_text("# Another root\n\nRotate the keys.\n", encoding="utf-8")
    with Project.open(project) as opened:
        opened.index()
        opened.change_dates(opened.refreshed_store()[0])
    return project


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[QueuedJob]:
    """Collect the background jobs that would be started."""
    jobs: list[QueuedJob] = []
    monkeypatch.setattr(background, "start_job", jobs.append)
    return jobs


def other_values(key: str, parent: Path) -> Iterator[str]:
    """Give texts of values that a setting accepts and that are not its default."""
    default = KEYS[key]
    if isinstance(default, bool):
        yield str(not default).lower()
        return
    numbers = (f"{default * 2}", f"{default / 2}") if isinstance(default, int | float) else ()
    for text in (text.replace("PARENT", str(parent)) for text in BY_KEY.get(key, (*numbers, *CANDIDATES))):
        try:
            value = dict(list_keys(parse_assignment(key, text, "--set").values)).get(key, text)
        except SettingsError:
            continue
        if value != default:
            yield text
            if key not in BY_KEY:
                return


def stored(project: Path) -> dict[str, list[object]]:
    """Read every row of every table of the index, and the settings it keeps."""
    with Project.open(project) as opened:
        index = opened.index_path
    connection = apsw.Connection(str(index))
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows: dict[str, list[object]] = {
        name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)  # noqa: S608 - names of tables
        for name in tables
    }
    connection.close()
    kept = (index.parent.parent / "index-settings").glob("*.json")
    return rows | {"kept": [file.read_bytes() for file in kept]}


def use(project: Path, *flags: str) -> None:
    """Call everything that reads the index, with settings of this call."""
    with Project.open(project, flags=flags) as opened:
        answer = opened.search("rotate the signing keys")
        add_missing(opened, answer)
        opened.context("rotate keys")
        store, _ = opened.refreshed_store()
        opened.change_dates(store)
        opened.status()
        opened.graph("docs/fusion.md")


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_no_setting_of_one_call_changes_what_is_stored(
    indexed: Path, tmp_path: Path, started: list[QueuedJob], section: str
) -> None:
    before = stored(indexed)
    for key in (key for key in KEYS if key.partition(".")[0] == section):
        values = list(other_values(key, tmp_path))
        assert values, f"{key} was not tried"
        for value in values:
            use(indexed, f"{key}={value}")
            assert stored(indexed) == before, f"{key}={value}"
    assert not started


@pytest.mark.parametrize("key", ["CHUNKING_MAX_CHARS=20", "EMBEDDING_DIMENSION=16", "INGEST_IGNORE=docs/"])
def test_nor_does_a_variable_of_one_call(
    indexed: Path, started: list[QueuedJob], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    before = stored(indexed)
    name, _, value = key.partition("=")
    monkeypatch.setenv(f"WAYMEET_{name}", value)
    use(indexed)
    assert stored(indexed) == before
    assert not started


@pytest.mark.parametrize(
    "command",
    [
        ("search", "rotate keys"),
        ("related", "docs/fusion.md"),
        ("why-not", "rotate keys", "docs/ja.md"),
        ("links", "docs/fusion.md"),
        ("graph", "docs/fusion.md"),
        ("orphans",),
        ("stale",),
        ("broken-links",),
        ("suggest-links", "docs/setup.md"),
        ("status",),
        ("doctor",),
    ],
)
def test_no_command_that_reads_stores_by_its_options(
    indexed: Path, run: Run, started: list[QueuedJob], command: tuple[str, ...]
) -> None:
    before = stored(indexed)
    others = ("chunking.max_chars=20", "embedding.dimension=16", "ingest.mask_secrets=false", "ingest.ignore=docs/")
    assert run(*command, *(part for each in others for part in ("--set", each))).code in {0, 1}
    assert stored(indexed) == before
    assert not started


def test_a_changed_file_is_indexed_by_the_settings_of_the_index(indexed: Path, run: Run) -> None:
    (indexed / "new.md").write_text("# New\n\n" + "zeppelin paragraph number one.\n\n" * 20, encoding="utf-8")
    found = json.loads(run("search", "zeppelin", "--json", "--set", "chunking.max_chars=40").out)
    assert found["hits"][0]["id"] == "new.md#L1-L41"
    (told,) = (each["detail"] for each in found["degraded"] if each["code"] == "not_applied")
    assert "chunking.max_chars: 1600 → 40" in told
    assert "waymeet index" in told


def test_a_first_search_indexes_by_lasting_settings(project: Path, run: Run) -> None:
    (project / "long.md").write_text("# Long\n\n" + "zeppelin paragraph number one.\n\n" * 20, encoding="utf-8")
    found = json.loads(run("search", "zeppelin", "--json", "--set", "chunking.max_chars=40").out)
    assert [hit["id"] for hit in found["hits"]] == ["long.md#L1-L41"]


def test_an_index_keeps_the_options_of_its_run_until_the_next(indexed: Path, run: Run) -> None:
    run("index", "--set", "chunking.max_chars=40", "--set", "chunking.min_chars=0")
    before = stored(indexed)
    assert "chunking.max_chars = 40, kept from the last waymeet index" in run("status").out
    found = json.loads(run("search", "rotate keys", "--json").out)
    assert "chunking.max_chars: 40 → 1600" in str(found["degraded"])
    assert stored(indexed) == before
    back = run("index")
    assert "The settings of the index have changed" in back.err
    assert "chunking.max_chars: 40 → 1600" in back.err
    assert "changed" not in run("index").err
    assert not json.loads(run("search", "rotate keys", "--json").out)["degraded"]


def test_another_model_for_one_search_is_not_embedded_with(indexed: Path, run: Run) -> None:
    found = json.loads(run("search", "rotate keys", "--json", "--set", "embedding.dimension=16").out)
    (change,) = (each["detail"] for each in found["degraded"] if each["code"] == "model_change")
    assert "queries use hashing-32+2" in change
    assert "run `waymeet index`" in change
    assert not json.loads(run("search", "rotate keys", "--json").out)["degraded"]


def test_vectors_of_a_model_for_one_search_are_not_kept(project: Path, started: list[QueuedJob]) -> None:
    with Project.open(project, flags=["embedding.provider=hashing", "embedding.dimension=32"]) as opened:
        opened.index(embed=False)
    before = stored(project)
    with Project.open(project, flags=["embedding.provider=hashing", "embedding.dimension=16"]) as opened:
        answer = opened.search("rotate keys")
        assert {"vector"} <= {source.source for hit in answer.hits for source in hit.sources}  # embedded on demand
        add_missing(opened, answer)
    assert stored(project) == before
    assert not started


def test_a_password_in_a_url_is_not_recorded(project: Path, tmp_path: Path) -> None:
    secret = secrets.token_hex(8)
    flags = ["embedding.provider=compatible", "embedding.model=m", f"embedding.url=http://me:{secret}@127.0.0.1:9/v1"]
    with Project.open(project, flags=flags) as opened:
        opened.index(embed=False)
        assert opened.index_settings.embedding.url.startswith("http://me:")  # given again by each call
    files = [file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert not any(secret.encode() in content for content in files)


def test_a_call_does_not_delete_past_versions_of_notes(project: Path) -> None:
    with Project.open(project) as opened:
        opened.index()
    for number in range(4):
        with Project.open(project, flags=["notebook.history=1"] if number == 3 else []) as opened:
            notebook = opened.notebook
            if number:
                notebook.update("Keys", version=notebook.read("Keys").version, body=f"Version {number}.")
            else:
                notebook.create("notes", "Keys", "Version 0.")
    with Project.open(project) as opened:
        assert len(opened.notebook.history("Keys")) == 4


def test_a_watch_follows_a_later_run_with_options(project: Path, run: Run) -> None:
    with Project.open(project) as opened:
        opened.index()
        opened.watch(lambda _: None, stopped=lambda: True)
        run("index", "--set", "chunking.max_chars=40", "--set", "chunking.min_chars=0")
        assert opened._index_if_changed() is None


def test_no_daemon_is_started_with_settings_of_one_call(
    indexed: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    del indexed
    starts: list[object] = []
    monkeypatch.setattr(background, "start_process", lambda *args: starts.append(args))
    run("search", "rotate keys", "--set", "serve.start=true", "--set", "chunking.max_chars=20")
    assert not starts
    run("search", "rotate keys", "--set", "serve.start=true")
    assert len(starts) == 1
