"""`waymeet task`."""

from typing import TYPE_CHECKING

import click

from waymeet.interfaces.cli.write.options import Call, entry_manual, print_saved, with_options
from waymeet.interfaces.cli.write.subcommands import entry_group
from waymeet.notebook.fields import STATUSES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

command = entry_group(
    "tasks",
    "Keep tasks: plain Markdown files of the project with status, priority, due date and relations.",
    """\
  waymeet task add "Rotate the signing keys" --priority high --due 2026-12-31
  waymeet task add "Write the job" --field subtask_of=rotate-the-signing-keys
  waymeet task move write-the-job in_progress
  waymeet task list --open
""",
)


def _statuses(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[str | CompletionItem]":
    return [each for each in STATUSES if each.startswith(incomplete)]


@command.command(
    "move",
    help=f"Give a task another status: {', '.join(STATUSES)}.",
    epilog=entry_manual("tasks", "move {} in_progress", "move {} done", exits={0: "written"}),
)
@click.argument("reference", metavar="NAME|PATH|TITLE")
@click.argument("status", shell_complete=_statuses)
@click.option("--version", "version", default="", help="Refuse the change unless this is still the version.")
@with_options()
def _move(call: Call, reference: str, status: str, version: str) -> int:
    with call.notebook() as entries:
        item = entries.read(reference, "tasks")
        saved = entries.update(item.id, version=version or item.version, fields={"status": status})
        return print_saved(saved, as_json=call.as_json)
