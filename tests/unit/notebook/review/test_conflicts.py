"""Conflicts between items: found, listed until resolved, and found again after a change."""

from pathlib import Path

import pytest

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.notebook import IndexView, Notebook
from waymeet.notebook.review import conflict_list
from waymeet.notebook.review.conflict_list import conflicts_file
from waymeet.notebook.review.conflicts import read_conflicts
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore

MONTHLY = "The signing keys of the billing service are rotated every 30 days by the job called rotate."
WEEKLY = MONTHLY.replace("30", "7")
ONE, OTHER = ".waymeet/notes/keys.md", ".waymeet/notes/more-keys.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def notebook(root: Path) -> Notebook:
    return _open(root)


def _open(root: Path) -> Notebook:
    return Notebook(root, Settings(), root.parent / "index.db")


def _add_conflict(notebook: Notebook) -> str:
    notebook.create("notes", "Keys", MONTHLY)
    notebook.create("notes", "More keys", WEEKLY)
    (conflict,) = notebook.review.conflicts()
    return conflict.id


def test_a_conflict_is_listed_with_both_items_the_reasons_and_its_date(root: Path, notebook: Notebook) -> None:
    notebook.create("notes", "Garden", "The garden needs water.")
    _add_conflict(notebook)
    for opened in (notebook, _open(root)):
        (conflict,) = opened.review.conflicts("notes")
        assert (conflict.one.id, conflict.other.id) == (ONE, OTHER)
        assert (conflict.one.sentence, conflict.other.sentence) == (MONTHLY, WEEKLY)
        assert conflict.reasons[0] == "may contradict: 7 against 30"
        assert conflict.reasons[1].startswith("near-duplicate: similarity 0.")
        assert conflict.since_ns > 0
        assert opened.review.conflicts("tasks") == ()


@pytest.mark.parametrize("resolution", ["keep-both", "merged"])
def test_a_resolved_conflict_comes_back_only_when_a_text_changes(notebook: Notebook, resolution: str) -> None:
    id_ = _add_conflict(notebook)
    resolved = notebook.review.resolve(id_[:4], resolution)
    assert resolved.resolution == resolution.replace("-", "_")
    assert notebook.review.conflicts() == ()
    item = notebook.load("keys")
    notebook.update("keys", version=item.version, fields={"tags": ["ops"]})
    notebook.update("more-keys", version=notebook.load("more-keys").version, body=WEEKLY)
    assert notebook.review.conflicts() == ()  # the texts are the same
    notebook.update("keys", version=notebook.load("keys").version, body=f"{MONTHLY} On the build server.")
    assert [conflict.id for conflict in notebook.review.conflicts()] == [id_]
    assert notebook.review.conflicts()[0].since_ns > resolved.since_ns


def test_superseded_writes_the_relation_to_the_item_that_is_kept(notebook: Notebook) -> None:
    id_ = _add_conflict(notebook)
    with pytest.raises(UsageError, match="not said which"):
        notebook.review.resolve(id_, "superseded")
    notebook.review.resolve(id_, "superseded", keep="more-keys")
    assert notebook.load("more-keys").values("supersedes") == ("keys",)
    assert notebook.review.conflicts() == ()


def test_a_relation_of_the_author_settles_a_conflict(notebook: Notebook) -> None:
    _add_conflict(notebook)
    notebook.link("keys", "supersedes", "more-keys")
    assert notebook.review.conflicts() == ()
    notebook.unlink("keys", "supersedes", "more-keys")
    assert len(notebook.review.conflicts()) == 1


@pytest.mark.parametrize("relation", ["contradicts", "conflicts_with"])
def test_a_relation_makes_a_conflict_until_it_is_removed(notebook: Notebook, relation: str) -> None:
    notebook.create("notes", "Garden", "It is green.")
    notebook.create("tasks", "House", "Paint it blue.")
    notebook.link("garden", relation, "house")
    (conflict,) = notebook.review.conflicts("tasks")
    assert conflict.reasons == (f"linked by {relation}",)
    notebook.review.resolve(conflict.id, "keep_both")
    assert notebook.review.conflicts() == ()
    notebook.update("house", version=notebook.load("house").version, body="Paint it red.")
    assert len(notebook.review.conflicts()) == 1
    notebook.unlink("garden", relation, "house")
    assert notebook.review.conflicts() == ()


def test_an_editor_that_makes_the_texts_agree_resolves_the_conflict(root: Path, notebook: Notebook) -> None:
    id_ = _add_conflict(notebook)
    (root / OTHER).write_text("---\ntitle: More keys\n---\nThe garden needs water.\n")
    assert notebook.review.conflicts() == ()
    (stored,) = read_conflicts(conflicts_file(root.parent / "index.db"))
    assert stored.resolution == "text_changed"
    (root / OTHER).write_text(f"---\ntitle: More keys\n---\n{WEEKLY}\n")
    assert [conflict.id for conflict in notebook.review.conflicts()] == [id_]


def test_a_saved_text_that_agrees_resolves_the_conflict(notebook: Notebook) -> None:
    _add_conflict(notebook)
    notebook.update("more-keys", version=notebook.load("more-keys").version, body="The garden needs water.")
    assert notebook.review.conflicts() == ()


def test_a_removed_item_is_not_listed_until_it_is_restored(notebook: Notebook) -> None:
    _add_conflict(notebook)
    removed = notebook.delete("keys", version=notebook.load("keys").version)
    assert notebook.review.conflicts() == ()
    notebook.restore(ONE, removed.version, version="")
    assert len(notebook.review.conflicts()) == 1


def test_wrong_requests_are_refused_with_a_hint(notebook: Notebook) -> None:
    id_ = _add_conflict(notebook)
    with pytest.raises(ItemNotFoundError, match="no open conflict 'zz'"):
        notebook.review.resolve("zz", "merged")
    with pytest.raises(UsageError, match="no resolution 'perhaps'"):
        notebook.review.resolve(id_, "perhaps")
    with pytest.raises(UsageError, match="keeps no item"):
        notebook.review.resolve(id_, "merged", keep="keys")


def test_a_read_only_data_folder_lets_items_be_saved_and_listed(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(conflict_list, "change_conflicts", refuse)
    notebook.create("notes", "Keys", MONTHLY)
    saved = notebook.create("notes", "More keys", WEEKLY)
    assert any("conflicts could not be recorded" in note for note in saved.notes)
    notebook.link("keys", "contradicts", "more-keys")
    assert len(notebook.review.conflicts()) == 1


def test_a_damaged_file_is_reported_with_a_remedy(root: Path, notebook: Notebook) -> None:
    conflicts_file(root.parent / "index.db").write_text("[")
    with pytest.raises(UsageError, match=r"conflicts\.json cannot be read"):
        notebook.review.conflicts()
    assert notebook.create("notes", "Keys", MONTHLY).notes


def test_secrets_are_masked_in_the_sentences_of_a_conflict(root: Path, notebook: Notebook) -> None:
    token = "ghp_" + "aB3dE5fG7h" * 3 + "iJ9kL1"
    notebook.create("notes", "Keys", f"{MONTHLY[:-1]} with {token} today.")
    notebook.create("notes", "More keys", f"{WEEKLY[:-1]} with {token} today.")
    (conflict,) = notebook.review.conflicts()
    assert conflict.one.sentence.startswith("The signing keys")
    assert token not in conflict.one.sentence + conflict.other.sentence
    assert token not in conflicts_file(root.parent / "index.db").read_text()


def test_an_item_that_the_index_does_not_have_yet_is_compared_all_the_same(root: Path) -> None:
    index = IndexView(store=MemoryStore, refresh=lambda: ["another process is indexing now"])
    notebook = Notebook(root, Settings(), root.parent / "index.db", index)
    _add_conflict(notebook)
