"""`waymeet stale`, and staleness in what search answers."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from interfaces.conftest import Run

DAY = 86_400
FILES = {
    "src/auth.py": "def log_in_with_password(user):\n    return user\n",
    "src/users.py": "def get_user_by_id(user_id):\n    return user_id\n",
    "docs/auth.md": "---\nsource_refs: [src/auth.py]\n---\n# Login\n\nHow zeppelins log in.\n",
    "docs/both.md": "---\nsource_refs:\n  - src/auth.py\n  - src/users.py\n---\n# Both\n\nZeppelins and users.\n",
    "docs/users.md": "# Users\n\nZeppelins call `get_user_by_id` from `src/users.py`.\n",
    "docs/plain.md": "# Plain\n\nJust zeppelins.\n",
    "docs/ja.md": "---\ntitle: 認証\nsource_refs: src/auth.py\n---\n# 認証\n\nパスワードの確認。\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make pages about two sources, all of the same age."""
    root = tmp_path / "vault"
    for path, text in FILES.items():
        write(root, path, text, 1000)
    monkeypatch.chdir(root)
    return root


def write(root: Path, path: str, text: str, day: int) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    os.utime(root / path, (day * DAY, day * DAY))


def states(run: Run, *args: str) -> dict[str, str]:
    found = json.loads(run("stale", "--all", "--json", *args).out)
    return {each["document"]: each["state"] for each in found["documents"]}


def test_a_changed_source_makes_exactly_the_right_documents_stale(vault: Path, run: Run) -> None:
    first = run("stale", "--exit-code")
    assert first.code == 0
    assert "5 documents: 4 fresh, 1 unknown." in first.out
    write(vault, "src/auth.py", "def log_in_with_password(user, password):\n    return user\n", 1013)
    found = run("stale", "--exit-code")
    assert found.code == 1
    assert states(run) == {
        "docs/auth.md": "stale",
        "docs/both.md": "stale",
        "docs/ja.md": "stale",
        "docs/users.md": "fresh",
        "docs/plain.md": "unknown",
    }
    assert "out of date with src/auth.py, which changed 13 days later (1972-10-10)" in found.out
    assert "docs/users.md" not in found.out
    write(vault, "docs/auth.md", FILES["docs/auth.md"] + "With a password.\n", 1014)
    assert states(run)["docs/auth.md"] == "fresh"
    assert states(run)["docs/both.md"] == "stale"


def test_the_vault_in_english_and_japanese(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = tmp_path / "tea"
    shutil.copytree(Path(__file__).parents[1] / "fixtures" / "vault", vault)
    monkeypatch.chdir(vault)
    assert run("stale", "--exit-code", "--strict").code == 0
    source = vault / "src" / "teashop" / "orders.py"
    written = source.read_text(encoding="utf-8") + "\n# More to come.\n"
    source.write_text(written, encoding="utf-8")
    assert run("stale", "--exit-code", "--strict").code == 0  # all of them name or mention only a symbol of it
    source.write_text(written.replace("< 7", "< 8"), encoding="utf-8")
    found = run("stale", "--exit-code", "--json")
    assert found.code == 1
    assert [
        (each["document"], each["state"], each["causes"][0]["path"]) for each in json.loads(found.out)["documents"]
    ] == [
        ("docs/stock-design.md", "stale", "src/teashop/orders.py#reorder_leaves"),
        ("docs/handbook.rst", "possibly_stale", "src/teashop/orders.py#reorder_leaves"),
        ("docs/stock-design.ja.md", "possibly_stale", "src/teashop/orders.py#reorder_leaves"),
    ]


def test_a_touched_source_makes_nothing_stale(vault: Path, run: Run) -> None:
    run("index")
    write(vault, "src/auth.py", FILES["src/auth.py"], 1013)
    assert run("stale", "--exit-code").code == 0
    assert "stale" not in states(run).values()


def test_a_check_takes_in_what_is_too_much_for_a_search(vault: Path, run: Run) -> None:
    run("index")
    write(vault, "src/auth.py", "def log_in(user):\n    return user\n", 1013)
    few = ("--set", "ingest.refresh_files=0")
    assert "behind" in run("stale", *few).err
    found = run("stale", "--exit-code", *few)
    assert (found.code, found.err) == (1, "")


def test_mentioned_code_makes_possibly_stale(vault: Path, run: Run) -> None:
    run("index")
    write(vault, "src/users.py", "def get_user_by_id(user_id):\n    return None\n", 1013)
    assert states(run) == {
        "docs/both.md": "stale",
        "docs/users.md": "possibly_stale",
        "docs/auth.md": "fresh",
        "docs/ja.md": "fresh",
        "docs/plain.md": "unknown",
    }
    assert run("stale", "docs/users.md", "--exit-code").code == 0
    assert run("stale", "docs/users.md", "--exit-code", "--strict").code == 1
    assert run("stale", "docs/ja.md", "docs/plain.md", "--exit-code", "--strict").code == 0


TWO = "LIMIT = 3\n\n\ndef alpha(x):\n    return x\n\n\ndef beta(y):\n    return y\n"


def named(vault: Path, reference: str) -> None:
    write(vault, "src/two.py", TWO, 1000)
    write(vault, "docs/two.md", f'---\nsource_refs: ["{reference}"]\n---\n# Two\n\nIt is in `src/two.py`.\n', 1000)


def about_two(run: Run) -> tuple[str, str]:
    found = json.loads(run("stale", "--all", "--json", "docs/two.md").out)["documents"]
    return found[0]["state"], found[0]["reason"]


@pytest.mark.parametrize("indexed_between", [True, False])
def test_of_a_named_symbol_only_its_own_changes_count(vault: Path, run: Run, indexed_between: bool) -> None:
    named(vault, "src/two.py#alpha")
    assert about_two(run)[0] == "fresh"
    for number, text in enumerate((TWO.replace("return y", "return y + 1"), "import os\n\n\n" + TWO, TWO)):
        write(vault, "src/two.py", text, 1010 + number)
        if indexed_between:
            run("index")
        assert about_two(run)[0] == "fresh"
    write(vault, "src/two.py", TWO.replace("return x", "return x + 1"), 1020)
    wanted = ("stale", "out of date with src/two.py#alpha, which changed 20 days later (1972-10-17)")
    assert about_two(run) == wanted
    write(vault, "src/two.py", TWO.replace("return x", "return x + 1") + "\n# More.\n", 1030)
    assert about_two(run) == wanted


@pytest.mark.parametrize("name", ["alpha", "never"])
def test_a_symbol_that_is_not_there_makes_stale(vault: Path, run: Run, name: str) -> None:
    named(vault, f"src/two.py#{name}")
    run("stale")
    write(vault, "src/two.py", TWO.replace("def alpha", "def gamma"), 1001)
    assert about_two(run) == ("stale", f"its source src/two.py#{name} does not exist")


def test_a_constant_and_a_heading_are_there(vault: Path, run: Run) -> None:
    for reference in ("src/two.py#LIMIT", "docs/plain.md#Plain", "src/two.py#L3"):
        named(vault, reference)
        assert about_two(run)[0] == "fresh"


def test_a_vanished_source_makes_stale(vault: Path, run: Run) -> None:
    run("index")
    (vault / "src" / "users.py").unlink()
    found = json.loads(run("stale", "--json").out)
    stale, possibly = found["documents"]
    assert (stale["document"], stale["state"]) == ("docs/both.md", "stale")
    assert (possibly["document"], possibly["state"]) == ("docs/users.md", "possibly_stale")
    assert "its source src/users.py has been missing since" in stale["reason"]
    assert stale["causes"][0]["path"] == "src/users.py"


def test_vanished_code_that_was_mentioned_makes_possibly_stale(vault: Path, run: Run) -> None:
    write(vault, "docs/lost.md", "# Lost\n\nIt is in `src/never.py`.\n", 1000)
    write(vault, "docs/names.md", "---\nsource_refs: src/never.py\n---\n# Names\n\nIt is nowhere.\n", 1000)
    write(vault, "docs/deep.md", "# Deep\n\nIt is in `src/deep.py:3`.\n", 1000)
    write(vault, "src/deep.py", TWO, 1000)
    assert states(run)["docs/deep.md"] == "fresh"
    (vault / "src" / "deep.py").unlink()
    for _ in range(2):
        found = json.loads(run("stale", "--all", "--json", "docs/deep.md").out)["documents"][0]
        assert found["state"] == "possibly_stale"
        assert "src/deep.py, which it mentions, has been missing since" in found["reason"]
        assert states(run)["docs/lost.md"] == "unknown"
        write(vault, "docs/plain.md", "# Plain\n\nOther zeppelins.\n", 1001)
    write(vault, "src/deep.py", TWO, 1000)
    assert states(run)["docs/deep.md"] != "unknown"


def test_a_renamed_source_is_said_to_be_renamed(vault: Path, run: Run) -> None:
    run("index")
    (vault / "src" / "users.py").rename(vault / "src" / "people.py")
    found = json.loads(run("stale", "--all", "--json").out)
    (both,) = [each for each in found["documents"] if each["document"] == "docs/both.md"]
    assert both["state"] == "fresh"
    assert "its source src/users.py was renamed to src/people.py on" in both["reason"]
    assert states(run, "--set", "staleness.threshold_days=0")["docs/both.md"] == "possibly_stale"


def test_search_says_so(vault: Path, run: Run) -> None:
    run("index")
    write(vault, "src/auth.py", "def log_in(user):\n    return user\n", 1013)
    answer = json.loads(run("search", "zeppelins", "--json").out)
    hits = {hit["document"]: (hit["staleness"], hit["staleness_reason"]) for hit in answer["hits"]}
    assert hits["docs/auth.md"] == ("stale", "out of date with src/auth.py, which changed 13 days later (1972-10-10)")
    assert hits["docs/users.md"][0] == "fresh"
    assert hits["docs/plain.md"][0] == "unknown"
    shown = run("search", "zeppelins log in").out
    assert "   stale: out of date with src/auth.py, which changed 13 days later (1972-10-10)" in shown
    assert "fresh" not in shown


def test_an_empty_folder_and_an_unknown_path(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    found = run("stale", "--exit-code")
    assert (found.code, "No document" in found.out) == (0, True)
    assert json.loads(run("stale", "--json").out)["documents"] == []


def test_names_cannot_steer_a_terminal(vault: Path, run: Run) -> None:
    write(vault, "docs/evil.md", '---\ntitle: "\\e[31mred"\nsource_refs: ["no\\e[2Jsuch.py"]\n---\nx\n', 1000)
    found = run("stale")
    assert "\x1b" not in found.out
    assert "evil.md" in found.out
    assert "\x1b" not in run("stale", "--json").out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: its history is NOT tested")
def test_in_a_fresh_clone_git_decides(vault: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*args: str, day: int = 0) -> None:
        times = {"GIT_AUTHOR_DATE": f"@{day * DAY} +0000", "GIT_COMMITTER_DATE": f"@{day * DAY} +0000"}
        config = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *config, *args], check=True, capture_output=True, env=os.environ | times)

    named(vault, "src/two.py#alpha")
    write(vault, "docs/beta.md", "---\nsource_refs: ['src/two.py#beta']\n---\n# Beta\n\nIt is another.\n", 1000)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "all", day=2000)
    write(vault, "src/auth.py", "def log_in(user):\n    return user\n", 1)
    write(vault, "src/two.py", "import os\n\n" + TWO.replace("return y", "return y + 1"), 1)
    git("commit", "--quiet", "-am", "auth", day=2100)
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(vault), str(clone))
    monkeypatch.chdir(clone)
    found = run("stale", "--exit-code")
    assert found.code == 1
    assert "out of date with src/auth.py, which changed 100 days later (1975-10-02)" in found.out
    assert "out of date with src/two.py#beta, which changed 100 days later (1975-10-02)" in found.out
    assert (states(run)["docs/beta.md"], *about_two(run)[:1]) == ("stale", "fresh")
    assert states(run)["docs/users.md"] == "fresh"
    (clone / "docs" / "auth.md").write_text(FILES["docs/auth.md"] + "More.\n", encoding="utf-8")
    assert states(run)["docs/auth.md"] == "fresh"
    (clone / "src" / "users.py").write_text("def get_user_by_id(user_id): ...\n", encoding="utf-8")
    assert states(run)["docs/users.md"] == "possibly_stale"
