"""Ignore rules, held to what git itself answers."""

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from support.processor_time import processor_seconds

from waymeet.ingest.discover.glob import compile_pattern
from waymeet.ingest.discover.ignore import Rules
from waymeet.ingest.discover.walk import FoundFile, walk
from waymeet.settings import Ingest

PLAIN = Ingest(default_ignore=(), secret_files=())
NAMES = ("a", "b", "ab", "a.c", "b.md")


def _git(folder: Path, *arguments: str) -> bytes:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=True).stdout


def _by_git(folder: Path) -> set[str]:
    listed = _git(folder, "ls-files", "-z", "--others", "--exclude-standard")
    return {name.decode() for name in listed.split(b"\0") if name}


def _by_us(folder: Path) -> set[str]:
    return {item.path for item in walk(folder, PLAIN) if isinstance(item, FoundFile)}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a repository with files up to four folders deep, among them one with a letter beyond ASCII."""
    root = tmp_path_factory.mktemp("repository")
    _git(root, "init", "--quiet")
    for folders in ((), *product(NAMES[:3], repeat=1), *product(NAMES[:3], repeat=2), ("a", "b", "a")):
        folder = root.joinpath(*(f"{name}_" for name in folders))
        folder.mkdir(parents=True, exist_ok=True)
        for name in (*NAMES, "é.md"):
            (folder / name).touch()
    return root


PIECES = st.sampled_from(
    r"a b ab a_ b_ ab_ .c .md * ** / / **/ /** ? [ab] [!a] [^b] [a-b] [[:alpha:]] []a] [a [[:nope:]] \a \* \ # ! _ é"
    r" [b-a] [a/b] // [b\\]".split(" ")
)
PATTERNS = st.builds(
    lambda sign, pieces, end: sign + "".join(pieces) + end,
    st.sampled_from(["", "", "!", "/", "!/"]),
    st.lists(PIECES, min_size=1, max_size=6),
    st.sampled_from(["", "", "/"]),
)
FILES = st.lists(PATTERNS, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES, FILES, FILES)
@example(["*", "!*/", "!*.md"], [], [])
@example(["a_/", "!a_/b.md"], [], [])
@example(["a**/b", "b_/**", "**/ab_/a"], ["!b", "/a"], ["ab"])
@example(["*.md"], ["!b.md"], ["b.md"])
def test_a_walk_finds_what_git_lists(repository: Path, above: list[str], below: list[str], excluded: list[str]) -> None:
    # Git does not let an escaped slash behind two stars stand for no folder at all. Nobody writes that.
    assume(not any("**\\/" in pattern for pattern in (*above, *below, *excluded)))
    (repository / ".gitignore").write_text("\n".join(above), encoding="utf-8")
    (repository / "a_" / ".gitignore").write_text("\n".join(below), encoding="utf-8")
    (repository / ".git" / "info" / "exclude").write_text("\n".join(excluded), encoding="utf-8")
    assert _by_us(repository) == _by_git(repository)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa_/\r\nb_/\r\n",
        "a_/   \n",
        "a\\ \n",
        "# a_\n\\#x\n",
        "\n\n/\n//\n",
        "a_\\",
        "!a_/",
        "[[:digit:]-a]*",
        "é.md",
        "?.md",
        "??.md",
        "*.c*",
        "/*\n!/a_\n/a_/*\n!/a_/b_/",
        "**",
        "a_/**/b.md",
        "a_/**",
        "**/a_",
        "*_/*_/a*",
    ],
)
def test_odd_lines_are_read_as_git_reads_them(repository: Path, text: str) -> None:
    (repository / ".gitignore").write_bytes(text.encode())
    (repository / "a_" / ".gitignore").write_bytes(b"")
    (repository / ".git" / "info" / "exclude").write_bytes(b"")
    assert _by_us(repository) == _by_git(repository)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("?*" * 60 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 1000 + "c"),
        ("**/*a*a*a/" * 20 + "b", "aaaa/" * 600 + "c"),
        ("[a-b]*" * 60 + "c", "ab" * 125),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    expression = compile_pattern(pattern)
    with processor_seconds(2.0):  # it takes milliseconds
        assert expression.fullmatch(path) is None


def test_the_last_line_that_matches_decides() -> None:
    rules = Rules(["*.md", "!keep.md", "docs/*.md"])
    assert rules.decide("keep.md", "keep.md", folder=False) is False
    assert rules.decide("docs/keep.md", "keep.md", folder=False) is True
    assert rules.decide("docs/keep.py", "keep.py", folder=False) is None
