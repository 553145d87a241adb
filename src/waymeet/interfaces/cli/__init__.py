"""The command line. Importing it costs no more than click: every command is loaded when it is called."""

import io
import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from waymeet import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ROOT, NO_PAGER = "waymeet.root", "waymeet.no_pager"
"""What may be said before the command's name, as keys of the context's `meta`."""
_WIDEST, _NARROWEST = 80, 50
"""Columns of help."""
_SECTIONS = {
    "Ask": {
        "search": "Ask the project a question; - reads a stack trace or a diff.",
        "read": "Print a section or some lines of an indexed file.",
        "why-not": "Say why a document is not among the answers.",
        "feedback": "Say which answers were right or wrong; like questions heed it.",
    },
    "Follow links": {
        "related": "List what belongs to a document, judged by links.",
        "links": "List the links of a document, out and in.",
        "graph": "Draw the graph, or the part around a document.",
        "stale": "List documents that what they describe has left behind.",
        "broken-links": "List links that lead nowhere, and what may be meant.",
        "orphans": "List documents that nothing links to.",
        "suggest-links": "Suggest links that nobody has set yet.",
    },
    "Write": {
        "note": "Write, read and link notes: plain Markdown files of the project.",
        "task": "Keep tasks with status, priority, due date and relations.",
        "skill": "Keep skills: how something is done, step by step.",
    },
    "Set up": {
        "init": "Write a settings file for this project, with what was found out about it.",
        "install": "Let an agent use Waymeet: register it in the agent's settings.",
        "uninstall": "Take that back.",
        "mcp": "Serve agents by the Model Context Protocol.",
        "serve": "Keep the index warm for HTTP, agents and commands.",
        "completion": "Print the script by which a shell completes commands.",
    },
    "Look after it": {
        "index": "Read the project's files into its index; only what changed is read again.",
        "status": "Say what is indexed, how fresh it is, and what was left out.",
        "doctor": "Look whether all is well, and say how to mend what is not.",
        "check": "Look for damage in the index, and mend it with --repair.",
        "settings": "Show every setting, its value and where that comes from.",
        "models": "List the models that can be used here; fetch others.",
        "recipes": "List the rankings, their stages and their numbers.",
        "eval": "Measure recipes on test collections, or on your own project.",
        "tune": "Fit the weights of auto to this project, if that helps.",
    },
}
_MODULES = {
    "search": "ask.search:command",
    "read": "ask.read:command",
    "why-not": "ask.why_not:command",
    "feedback": "ask.feedback:command",
    "related": "explore.related:command",
    "links": "explore.links:command",
    "graph": "explore.graph:command",
    "stale": "explore.stale:command",
    "broken-links": "explore.broken_links:command",
    "orphans": "explore.orphans:command",
    "suggest-links": "explore.suggest_links:command",
    "note": "write.commands:note",
    "task": "write.commands:task",
    "skill": "write.commands:skill",
    "init": "setup.init:command",
    "install": "setup.install:command",
    "uninstall": "setup.install:uninstall",
    "mcp": "setup.mcp:command",
    "serve": "setup.serve:command",
    "completion": "setup.completion:command",
    "index": "manage.index:command",
    "status": "manage.status:command",
    "doctor": "manage.doctor:command",
    "check": "manage.check:command",
    "settings": "manage.settings:command",
    "models": "manage.models:command",
    "recipes": "manage.recipes:command",
    "eval": "manage.eval:command",
    "tune": "manage.tune:command",
}
"""Where each command is defined: a module below this package and an attribute."""
_COMMANDS = {name: said for section in _SECTIONS.values() for name, said in section.items()}

_EPILOG = """\b
Examples:
  waymeet search "how do we rotate keys?"       indexes this folder on first use
  waymeet search getUserById --kind code -n 3
  pytest 2>&1 | waymeet search -                what a stack trace is about
  waymeet read docs/setup.md#L10-L24
  waymeet related docs/setup.md                 what belongs to it, by links
  waymeet stale --exit-code                     ends with 1 if a page is stale
  waymeet install --agent claude-code           lets an agent ask, too

\b
Exit codes:
  0 found · 1 nothing found · 2 wrong usage · 3 no usable index ·
  4 changed by others · 130 interrupted · 70 our mistake
"""


class _Commands(click.Group):
    """Knows its commands by name and imports one only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _MODULES[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[:1] == ["help"]:  # as with git: `waymeet help search`
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            return self.resolve_command(ctx, [*args[1:], "--help"])
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], _COMMANDS, n=1)
            meant = f"Did you mean {close[0]}?" if close else f'To search for it: waymeet search "{args[0]}"'
            raise click.UsageError(f"There is no command {args[0]!r}. {meant}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever the command returns
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _end_quietly()
            raise

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        names = (name for name in _COMMANDS if name.startswith(incomplete))
        return [CompletionItem(name, help=_COMMANDS[name]) for name in names] + click.Command.shell_complete(
            self, ctx, incomplete
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="waymeet")
@click.option("-C", "--project", "root", type=click.Path(), help="The project's folder, for any command.")
@click.option("--no-pager", is_flag=True, help="Print long output at once, also on a terminal.")
@click.pass_context
def cli(ctx: click.Context, root: str | None, no_pager: bool) -> None:
    """Waymeet: where words, meaning and links meet.

    Searches a project's knowledge - docs, code, notes - on this machine, and explains every answer.
    """
    ctx.meta.update({ROOT: root, NO_PAGER: no_pager})


def main(args: list[str] | None = None) -> Any:  # noqa: ANN401 - does not return
    """Run the command line and turn every outcome into an exit code."""
    try:
        if args is None:
            _prepare_streams()
        code = cli.main(args, prog_name="waymeet", standalone_mode=False, terminal_width=_columns())
        sys.exit(code if isinstance(code, int) else 0)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every ending has a message and a code
        from waymeet.interfaces.cli.errors import ended

        sys.exit(ended(error, sys.argv[1:] if args is None else args))


def _columns() -> int:
    """Say how wide help may be; click would import half of shutil to find out."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        columns = _WIDEST
    return max(min(columns, _WIDEST) - 2, _NARROWEST)


def _prepare_streams() -> None:
    """Let characters that the terminal lacks, or that are none, not end the program."""
    sys.stdout = sys.stdout or io.StringIO()  # closed by whoever started us: nobody listens
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _end_quietly() -> None:
    """End as programs do when nobody reads any more what they print.

    Not by leaving the signal to the system from the start: then a helper process that dies would end this one, too.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
