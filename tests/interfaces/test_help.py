"""Help: every command has a summary, valid examples and exit codes, and help is fast."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from interfaces.conftest import Run

from waymeet.interfaces.cli import _COMMANDS, _EPILOG, cli
from waymeet.interfaces.cli.help import examples_of, manual


def _walked(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from _walked(inner, (*path, name))


EVERY = [(path, command) for path, command in _walked(cli, ()) if path]


@pytest.mark.parametrize(("path", "command"), EVERY, ids=[" ".join(path) for path, _ in EVERY])
def test_every_command_is_documented(path: tuple[str, ...], command: click.Command, run: Run) -> None:
    shown = run(*path, "--help")
    assert shown.code == 0
    assert command.help or command.short_help
    assert any(f"waymeet {' '.join(path)}" in line for line in examples_of(command.epilog or ""))
    assert re.search(r"Exit codes:\n\s+0 \w+", shown.out)
    assert "2 wrong usage" in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines()), "does not fit a terminal of eighty columns"
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    assert all(option.help for option in options)


EXAMPLES = [line for _, command in EVERY for line in examples_of(command.epilog or "")] + examples_of(_EPILOG)


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_example_can_be_typed(line: str) -> None:
    calls = [each for each in re.split(r"\s*(?:\||&&|\$\(|\)\"?)\s*", line) if re.search(r"\bwaymeet\b", each)]
    for call in calls:
        words = shlex.split(re.sub(r"\s+2?[<>]\S*\s*\S*\Z", "", call), comments=False)
        args = words[words.index("waymeet") + 1 :]
        _parse(cli, args)


def _parse(group: click.Group, args: list[str], parent: click.Context | None = None) -> None:
    """Read a command line as click does, without running it."""
    name = args[0]
    command = group.get_command(click.Context(group), name)
    assert command is not None, f"there is no command {name}"
    if isinstance(command, click.Group) and args[1:]:
        _parse(command, args[1:], click.Context(command, parent, info_name=name))
    elif not isinstance(command, click.Group):
        command.make_context(name, list(args[1:]), parent=parent)


def test_options_that_commands_share_are_everywhere() -> None:
    without = {("completion",), ("eval",), ("models", "remove")}
    for path, command in EVERY:
        names = {name for option in command.params for name in option.opts}
        if path in without or isinstance(command, click.Group):
            continue
        assert path[0] in {"projects", "token"} or {"-C", "--no-pager"} <= names, path
        assert "--json" in names, path


def test_a_remark_that_leaves_no_room_stands_above_its_line() -> None:
    text = manual(f"waymeet {'x' * 60}   a remark that is too long to stand behind it")
    assert examples_of(text) == [f"waymeet {'x' * 60}"]
    assert "  # a remark" in text
    assert all(len(line) <= 76 for line in text.splitlines())


def test_codes_that_mean_nothing_here_are_left_out() -> None:
    text = manual("waymeet x", exits={0: "shown", 3: ""})
    assert "3 no usable" not in text
    assert "0 shown · 2 wrong usage · 130 interrupted" in text


_HELP = """
import contextlib, io, sys
from waymeet.interfaces.cli import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main(["--help"])
print(*sorted(sys.modules))
"""


def _modules(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_help_imports_hardly_more_than_click() -> None:
    more = _modules(_HELP) - _modules("import click, sys; print(*sorted(sys.modules))")
    ours = {name for name in more if name.startswith("waymeet")}
    assert ours == {"waymeet", "waymeet.interfaces", "waymeet.interfaces.cli"}
    assert len(more - ours) <= 8, sorted(more - ours)
    assert not more & {"msgspec", "numpy", "apsw", "rich", "json", "traceback", "subprocess", "shutil"}


def test_completing_a_command_imports_no_command() -> None:
    code = """
import os, sys
os.environ.update(_WAYMEET_COMPLETE="bash_complete", COMP_WORDS="waymeet se", COMP_CWORD="1")
from waymeet.interfaces.cli import main
try:
    main([])
except SystemExit:
    print(*sorted(sys.modules))
"""
    loaded = _modules(code)
    assert "waymeet.interfaces.cli" in loaded
    assert not {name for name in loaded if name.startswith("waymeet.interfaces.cli.")}


def test_help_is_a_word_too(run: Run) -> None:
    assert run("help").out == run("--help").out
    assert run("help", "search").out == run("search", "--help").out
    assert run("help", "note", "add").out == run("note", "add", "--help").out
    assert run("help", "serach").code == 2


def test_the_overview_names_every_command_once(run: Run) -> None:
    shown = run("--help").out
    for name in _COMMANDS:
        assert len(re.findall(rf"(?m)^  {re.escape(name)} ", shown)) == 1
