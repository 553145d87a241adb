"""Items that are similar to a saved note or may contradict it."""

from pathlib import Path

import pytest

from waymeet.notebook.similar import Text, compare_texts, term_cosine
from waymeet.project import Project
from waymeet.settings import NotebookSettings

LONG = "The signing keys of the billing service are rotated every month by the job called rotate, on the first day."


def found(mine: str, other: str) -> tuple[list[str], list[str]]:
    result = compare_texts(Text("a", "", mine), [Text("b", "", other)], NotebookSettings())
    return [each.verdict for each in result.similar], [each.reason for each in result.contradictions]


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (LONG, ["same"]),
        (LONG.replace("month", "week"), ["update"]),
        (LONG + " The old ones are kept for a week, then destroyed.", ["related"]),
        ("The garden needs water.", []),
    ],
)
def test_likeness_has_three_levels(other: str, verdict: list[str]) -> None:
    assert found(LONG, other)[0] == verdict


@pytest.mark.parametrize(
    ("mine", "other", "reason"),
    [
        ("The cache is cleared on deploy.", "The cache is not cleared on deploy.", "one of them is negated"),
        (
            "Tokens of the login expire after 30 minutes.",
            "Tokens of the login expire after 60 minutes.",
            "30 against 60",
        ),
        ("We don't support Windows paths.", "We support Windows paths.", "one of them is negated"),
        ("鍵は毎月更新する。", "鍵は毎月更新しない。", "one of them is negated"),
        ("The cache is cleared on deploy.", "The cache is cleared on deploy.", ""),
        ("The cache is not cleared.", "The garden is green.", ""),
        ("Tokens expire after 30 minutes.", "Backups run after 60 minutes in the night.", ""),
    ],
)
def test_contradictions_are_suspected(mine: str, other: str, reason: str) -> None:
    reasons = found(f"Something else. {mine}", f"{other} And more.")[1]
    assert [reason in each for each in reasons] == ([True] if reason else [])


def test_likeness_of_nothing_is_nothing() -> None:
    assert term_cosine({}, {}) == term_cosine({"a": 1}, {}) == 0.0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "copy.md").write_text(f"# Not a note\n\n{LONG}\n")
    return Project.open(root, index=tmp_path / "index.db", flags=["embedding.provider=hashing"])


@pytest.mark.parametrize("indexed", [True, False])
def test_saving_a_note_reports_similar_ones(project: Project, indexed: bool) -> None:
    if indexed:
        project.index()
    with project:
        notes = project.notebook
        first = notes.create("notes", "Keys", LONG).item
        second = notes.create("notes", "Keys", LONG)
        assert [(each.id, each.verdict) for each in second.similar] == [(first.id, "same")]
        notes.create("tasks", "Other", "Something else.")
        changed = notes.update(second.item.id, version=second.item.version, body="The garden needs water.")
        assert not changed.similar


def test_entries_linked_by_contradicts_are_shown_together(project: Project) -> None:
    project.index()
    with project:
        notes = project.notebook
        one = notes.create("notes", "Keys are rotated", LONG).item
        other = notes.create("notes", "Keys stay", "Nobody ever touches them.").item
        notes.link(other.id, "contradicts", one.id)
        saved = notes.create("notes", "Keys are rotated monthly", LONG)
        assert [each.id for each in saved.similar] == [one.id]
        assert [(each.id, each.reason) for each in saved.contradictions] == [
            (other.id, f"linked by contradicts to {one.id}")
        ]


def test_entries_are_searched_by_kind_and_know_who_links_to_them(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "web" / "skills" / "pdf").mkdir(parents=True)
    (root / "web" / "skills" / "pdf" / "SKILL.md").write_text(
        "---\nname: pdf-tools\ndescription: Reads portable documents\n---\n# PDF\n\nOpen it.\n"
    )
    with Project.open(root, index=tmp_path / "index.db") as project:
        project.index()
        notebook = project.notebook
        note = notebook.create("notes", "鍵の更新", "鍵は毎月更新する。").item
        task = notebook.create("tasks", "Rotate", "Do it.", {"belongs_to": [note.id]}).item
        skill = notebook.create("skills", "Release", "", {"triggers": ["ship it"]}, ("Tag",)).item
        project.search("anything")  # indexes the changed files
        store, _ = project.refreshed_store()
        kinds = {each.id: each.kind for each in store.documents([note.id, task.id, skill.id]).values()}
        assert kinds == {note.id: "notes", task.id: "tasks", skill.id: "skills"}
        assert project.search("毎月更新").hits[0].document == note.id
        assert project.search("please ship it").hits[0].document == skill.id
        assert project.search("reads portable documents").hits[0].document == "web/skills/pdf/SKILL.md"
        assert notebook.backlinks(note.id) == ((task.id, "belongs_to"),)
        foreign = notebook.read("pdf-tools", "skills")
        assert not foreign.writable
        assert not any(".aside" in each for each in store.fingerprints())
        removed = notebook.delete(note.id, version=note.version)
        assert removed.unlinked == ((task.id, "belongs_to"),)
        assert note.id not in {hit.document for hit in project.search("毎月更新").hits}


def test_other_folders_make_the_index_anew(project: Project, tmp_path: Path) -> None:
    (project.root / "log").mkdir()
    (project.root / "log" / "a.md").write_text("# A\n\nA page.\n")
    project.index()
    store, _ = project.refreshed_store()
    assert store.documents(["log/a.md"])["log/a.md"].kind == "docs"
    project.close()
    with Project.open(project.root, index=tmp_path / "index.db", flags=["notebook.notes=log"]) as again:
        again.index()
        assert again.refreshed_store()[0].documents(["log/a.md"])["log/a.md"].kind == "notes"
