"""A small project and a command line to ask it with, both away from the user's own folders."""

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from support.without_models import WITHOUT_MODELS

from waymeet import Project
from waymeet.interfaces.cli import main
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operation_table import OPERATIONS

FILES = {
    "README.md": "# Demo\n\nA small project. See [the fusion page](docs/fusion.md) for how results meet.\n",
    "docs/fusion.md": (
        "---\ntitle: Rank fusion\ndoc_type: spec\ntags: [ranking, core]\n---\n"
        "# Rank fusion\n\nRanked lists are fused by reciprocal rank.\n\n"
        "## Formula\n\nEvery list adds one over sixty plus the rank; more lists, more score, [[setup]] permitting.\n"
    ),
    "docs/setup.md": "# Setup\n\nInstall it, then rotate the signing keys once a month.\n",
    "docs/ja.md": "# 検索\n\n全文検索のスコアを正規化する。\n\n## 設定\n\nキーは毎月更新する。\n",
    "src/users.py": "def get_user_by_id(user_id):\n    return USERS[user_id]\n",
    "data.json": '{"answer": 42}\n',
}


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes and settings of tests away from the user's."""
    for variable in list(os.environ):
        if variable.startswith("WAYMEET_"):
            monkeypatch.delenv(variable)
    for variable, value in WITHOUT_MODELS.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the project and go there."""
    root = tmp_path / "project"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run() -> Run:
    """Run the command line in this process."""

    def ran(*args: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(list(args))
        code = ended.value.code
        assert isinstance(code, int)
        return Ran(code, out.getvalue(), err.getvalue())

    return ran


@pytest.fixture
def opened(project: Path) -> Iterator[Project]:
    """Open the project, with thirty more pages, indexed."""
    for number in range(30):
        page = project / "docs" / "more" / f"keys{number}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(
            f"# Keys {number}\n\nRotate key {number} in drawer {number}, see [setup](../setup.md).\n", "utf-8"
        )
    with Project.open(project) as opened:
        opened.index()
        yield opened


@pytest.fixture
def ask(opened: Project) -> Callable[..., Any]:
    """Ask by the name of an operation and plain values, as a program would."""

    def asked(operation: str, **given: Any) -> Any:
        chosen = OPERATIONS[operation]
        answer = chosen.call(opened, convert(chosen.request, given))
        assert isinstance(answer, chosen.answer)
        decoded = msgspec.json.decode(msgspec.json.encode(answer), type=chosen.answer)
        assert msgspec.to_builtins(decoded) == msgspec.to_builtins(answer), "the answer survives JSON"
        return answer

    return asked
