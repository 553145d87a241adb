"""The command line.

Importing it costs no more than click: each command is imported when it is called.
"""

import io
import os
import signal
import sys
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from waymeet import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ROOT, NO_PAGER = "waymeet.root", "waymeet.no_pager"
"""Options given before the command's name, as keys of the context's `meta`."""
MASKS_SECRETS: ContextVar[bool] = ContextVar("waymeet.masks_secrets", default=True)
"""Whether secrets are masked in the output, also in that of an error after the command has ended."""
_MAX_COLUMNS, _MIN_COLUMNS = 80, 50
"""Width of help texts."""
_SECTIONS = {
    "Search": {
        "search": "Search the project; - reads a stack trace or a diff.",
        "open": "Search, read and follow links in a browser.",
        "read": "Print a section or some lines of an indexed file.",
        "why-not": "Explain why a document is not among the results.",
        "feedback": "Mark results as relevant or not; affects similar queries.",
    },
    "Explore links": {
        "related": "List documents related to a document by links.",
        "links": "List the outgoing and incoming links of a document.",
        "graph": "Draw the link graph, or the part around a document.",
        "stale": "List documents that are out of date with the code they describe.",
        "broken-links": "List broken links, with suggestions.",
        "orphans": "List documents without incoming links.",
        "suggest-links": "Suggest links that are missing.",
        "export": "Write the project as a site with a search in the browser.",
    },
    "Write": {
        "note": "Write, read and link notes, stored as Markdown files.",
        "task": "Manage tasks with status, priority, due date and relations.",
        "skill": "Manage skills: step-by-step instructions.",
        "checkpoint": "Save and restore the state of all notes, tasks and skills.",
    },
    "Set up": {
        "init": "Write a settings file for this project.",
        "install": "Register Waymeet with an agent.",
        "uninstall": "Unregister Waymeet from an agent.",
        "mcp": "Serve agents over the Model Context Protocol (MCP).",
        "serve": "Run a daemon that answers over HTTP and speeds up commands.",
        "token": "Manage tokens for a server of several projects.",
        "completion": "Print a shell completion script.",
    },
    "Manage": {
        "index": "Index the project, or update the index.",
        "projects": "List your projects, for search --all.",
        "status": "Show what is indexed, how fresh it is, and what was skipped.",
        "jobs": "List or end background jobs.",
        "doctor": "Check the installation and suggest fixes.",
        "check": "Check the index for corruption; --repair fixes it.",
        "migrate-store": "Copy the index to a PostgreSQL server or back.",
        "settings": "Show every setting, its value and its origin.",
        "models": "List models, download or remove them.",
        "recipes": "List the rankings, their stages and their numbers.",
        "eval": "Measure recipes on test collections, or on your own project.",
        "tune": "Fit the weights of auto to this project, if that helps.",
    },
}
_MODULES = {
    "search": "ask.search:command",
    "open": "setup.open_page:command",
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
    "export": "explore.export:command",
    "note": "write.commands:note",
    "task": "write.commands:task",
    "skill": "write.commands:skill",
    "checkpoint": "write.checkpoint:command",
    "init": "setup.init:command",
    "install": "setup.install:command",
    "uninstall": "setup.install:uninstall",
    "mcp": "setup.mcp:command",
    "serve": "setup.serve:command",
    "token": "setup.token:command",
    "completion": "setup.completion:command",
    "index": "manage.index:command",
    "projects": "manage.projects:command",
    "status": "manage.status:command",
    "jobs": "manage.jobs:command",
    "doctor": "manage.doctor:command",
    "check": "manage.check:command",
    "migrate-store": "manage.migrate_store:command",
    "settings": "manage.settings:command",
    "models": "manage.models:command",
    "recipes": "manage.recipes:command",
    "eval": "manage.eval:command",
    "tune": "manage.tune:command",
}
"""The module below this package and the attribute that define each command."""
_COMMANDS = {name: summary for section in _SECTIONS.values() for name, summary in section.items()}

_EPILOG = """\b
Examples:
  waymeet search "how do we rotate keys?"       indexes this folder on first use
  waymeet search getUserById --kind code -n 3
  pytest 2>&1 | waymeet search -                find the code of a stack trace
  waymeet read docs/setup.md#L10-L24
  waymeet related docs/setup.md                 documents linked with it
  waymeet stale --exit-code                     exit code 1 if a page is stale
  waymeet install --agent claude-code           let an agent search, too

\b
Exit codes:
  0 found · 1 nothing found · 2 wrong usage · 3 no usable index ·
  4 conflict · 70 internal error · 130 interrupted
"""


class _Commands(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _MODULES[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), attribute)
        command.short_help = _COMMANDS[cmd_name]
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
            hint = f"Did you mean {close[0]}?" if close else f'To search for it: waymeet search "{args[0]}"'
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - the return value of any command
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _raise_sigpipe()
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
@click.option("-C", "--project", "root", type=click.Path(), help="Project folder, for any command.")
@click.option("--no-pager", is_flag=True, help="Do not page long output.")
@click.pass_context
def cli(ctx: click.Context, root: str | None, no_pager: bool) -> None:
    """Local hybrid search for a project's docs, code and notes.

    Combines full-text, vector and link-based ranking on this machine, and explains every score.
    """
    ctx.meta.update({ROOT: root, NO_PAGER: no_pager})
    MASKS_SECRETS.set(True)


def main(args: list[str] | None = None) -> Any:  # noqa: ANN401 - does not return
    """Run the command line and exit with the code of its outcome."""
    try:
        if args is None:
            _prepare_streams()
        code = cli.main(args, prog_name="waymeet", standalone_mode=False, terminal_width=_columns())
        sys.exit(code if isinstance(code, int) else 0)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error has a message and an exit code
        from waymeet.interfaces.cli.errors import report_error

        sys.exit(report_error(error, sys.argv[1:] if args is None else args))


def _columns() -> int:
    """Return the width of help texts, without the import of shutil that click would do."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        columns = _MAX_COLUMNS
    return max(min(columns, _MAX_COLUMNS) - 2, _MIN_COLUMNS)


def _prepare_streams() -> None:
    """Replace characters that the terminal cannot encode, and closed streams."""
    sys.stdout = sys.stdout or io.StringIO()  # None if the parent process closed it
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _raise_sigpipe() -> None:
    """End by SIGPIPE, as other programs do when the reader of their output has gone.

    The default handler is not installed at start-up: then a helper process that dies would end this one, too.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
