"""Checkpoints: saving, comparing and restoring the state of all items."""

from pathlib import Path

import pytest

from waymeet.errors import ConflictError, ItemNotFoundError, UsageError
from waymeet.notebook import Notebook, atomic_replace
from waymeet.notebook.checkpoints import storage
from waymeet.settings import Settings

NOTE, TASK = ".waymeet/notes/a.md", ".waymeet/tasks/b.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def notebook(root: Path) -> Notebook:
    notebook = Notebook(root, Settings(), root.parent / "index.db")
    notebook.create("notes", "A", "One.")
    notebook.create("tasks", "B", "Work.")
    notebook.create("skills", "C", "Steps.")
    return notebook


def _change_all(root: Path, notebook: Notebook) -> None:
    (root / NOTE).write_bytes(b"By an editor.\r\n\xff")
    notebook.delete("b", version=notebook.load("b").version)
    notebook.create("notes", "New", "Later.")


def _contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if ".aside" not in path.parts
    }


def test_restore_brings_back_every_byte_and_keeps_the_present_state(root: Path, notebook: Notebook) -> None:
    before = _contents(root)
    assert len(notebook.checkpoints.create("start").files) == 3
    _change_all(root, notebook)
    after = _contents(root)
    assert [(change.path, change.change) for change in notebook.checkpoints.diff("start")] == [
        (NOTE, "changed"),
        (".waymeet/notes/new.md", "added"),
        (TASK, "removed"),
    ]
    restored = notebook.checkpoints.restore("start", planned=notebook.checkpoints.plan("start"))
    assert (_contents(root), restored.failed) == (before, ())
    assert notebook.checkpoints.diff("start") == ()
    assert len(notebook.history(".waymeet/notes/new.md")) == 1
    notebook.checkpoints.restore(restored.saved_as)
    assert _contents(root) == after


def test_the_text_of_a_difference_is_shown(root: Path, notebook: Notebook) -> None:
    notebook.checkpoints.create("start")
    notebook.update("a", version=notebook.load("a").version, body="Two.")
    (change,) = notebook.checkpoints.diff("start")
    assert change.diff.splitlines()[-2:] == ["-One.", "+Two."]
    notebook.checkpoints.create("end")
    assert notebook.checkpoints.diff("start", "end") == (change,)
    (change,) = notebook.checkpoints.diff("end", "start", with_text=False)
    assert (change.change, change.diff) == ("changed", "")


def test_relations_that_point_the_other_way_are_restored(root: Path, notebook: Notebook) -> None:
    """Restoring one of the two tasks first makes a cycle for a moment, which is not refused."""
    notebook.create("tasks", "D", "Work.")
    notebook.link("b", "blocks", "d")
    notebook.checkpoints.create("start")
    notebook.unlink("b", "blocks", "d")
    notebook.link("d", "blocks", "b")
    assert notebook.checkpoints.restore("start").failed == ()
    assert notebook.load("b").values("blocks") == ("d",)


def test_nothing_to_restore_saves_nothing(notebook: Notebook) -> None:
    notebook.checkpoints.create("start")
    assert notebook.checkpoints.restore("start").saved_as == ""
    assert [checkpoint.name for checkpoint in notebook.checkpoints.list()] == ["start"]


def test_names_are_unique_and_default_to_the_time(notebook: Notebook) -> None:
    notebook.checkpoints.create("a / b")
    with pytest.raises(UsageError, match="is a checkpoint 'a / b' already"):
        notebook.checkpoints.create("a / b")
    names = {notebook.checkpoints.create().name for _ in range(3)}
    assert len(names) == 3
    with pytest.raises(UsageError, match="longer than 100"):
        notebook.checkpoints.create("x" * 101)
    with pytest.raises(ItemNotFoundError, match="no checkpoint 'gone'"):
        notebook.checkpoints.restore("gone")


def test_a_file_that_an_editor_changes_meanwhile_is_left_alone_and_named(
    root: Path, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.checkpoints.create("start")
    _change_all(root, notebook)
    replace = atomic_replace.replace

    def edit_before(*arguments: object) -> bytes | None:
        (root / NOTE).write_text("Written this moment.\n")
        return replace(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic_replace, "replace", edit_before)
    restored = notebook.checkpoints.restore("start")
    ((path, reason),) = restored.failed
    assert (path, "was changed since" in reason) == (NOTE, True)
    assert (root / NOTE).read_text() == "Written this moment.\n"
    assert [change.path for change in restored.changes] == [".waymeet/notes/new.md", TASK]


def test_a_plan_that_no_longer_holds_is_refused(root: Path, notebook: Notebook) -> None:
    notebook.checkpoints.create("start")
    _change_all(root, notebook)
    planned = notebook.checkpoints.plan("start")
    notebook.create("notes", "Newest", "Just now.")
    before = _contents(root)
    with pytest.raises(ConflictError, match="nothing was restored"):
        notebook.checkpoints.restore("start", planned=planned)
    assert _contents(root) == before


def test_an_interrupted_restore_can_be_undone_and_repeated(
    root: Path, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _contents(root)
    notebook.checkpoints.create("start")
    _change_all(root, notebook)
    after = _contents(root)
    saved: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(atomic_replace, "remove", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            notebook.checkpoints.restore("start", on_saved=saved.append)
    notebook.checkpoints.restore(saved[0])
    assert _contents(root) == after
    notebook.checkpoints.restore("start")
    assert _contents(root) == before


def _interrupt(*_arguments: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_creation_leaves_no_checkpoint(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(storage, "write_json", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            notebook.checkpoints.create("start")
    assert notebook.checkpoints.list() == ()
    assert notebook.checkpoints.create("start").name == "start"


def test_a_damaged_content_is_found_before_anything_is_changed(root: Path, notebook: Notebook) -> None:
    checkpoint = notebook.checkpoints.create("start")
    contents = root.parent / "index.db.checkpoints" / "contents"
    (contents / checkpoint.files[NOTE]).write_text("damaged")
    _change_all(root, notebook)
    before = _contents(root)
    with pytest.raises(UsageError, match="missing or damaged"):
        notebook.checkpoints.restore("start")
    assert _contents(root) == before


def test_deleting_keeps_contents_that_other_checkpoints_have(root: Path, notebook: Notebook) -> None:
    notebook.checkpoints.create("start")
    _change_all(root, notebook)
    notebook.checkpoints.create("end")
    notebook.checkpoints.delete("start")
    assert [checkpoint.name for checkpoint in notebook.checkpoints.list()] == ["end"]
    contents = root.parent / "index.db.checkpoints" / "contents"
    assert {file.name for file in contents.iterdir()} == set(notebook.checkpoints.list()[0].files.values())
    assert notebook.checkpoints.diff("end") == ()


def test_files_that_cannot_be_read_are_named(root: Path, notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("Secret.\n")
    (root / ".waymeet/notes/link.md").symlink_to(tmp_path / "outside.md")
    checkpoint = notebook.checkpoints.create("start")
    assert [path for path, _ in checkpoint.left_out] == [".waymeet/notes/link.md"]
    assert ".waymeet/notes/link.md" not in checkpoint.files


def test_secrets_are_masked_in_differences(root: Path, notebook: Notebook) -> None:
    notebook.checkpoints.create("start")
    token = "ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    notebook.update("a", version=notebook.load("a").version, body=f"The token is {token}.")
    (change,) = notebook.checkpoints.diff("start")
    assert "+The token is " in change.diff
    assert token not in change.diff
    notebook.checkpoints.create("end")
    notebook.update("a", version=notebook.load("a").version, body=f"The token is {token.replace('3', '4')}.")
    (change,) = notebook.checkpoints.diff("end")
    assert change.diff == "(only masked text or line ends differ)"
    notebook.checkpoints.restore("end")
    assert token in (root / NOTE).read_text()
