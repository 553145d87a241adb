"""Notes, tasks and skills through the API: the same files that editors write."""

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
def entries(root: Path) -> Notebook:
    return _notebook(root)


def _notebook(root: Path, **settings: object) -> Notebook:
    return Notebook(root, Settings(notebook=NotebookSettings(**settings)), root.parent / "index.db")  # type: ignore[arg-type]


def test_a_note_is_a_plain_file(root: Path, entries: Notebook) -> None:
    saved = entries.create("notes", "Rotate the keys", "Once a month.", {"tags": ["ops", "keys"]})
    assert saved.item.id == f"{NOTES}/rotate-the-keys.md"
    text = (root / saved.item.id).read_text(encoding="utf-8")
    assert text == "---\ntitle: Rotate the keys\ntags:\n  - ops\n  - keys\n---\n\nOnce a month.\n"
    for name in ("rotate-the-keys", "Rotate the keys", "notes/rotate-the-keys", saved.item.id, f"./{saved.item.id}"):
        assert entries.read(name) == saved.item


def test_an_edit_in_an_editor_is_an_edit(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A", "One.").item
    path = root / item.id
    path.write_text(path.read_text().replace("One.", "Two.").replace("title: A", "title: B\nmine: kept"))
    now = entries.read("a")
    assert (now.title, now.body, now.fields["mine"]) == ("B", "Two.\n", "kept")
    assert now.version != item.version
    saved = entries.update("a", version=now.version, fields={"due": "soon"})
    assert path.read_text() == "---\ntitle: B\nmine: kept\ndue: soon\n---\n\nTwo.\n"
    assert saved.item.version == entries.read("a").version
    (root / NOTES / "by-hand.md").write_text("# By hand\n\nNo front matter.\n")
    assert [each.title for each in entries.list("notes")] == ["B", "By hand"]


def test_a_stale_change_is_refused_and_shows_both(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A", "One.\nEnd.").item
    (root / item.id).write_text("---\ntitle: A\n---\n\nOne by an editor.\nEnd.\n")
    with pytest.raises(ConflictError) as refused:
        entries.update("a", version=item.version, body="One by the API.\nEnd.")
    error = refused.value
    assert "-One by an editor." in str(error)
    assert "+One by the API." in str(error)
    assert "One by an editor." in error.current
    assert "One by the API." in error.refused
    assert error.version == entries.read("a").version
    with pytest.raises(ConflictError, match="by an editor"):
        entries.delete("a", version=item.version)
    with pytest.raises(ConflictError):
        entries.link("a", "related_to", "docs/setup.md", version=item.version)
    assert entries.read("a").body == "One by an editor.\nEnd.\n"
    entries.update("a", version=error.version, body="Both.")
    assert entries.read("a").body == "Both.\n"


@pytest.mark.parametrize("can", [True, False])
def test_an_editor_that_writes_at_the_worst_moment(
    root: Path, entries: Notebook, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    """Between the last look at the file and its exchange: the change is refused, the editor's text is in place."""
    item = entries.create("notes", "A", "One.").item

    def late(one: Folder, name: str, other: Folder, called: str) -> bool:
        monkeypatch.setattr(atomic_replace, "exchange_files", exchange_files)
        (root / item.id).write_text("By an editor.\n")
        return can and exchange_files(one, name, other, called)

    monkeypatch.setattr(atomic_replace, "exchange_files", late)
    with pytest.raises(ConflictError, match="By an editor"):
        entries.update("a", version=item.version, body="Two.")
    assert (root / item.id).read_text() == "By an editor.\n"
    assert [path.name for path in (root / NOTES).glob("*.md")] == ["a.md"]


def test_an_editor_that_writes_into_the_file_after_it_was_replaced(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A", "One.").item
    with (root / item.id).open("a") as editor:
        entries.update("a", version=item.version, body="Two.")
        editor.write("Three, by an editor that opened it before.\n")
    assert entries.read("a").body == "Two.\n"
    recovered = atomic_replace.sweep(ItemFolder(root, NOTES), now=True)
    assert [each.saved_as for each in recovered] == ["a.rescued.md"]
    brought = entries.read("a.rescued")
    assert "Three, by an editor" in brought.body
    assert brought.problems
    assert not atomic_replace.sweep(ItemFolder(root, NOTES), now=True)


def test_what_is_aside_is_forgotten_after_a_while(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A", "One.").item
    entries.update("a", version=item.version, body="Two.")
    folder = root / NOTES / ".aside"
    assert len(list(folder.iterdir())) == 2
    assert atomic_replace.sweep(ItemFolder(root, NOTES)) == ()
    assert len(list(folder.iterdir())) == 2  # not yet
    assert atomic_replace.sweep(ItemFolder(root, NOTES), now=True) == ()
    assert [path.name for path in folder.iterdir()] == [".gitignore"]


def test_a_replacement_that_was_broken_off_is_undone(root: Path, entries: Notebook) -> None:
    """As after a crash between the two steps that are taken where files cannot be exchange_files."""
    item = entries.create("notes", "A", "One.").item
    label = atomic_replace._work_name("u", item.version, "0" * 12, "a.md")
    (root / item.id).rename(root / NOTES / ".aside" / label)
    atomic_replace.sweep(ItemFolder(root, NOTES), now=True)
    assert entries.read("a") == item


def test_past_versions_can_be_brought_back(root: Path, entries: Notebook) -> None:
    first = entries.create("notes", "A", "One.").item
    second = entries.update("a", version=first.version, body="Two.").item
    (root / first.id).write_text("Overwritten by an editor that did not look.\n")
    assert [each.version for each in entries.history("a")] == [second.version, first.version]
    entries.restore("a", second.version, version=entries.read("a").version)
    assert entries.read("a") == second
    entries.delete("a", version=second.version)
    with pytest.raises(ItemNotFoundError):
        entries.read("a")
    entries.restore(first.id, first.version, version="")
    assert entries.read("a") == first
    with pytest.raises(ItemNotFoundError, match="not saved"):
        entries.restore("a", "0" * 12, version=first.version)


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
def test_titles_become_file_names(root: Path, entries: Notebook, title: str, name: str) -> None:
    item = entries.create("notes", title, "Text.").item
    assert item.id == f"{NOTES}/{name}.md"
    assert (root / item.id).is_file()
    assert entries.create("notes", title, "Other.").item.id == f"{NOTES}/{name}-2.md"
    assert {path.relative_to(root).parts[0] for path in root.rglob("*.md")} == {".waymeet", "docs"}


def test_links_are_never_followed_out_of_the_root(root: Path, entries: Notebook, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / ".waymeet").mkdir()
    (root / NOTES).symlink_to(outside)
    with pytest.raises(UsageError, match="not a folder of the project"):
        entries.create("notes", "A", "Text.")
    with pytest.raises(UsageError):
        entries.list("notes")
    (root / NOTES).unlink()
    entries.create("notes", "A", "Text.")
    (root / NOTES / "link.md").symlink_to(outside / "secret.md")
    with pytest.raises(UsageError):
        entries.read("link")
    assert [item.name for item in entries.list("notes")] == ["a"]
    assert [path.name for path in outside.iterdir()] == ["secret.md"]


@pytest.mark.parametrize("folder", ["../out", "", "a/../..", ".git/hooks"])
def test_folders_outside_the_root_are_refused(root: Path, folder: str) -> None:
    with pytest.raises(SettingsError):
        _notebook(root, notes=folder)


def test_folders_are_a_setting(root: Path) -> None:
    entries = _notebook(root, notes="./docs/notes/")
    assert entries.create("notes", "A").item.id == "docs/notes/a.md"


def test_what_is_too_large_is_refused(root: Path) -> None:
    entries = _notebook(root, max_bytes=100)
    item = entries.create("notes", "A", "x" * 50).item
    with pytest.raises(UsageError, match=r"notebook\.max_bytes"):
        entries.update("a", version=item.version, body="x" * 100)
    assert entries.read("a") == item


def test_tasks(entries: Notebook) -> None:
    task = entries.create("tasks", "Rotate", fields={"priority": "High", "due": "2026-12-31", "assignee": "Ann"}).item
    assert task.fields == {
        "title": "Rotate",
        "priority": "high",
        "due": "2026-12-31",
        "assignee": "Ann",
        "status": "todo",
    }
    moved = entries.update("rotate", version=task.version, fields={"status": "In progress", "due": None}).item
    assert moved.value("status") == "in_progress"
    assert "due" not in moved.fields
    for field, value in (("status", "doing"), ("priority", "huge"), ("due", "tomorrow")):
        with pytest.raises(UsageError, match=f"{field}: '{value}'"):
            entries.update("rotate", version=moved.version, fields={field: value})
    with pytest.raises(UsageError, match="status"):
        entries.update("rotate", version=moved.version, text="---\nstatus: doing\n---\n")
    assert [item.name for item in entries.list("tasks", {"status": ["in_progress", "todo"]})] == ["rotate"]
    assert not entries.list("tasks", {"status": ["done"]})


def test_tasks_are_listed_by_urgency(entries: Notebook) -> None:
    for title, fields in (
        ("a", {"status": "done", "priority": "critical"}),
        ("b", {"priority": "low"}),
        ("c", {"priority": "high", "due": "2027-01-01"}),
        ("d", {"priority": "high", "due": "2026-01-01"}),
        ("e", {"status": "in_progress"}),
        ("f", {}),
    ):
        entries.create("tasks", title, fields=fields)
    assert [item.name for item in entries.list("tasks")] == ["e", "d", "c", "f", "b", "a"]


def test_an_editors_odd_values_are_told_and_do_not_block_other_changes(root: Path, entries: Notebook) -> None:
    task = entries.create("tasks", "A").item
    (root / task.id).write_text("---\nstatus: doing\n---\nText\n")
    odd = entries.read("a")
    assert "'doing' is not one of" in odd.problems[0]
    assert entries.update("a", version=odd.version, fields={"priority": "low"}).item.value("status") == "doing"


def test_relations_do_not_go_round_in_circles(entries: Notebook) -> None:
    for name in "abc":
        entries.create("tasks", name)
    entries.link("a", "blocks", "b")
    entries.link("b", "blocks", "tasks/c")
    with pytest.raises(UsageError, match="c → a → b → c"):
        entries.link("c", "blocks", "a")
    with pytest.raises(UsageError, match="itself"):
        entries.link("c", "subtask_of", "c")
    c = entries.link("c", "related_to", "a").item
    with pytest.raises(UsageError, match="cycle"):
        entries.update("c", version=c.version, text="---\nblocks: ['[[A]]']\n---\n")
    entries.link("a", "subtask_of", "c")
    assert entries.link("a", "subtask-of", "b").item.values("subtask_of") == ("b",)  # there is only one parent


def test_links_lead_to_entries_files_and_nothing_else(root: Path, entries: Notebook) -> None:
    entries.create("notes", "A")
    entries.create("tasks", "B")
    assert entries.link("a", "references", "docs/setup.md#keys").item.values("references") == ("docs/setup.md#keys",)
    assert entries.link("a", "belongs_to", "B").item.values("belongs_to") == (".waymeet/tasks/b.md",)
    assert not entries.link("a", "belongs_to", "[[B]]").changed
    (root / "docs" / "one, two.md").write_text("# Both\n")
    assert entries.link("a", "related_to", "docs/one, two.md").item.values("related_to") == ("[[docs/one, two.md]]",)
    assert entries.unlink("a", "related_to", "docs/one, two.md").changed
    for target in ("no-such-thing", "../outside.md", "/etc/passwd", ""):
        with pytest.raises(ItemNotFoundError):
            entries.link("a", "related_to", target)
    with pytest.raises(UsageError, match="no relation"):
        entries.link("a", "title", "b")
    assert entries.unlink("a", "belongs_to", "b").item.values("belongs_to") == ()
    with pytest.raises(ItemNotFoundError, match="not related"):
        entries.unlink("a", "belongs_to", "b")


def test_removing_an_entry_removes_the_relations_that_lead_to_it(root: Path, entries: Notebook) -> None:
    a = entries.create("tasks", "A").item
    entries.create("tasks", "B", "See [[a]].", {"blocks": ["A"], "related_to": ["a", "docs/setup.md"]})
    entries.create("notes", "N", fields={"belongs_to": ["tasks/a"]})
    (root / NOTES / "m.md").write_text("---\nrelated: 'setup, [[.waymeet/tasks/a]]'\n---\n")
    (root / NOTES / "o.md").write_text("---\nblocks: {target: .waymeet/tasks/a.md, since: 2026}\n---\n")
    removed = entries.delete("a", version=a.version, kind="tasks")
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


def test_skills(root: Path, entries: Notebook) -> None:
    skill = entries.create(
        "skills", "Release", "How we ship.", {"triggers": ["ship it"], "file_patterns": ["*.toml"]}, ("Test", "Tag")
    ).item
    assert skill_steps(skill) == ("Test", "Tag")
    changed = entries.update("release", version=skill.version, steps=("Test", "Tag", "Push")).item
    assert changed.body == "How we ship.\n\n## Steps\n\n1. Test\n2. Tag\n3. Push\n"
    before = (root / skill.id).read_bytes()
    assert [entries.use("release")[1].count for _ in range(3)] == [1, 2, 3]
    assert (root / skill.id).read_bytes() == before  # git sees nothing of it
    entries.delete("release", version=changed.version)
    assert entries.usage() == {}


def test_a_skill_folder_is_read_as_it_is(root: Path, entries: Notebook) -> None:
    folder = root / ".waymeet" / "skills" / "pdf"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pdf-tools\ndescription: Reads PDFs\n---\n# PDF\n\n# Steps\n\n- Open\n")
    (folder / "reference.md").write_text("# Not a skill\n")
    found = entries.list("skills")
    assert [(item.name, item.title, skill_steps(item)) for item in found] == [("pdf", "pdf-tools", ("Open",))]
    assert entries.read("pdf") == entries.read("pdf-tools") == found[0]


def test_a_name_of_several_is_refused(root: Path, entries: Notebook) -> None:
    entries.create("notes", "Same")
    entries.create("tasks", "Same")
    with pytest.raises(UsageError, match="may mean any of"):
        entries.read("same")
    assert entries.read("same", "tasks").kind == "tasks"


def test_what_is_not_utf_8_is_read_but_not_changed(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A").item
    (root / item.id).write_bytes("Größe und Höhe der Bäume\n".encode("cp1252"))
    odd = entries.read("a")
    assert odd.body == "Größe und Höhe der Bäume\n"
    with pytest.raises(UsageError, match="UTF-8"):
        entries.update("a", version=odd.version, body="x")


def test_permissions_stay(root: Path, entries: Notebook) -> None:
    item = entries.create("notes", "A").item
    (root / item.id).chmod(0o640)
    entries.update("a", version=item.version, body="x")
    assert (root / item.id).stat().st_mode & 0o777 == 0o640


def test_a_disk_that_cannot_be_written_is_told(entries: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    item = entries.create("notes", "A", "One.").item

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        entries.update("a", version=item.version, body="Two.")
    with pytest.raises(UsageError, match="cannot be written"):
        entries.create("notes", "B")
    assert entries.list("notes") == (item,)
