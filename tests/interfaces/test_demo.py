"""The demo of `make demo` without a network: queries find documents that share no word with them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from waymeet.project import Project
from waymeet.types import Query

REPOSITORY = Path(__file__).parents[2]
ANSWERS = {
    "avoid billing a customer twice": "en/charging-a-card.md",
    "嵐で船が出ない場合、代金をもどす方法": "ja/haraimodoshi.md",
    "怎样保护乘客的隐私": "zh/geren-ziliao.md",
    "forgot my password": "ja/kaiin.md",
}


@pytest.fixture(scope="module")
def cut_off() -> list[str]:
    """Give the command that runs another one without any network."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("NOT TESTED: work without a network, for there is no unshare here")
    for flags in ("-n", "-rn"):
        if subprocess.run([unshare, flags, "true"], check=False, capture_output=True).returncode == 0:
            return [unshare, flags]
    pytest.skip("NOT TESTED: work without a network, for unshare is forbidden here")


def test_the_demo_understands_three_languages_without_a_network(cut_off: list[str], tmp_path: Path) -> None:
    shown = subprocess.run(
        [*cut_off, sys.executable, str(REPOSITORY / "docs" / "demo.py"), "languages"],
        env=_homeless(tmp_path),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    found = dict(re.findall(r"^\$ waymeet search .*\"(.+)\"\n1\. ([^#\n]+)#", shown.stdout, re.MULTILINE))
    assert found == ANSWERS, shown.stdout
    assert "degraded" not in shown.stderr


def test_there_is_no_network_to_reach_where_the_demo_runs(cut_off: list[str], tmp_path: Path) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    tried = subprocess.run(
        [*cut_off, sys.executable, "-c", code], env=_homeless(tmp_path), capture_output=True, text=True, check=False
    )
    assert "Network is unreachable" in tried.stderr


def test_words_alone_find_none_of_the_answers(tmp_path: Path) -> None:
    with Project.open(REPOSITORY / "docs" / "demo", index=tmp_path / "index.sqlite") as project:
        project.index()
        for question, page in ANSWERS.items():
            found = project.search(Query(question, recipe="classic", mode="bm25_only"))
            assert page not in {hit.document for hit in found.hits}, question


def _homeless(folder: Path) -> dict[str, str]:
    """Give the environment of a user who never used Waymeet and whose settings are the defaults."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WAYMEET_")}
    return {**kept, **{f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "CACHE", "CONFIG", "STATE")}}
