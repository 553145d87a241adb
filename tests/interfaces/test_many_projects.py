"""One query over several projects: on the command line, in the library, over MCP and HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from waymeet import Project, Projects
from waymeet.errors import IndexUnavailableError, NotFoundError, UsageError
from waymeet.interfaces.http.endpoints import call_operation
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.read import ReadRequest
from waymeet.interfaces.requests.operations.search import SearchRequest, answer_search
from waymeet.project.registered import registry

from .conftest import Run

PAGES = {
    "tea": {"docs/water.md": "# Water\n\nSoft water brings out sweetness. See [kettle](kettle.md).\n"},
    "api": {
        "docs/keys.md": "# Keys\n\nSigning keys are rotated every month. Water is not used here.\n",
        "src/users.py": "def get_user_by_id(user_id):\n    return USERS[user_id]\n",
    },
    "wiki": {"water.md": "# Water supply\n\nThe water of the office comes from the filter.\n"},
}


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Make and index three projects."""
    roots = {name: tmp_path / "work" / name for name in PAGES}
    for name, files in PAGES.items():
        for path, text in files.items():
            (roots[name] / path).parent.mkdir(parents=True, exist_ok=True)
            (roots[name] / path).write_text(text, encoding="utf-8")
        with Project.open(roots[name]) as project:
            project.index()
    monkeypatch.chdir(tmp_path)
    return roots


@pytest.fixture
def others(roots: dict[str, Path]) -> Iterator[Projects]:
    del roots
    with Projects() as projects:
        yield projects


def test_all_projects_answer_and_every_id_can_be_read(roots: dict[str, Path], run: Run) -> None:
    found = run("search", "--all", "soft water", "--json")
    assert found.code == 0
    hits = json.loads(found.out)["hits"]
    assert hits[0]["project"] == "tea"
    assert {hit["project"] for hit in hits} == {"tea", "api", "wiki"}
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    for hit in hits:
        assert hit["id"].startswith(f"{hit['project']}::")
        read = run("read", hit["id"], "--json")
        assert json.loads(read.out)["id"] == hit["id"]
    listed = run("search", "--in-project", "tea,wiki", "water", "--format", "files")
    assert listed.out.split() == ["work/wiki/water.md", "work/tea/docs/water.md"] or listed.out.split() == [
        "work/tea/docs/water.md",
        "work/wiki/water.md",
    ]
    assert "tea::docs/water.md#L1-L3" in run("search", "--in-project", "tea", "soft water").out
    assert (roots["tea"] / "docs/water.md").exists()


def test_what_cannot_be_searched_is_named_and_the_others_answer(roots: dict[str, Path], run: Run) -> None:
    index = registry.find_project(registry.list_projects(), "tea").index_path
    index.write_bytes(b"SQLite format 3\0" + b"broken" * 2000)
    registry.register(roots["wiki"].parent / "new-folder", name="empty")
    (roots["wiki"]).rename(roots["wiki"].with_name("moved"))
    found = run("search", "--all", "water", "--json")
    answer = json.loads(found.out)
    assert found.code == 0
    assert {hit["project"] for hit in answer["hits"]} == {"api", "wiki"}, "a missing folder is searched in its index"
    codes = {(each["code"], each["detail"].partition(":")[0]) for each in answer["degraded"]}
    assert {("project_unavailable", "tea"), ("project_unavailable", "empty"), ("root_missing", "wiki")} <= codes
    assert "degraded: project: tea: " in run("search", "--all", "water").out


def test_an_index_of_an_earlier_format_is_named_and_not_converted(
    roots: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = registry.find_project(registry.list_projects(), "tea").index_path
    monkeypatch.setattr("waymeet.project.registered.projects.needs_upgrade", lambda address: address.index == old)
    with Projects() as projects:
        answer = projects.search("water")
    assert [each.detail for each in answer.degraded if each.code == "project_unavailable"] == [
        f"tea: The index of {roots['tea']} was made by an earlier version. Convert it: waymeet status -C {roots['tea']}"
    ]


def test_wrong_names_and_options_are_refused_in_one_line(roots: dict[str, Path], run: Run) -> None:
    del roots
    assert "Did you mean wiki?" in run("search", "--in-project", "wikki", "water").err
    assert "exclude each other" in run("search", "--all", "--in-project", "tea", "water").err
    assert "about one project" in run("search", "--all", "-C", ".", "water").err
    assert "about one project" in run("search", "--all", "-").err
    nothing = run("search", "--all", "zzzqqq")
    assert (nothing.code, "3 projects" in nothing.err) == (1, True)


def test_a_wrong_query_is_an_error_and_not_a_degraded_project(others: Projects) -> None:
    with pytest.raises(UsageError, match="no recipe"):
        others.search("water", recipe="nothing")
    with pytest.raises(NotFoundError):
        others.search("water", names=["nothing"])


def test_the_library_searches_and_reads(
    others: Projects, roots: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waymeet.project.registered.fan_out.SEARCH_SECONDS", 0.0)
    answer = others.search("water", limit=2, explain=True)
    assert len(answer.hits) == 2
    assert answer.total_found == 3
    assert all(hit.explanation and hit.explanation.value == hit.score for hit in answer.hits)
    assert others.read("tea::docs/water.md").text.startswith("# Water")
    (roots["tea"] / "docs/water.md").write_text("# Steam\n\nA turbine.\n", encoding="utf-8")
    assert [hit.project for hit in others.search("turbine").hits] == ["tea"], "changed files are indexed first"
    assert [step.stage for step in answer.steps] == ["project api", "project tea", "project wiki"]


def test_filters_and_pages_work_over_all(others: Projects, roots: dict[str, Path]) -> None:
    with Project.open(roots["tea"]) as project:
        project.others = others
        first = answer_search(project, SearchRequest(query="water", limit=1, projects=("*",)))
        second = answer_search(project, SearchRequest(query="water", limit=5, projects=("*",), cursor=first.cursor))
        assert {first.hits[0].id, *(hit.id for hit in second.hits)} == {
            "tea::docs/water.md#L1-L3",
            "wiki::water.md#L1-L3",
            "api::docs/keys.md#L1-L3",
        }
        code = answer_search(project, SearchRequest(query="user by id", kinds=("code",), projects=("*",)))
        assert [hit.document for hit in code.hits] == ["api::src/users.py"]


def test_without_the_token_http_reads_no_other_project(roots: dict[str, Path], others: Projects) -> None:
    with Project.open(roots["tea"]) as project:
        project.others = others
        requests = {
            "search": SearchRequest(query="keys", projects=("api",)),
            "read": ReadRequest(id="api::docs/keys.md"),
        }
        for name, request in requests.items():
            with pytest.raises(RequestRefusedError, match="needs the token"):
                call_operation(project, OPERATIONS[name], request)
            assert "api::docs/keys.md" in str(call_operation(project, OPERATIONS[name], request, trusted=True))


def test_a_server_of_one_project_knows_no_other(roots: dict[str, Path]) -> None:
    with Project.open(roots["tea"]) as project:
        with pytest.raises(UsageError, match="cannot be searched here"):
            call_operation(project, OPERATIONS["search"], SearchRequest(query="keys", projects=("*",)), trusted=True)
        with pytest.raises(NotFoundError):
            call_operation(project, OPERATIONS["read"], ReadRequest(id="api::docs/keys.md"), trusted=True)


def test_a_model_is_loaded_once_and_a_query_embedded_once(
    roots: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from waymeet.models.hashing import HashingEmbedder

    embedded: list[str] = []
    original = HashingEmbedder.embed_query

    def count(self: HashingEmbedder, text: str) -> object:
        embedded.append(text)
        return original(self, text)

    flags = ("embedding.provider=hashing", "embedding.student=false")
    for root in roots.values():
        with Project.open(root, flags=flags) as project:
            project.index()
    monkeypatch.setattr(HashingEmbedder, "embed_query", count)
    with Projects(flags=flags) as projects:
        assert projects.search("soft water").search_type in {"hybrid", "vector"}
        assert embedded == ["soft water"]


def test_if_no_project_can_be_searched_the_error_names_each(tmp_path: Path) -> None:
    registry.register(tmp_path / "one")
    registry.register(tmp_path / "two")
    with Projects() as projects, pytest.raises(IndexUnavailableError, match=r"one: .*two: "):
        projects.search("water")


def test_the_list_is_printed_and_changed(roots: dict[str, Path], run: Run) -> None:
    assert run("projects").out.splitlines()[0].split() == ["api", str(roots["api"])]
    assert run("projects", "rename", "api", "service").code == 0
    assert json.loads(run("projects", "list", "--json").out)["projects"][0]["state"] == "ready"
    forgotten = run("projects", "forget", "service")
    assert "No file was deleted" in forgotten.out
    assert (roots["api"] / "docs/keys.md").exists()
    assert run("projects", "add", str(roots["api"]), "--name", "back").code == 0
    assert "back" in run("projects").out
    for name in ("back", "tea", "wiki"):
        run("projects", "forget", name)
    empty = run("projects")
    assert (empty.code, "waymeet index" in empty.out) == (1, True)


@pytest.fixture
def gardens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Projects]:
    """Make and index six projects, each about a plant of its own; one repeats the word of another."""
    plants = ("basil", "thyme", "mint", "sage", "dill", "chives")
    for name in plants:
        root = tmp_path / "gardens" / name
        root.mkdir(parents=True)
        (root / "care.md").write_text(f"# {name.title()}\n\nWater the {name} plant at dawn.\n", encoding="utf-8")
        with Project.open(root) as project:
            project.index()
    monkeypatch.chdir(tmp_path)
    with Projects(flags=["projects.searched=1"]) as projects:
        yield projects


def test_the_likeliest_of_many_projects_are_searched_and_the_others_are_named(gardens: Projects) -> None:
    answer = gardens.search("basil")
    assert answer.hits[0].id.startswith("basil::")
    left_out = {step.stage: step.skipped for step in answer.steps if step.skipped}
    assert "project dill" in left_out
    assert all("estimated chance of an answer" in str(reason) for reason in left_out.values())
    assert any("likeliest of 6 projects: basil" in note for note in answer.notes)
    everywhere = gardens.search("plant at dawn", limit=100)
    assert {hit.project for hit in everywhere.hits} == {"basil", "thyme", "mint", "sage", "dill", "chives"}
    faceted = gardens.search("basil", facets=True)
    assert not any(step.skipped for step in faceted.steps), "facets count the results of all projects"


def test_the_choice_of_projects_corrects_words_that_none_has(gardens: Projects) -> None:
    assert gardens.search("bazil").hits[0].id.startswith("basil::")


def test_changed_files_of_a_project_that_was_not_searched_are_found_later(
    gardens: Projects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gardens.search("basil")
    (tmp_path / "gardens" / "dill" / "new.md").write_text("# Trellis\n\nA trellis for dill.\n", encoding="utf-8")
    assert not any("trellis" in hit.title.lower() for hit in gardens.search("trellis").hits), "checked a moment ago"
    monkeypatch.setattr("waymeet.project.registered.checks._LATER_SECONDS", 0.0)
    gardens.search("basil")
    gardens.finish_checks()
    assert gardens.search("trellis").hits[0].id == "dill::new.md#L1-L3"


def test_a_chosen_project_is_checked_before_it_is_searched(
    gardens: Projects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gardens.search("basil")
    monkeypatch.setattr("waymeet.project.registered.fan_out.SEARCH_SECONDS", 0.0)
    (tmp_path / "gardens" / "basil" / "new.md").write_text("# Basil pots\n\nPots for basil.\n", encoding="utf-8")
    assert {hit.document for hit in gardens.search("basil").hits} == {"basil::care.md", "basil::new.md"}
