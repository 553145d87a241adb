"""`waymeet task`."""

import click

from waymeet.interfaces.cli.entries import Call, entry_group, print_saved, with_options

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


@command.command("move", help="Give a task another status.")
@click.argument("reference", metavar="NAME|PATH|TITLE")
@click.argument("status")
@click.option("--version", "version", default="", help="Refuse the change unless this is still the version.")
@with_options()
def _move(call: Call, reference: str, status: str, version: str) -> int:
    with call.notebook() as entries:
        item = entries.read(reference, "tasks")
        saved = entries.update(item.id, version=version or item.version, fields={"status": status})
        return print_saved(saved, as_json=call.as_json)
