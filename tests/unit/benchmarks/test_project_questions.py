"""The committed questions about real projects: complete, judged by section, and the two halves apart.

The projects themselves are not needed for these tests.
"""

import re
from collections import Counter
from pathlib import Path, PurePosixPath

import msgspec
import pytest
from projects.fetch import FOLDER, GROUPS, HALVES, read_projects

from waymeet.evaluate.collection import QRELS, QUERIES, CollectionQuery, read_qrels
from waymeet.ingest.discover.ignore import Rules

ALL_NAMES = [project.name for project in read_projects()]
LATER = {group: sorted(path.name for path in (FOLDER / group).iterdir()) for group in GROUPS if group not in HALVES}
"""The projects of the groups that do not have all of them."""
NAMES = [name for name in ALL_NAMES if (FOLDER / HALVES[0] / name).is_dir()]
MIN_QUESTIONS = 6
"""Questions of one half, at least."""
KINDS = {"how", "concept", "error", "name", "where", "config", "release"}
KNOWN_FAILURES = ("prettifyError", "ZodDiscriminatedUnion", "ModelAdmin.list_display")
"""Names that were looked at before the questions were written."""


def read_questions(half: str, name: str) -> list[CollectionQuery]:
    lines = (FOLDER / half / name / QUERIES).read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=CollectionQuery, strict=True) for line in lines]


def list_kinds(half: str, name: str) -> list[str]:
    return sorted(question.id.rpartition("-")[0] for question in read_questions(half, name))


def test_every_project_has_both_halves() -> None:
    for half in HALVES:
        assert sorted(path.name for path in (FOLDER / half).iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_project_has_different_questions_with_ids_of_their_own(name: str) -> None:
    questions = [question for half in HALVES for question in read_questions(half, name)]
    assert max(Counter(question.id for question in questions).values()) == 1
    assert max(Counter(question.text for question in questions).values()) == 1
    assert all(question.text == question.text.strip() != "" for question in questions)


@pytest.mark.parametrize("name", NAMES)
def test_each_half_has_enough_questions_of_known_kinds(name: str) -> None:
    for half in HALVES:
        kinds = list_kinds(half, name)
        assert len(kinds) >= MIN_QUESTIONS
        assert {*kinds} <= KINDS


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", NAMES)
def test_every_question_is_judged_by_sections(half: str, name: str) -> None:
    qrels = read_qrels(FOLDER / half / name / QRELS)
    assert set(qrels) == {question.id for question in read_questions(half, name)}
    for judgements in qrels.values():
        assert set(judgements.values()) <= {1, 2}
        for place in judgements:
            path, _, anchor = place.rpartition("#")
            assert path, place
            assert not path.startswith(("/", "./", "corpus/")), place
            assert anchor, place
            lines = re.fullmatch(r"L(\d+)-L(\d+)", anchor)
            assert lines is None or int(lines[1]) <= int(lines[2]), place


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", NAMES)
def test_no_judgement_is_written_twice(half: str, name: str) -> None:
    rows = (FOLDER / half / name / QRELS).read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(set(rows)) == 1 + sum(map(len, read_qrels(FOLDER / half / name / QRELS).values()))


def test_the_repository_ignores_no_judged_file_of_a_downloaded_project() -> None:
    lines = (FOLDER.parents[1] / ".gitignore").read_text(encoding="utf-8").splitlines()
    lines.remove("/build/")  # the projects are in this folder
    judged = {
        f"build/projects/{qrels.parent.name}/{place.rpartition('#')[0] or place}"
        for qrels in FOLDER.glob(f"*/*/{QRELS}")
        for judgements in read_qrels(qrels).values()
        for place in judgements
    }
    rules = Rules(lines)
    paths = dict.fromkeys(judged, False) | {
        str(folder): True for path in judged for folder in PurePosixPath(path).parents
    }
    assert [path for path, folder in paths.items() if rules.decide(path, path.rpartition("/")[2], folder=folder)] == []


def test_names_known_before_are_in_the_open_half() -> None:
    held_out = "".join(question.text for name in NAMES for question in read_questions("held-out", name))
    assert not [name for name in KNOWN_FAILURES if name in held_out]


def test_questions_about_japanese_and_chinese_pages_are_in_their_language() -> None:
    for name, letters in {"handbook-ja": r"[\u3040-\u30ff]", "installation-zh": r"[\u4e00-\u9fff]"}.items():
        for half in HALVES:
            texts = [question.text for question in read_questions(half, name) if not question.id.startswith("name-")]
            assert all(re.search(letters, text) for text in texts)


def test_the_other_groups_have_new_questions_that_are_judged() -> None:
    assert {*ALL_NAMES} == {*NAMES, *(name for names in LATER.values() for name in names)}
    for group, names in LATER.items():
        for name in names:
            questions, qrels = read_questions(group, name), read_qrels(FOLDER / group / name / QRELS)
            assert len(questions) >= MIN_QUESTIONS
            assert {*list_kinds(group, name)} <= {*KINDS, "what"}
            assert {question.id for question in questions} == set(qrels)
            earlier = [each for half in HALVES if name in NAMES for each in read_questions(half, name)]
            texts = [question.text for question in (*questions, *earlier)]
            assert len(texts) == len(set(texts))


def test_no_part_of_a_project_is_committed() -> None:
    ignored = (FOLDER.parents[1] / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/benchmarks/projects/*/*/corpus" in ignored
    folders = [folder for group in GROUPS for folder in Path(FOLDER, group).iterdir()]
    assert {path.name for folder in folders for path in folder.iterdir()} <= {QUERIES, QRELS, "corpus", "qrels"}
    assert {path.name for folder in folders for path in folder.glob("qrels/*")} <= {"pooled.tsv"}
