"""No secret leaves the process by the command line: every command, as text and as JSON, with planted secrets."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from interfaces.conftest import Run
from support.secret_project import (
    NAMED_DOC,
    NAMED_NOTE,
    NOTE,
    SECRETS,
    SKILL,
    TASK,
    find_secrets,
    lost_values,
    mask,
    plant,
)

from waymeet.interfaces.cli import cli
from waymeet.interfaces.cli.shell_complete import complete_documents

pytestmark = pytest.mark.slow
_SECRET = SECRETS["name"]
_WITHOUT_TEXTS = {
    "completion": "prints a script",
    "install": "writes settings of agents",
    "uninstall": "writes settings of agents",
    "migrate-store": "needs a server, has a test of its own; prints counts and an address without its password",
    "mcp": "has a test of its own",
    "serve": "has a test of its own",
    "open": "prints the address of the server",
    "models get": "downloads models",
    "models remove": "removes models",
    "eval": "needs a test collection; prints by the same functions",
    "tune": "needs an evaluation; prints by the same functions",
    "token add": "prints the token that it adds, once",
    "token list": "prints names of tokens and projects",
    "token revoke": "prints the name of a token",
}
"""Commands that print no text of the project, or are tested elsewhere."""
_READS: dict[str, list[list[str]]] = {
    "search": [
        ["rotate keys", "-n", "50", "--explain", "--linked"],
        ["page whose name is a secret", "-n", "50"],
        ["keys", "--mode", _SECRET],
        ["nothing", "--in", NAMED_DOC],
        ["--all", "rotate keys", "-n", "50", "--explain", "--linked"],
    ],
    "read": [
        ["docs/access.md", "src/app.py", "settings.yaml", NOTE],
        [mask(NAMED_DOC)],
        [f"{NAMED_DOC}x"],
        ["planted::docs/access.md", "planted::settings.yaml"],
    ],
    "why-not": [["rotate keys", NAMED_DOC], ["rotate keys", mask(NAMED_DOC)]],
    "feedback": [[f"keys {_SECRET}", "--right", NAMED_DOC], [f"keys {_SECRET}", "--undo"], ["--list"]],
    "related": [["docs/access.md"], [mask(NAMED_DOC)]],
    "links": [["docs/access.md"], [NAMED_DOC], [NOTE]],
    "graph": [[], [NAMED_DOC], ["docs/access.md", "--depth", "3"]],
    "stale": [[], ["--all"]],
    "broken-links": [[]],
    "orphans": [[]],
    "suggest-links": [[], ["docs/setup.md"]],
    "export": [["--html", "../site"], ["--html", "docs"]],
    "init": [["--dry-run"]],
    "index": [[]],
    "status": [["--all"], []],
    "doctor": [[]],
    "check": [[]],
    "jobs": [[], ["--stop"], ["--stop-all"]],
    "settings": [[]],
    "projects list": [[]],
    "projects add": [["--name", _SECRET], []],
    "projects rename": [["planted", f"{_SECRET}/"], ["planted", "planted"]],
    "projects forget": [[f"gone {_SECRET}"], ["planted"]],
    "recipes": [[]],
    "checkpoint create": [["before"]],
    "checkpoint list": [[]],
    "checkpoint diff": [["before"]],
    "checkpoint restore": [["before", "--yes"]],
    "checkpoint delete": [["before"], ["gone"]],
}
_ITEMS = {"note": NOTE, "task": TASK, "skill": SKILL}
_FORMATS = ("jsonl", "md", "files")


def _item_calls(noun: str, id_: str) -> dict[str, list[list[str]]]:
    """Give calls of the commands for notes, tasks or skills, with the removing ones last."""
    return {
        f"{noun} show": [[id_], [f"{id_}/{_SECRET}"]],
        f"{noun} list": [[]],
        f"{noun} add": [[f"New {noun} {_SECRET}", f"The keys are not rotated: {_SECRET}", "--tag", _SECRET]],
        f"{noun} update": [[id_, "--field", f"pin={_SECRET}"], [id_, "--version", "stale", "--body", _SECRET]],
        f"{noun} edit": [[id_]],
        f"{noun} link": [[id_, "references", NAMED_DOC], [id_, "references", f"{NAMED_DOC}x"]],
        f"{noun} unlink": [[id_, "references", mask(NAMED_DOC)]],
        **({"task move": [[id_, "done"]]} if noun == "task" else {}),
        **({"skill use": [[id_]]} if noun == "skill" else {}),
        f"{noun} confirm": [[id_], [f"{id_}/{_SECRET}"]],
        f"{noun} conflicts": [[]],
        f"{noun} history": [[id_]],
        f"{noun} restore": [[id_, "nothing"]],
        f"{noun} rm": [[id_, "--version", "stale"]],
    }  # fmt: skip


def _commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{prefix}{name} ")
        elif command is not None:
            yield f"{prefix}{name}", command


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    root = plant(tmp_path / "planted")
    monkeypatch.chdir(root)
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setenv("VISUAL", "true")
    assert run("index", "--no-embed").code == 0
    return root


def test_no_command_shows_a_secret_or_loses_one(planted: Path, run: Run) -> None:
    calls = dict(_READS)
    for noun, id_ in _ITEMS.items():
        calls |= _item_calls(noun, id_)
    commands = dict(_commands(cli))
    assert {*calls, *_WITHOUT_TEXTS} == set(commands), "a new command: add calls of it here"
    for name, arguments in calls.items():
        options = {option.name for option in commands[name].params}
        forms = [[], *([["--json"]] if "as_json" in options else [])]
        forms += [["--format", form] for form in _FORMATS if "form" in options and name not in {"settings", "graph"}]
        codes = []
        for given in arguments:
            for form in forms:
                ran = run(*name.split(), *given, *form)
                codes.append(ran.code)
                assert ran.code != 70, ran.err
                assert find_secrets(ran.out + ran.err) == [], f"{name} {given} {form}: {ran.out}{ran.err}"
        assert {0, 1} & set(codes) or name.endswith((" rm", " restore")), f"{name}: {codes}"
    assert lost_values(planted) == []


def test_a_note_that_is_shown_can_be_saved_again(
    planted: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = (planted / NOTE).read_bytes()
    shown = run("note", "show", NOTE).out
    assert "[secret]" in shown
    source = tmp_path / "shown.md"
    source.write_text(shown)
    with source.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run("note", "update", NOTE, "--body", "-").code == 0
    assert (planted / NOTE).read_bytes() == before


def test_masked_names_find_their_files(planted: Path, run: Run) -> None:
    assert "whose name is a secret" in run("read", mask(NAMED_DOC)).out
    assert "whose name is a secret" in run("note", "show", mask(NAMED_NOTE)).out
    assert planted.joinpath(NAMED_DOC).exists()


def test_two_files_with_the_same_masked_name_are_ambiguous(planted: Path, run: Run) -> None:
    (planted / "docs" / f"{SECRETS['code']}.md").write_text("# Other\n")
    run("index", "--no-embed")
    ran = run("read", mask(NAMED_DOC))
    assert ran.code == 2
    assert "any of 2 files" in ran.err


def test_completion_masks_paths(planted: Path) -> None:
    context = click.Context(click.Command("read"), obj=None)
    context.params = {"root": None, "index": None}
    completed = complete_documents(context, click.Argument(["x"]), "docs")
    assert completed
    assert find_secrets(repr(completed)) == []
    assert planted.exists()


def test_the_user_can_switch_masking_off(planted: Path, run: Run) -> None:
    off = ("--set", "ingest.mask_secrets=false")
    assert "note" in find_secrets(run("note", "show", NOTE, *off).out)
    assert "note" in find_secrets(run("note", "update", NOTE, "--version", "stale", "--body", "x", *off).err)
    assert find_secrets(run("note", "show", NOTE).out) == []
    assert planted.exists()
