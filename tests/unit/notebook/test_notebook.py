"""Notes, tasks and skills through the API, and the same files written by editors."""

import errno
import os
from pathlib import Path

import pytest

from waymeet.errors import ConflictError, ItemNotFoundError, SettingsError, UsageError
from waymeet.notebook import Notebook, atomic_replace, skill_steps
from waymeet.notebook.atomic_replace import ItemFolder, exchange_files
from waymeet.notebook.safe_folder import Folder
from waymeet.settings import NotebookSettings, Settings

NOTES = ".waymeet/notes"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "setup.md").write_text("# Setup\n")
    return folder


@pytest.fixture
def notebook(root: Path) -> Notebook:
    return _open(root)


def _open(root: Path, **settings: object) -> Notebook:
    return Notebook(root, Settings(notebook=NotebookSettings(**settings)), root.parent / "index.db")  # type: ignore[arg-type]


def test_a_note_is_a_plain_file(root: Path, notebook: Notebook) -> None:
    saved = notebook.create("notes", "Rotate the keys", "Once a month.", {"tags": ["ops", "keys"]})
    assert saved.item.id == f"{NOTES}/rotate-the-keys.md"
    text = (root / saved.item.id).read_text(encoding="utf-8")
    assert text == "---\ntitle: Rotate the keys\ntags:\n  - ops\n  - keys\n---\n\nOnce a month.\n"
    for name in ("rotate-the-keys", "Rotate the keys", "notes/rotate-the-keys", saved.item.id, f"./{saved.item.id}"):
        assert notebook.read(name) == saved.item


def test_an_edit_in_an_editor_is_an_edit(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A", "One.").item
    path = root / item.id
    path.write_text(path.read_text().replace("One.", "Two.").replace("title: A", "title: B\nmine: kept"))
    now = notebook.read("a")
    assert (now.title, now.body, now.fields["mine"]) == ("B", "Two.\n", "kept")
    assert now.version != item.version
    saved = notebook.update("a", version=now.version, fields={"due": "soon"})
    assert path.read_text() == "---\ntitle: B\nmine: kept\ndue: soon\n---\n\nTwo.\n"
    assert saved.item.version == notebook.read("a").version
    (root / NOTES / "by-hand.md").write_text("# By hand\n\nNo front matter.\n")
    assert [each.title for each in notebook.list("notes")] == ["B", "By hand"]


def test_a_stale_change_is_refused_and_shows_both(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A", "One.\nEnd.").item
    (root / item.id).write_text("---\ntitle: A\n---\n\nOne by an editor.\nEnd.\n")
    with pytest.raises(ConflictError) as refused:
        notebook.update("a", version=item.version, body="One by the API.\nEnd.")
    error = refused.value
    assert "-One by an editor." in str(error)
    assert "+One by the API." in str(error)
    assert "One by an editor." in error.current
    assert "One by the API." in error.refused
    assert error.version == notebook.read("a").version
    with pytest.raises(ConflictError, match="by an editor"):
        notebook.delete("a", version=item.version)
    with pytest.raises(ConflictError):
        notebook.link("a", "related_to", "docs/setup.md", version=item.version)
    assert notebook.read("a").body == "One by an editor.\nEnd.\n"
    notebook.update("a", version=error.version, body="Both.")
    assert notebook.read("a").body == "Both.\n"


@pytest.mark.parametrize("can", [True, False])
def test_an_editor_that_writes_at_the_worst_moment(
    root: Path, notebook: Notebook, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    """Between the last check of the file and the exchange: the change is refused, the editor's text stays."""
    item = notebook.create("notes", "A", "One.").item

    def late(one: Folder, name: str, other: Folder, called: str) -> bool:
        monkeypatch.setattr(atomic_replace, "exchange_files", exchange_files)
        (root / item.id).write_text("By an editor.\n")
        return can and exchange_files(one, name, other, called)

    monkeypatch.setattr(atomic_replace, "exchange_files", late)
    with pytest.raises(ConflictError, match="By an editor"):
        notebook.update("a", version=item.version, body="Two.")
    assert (root / item.id).read_text() == "By an editor.\n"
    assert [path.name for path in (root / NOTES).glob("*.md")] == ["a.md"]


def test_an_editor_that_writes_into_the_file_after_it_was_replaced(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A", "One.").item
    with (root / item.id).open("a") as editor:
        notebook.update("a", version=item.version, body="Two.")
        editor.write("Three, by an editor that opened it before.\n")
    assert notebook.read("a").body == "Two.\n"
    recovered = atomic_replace.sweep(ItemFolder(root, NOTES), now=True)
    assert [each.saved_as for each in recovered] == ["a.rescued.md"]
    recovered_item = notebook.read("a.rescued")
    assert "Three, by an editor" in recovered_item.body
    assert recovered_item.problems
    assert not atomic_replace.sweep(ItemFolder(root, NOTES), now=True)


@pytest.mark.parametrize(
    "bad", ["k~1~a~b~..%2F..%2Fout.md", "k~1~a~b~.git%2Fconfig", "u~1~a~b~link%2Fx.md", f"k~1~a~b~{'a' * 240}%2F"]
)
def test_a_name_that_cannot_be_recovered_does_not_stop_the_others(root: Path, notebook: Notebook, bad: str) -> None:
    item = notebook.create("notes", "A", "One.").item
    notebook.update("a", version=item.version, body="Two.")
    folder = root / NOTES / ".aside"
    (root / NOTES / "link").symlink_to(root.parent)
    (folder / bad).write_text("Planted.\n")
    (folder / atomic_replace._work_name("k", "0" * 12, "1" * 12, "zz.md")).write_text("Of an editor.\n")
    recovered = atomic_replace.sweep(ItemFolder(root, NOTES), now=True)
    assert [each.saved_as for each in recovered] == ["zz.md"]
    assert (folder / bad).read_text() == "Planted.\n"
    assert not (root.parent / "x.md").exists()


def test_replaced_files_are_removed_after_a_while(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A", "One.").item
    notebook.update("a", version=item.version, body="Two.")
    folder = root / NOTES / ".aside"
    assert len(list(folder.iterdir())) == 2
    assert atomic_replace.sweep(ItemFolder(root, NOTES)) == ()
    assert len(list(folder.iterdir())) == 2  # not yet
    assert atomic_replace.sweep(ItemFolder(root, NOTES), now=True) == ()
    assert [path.name for path in folder.iterdir()] == [".gitignore"]


def test_a_replacement_that_was_broken_off_is_undone(root: Path, notebook: Notebook) -> None:
    """As after a crash between the two steps that are taken where files cannot be exchange_files."""
    item = notebook.create("notes", "A", "One.").item
    label = atomic_replace._work_name("u", item.version, "0" * 12, "a.md")
    (root / item.id).rename(root / NOTES / ".aside" / label)
    atomic_replace.sweep(ItemFolder(root, NOTES), now=True)
    assert notebook.read("a") == item


def test_past_versions_can_be_brought_back(root: Path, notebook: Notebook) -> None:
    first = notebook.create("notes", "A", "One.").item
    second = notebook.update("a", version=first.version, body="Two.").item
    (root / first.id).write_text("Overwritten by an editor that did not look.\n")
    assert [each.version for each in notebook.history("a")] == [second.version, first.version]
    notebook.restore("a", second.version, version=notebook.read("a").version)
    assert notebook.read("a") == second
    notebook.delete("a", version=second.version)
    with pytest.raises(ItemNotFoundError):
        notebook.read("a")
    notebook.restore(first.id, first.version, version="")
    assert notebook.read("a") == first
    with pytest.raises(ItemNotFoundError, match="not saved"):
        notebook.restore("a", "0" * 12, version=first.version)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../x", "x"),
        ("/etc/passwd", "etc-passwd"),
        ("..", "note"),
        ("a/../../b\0c", "a-b-c"),
        ("鍵の更新", "鍵の更新"),
        ("Überprüfung: Größe", "überprüfung-größe"),
        ("हिन्दी", "हिन्दी"),
        ("NUL", "nul-note"),
        ("x" * 500, "x" * 60),
        ("字" * 500, "字" * 50),
        ("\udc80broken", "broken"),
    ],
)
def test_titles_become_file_names(root: Path, notebook: Notebook, title: str, name: str) -> None:
    item = notebook.create("notes", title, "Text.").item
    assert item.id == f"{NOTES}/{name}.md"
    assert (root / item.id).is_file()
    assert notebook.create("notes", title, "Other.").item.id == f"{NOTES}/{name}-2.md"
    assert {path.relative_to(root).parts[0] for path in root.rglob("*.md")} == {".waymeet", "docs"}


def test_links_are_never_followed_out_of_the_root(root: Path, notebook: Notebook, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / ".waymeet").mkdir()
    (root / NOTES).symlink_to(outside)
    with pytest.raises(UsageError, match="not a folder of the project"):
        notebook.create("notes", "A", "Text.")
    with pytest.raises(UsageError):
        notebook.list("notes")
    (root / NOTES).unlink()
    notebook.create("notes", "A", "Text.")
    (root / NOTES / "link.md").symlink_to(outside / "secret.md")
    with pytest.raises(UsageError):
        notebook.read("link")
    assert [item.name for item in notebook.list("notes")] == ["a"]
    assert [path.name for path in outside.iterdir()] == ["secret.md"]


@pytest.mark.parametrize("folder", ["../out", "", "a/../..", ".git/hooks"])
def test_folders_outside_the_root_are_refused(root: Path, folder: str) -> None:
    with pytest.raises(SettingsError):
        _open(root, notes=folder)


def test_folders_are_a_setting(root: Path) -> None:
    notebook = _open(root, notes="./docs/notes/")
    assert notebook.create("notes", "A").item.id == "docs/notes/a.md"


def test_what_is_too_large_is_refused(root: Path) -> None:
    notebook = _open(root, max_bytes=100)
    item = notebook.create("notes", "A", "x" * 50).item
    with pytest.raises(UsageError, match=r"notebook\.max_bytes"):
        notebook.update("a", version=item.version, body="x" * 100)
    assert notebook.read("a") == item


def test_tasks(notebook: Notebook) -> None:
    task = notebook.create("tasks", "Rotate", fields={"priority": "High", "due": "2026-12-31", "assignee": "Ann"}).item
    assert task.fields == {
        "title": "Rotate",
        "priority": "high",
        "due": "2026-12-31",
        "assignee": "Ann",
        "status": "todo",
    }
    moved = notebook.update("rotate", version=task.version, fields={"status": "In progress", "due": None}).item
    assert moved.value("status") == "in_progress"
    assert "due" not in moved.fields
    for field, value in (("status", "doing"), ("priority", "huge"), ("due", "tomorrow")):
        with pytest.raises(UsageError, match=f"{field}: '{value}'"):
            notebook.update("rotate", version=moved.version, fields={field: value})
    with pytest.raises(UsageError, match="status"):
        notebook.update("rotate", version=moved.version, text="---\nstatus: doing\n---\n")
    assert [item.name for item in notebook.list("tasks", {"status": ["in_progress", "todo"]})] == ["rotate"]
    assert not notebook.list("tasks", {"status": ["done"]})


def test_tasks_are_listed_by_urgency(notebook: Notebook) -> None:
    for title, fields in (
        ("a", {"status": "done", "priority": "critical"}),
        ("b", {"priority": "low"}),
        ("c", {"priority": "high", "due": "2027-01-01"}),
        ("d", {"priority": "high", "due": "2026-01-01"}),
        ("e", {"status": "in_progress"}),
        ("f", {}),
    ):
        notebook.create("tasks", title, fields=fields)
    assert [item.name for item in notebook.list("tasks")] == ["e", "d", "c", "f", "b", "a"]


def test_an_editors_invalid_values_are_reported_and_do_not_block_other_changes(root: Path, notebook: Notebook) -> None:
    task = notebook.create("tasks", "A").item
    (root / task.id).write_text("---\nstatus: doing\n---\nText\n")
    odd = notebook.read("a")
    assert "'doing' is not one of" in odd.problems[0]
    assert notebook.update("a", version=odd.version, fields={"priority": "low"}).item.value("status") == "doing"


def test_relations_do_not_form_cycles(notebook: Notebook) -> None:
    for name in "abc":
        notebook.create("tasks", name)
    notebook.link("a", "blocks", "b")
    notebook.link("b", "blocks", "tasks/c")
    with pytest.raises(UsageError, match="c → a → b → c"):
        notebook.link("c", "blocks", "a")
    with pytest.raises(UsageError, match="itself"):
        notebook.link("c", "subtask_of", "c")
    c = notebook.link("c", "related_to", "a").item
    with pytest.raises(UsageError, match="cycle"):
        notebook.update("c", version=c.version, text="---\nblocks: ['[[A]]']\n---\n")
    notebook.link("a", "subtask_of", "c")
    assert notebook.link("a", "subtask-of", "b").item.values("subtask_of") == ("b",)  # there is only one parent


def test_links_lead_to_entries_files_and_nothing_else(root: Path, notebook: Notebook) -> None:
    notebook.create("notes", "A")
    notebook.create("tasks", "B")
    assert notebook.link("a", "references", "docs/setup.md#keys").item.values("references") == ("docs/setup.md#keys",)
    assert notebook.link("a", "belongs_to", "B").item.values("belongs_to") == (".waymeet/tasks/b.md",)
    assert not notebook.link("a", "belongs_to", "[[B]]").changed
    (root / "docs" / "one, two.md").write_text("# Both\n")
    assert notebook.link("a", "related_to", "docs/one, two.md").item.values("related_to") == ("[[docs/one, two.md]]",)
    assert notebook.unlink("a", "related_to", "docs/one, two.md").changed
    for target in ("no-such-thing", "../outside.md", "/etc/passwd", ""):
        with pytest.raises(ItemNotFoundError):
            notebook.link("a", "related_to", target)
    with pytest.raises(UsageError, match="no relation"):
        notebook.link("a", "title", "b")
    assert notebook.unlink("a", "belongs_to", "b").item.values("belongs_to") == ()
    with pytest.raises(ItemNotFoundError, match="not related"):
        notebook.unlink("a", "belongs_to", "b")


def test_removing_an_entry_removes_the_relations_that_lead_to_it(root: Path, notebook: Notebook) -> None:
    a = notebook.create("tasks", "A").item
    notebook.create("tasks", "B", "See [[a]].", {"blocks": ["A"], "related_to": ["a", "docs/setup.md"]})
    notebook.create("notes", "N", fields={"belongs_to": ["tasks/a"]})
    (root / NOTES / "m.md").write_text("---\nrelated: 'setup, [[.waymeet/tasks/a]]'\n---\n")
    (root / NOTES / "o.md").write_text("---\nblocks: {target: .waymeet/tasks/a.md, since: 2026}\n---\n")
    removed = notebook.delete("a", version=a.version, kind="tasks")
    assert (root / NOTES / "m.md").read_text() == "---\nrelated:\n  - setup\n---\n"
    assert "since: 2026" in (root / NOTES / "o.md").read_text()
    assert "o.md still has the relation blocks" in removed.notes[0]
    assert set(removed.unlinked) == {
        (".waymeet/tasks/b.md", "blocks"),
        (".waymeet/tasks/b.md", "related_to"),
        (f"{NOTES}/n.md", "belongs_to"),
        (f"{NOTES}/m.md", "related"),
    }
    assert (root / ".waymeet/tasks/b.md").read_text() == (
        "---\ntitle: B\nrelated_to:\n  - docs/setup.md\nstatus: todo\n---\n\nSee [[a]].\n"
    )


def test_skills(root: Path, notebook: Notebook) -> None:
    skill = notebook.create(
        "skills", "Release", "How we ship.", {"triggers": ["ship it"], "file_patterns": ["*.toml"]}, ("Test", "Tag")
    ).item
    assert skill_steps(skill) == ("Test", "Tag")
    changed = notebook.update("release", version=skill.version, steps=("Test", "Tag", "Push")).item
    assert changed.body == "How we ship.\n\n## Steps\n\n1. Test\n2. Tag\n3. Push\n"
    before = (root / skill.id).read_bytes()
    assert [notebook.use("release")[1].count for _ in range(3)] == [1, 2, 3]
    assert (root / skill.id).read_bytes() == before  # git sees nothing of it
    notebook.delete("release", version=changed.version)
    assert notebook.usage() == {}


def test_a_skill_folder_is_read_as_it_is(root: Path, notebook: Notebook) -> None:
    folder = root / ".waymeet" / "skills" / "pdf"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pdf-tools\ndescription: Reads PDFs\n---\n# PDF\n\n# Steps\n\n- Open\n")
    (folder / "reference.md").write_text("# Not a skill\n")
    found = notebook.list("skills")
    assert [(item.name, item.title, skill_steps(item)) for item in found] == [("pdf", "pdf-tools", ("Open",))]
    assert notebook.read("pdf") == notebook.read("pdf-tools") == found[0]


def test_a_name_of_several_is_refused(root: Path, notebook: Notebook) -> None:
    notebook.create("notes", "Same")
    notebook.create("tasks", "Same")
    with pytest.raises(UsageError, match="may mean any of"):
        notebook.read("same")
    assert notebook.read("same", "tasks").kind == "tasks"


def test_what_is_not_utf_8_is_read_but_not_changed(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A").item
    (root / item.id).write_bytes("Größe und Höhe der Bäume\n".encode("cp1252"))
    odd = notebook.read("a")
    assert odd.body == "Größe und Höhe der Bäume\n"
    with pytest.raises(UsageError, match="UTF-8"):
        notebook.update("a", version=odd.version, body="x")


def test_permissions_stay(root: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A").item
    (root / item.id).chmod(0o640)
    notebook.update("a", version=item.version, body="x")
    assert (root / item.id).stat().st_mode & 0o777 == 0o640


def test_a_disk_that_cannot_be_written_is_reported(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    item = notebook.create("notes", "A", "One.").item

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        notebook.update("a", version=item.version, body="Two.")
    with pytest.raises(UsageError, match="cannot be written"):
        notebook.create("notes", "B")
    assert notebook.list("notes") == (item,)
