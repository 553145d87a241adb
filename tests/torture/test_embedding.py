"""Embedding under bad luck, by real processes: kills, a model that is changed under load, a provider that fails.

In the end every section is embedded exactly once, and no answer ever mixes two models.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.request import ProxyHandler, build_opener

import pytest
from support.subprocess_server import process
from support.without_models import WITHOUT_MODELS

from waymeet import Project
from waymeet.analysis.embedded.space_names import section_space
from waymeet.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PAGES = 48
BATCH = 4
PATIENCE = 120.0


class Place:
    """A project, the server that embeds it, and a command line for both."""

    def __init__(self, folder: Path, address: str) -> None:
        self.root = folder / "project"
        self.address = address
        self.environment = {
            **{key: value for key, value in os.environ.items() if key not in WITHOUT_MODELS},
            **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CACHE", "CONFIG")},
            "WAYMEET_EMBEDDING_PROVIDER": "compatible",
            "WAYMEET_EMBEDDING_BATCH_CHUNKS": str(BATCH),
            "WAYMEET_EMBEDDING_BACKGROUND": "false",
            "no_proxy": "127.0.0.1",
        }
        self.choose("one", "paced-40")
        for number in range(PAGES):
            self.write(number, f"What is said on page {number} of {PAGES}.")

    def choose(self, model: str, manner: str) -> None:
        """Choose a model and the manner in which its server answers."""
        self.environment["WAYMEET_EMBEDDING_MODEL"] = model
        self.environment["WAYMEET_EMBEDDING_URL"] = f"{self.address}/{manner}/v1"

    def write(self, number: int, text: str) -> None:
        """Write a page."""
        page = self.root / f"page{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# Page {number}\n\n{text}\n", encoding="utf-8")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Run the command line and go on."""
        command = [sys.executable, "-m", "waymeet", *arguments, "-C", str(self.root)]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run the command line to the end, and give what it said."""
        out, err = (process := self.start(*arguments)).communicate(timeout=600)
        assert process.returncode == code, out + err
        assert "Traceback" not in err
        return out + err

    def status(self) -> dict[str, Any]:
        """Give how the index stands to its models."""
        found: dict[str, Any] = json.loads(self.run("status", "--json"))["vectors"]
        return found

    @property
    def index(self) -> Path:
        """Say where the index is."""
        (found,) = (self.root.parent / "DATA" / "waymeet" / "indexes").glob(f"{self.root.name}-*.sqlite")
        return found

    def answered(self, model: str = "", start: str = "Page ") -> Counter[str]:
        """Count the texts that the server embedded, as far as they are sections and not questions or whole files."""
        with build_opener(ProxyHandler({})).open(f"{self.address}/asked") as answer:
            asked = json.load(answer)
        return Counter(
            text
            for each in asked
            if each["well"] and model in {"", each["body"]["model"]}
            for text in each["body"]["input"]
            if text.startswith(start)
        )

    def open(self, gate: str) -> None:
        """Let a gated server go on."""
        with build_opener(ProxyHandler({})).open(f"{self.address}/open/{gate}"):
            pass

    def wait_for(self, there: Callable[[], bool]) -> None:
        """Wait until something is so."""
        until = monotonic() + PATIENCE
        while not there():
            assert monotonic() < until, "it took too long"
            sleep(0.02)

    def judge(self, spaces: int = 1) -> dict[str, int]:
        """See that every section and file has exactly one vector and that nothing is damaged."""
        with closing(SqliteStore.open(self.index)) as store:
            counts = store.counts()
            sections = {space: number for space, number in counts.vectors.items() if space == section_space(space)}
            assert len(sections) == spaces
            assert sum(sections.values()) == counts.chunks
            assert store.coverage(list(sections)) == (counts.chunks, counts.chunks)
            assert {section_space(space) for space in counts.vectors} == sections.keys()
            assert sum(counts.vectors.values()) == counts.chunks + counts.kinds["docs"]
            assert not store.check().findings
            return sections


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with process("embedding_server.py") as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, address: str) -> Place:
    return Place(tmp_path, address)


def kill_amidst(place: Place, *, after: int) -> None:
    """Start a run, and kill it when the server has embedded some more texts."""
    before = place.answered(start="").total()
    run = place.start("index")
    place.wait_for(lambda: place.answered(start="").total() >= before + after or run.poll() is not None)
    run.kill()
    run.communicate()


def test_kills_lose_a_batch_at_most_and_nothing_is_embedded_twice(place: Place) -> None:
    place.choose("killed", "paced-40")
    kills = 3
    for _ in range(kills):
        kill_amidst(place, after=2 * BATCH)
    place.run("index")
    place.judge()
    texts = place.answered("killed")
    assert len([text for text in texts if "What is said" in text]) == PAGES
    assert texts.total() - len(texts) <= kills * BATCH


def test_a_provider_that_fails_every_third_call_embeds_everything_once(place: Place) -> None:
    place.choose("moody", "shaky")
    place.environment["WAYMEET_EMBEDDING_BATCH_CHUNKS"] = "16"
    assert "embedded in" in place.run("index")
    place.judge()
    texts = place.answered("moody")
    assert set(texts.values()) == {1}


def test_a_model_is_changed_under_load(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.choose("old", "ok")
    place.run("index")
    (old,) = place.judge()
    place.choose("new", "gated-new")
    for key, value in place.environment.items():
        monkeypatch.setenv(key, value)
    kill_amidst(place, after=BATCH)  # a kill in the midst of it leaves the old model answering
    run = place.start("index")
    seen = Counter[str]()
    with Project.open(place.root) as project:
        for number in range(1000):
            if run.poll() is not None:
                break
            if number == 2:
                place.write(7, "This page was rewritten while the model was changed.")
            if number == 4:
                place.open("gated-new")
            answer = project.search("what is said on page 11 of 48")
            codes = {each.code for each in answer.degraded}
            with closing(SqliteStore.open(place.index)) as store:
                spaces = set(project.tools(store).embedders)
            assert len(spaces) == 1
            sources = {found.source for hit in answer.hits for found in hit.sources}
            assert "vector" in sources, answer.degraded
            assert answer.hits[0].document == "page11.md"
            seen["old" if "model_change" in codes else "new"] += 1
        said = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0, said
        assert seen["old"], "nobody asked while the model was changed"
        answer = project.search("rewritten while the model was changed")
        assert not {each.code for each in answer.degraded} & {"model_change", "partial_vectors", "no_vectors"}
        assert answer.hits[0].document == "page7.md"
    (new,) = place.judge()
    assert new != old
    texts = place.answered("new")
    assert len([text for text in texts if "What is said" in text]) >= PAGES - 1
    assert texts.total() - len(texts) <= BATCH  # what was under way when it was killed


def test_an_old_model_that_is_gone_is_told_of_and_the_new_one_answers(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.choose("gone", "ok")
    place.environment |= {"WAYMEET_EMBEDDING_KEY_VARIABLE": "KEY_OF_OLD", "KEY_OF_OLD": "sk-old-0123456789"}
    place.run("index")
    with closing(SqliteStore.open(place.index)) as store:
        assert "sk-old" not in store.metadata("embedding")
    del place.environment["WAYMEET_EMBEDDING_KEY_VARIABLE"], place.environment["KEY_OF_OLD"]
    place.choose("next", "paced-200")
    for key, value in place.environment.items():
        monkeypatch.setenv(key, value)
    kill_amidst(place, after=PAGES + 2 * BATCH)  # all files and some sections
    with Project.open(place.root) as project:
        answer = project.search("what is said on page 11")
    assert "vector" in {found.source for hit in answer.hits for found in hit.sources}
    told = [each.detail for each in answer.degraded if each.code == "model_change"]
    assert len(told) == 1
    assert "cannot be used" in told[0]
    assert "KEY_OF_OLD is not set" in told[0]
    place.run("index")
    assert len(place.judge()) == 1


def test_a_text_without_a_usable_vector_is_told_of_and_not_sent_for_ever(place: Place) -> None:
    place.choose("choosy", "choosy")
    place.write(5, "This page is poison for the model.")
    said = place.run("index")
    assert "1 section got no usable vector" in said
    status = place.status()
    assert len(status["failures"]) == 1
    assert status["embedded"] == status["chunks"] - 1
    sent = place.answered("choosy").total()
    place.run("index")
    assert place.answered("choosy").total() == sent
    place.write(5, "This page is wholesome now.")
    place.run("index")
    assert place.status()["failures"] == []
    place.judge()


def test_a_job_in_the_background_runs_alone_and_ends_by_itself(place: Place) -> None:
    place.choose("background", "gated-background")
    place.environment["WAYMEET_EMBEDDING_QUERY_SECONDS"] = "0.5"
    said = place.run("index", "--background")
    assert "continues in the background" in said
    assert "Embedding is already running" in place.run("index", "--background")
    place.wait_for(lambda: place.answered("background", start="page").total() >= BATCH)  # whole files come first
    meaning = place.status()
    assert meaning["job"]["pid"]
    assert meaning["embedded"] < meaning["chunks"]
    found = json.loads(place.run("search", "page 11", "--json"))
    assert "no_vectors" in {each["code"] for each in found["degraded"]}, "whole files come before sections"
    place.write(60, "A page that comes late.")  # taken in meanwhile, and embedded by the job
    place.run("index", "--no-embed")
    place.open("gated-background")
    place.wait_for(lambda: place.status()["job"] is None)
    place.judge()
    assert set(place.answered("background").values()) == {1}
    log = place.index.with_name(f"{place.index.name}.embedding.log").read_text(encoding="utf-8")
    assert "embedded in" in log
    assert "All sections are embedded" in place.run("index", "--background")


def test_a_job_that_fails_ends_by_itself_and_says_why(place: Place) -> None:
    place.choose("failing", "unauthorized")
    place.run("index", "--no-embed")
    place.run("index", "--background")
    place.wait_for(lambda: place.status()["job"] is None)
    place.wait_for(lambda: bool(place.status()["error"]))
    assert "HTTP 401" in place.status()["error"]


def test_a_search_on_first_use_answers_by_words_and_has_meaning_made(place: Place) -> None:
    place.choose("first", "paced-10")
    place.environment["WAYMEET_EMBEDDING_BACKGROUND"] = "true"
    found = json.loads(place.run("search", "page 11", "--json").partition("Indexed")[0])
    assert found["hits"][0]["document"] == "page11.md"
    assert "no_vectors" in {each["code"] for each in found["degraded"]}
    place.wait_for(lambda: place.answered("first").total() >= PAGES)
    place.wait_for(lambda: place.status()["job"] is None)
    found = json.loads(place.run("search", "page 11", "--json"))
    assert "vector" in {source["source"] for source in found["hits"][0]["sources"]}
    assert not {"no_vectors", "partial_vectors"} & {each["code"] for each in found["degraded"]}


def test_vectors_are_kept_across_projects_renames_and_new_indexes(place: Place) -> None:
    place.choose("shared", "ok")
    place.run("index")
    sent = place.answered("shared")
    other = place.root.parent / "other" / "deep"
    place.root.rename(other.parent)
    other.mkdir()
    (other.parent / "page3.md").rename(other / "page3.md")
    place.root = other.parent
    place.run("index")
    again = place.answered("shared") - sent
    assert not [text for text in again if "What is said" in text]  # only folders have changed
    place.judge()
