"""`waymeet task`."""

from typing import TYPE_CHECKING

import click
import msgspec

from waymeet.interfaces.cli.common import print_json, say
from waymeet.interfaces.cli.write.options import Call, entry_manual, print_saved, with_options
from waymeet.interfaces.cli.write.render import as_json as shown_json
from waymeet.interfaces.cli.write.subcommands import entry_group
from waymeet.notebook.fields import STATUSES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


skill = entry_group(
    "skills",
    "Keep skills: how something is done, step by step, and the phrases that call for it.",
    """\
  waymeet skill add "Release" --trigger "ship it" --step "Run make test"
  waymeet skill list        also SKILL.md files anywhere in the project
  waymeet skill use release
""",
)


@skill.command(
    "use",
    help="Print a skill and count that it was used. The count is kept beside the index.",
    epilog=entry_manual("skills", "use {}", "use {} --json", exits={0: "printed"}),
)
@click.argument("reference", metavar="NAME|PATH|TITLE")
@with_options()
def _use(call: Call, reference: str) -> int:
    with call.notebook("skills") as entries:
        item, usage = entries.use(reference)
    if call.as_json:
        print_json({**shown_json(item), "usage": msgspec.to_builtins(usage)})
    else:
        say(item.text.removesuffix("\n"))
        say(f"{item.id} used {usage.count}×", err=True)
    return 0


note = entry_group(
    "notes",
    "Write, read and link notes: plain Markdown files of the project.",
    """\
  waymeet note add "Keys are rotated monthly" "By the job rotate." --tag ops
  waymeet note add "Meeting" - < minutes.md
  waymeet note link keys-are-rotated-monthly related_to docs/setup.md
  waymeet note update keys-are-rotated-monthly --version 3f2a9c --body -   refused if somebody else was first
""",
)


task = entry_group(
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


@task.command(
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
