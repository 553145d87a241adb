"""Two thousand random patterns on a random tree, held to what `git check-ignore` says of every path."""

from __future__ import annotations

import os
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from waymeet.ingest.discover.walk import walk
from waymeet.settings import Ingest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PLAIN = Ingest(default_ignore=(), secret_files=())
LONG = os.environ.get("TORTURE") == "1"
PATTERNS = 20_000 if LONG else 2_400
STEMS = "a b ab build src docs test Foo foo.bar x1 é 検索 -a #a !a a! [a] {a} a+b a.b $x ~t".split(" ")
ENDINGS = ["", "", ".md", ".py", ".o", ".log", ".tar.gz", "~", ".", " x"]
WILD = [
    "*",
    "*",
    "**",
    "?",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-f]",
    "[[:alpha:]]",
    "[[:digit:]]",
    "[]a]",
    "\\*",
    "\\a",
    "[a",
    "\\",
]
FOLDERS = 24


def dice() -> Random:
    """Give a source of chance and print its seed, so that a failure can be repeated with `TORTURE_SEED`."""
    seed = os.environ.get("TORTURE_SEED") or (f"ignore-{os.urandom(4).hex()}" if LONG else "ignore")
    print(f"seed: TORTURE_SEED='{seed}'")  # noqa: T201 - pytest shows it with a failure
    return Random(seed)  # noqa: S311 - no secrets here


def git(folder: Path, *arguments: str, told: bytes = b"") -> bytes:
    done = subprocess.run(["git", *arguments], cwd=folder, input=told, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr  # 1: none is ignored
    return done.stdout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a user without any settings of git."""
    folder = tmp_path / "home"
    (folder / ".config" / "git").mkdir(parents=True)
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


def name(rng: Random) -> str:
    return rng.choice(STEMS) + rng.choice(ENDINGS)


def tree(root: Path, rng: Random) -> list[str]:
    """Make a repository of folders up to four deep with files in them, and list the folders."""
    root.mkdir()
    git(root, "init", "--quiet")
    folders = [""]
    while len(folders) < FOLDERS:
        above = rng.choice(folders)
        folder = above + name(rng).strip(".") + "_/"
        if folder.count("/") < 5 and folder not in folders:
            (root / folder).mkdir()
            folders.append(folder)
    for folder in folders:
        for _ in range(6):
            (root / folder / name(rng)).touch()
    return folders


def pattern(rng: Random, paths: list[str]) -> str:
    """Make a pattern: mostly a part of a path with wild things in it, which often fits; else only wild things."""
    if rng.random() < 0.85:
        parts = rng.choice(paths).split("/")
        first = rng.randrange(len(parts))
        text = "/".join(_wilder(rng, part) for part in parts[first : rng.randrange(first, len(parts)) + 1])
    else:
        text = "".join(rng.choice((*WILD, *STEMS, "/", "/", "**/", "/**")) for _ in range(rng.randrange(1, 7)))
    return (
        rng.choice(("", "", "", "!", "/", "!/", "**/")) + text + rng.choice(("", "", "", "/", "/*", "/**", " ", "\t"))
    )


def _wilder(rng: Random, part: str) -> str:
    """Put something that fits, or may fit, into the place of some letters of a name."""
    at = rng.randrange(len(part))
    letter, before, behind = part[at], part[:at], part[at + 1 :]
    return rng.choice((
        part,
        part,
        f"{before}*{part[rng.randrange(at, len(part)) + 1 :]}",
        f"{before}?{behind}",
        f"{before}[{letter}-~]{behind}",
        f"{before}[!/]{behind}",
        f"{before}[[:alnum:]]{behind}",
        f"{before}\\{letter}{behind}",
        f"{before}{rng.choice(WILD)}{behind}",
        "*",
        "**",
    ))  # fmt: skip


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    said = git(root, "check-ignore", "--no-index", "-z", "--stdin", told=b"\0".join(map(os.fsencode, paths)))
    return {os.fsdecode(each) for each in said.split(b"\0") if each}


def found_by_us(root: Path) -> set[str]:
    return {item.path for item in walk(root, PLAIN)}


def test_ignore_rules_agree_with_git(tmp_path: Path, home: Path) -> None:
    rng, root, tried, asked = dice(), tmp_path / "root", 0, 0
    ignored = 0
    folders = tree(root, rng)
    files = sorted(
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)
    )
    places = [root / ".gitignore", root / ".git/info/exclude", home / ".config/git/ignore"]
    places += [root / folder / ".gitignore" for folder in rng.sample(folders[1:], 3)]
    inside = [path for path in files if path.startswith(folders[1])]
    while tried < PATTERNS:
        written = {}
        for place in places:
            lines = [pattern(rng, files) for _ in range(rng.choice((0, 1, 2, 5)))]
            # Git does not let an escaped slash behind two stars stand for no folder at all. Nobody writes that.
            written[place] = [line for line in lines if "**\\/" not in line]
            place.write_text("\n".join(written[place]), encoding="utf-8")
            tried += len(lines)
        left = set(files) - ignored_by_git(root, files)
        assert {path for path in found_by_us(root) if path in files} == left, written
        asked, ignored = asked + len(files), ignored + len(files) - len(left)
        if not ignored_by_git(root, [folders[1].rstrip("/")]):  # a folder of the repository as root
            below = {folders[1] + path for path in found_by_us(root / folders[1])}
            assert below & set(inside) == left & set(inside), written
    assert asked > 2_000
    assert asked * 0.1 < ignored < asked * 0.9, "a test in which nothing or everything is ignored says nothing"


def test_the_settings_of_git_name_the_file_of_the_user(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "--quiet")
    for each in ("a.log", "b.tmp", "c.md"):
        (root / each).touch()
    (home / ".config/git/ignore").write_text("*.log\n")
    assert found_by_us(root) == {"b.tmp", "c.md"}
    (home / "my ignores").write_text("*.tmp\n")
    (home / ".gitconfig").write_text(
        '[user]\n\tname = x\n[core]\n\teditor = vi\n\texcludesFile = "~/my ignores" ; mine\n'
    )
    assert found_by_us(root) == {"a.log", "c.md"}
    assert ignored_by_git(root, ["a.log", "b.tmp", "c.md"]) == {"b.tmp"}


def test_a_folder_that_belongs_to_no_repository_heeds_nothing_outside(tmp_path: Path, home: Path) -> None:
    (tmp_path / ".gitignore").write_text("*")
    (home / ".config/git/ignore").write_text("*")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.md").touch()
    assert found_by_us(tmp_path / "root") == {"a.md"}


def test_a_home_that_is_a_repository_does_not_hide_what_lies_in_it(home: Path) -> None:
    git(home, "init", "--quiet")
    (home / ".gitignore").write_text("*\n")
    (home / "project").mkdir()
    (home / "project" / "a.md").touch()
    assert found_by_us(home / "project") == {"a.md"}


def test_a_linked_worktree_uses_the_exclude_file_of_its_repository(tmp_path: Path, home: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    git(root, "init", "--quiet")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    git(root, *identity, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "--quiet", str(other))
    (root / ".git/info/exclude").write_text("*.log\n")
    for each in ("a.log", "c.md"):
        (other / each).touch()
    assert found_by_us(other) == {"c.md"}
