"""Collections of many questions about single sections, to see differences that fewer questions do not show.

Each package of `projects.toml` is downloaded, and the files that questions are about are copied from it, with the
questions and the sections that they were written for. `waymeet eval` can measure the result.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.json import decode
from projects.fetch import FetchError, Project, fetch_project, read_projects

from waymeet.evaluate.collection import FILES, QRELS, QUERIES

FOLDER = Path(__file__).with_name("sections")
DEFAULT_TARGET = FOLDER.parents[1] / "build" / "sections"


class Asked(Struct, frozen=True):
    """The questions that were written for a section."""

    section: str
    """`path#L10-L24` in the package."""
    questions: tuple[str, ...]

    @property
    def path(self) -> str:
        """The file of the section."""
        return self.section.rpartition("#")[0]


def read_asked(project: str) -> list[Asked]:
    """Read the questions about a project."""
    lines = (FOLDER / "questions" / f"{project}.jsonl").read_bytes().splitlines()
    return [decode(line, type=Asked) for line in lines]


def write_collection(project: Project, asked: list[Asked], target: Path) -> None:
    """Write the collection of a project: questions, judgements, and the files that they are about.

    It takes the place of an earlier one when it is complete.

    Raises:
        FetchError: the package cannot be downloaded, or lacks a file.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix=".") as place:
        folder, draft = fetch_project(project, Path(place)), Path(place, ".draft")
        _write_files(draft, folder, asked)
        shutil.rmtree(target, ignore_errors=True)
        draft.rename(target)


def _write_files(target: Path, folder: Path, asked: list[Asked]) -> None:
    """Write the files that are asked about, the questions and the judgements."""
    for path in sorted({each.path for each in asked}):
        copy = target / FILES / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(folder / path, copy)
        except OSError as error:
            raise FetchError(f"The package has no file {path}.") from error
    numbered = list(_number(asked))
    queries = (json.dumps({"id": id_, "text": text}, ensure_ascii=False) for id_, text, _ in numbered)
    (target / QUERIES).write_text("".join(f"{query}\n" for query in queries), encoding="utf-8")
    rows = "".join(f"{id_}\t{section}\t1\n" for id_, _, section in numbered)
    (target / QRELS).write_text(f"query-id\tcorpus-id\tscore\n{rows}", encoding="utf-8")


def _number(asked: list[Asked]) -> Iterator[tuple[str, str, str]]:
    """Yield number, text and section of every question."""
    pairs = [(text, each.section) for each in asked for text in each.questions]
    for number, (text, section) in enumerate(pairs, start=1):
        yield str(number), text, section


def main(arguments: list[str] | None = None) -> int:
    """Download the packages and write a collection for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=DEFAULT_TARGET, help="folder of collections [build/sections]")
    options = parser.parse_args(arguments)
    failed = 0
    for project in read_projects(FOLDER / "projects.toml"):
        asked = read_asked(project.name)
        try:
            write_collection(project, asked, options.target / project.name)
            print(f"{project.name}: {sum(len(each.questions) for each in asked)} questions", flush=True)
        except FetchError as error:
            failed += 1
            print(f"{project.name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
