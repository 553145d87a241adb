"""Names that documents mention and the code no longer defines: by commits, by the index, without false alarms."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from waymeet.ingest.index import index
from waymeet.settings import Settings
from waymeet.staleness import removed_names
from waymeet.staleness.dates import ChangeDates, load_change_dates
from waymeet.staleness.git import GitError, run_git
from waymeet.staleness.removed_names import RemovedNames, find_definition, read_removed_names
from waymeet.staleness.update_dates import update_change_dates
from waymeet.staleness.verdicts import list_stale
from waymeet.stores.memory.store import MemoryStore

DAY = 86_400
SETTINGS = Settings()
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: its history is NOT tested")
CODE = "def get_template_attribute(name):\n    return name\n\n\ndef render_template(name):\n    return name\n"
PAGE = "# Templates\n\nCall `get_template_attribute` to export a macro, then `render_template`.\n"


class Project:
    """A folder with its index, and a repository if there are commits."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = MemoryStore()
        self.write("src/shop/templating.py", CODE)
        self.write("docs/templates.md", PAGE)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def git(self, *args: str, at: int = 0) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in {"NAME": "a", "EMAIL": "a@b", "DATE": f"@{at} +0000"}.items()
        }
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *args], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, at: int) -> None:
        if not (self.root / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "x", at=at)

    def rename(self, new: str = "get_template_attr") -> None:
        self.write("src/shop/templating.py", CODE.replace("get_template_attribute", new))

    def reasons(self, *, search_history: bool = True) -> dict[str, list[str]]:
        index(self.root, self.store, SETTINGS)
        dates = update_change_dates(
            self.store, self.root, lambda _: None, SETTINGS, 50 * DAY * 10**9, search_history=search_history
        )
        stale = list_stale(self.store, SETTINGS, 50 * DAY * 10**9, dates)
        causes = {each.document: [cause.reason for cause in each.causes] for each in stale}
        return {id_: named for id_, listed in causes.items() if (named := [r for r in listed if r[:9] == "mentions "])}

    def dates(self) -> ChangeDates:
        return load_change_dates(self.store)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@needs_git
def test_a_name_that_a_commit_renamed_is_reported_with_the_evidence(project: Project) -> None:
    project.commit(10 * DAY)
    project.rename()
    project.commit(20 * DAY)
    commit = project.git("rev-parse", "HEAD")[:10]
    until, now = f"1970-01-21 (commit {commit})", "similar name now: get_template_attr"
    assert project.reasons() == {
        "docs/templates.md": [f"mentions get_template_attribute, which src/shop/templating.py had until {until}; {now}"]
    }


@needs_git
def test_a_rename_that_is_not_committed_is_reported_by_a_new_index(project: Project) -> None:
    project.commit(10 * DAY)
    project.rename()
    assert list(project.reasons()) == ["docs/templates.md"]


def test_a_rename_is_known_to_the_index_without_git(project: Project) -> None:
    assert project.reasons() == {}
    project.rename()
    (reason,) = project.reasons()["docs/templates.md"]
    assert reason.endswith("had until 1970-02-20; similar name now: get_template_attr")
    assert list(project.reasons()) == ["docs/templates.md"], "it stays known"
    project.write("docs/templates.md", PAGE.replace("attribute", "attr"))
    assert project.reasons() == {}


@needs_git
def test_a_name_that_comes_back_is_not_reported(project: Project) -> None:
    project.commit(10 * DAY)
    project.rename()
    project.commit(20 * DAY)
    assert project.reasons()
    project.write("src/shop/templating.py", CODE)
    assert project.reasons() == {}


@needs_git
def test_only_new_commits_are_read_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.commit(10 * DAY)
    assert project.reasons(search_history=False) == {}
    assert project.store.metadata("removed_names") == "", "an ordinary run does not read the history"
    assert project.reasons() == {}
    project.rename()
    project.commit(20 * DAY)
    first = RemovedNames(project.git("rev-parse", "HEAD~"))
    removed = read_removed_names(project.root, project.git("rev-parse", "HEAD"), first, 10.0)
    assert removed.names["get_template_attribute"].renamed_to == "get_template_attr"
    assert list(project.reasons(search_history=False)) == ["docs/templates.md"]


@needs_git
def test_a_search_that_was_cut_off_is_reported_and_goes_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.commit(10 * DAY)
    project.rename()
    project.commit(20 * DAY)
    for day in (21, 22, 23):
        project.write("src/shop/other.py", f"def name_of_day_{day}():\n    pass\n")
        project.commit(day * DAY)

    def run_a_part(git: str, root: Path, command: list[str], stdin: bytes, deadline: float) -> Iterator[bytes]:
        output = b"".join(run_git(git, root, command, stdin, deadline))
        if "log" not in command or output.count(b"\x01") < 3:
            yield output
            return
        yield b"\x01".join(output.split(b"\x01")[:3]) + b"\n"
        raise GitError("timed out")

    monkeypatch.setattr(removed_names, "run_git", run_a_part)
    assert project.reasons() == {}
    assert project.dates().notes == (
        "names removed before 1970-01-24 are not known yet; the next `waymeet stale` searches older commits",
    )
    assert list(project.reasons()) == ["docs/templates.md"]
    assert project.dates().notes == ()


@needs_git
@pytest.mark.parametrize(
    ("page", "code"),
    [
        ("`get_template_attribute` was removed in version 2.", ""),
        ("Use `load_macro` instead of `get_template_attribute`.", ""),
        ("Import `jinja2.helpers.get_template_attribute`.", ""),
        ("For versions lower than 2.0, call `get_template_attribute`.", ""),
        ("Set `GET_TEMPLATE_ATTRIBUTE` to 1.", ""),
        ("Call `your_function_name()` or `np.zeros_like`.", ""),
        ("Run `pip_install_all`.", ""),
        ("Call `get_template_attribute`.", "def load(options):\n    return options.get_template_attribute\n"),
        ("Call `get_template_attribute`.", "def load(get_template_attribute=None):\n    return 1\n"),
        ("Call `get_template_attribute`.", 'NAMES = ["get_template_attribute"]\n'),
        ("Call `get_template_attribute`.", "from jinja2 import get_template_attribute\n"),
        ("Call `Loader.get_template_attribute`.", "class Loader(Base):\n    pass\n"),
        ("Call `get_template_attribute`.\n\n```python\nfrom jinja2 import get_template_attribute\n```", ""),
    ],
)
def test_what_is_no_false_alarm(project: Project, page: str, code: str) -> None:
    project.write("docs/templates.md", f"# Templates\n\n{page}\n")
    project.commit(10 * DAY)
    project.rename()
    project.write("src/shop/other.py", code or "X = 1\n")
    project.commit(20 * DAY)
    assert project.reasons() == {}


@needs_git
def test_pages_about_the_past_and_names_of_tests_are_left_out(project: Project) -> None:
    project.write("CHANGES.md", PAGE)
    project.write("docs/upgrading.md", PAGE)
    project.write("tests/test_a.py", "def helper_of_tests():\n    pass\n")
    project.write("docs/templates.md", "# Testing\n\nSee `helper_of_tests`.\n")
    project.commit(10 * DAY)
    project.rename()
    (project.root / "tests/test_a.py").write_text("X = 1\n", encoding="utf-8")
    project.commit(20 * DAY)
    assert project.reasons() == {}


@needs_git
def test_a_member_of_a_class_that_a_package_reexports(project: Project) -> None:
    project.write("src/shop/__init__.py", "from .cart import Cart\n")
    project.write("src/shop/cart.py", "class Cart:\n    def iter_lines(self):\n        pass\n")
    project.write("docs/templates.md", "# Cart\n\nSee `shop.Cart.iter_lines()`.\n")
    project.commit(10 * DAY)
    project.write("src/shop/cart.py", "class Cart:\n    def iterate_lines(self):\n        pass\n")
    project.commit(20 * DAY)
    (reason,) = project.reasons()["docs/templates.md"]
    assert "mentions Cart.iter_lines, which src/shop/cart.py had" in reason


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("class Cart(Base):", "Cart"),
        ("    def total(self):", "total"),
        ("async def load():", "load"),
        ("export default function cart() {", "cart"),
        ("res.sendFile = function sendFile() {", "sendFile"),
        ("func (c *Cart) Total() int {", "Total"),
        ("pub fn total(&self) -> u32 {", "total"),
        ("    public int total(int a) {", "total"),
        ("  async send (payload) {", "send"),
        ("LIMIT: int = 3", "LIMIT"),
        ("  const local = 3", ""),
        ("    for (const a of b) {", ""),
        ("                    total = 3", ""),
        ("# def old():", ""),
    ],
)
def test_definitions(line: str, name: str) -> None:
    assert find_definition(line) == name
