"""The list of a user's projects: names, concurrent changes, damaged files."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from waymeet.errors import NotFoundError, UsageError
from waymeet.paths import index_file
from waymeet.project import Project
from waymeet.project.registered import registry


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("WAYMEET_INDEX", raising=False)


def test_a_project_is_added_once_and_keeps_its_id_when_it_is_renamed(tmp_path: Path) -> None:
    first = registry.register(tmp_path / "tea")
    assert registry.register(tmp_path / "tea") == first
    assert registry.register(tmp_path / "other" / "tea").name == "other-tea"
    assert registry.rename("TEA", "green").id == first.id
    assert [project.name for project in registry.list_projects()] == ["green", "other-tea"]
    with pytest.raises(UsageError, match="belongs to"):
        registry.rename("green", "Other-Tea")
    assert registry.forget("green").root == str(tmp_path / "tea")
    assert registry.register(tmp_path / "tea").id != first.id, "rights to a forgotten project end"
    assert registry.registry_file().stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", "a,b", "*", "a::b", "a/b", "-x", ".", "a b", "x" * 61])
def test_a_name_can_be_typed_in_a_list_and_before_a_path(name: str, tmp_path: Path) -> None:
    registry.register(tmp_path / "tea")
    with pytest.raises(UsageError, match="no name for a project"):
        registry.rename("tea", name)


def test_an_unknown_name_suggests_a_close_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="No project is registered"):
        registry.choose_projects([registry.ALL])
    registry.register(tmp_path / "kettle")
    with pytest.raises(NotFoundError) as error:
        registry.choose_projects(["ketle"])
    assert error.value.hint == "Did you mean kettle?"


def test_many_that_register_at_once_lose_none(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: registry.register(tmp_path / f"p{number}"), range(24)))
    assert len(registry.list_projects()) == 24


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99, "projects": []}'])
def test_a_damaged_list_is_reported_and_kept_but_does_not_stop_indexing(content: str, tmp_path: Path) -> None:
    file = registry.registry_file()
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"projects\.json"):
        registry.list_projects()
    registry.register_indexed(tmp_path, index_file(tmp_path))
    assert file.read_text(encoding="utf-8") == content


def test_indexes_of_earlier_versions_are_found(tmp_path: Path) -> None:
    root = tmp_path / "tea"
    root.mkdir()
    (root / "a.md").write_text("# Tea\n", encoding="utf-8")
    with Project.open(root) as project:
        project.index()
    registry.registry_file().unlink()
    assert [(project.name, project.root) for project in registry.list_projects()] == [("tea", str(root))]


def test_an_index_in_another_place_is_not_added_by_itself(tmp_path: Path) -> None:
    root = tmp_path / "tea"
    root.mkdir()
    (root / "a.md").write_text("# Tea\n", encoding="utf-8")
    with Project.open(root, index=tmp_path / "own.sqlite") as project:
        project.index()
    assert registry.list_projects() == ()
    assert registry.register(root, tmp_path / "own.sqlite").index_path == tmp_path / "own.sqlite"
