"""`waymeet note`, `waymeet task` and `waymeet skill`."""

from typing import TYPE_CHECKING

import click
import msgspec

from waymeet.interfaces.cli.common import print_json, say
from waymeet.interfaces.cli.write.options import Call, item_manual, print_saved, with_options
from waymeet.interfaces.cli.write.render import item_json
from waymeet.interfaces.cli.write.subcommands import item_group
from waymeet.notebook.fields import STATUSES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


skill = item_group(
    "skills",
    "Manage skills: step-by-step instructions with trigger phrases, stored as Markdown files.",
    """\
  waymeet skill add "Release" --trigger "ship it" --step "Run make test"
  waymeet skill list        includes SKILL.md files of the project
  waymeet skill use release
""",
)


@skill.command(
    "use",
    help="Print a skill and count its use. The count is stored next to the index.",
    epilog=item_manual("skills", "use {}", "use {} --json", exits={0: "printed"}),
)
@click.argument("reference", metavar="NAME|PATH|TITLE")
@with_options()
def _use(call: Call, reference: str) -> int:
    with call.notebook("skills") as notebook:
        item, usage = notebook.use(reference)
        item = notebook.masked(item)
    if call.as_json:
        print_json({**item_json(item), "usage": msgspec.to_builtins(usage)})
    else:
        say(item.text.removesuffix("\n"))
        say(f"{item.id} used {usage.count}×", err=True)
    return 0


note = item_group(
    "notes",
    "Write, read and link notes, stored as Markdown files of the project.",
    """\
  waymeet note add "Keys are rotated monthly" "By the job rotate." --tag ops
  waymeet note add "Meeting" - < minutes.md
  waymeet note link keys-are-rotated-monthly related_to docs/setup.md
  waymeet note update keys-are-rotated-monthly --version 3f2a9c --body -   refused if the note was changed meanwhile
""",
)


task = item_group(
    "tasks",
    "Manage tasks with status, priority, due date and relations, stored as Markdown files.",
    """\
  waymeet task add "Rotate the signing keys" --priority high --due 2026-12-31
  waymeet task add "Write the job" --field subtask_of=rotate-the-signing-keys
  waymeet task move write-the-job in_progress
  waymeet task list --open
""",
)


def _complete_statuses(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[str | CompletionItem]":
    return [status for status in STATUSES if status.startswith(incomplete)]


@task.command(
    "move",
    help=f"Set the status of a task: {', '.join(STATUSES)}.",
    epilog=item_manual("tasks", "move {} in_progress", "move {} done", exits={0: "written"}),
)
@click.argument("reference", metavar="NAME|PATH|TITLE")
@click.argument("status", shell_complete=_complete_statuses)
@click.option("--version", "version", default="", help="Refuse the change if the current version differs.")
@with_options()
def _move(call: Call, reference: str, status: str, version: str) -> int:
    with call.notebook() as notebook:
        item = notebook.load(reference, "tasks")
        saved = notebook.update(item.id, version=version or item.version, fields={"status": status})
        return print_saved(notebook, saved, as_json=call.as_json)
