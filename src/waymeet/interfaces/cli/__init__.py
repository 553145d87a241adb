"""The command line. Importing it costs no more than click: every command is loaded when it is called."""

import io
import signal
import sys
from importlib import import_module
from typing import Any

import click

from waymeet import __version__

_MISTAKE = 70
"""The exit code that means an internal mistake, as in sysexits.h."""
_COMMANDS = {
    "index": "Read the project's files into its index; only what changed is read again.",
    "search": "Ask the project a question.",
    "read": "Print a section or some lines of an indexed file.",
    "why-not": "Say why a document is not among the answers.",
    "feedback": "Say which answers were right or wrong; like questions heed it.",
    "related": "List what belongs to a document, judged by links.",
    "links": "List the links of a document, out and in.",
    "graph": "Draw the graph, or the part around a document.",
    "stale": "List documents that what they describe has left behind.",
    "broken-links": "List links that lead nowhere, and what may be meant.",
    "orphans": "List documents that nothing links to.",
    "suggest-links": "Suggest links that nobody has set yet.",
    "status": "Say what is indexed, how fresh it is, and what was left out.",
    "check": "Look for damage in the index, and mend it with --repair.",
    "note": "Write, read and link notes: plain Markdown files of the project.",
    "task": "Keep tasks with status, priority, due date and relations.",
    "skill": "Keep skills: how something is done, step by step.",
    "eval": "Measure recipes on test collections.",
    "recipes": "List the rankings, their stages and their numbers.",
    "settings": "Show every setting, its value and where that comes from.",
}

_EPILOG = """\b
Examples:
  waymeet search "how do we rotate keys?"       indexes this folder on first use
  waymeet search getUserById --kind code -n 3
  waymeet search "rank fusion" --explain        shows how every score came about
  waymeet read docs/setup.md#L10-L24
  waymeet related docs/setup.md                 what belongs to it, judged by links
  waymeet stale --exit-code                     ends with 1 if a document was left behind

\b
Exit codes: 0 found · 1 nothing found · 2 wrong usage · 3 no usable index · 4 changed by others ·
130 interrupted · 70 our mistake
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
        command: click.Command = import_module(f"waymeet.interfaces.cli.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="waymeet")
def cli() -> None:
    """Waymeet: where words, meaning and links meet.

    Searches a project's knowledge - docs, code, notes - on this machine, and explains every answer.
    """


def main(args: list[str] | None = None) -> Any:  # noqa: ANN401 - does not return
    """Run the command line and turn every outcome into an exit code."""
    try:
        if args is None:
            _prepare_streams()
        code = cli.main(args, prog_name="waymeet", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted. What was finished is kept; run it again to go on.", err=True)
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - the last resort: every ending has a message and a code
        from waymeet.errors import WaymeetError
        from waymeet.interfaces.present import safe

        if isinstance(error, WaymeetError):
            click.echo(f"waymeet: {safe(str(error))}", err=True)
            sys.exit(error.exit_code)
        if isinstance(error, OSError):  # the output cannot be written, say, because a disk is full
            click.echo(f"waymeet: {safe(str(error))}.", err=True)
            sys.exit(3)
        import traceback

        click.echo(f"{safe(traceback.format_exc())}waymeet: this is a mistake in Waymeet, not yours.", err=True)
        sys.exit(_MISTAKE)


def _prepare_streams() -> None:
    """Let characters that the terminal lacks not end the program."""
    sys.stdout = sys.stdout or io.StringIO()  # closed by whoever started us: nobody listens
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _end_quietly() -> None:
    """End as programs do when nobody reads any more what they print.

    Not by leaving the signal to the system from the start: then a helper process that dies would end this one, too.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGPIPE)
