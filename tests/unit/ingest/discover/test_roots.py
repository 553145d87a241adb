"""Several roots, namespaces, folders: what a file gets from its project."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from waymeet.errors import SettingsError, UsageError
from waymeet.ingest.discover.changes import find_changes
from waymeet.ingest.discover.namespaces import package_name
from waymeet.ingest.discover.roots import add_root, remove_root
from waymeet.ingest.index import index
from waymeet.project import Project
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters

DEFAULT = Settings()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def write(path: Path, text: str = "text\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def spaces(store: MemoryStore) -> dict[str, str]:
    return {id_: each.namespace for id_, each in store.documents(store.fingerprints()).items()}


# --- namespaces ----------------------------------------------------------------------------------------------------


def test_packages_and_submodules_are_namespaces(tmp_path: Path, store: MemoryStore) -> None:
    write(tmp_path / "package.json", '{"name": "whole"}')
    write(tmp_path / "pkg/web/package.json", '{"name": "@acme/web"}')
    write(tmp_path / "pkg/web/src/a.ts")
    write(tmp_path / "pkg/api/go.mod", "module acme.dev/api\n")
    write(tmp_path / "pkg/odd/Cargo.toml", "not [ toml")
    write(tmp_path / "vendor/lib/.git", "gitdir: ../../.git/modules/lib\n")
    write(tmp_path / "vendor/lib/b.md")
    write(tmp_path / "services/billing/c.md")
    index(tmp_path, store, replace(DEFAULT, namespaces={"services/billing/": "billing"}))
    assert spaces(store) == {
        "package.json": "",
        "pkg/": "",
        "pkg/web/": "@acme/web",
        "pkg/web/package.json": "@acme/web",
        "pkg/web/src/": "@acme/web",
        "pkg/web/src/a.ts": "@acme/web",
        "pkg/api/": "acme.dev/api",
        "pkg/api/go.mod": "acme.dev/api",
        "pkg/odd/": "pkg/odd",
        "pkg/odd/Cargo.toml": "pkg/odd",
        "vendor/": "",
        "vendor/lib/": "vendor/lib",
        "vendor/lib/b.md": "vendor/lib",
        "services/": "",
        "services/billing/": "billing",
        "services/billing/c.md": "billing",
    }


def test_a_package_may_come_go_and_change_its_name(tmp_path: Path, store: MemoryStore) -> None:
    write(tmp_path / "web/a.md")
    write(tmp_path / "b.md")
    index(tmp_path, store, DEFAULT)
    write(tmp_path / "web/package.json", '{"name": "one"}')
    look = find_changes(tmp_path, store, DEFAULT, lambda: False)
    assert look is not None
    assert (look.added, look.modified) == (("web/package.json",), ("web/a.md",))
    assert index(tmp_path, store, DEFAULT).updated == 1
    assert spaces(store)["web/a.md"] == "one"
    write(tmp_path / "web/package.json", '{"name": "other"}')
    index(tmp_path, store, DEFAULT)
    assert set(spaces(store).values()) == {"", "other"}
    (tmp_path / "web/package.json").unlink()
    index(tmp_path, store, DEFAULT)
    assert set(spaces(store).values()) == {""}
    generation = store.generation
    index(tmp_path, store, DEFAULT)
    assert store.generation == generation


@pytest.mark.parametrize(
    ("manifest", "text", "expected"),
    [
        ("pyproject.toml", '[tool.poetry]\nname = "p"', "p"),
        ("Cargo.toml", '[package]\nname = "c"', "c"),
        ("Cargo.toml", "[workspace]", ""),
        ("pom.xml", "<project><parent><artifactId>up</artifactId></parent><artifactId> m </artifactId></project>", "m"),
        ("composer.json", '{"name": "a/b"}', "a/b"),
        ("package.json", '{"name": ["x"]}', ""),
        ("package.json", "[1]", ""),
    ],
)
def test_names_of_packages(manifest: str, text: str, expected: str) -> None:
    assert package_name(manifest, text) == expected


# --- folders -------------------------------------------------------------------------------------------------------


def test_folders_are_documents_with_what_is_in_them(tmp_path: Path, store: MemoryStore) -> None:
    write(tmp_path / "src/auth/helpers.py")
    write(tmp_path / "src/logo.png")
    write(tmp_path / "src/.env", "KEY=x")
    write(tmp_path / "a.md", "See [the code](src/auth/).\n")
    settings = replace(DEFAULT, contexts={"src": "all that runs"})
    index(tmp_path, store, settings)
    documents = store.documents(["src/", "src/auth/"])
    assert [(each.kind, each.title) for each in documents.values()] == [("folders", "src"), ("folders", "auth")]
    ((chunk,),) = store.chunks_of(["src/"]).values()
    assert (chunk.id, chunk.text) == ("src/#L1-L3", "all that runs\nauth/\nlogo.png")
    contained = [(edge.source.document, edge.target.document) for edge in store.edges(["src/"]) if edge.target]
    assert contained == [("src/", "src/auth/"), ("src/", "src/logo.png")]
    assert [edge.target and edge.target.document for edge in store.edges(["a.md"])] == ["src/auth/"]
    assert store.first_passing_chunks(["src/", "a.md"], Filters(without_kinds=("folders",))).keys() == {"a.md"}


def test_a_folder_changes_only_when_its_listing_does(tmp_path: Path, store: MemoryStore) -> None:
    write(tmp_path / "a/b/c.md")
    write(tmp_path / "a/d.md")
    index(tmp_path, store, DEFAULT)
    digests = {id_: each.digest for id_, each in store.fingerprints().items() if id_.endswith("/")}
    write(tmp_path / "a/d.md", "other text\n")
    index(tmp_path, store, DEFAULT)
    assert {id_: each.digest for id_, each in store.fingerprints().items() if id_.endswith("/")} == digests
    write(tmp_path / "a/b/e.md")
    index(tmp_path, store, DEFAULT)
    now = store.fingerprints()
    assert (now["a/"].digest == digests["a/"], now["a/b/"].digest == digests["a/b/"]) == (True, False)
    (tmp_path / "a/b/c.md").unlink()
    (tmp_path / "a/b/e.md").unlink()
    index(tmp_path, store, DEFAULT)
    assert store.fingerprints().keys() == {"a/", "a/d.md"}


# --- several roots -------------------------------------------------------------------------------------------------


def test_an_extra_root_is_indexed_with_the_project(tmp_path: Path, store: MemoryStore) -> None:
    project, notes = tmp_path / "project", tmp_path / "notes"
    write(project / "daily/a.md", "# Mine\n\n[[Theirs]], [x](daily/b.md), [y](b.md)\n")
    write(project / "notes:/odd.md")
    write(notes / "daily/b.md", "# Theirs\n\nSee [a](./a.md), [c](/c.md), [[Mine]].\n")
    write(notes / "c.md", "# Third\n")
    settings = replace(DEFAULT, roots={"notes": str(notes)})
    report = index(project, store, settings)
    assert store.fingerprints().keys() == {
        "daily/",
        "daily/a.md",
        "notes:/",
        "notes:/c.md",
        "notes:/daily/",
        "notes:/daily/b.md",
    }
    assert [(each.path, each.reason) for each in report.skipped] == [("notes:/", "an extra root has this name")]
    assert spaces(store)["notes:/daily/b.md"] == "notes"
    assert {chunk.id for chunk in store.chunks_of(["notes:/c.md"])["notes:/c.md"]} == {"notes:/c.md#L1-L1"}
    led = {
        (edge.source.document, edge.ref): edge.target and edge.target.document
        for edge in store.edges(["daily/a.md", "notes:/daily/b.md"])
        if edge.kind != "contains"
    }
    assert led == {
        ("daily/a.md", "p:daily/theirs"): "notes:/daily/b.md",  # by its title
        ("daily/a.md", "p:daily/daily/b.md"): "notes:/daily/b.md",  # by its name, not by a path of another root
        ("daily/a.md", "p:daily/b.md"): "notes:/daily/b.md",
        ("notes:/daily/b.md", "p:notes:/daily/a.md"): "daily/a.md",
        ("notes:/daily/b.md", "p:notes:/c.md"): "notes:/c.md",
        ("notes:/daily/b.md", "p:notes:/daily/mine"): "daily/a.md",
    }
    assert store.first_passing_chunks(store.fingerprints(), Filters(paths=("notes:",), kinds=("docs",))).keys() == {
        "notes:/c.md",
        "notes:/daily/b.md",
    }


@pytest.mark.parametrize("left", ["nothing", "empty"])
def test_an_extra_root_that_vanished_keeps_its_documents(tmp_path: Path, left: str) -> None:
    write(tmp_path / "project/a.md")
    write(tmp_path / "notes/b.md", "# Bananas\n")
    with Project.open(tmp_path / "project", index=tmp_path / "index.db") as project:
        project.add_root("notes", tmp_path / "notes")
        assert project.index().added == 2
        assert project.read("notes:/b.md").text == "# Bananas"
        (tmp_path / "notes").rename(tmp_path / "away")
        if left == "empty":
            (tmp_path / "notes").mkdir()
        report = project.index()
        assert (report.removed, [name for name, _ in report.missing]) == (0, ["notes"])
        answer = project.search("bananas")
        assert [hit.document for hit in answer.hits] == ["notes:/b.md"]
        assert "root_missing" in [each.code for each in answer.degraded]
        project.remove_root("notes")
        assert project.index().removed == 1


@pytest.mark.parametrize(
    ("name", "folder"), [("", "/x"), ("a/b", "/x"), ("a:", "/x"), ("n", "relative"), ("n", "~nobody-at-all/x")]
)
def test_what_cannot_be_an_extra_root(tmp_path: Path, store: MemoryStore, name: str, folder: str) -> None:
    write(tmp_path / "sub/a.md")
    with pytest.raises(SettingsError) as error:
        index(tmp_path, store, replace(DEFAULT, roots={name: folder}))
    assert error.value.message
    assert not store.fingerprints()


@pytest.mark.parametrize("folder", ["project", "project/sub", "."])
def test_what_overlaps_the_project_is_no_extra_root(tmp_path: Path, store: MemoryStore, folder: str) -> None:
    project = tmp_path / "project"
    write(project / "sub/a.md")
    index(project, store, replace(DEFAULT, roots={"n": str(tmp_path / folder)}))
    assert store.fingerprints().keys() == {"sub/", "sub/a.md"}
    with pytest.raises(UsageError, match="overlaps"):
        add_root(store, project, "n", tmp_path / folder)


def test_a_root_that_was_named_once_is_forgotten_by_a_real_run_only(tmp_path: Path, store: MemoryStore) -> None:
    project = tmp_path / "project"
    write(project / "a.md")
    write(tmp_path / "notes/b.md")
    index(project, store, replace(DEFAULT, roots={"notes": str(tmp_path / "notes")}))
    for _ in range(2):
        look = find_changes(project, store, DEFAULT, lambda: False)
        assert look is not None
        assert look.number == 0
        index(project, store, DEFAULT, only=look)
    assert "notes:/b.md" in store.fingerprints()
    assert index(project, store, DEFAULT).removed == 1


def test_roots_are_remembered_with_the_index(tmp_path: Path, store: MemoryStore) -> None:
    write(tmp_path / "project/a.md")
    write(tmp_path / "notes/b.md")
    add_root(store, tmp_path / "project", "notes", tmp_path / "notes")
    index(tmp_path / "project", store, DEFAULT)
    assert "notes:/b.md" in store.fingerprints()
    remove_root(store, "notes")
    index(tmp_path / "project", store, DEFAULT)
    assert store.fingerprints().keys() == {"a.md"}
