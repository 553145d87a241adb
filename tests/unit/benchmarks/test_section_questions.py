"""The questions about single sections: complete, different from each other, and written as collections."""

import hashlib
import io
import re
import tarfile
from pathlib import Path

import pytest
import section_questions
from projects.fetch import FetchError, Project, read_projects
from section_questions import FOLDER, Asked, read_asked, write_collection

from waymeet.evaluate.collection import load_collection

NAMES = [project.name for project in read_projects(FOLDER / "projects.toml")]
TESTED = {project.name for project in read_projects()}
FILES = {"docs/keys.md": "# Keys\n\nRotate them.\n", "src/a.py": "def rotate():\n    return 1\n", "other.txt": "no\n"}


def test_every_package_has_questions_and_is_not_tested_otherwise() -> None:
    assert sorted(path.stem for path in (FOLDER / "questions").iterdir()) == sorted(NAMES)
    assert not TESTED & {name.partition("-")[2] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_questions_are_different_and_name_lines(name: str) -> None:
    asked = read_asked(name)
    questions = [question for each in asked for question in each.questions]
    assert len(questions) == len(set(questions)) > 10
    assert len({each.section for each in asked}) == len(asked)
    for each in asked:
        lines = re.fullmatch(r"[^/].*#L(\d+)-L(\d+)", each.section)
        assert lines is not None, each.section
        assert int(lines[1]) <= int(lines[2])
    assert all(question == " ".join(question.split()) != "" for question in questions)


def _pack(folder: Path) -> Project:
    archive = folder / "tea-1.0.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, text in FILES.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(text)
            packed.addfile(info, io.BytesIO(text.encode()))
    return Project("tea", "npm", "tea", "1.0", hashlib.sha256(archive.read_bytes()).hexdigest(), ".")


def test_a_collection_has_the_files_that_are_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = _pack(tmp_path)
    monkeypatch.setattr("projects.fetch.download_archive", lambda *_: tmp_path / "tea-1.0.tgz")
    asked = [Asked("package/docs/keys.md#L1-L3", ("new keys", "how do I change keys?"))]
    write_collection(project, asked, tmp_path / "made")
    collection = load_collection(tmp_path / "made")
    assert [query.text for query in collection.queries] == ["new keys", "how do I change keys?"]
    assert collection.qrels == {number: {"package/docs/keys.md#L1-L3": 1} for number in "12"}
    files = [path for path in (tmp_path / "made" / "corpus").rglob("*") if path.is_file()]
    assert [path.name for path in files] == ["keys.md"]
    with pytest.raises(FetchError, match=r"no file package/gone\.md"):
        write_collection(project, [Asked("package/gone.md#L1-L3", ("where?",))], tmp_path / "made")
    assert load_collection(tmp_path / "made") == collection, "the earlier one is kept"


def test_a_package_that_cannot_be_had_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(project: Project, _asked: object, _target: Path) -> None:
        if project.name == NAMES[1]:
            raise FetchError("The archive is gone.")

    monkeypatch.setattr(section_questions, "write_collection", write)
    assert section_questions.main(["--target", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.err == f"{NAMES[1]}: The archive is gone.\n"
    assert len(shown.out.splitlines()) == len(NAMES) - 1
